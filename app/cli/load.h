// Reading a model for any verb: file or standard input, settings, diagnostics on standard error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/prepare.h"

namespace ananke::cli {

struct ModelArguments {
    std::string path;                   ///< "-" is standard input
    std::vector<std::string> settings;  ///< name=value
    std::vector<std::string> without;
};

struct LoadedModel {
    std::string text;
    std::unique_ptr<sim::Prepared> prepared;
};

/// Prints what is wrong and answers nothing, or prints warnings and answers the model.
std::optional<LoadedModel> load(const ModelArguments& arguments);

}  // namespace ananke::cli

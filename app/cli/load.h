// Reading a model for any verb: file or standard input, settings, diagnostics on standard error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ananke/model.h"

namespace ananke::cli {

struct ModelArguments {
    std::string path;                   ///< "-" is standard input
    std::vector<std::string> settings;  ///< name=value
    std::vector<std::string> scales;    ///< name=size
    std::vector<std::string> without;
};

/// Prints what is wrong and answers nothing, or prints warnings and answers the model.
std::optional<Model> load(const ModelArguments& arguments);

/// A line on standard error if the run of these results did not come to its end.
void warn_of_ending(const std::string& path, const Trajectory& results);

}  // namespace ananke::cli

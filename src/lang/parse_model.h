// The way in: a text of the modelling language becomes a model, or a list of what is wrong with it.
//
//   Sources sources;
//   lang::Options options;
//   options.settings = {"L=2", "x'=0.5"};
//   lang::ParseResult r = lang::parse_model_file(sources, "pendulum.ank", options);
//   if (!r.model) std::cerr << render(r.diagnostics, sources);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "lang/limits.h"
#include "mech/model.h"

namespace ananke::lang {

/// Reads a file. When `directory` is not empty the file, links followed, must lie inside it.
using FileReader =
    std::function<Result<std::string>(const std::string& path, const std::string& directory)>;

/// From the file system.
Result<std::string> read_file(const std::string& path, const std::string& directory);

struct Options {
    /// "name=value" for parameters and initial values (x=1, x'=2, x~1); values may use numbers,
    /// pi, deg, functions and parameters declared before. A structural parameter expands again.
    std::vector<std::string> settings;
    /// Where imports are looked up that are not beside the importing file; "" for nowhere.
    std::string prelude_directory;
    FileReader read = read_file;
    Limits limits;
};

struct ParseResult {
    std::optional<mech::Model> model;     ///< absent if there are errors
    std::vector<Diagnostic> diagnostics;  ///< errors and warnings
    std::vector<std::string> files;       ///< that were read
};

ParseResult parse_model_file(Sources& sources, const std::string& path, const Options& options);

/// `name` is shown in messages; imports are looked up beside it.
ParseResult parse_model_text(Sources& sources, std::string name, std::string text,
                             const Options& options);

struct NamedNumber {
    std::string name;
    double value;
};

/// The value of an expression of numbers, pi, deg, functions and the names given. The error is one
/// sentence that begins with `what`.
Result<double> parse_number(const std::string& what, const std::string& text,
                            std::span<const NamedNumber> names);

}  // namespace ananke::lang

// Files to be written, against files that are read and against each other.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "ananke/result.h"

namespace ananke::cli {

/// By device and inode where both exist, else by their paths with links followed. "" and "-" are no
/// files.
bool is_same_file(const std::string& a, const std::string& b);

/// A file to be written: the option that asks for it, and its path.
using Target = std::pair<std::string, std::string>;

/// Fails where a target is among the files read, or where two targets are one file. `what` is
/// written there: "the results", "the page".
Result<void> check_targets(const std::string& what, std::span<const Target> targets,
                           std::span<const std::string> read);

}  // namespace ananke::cli

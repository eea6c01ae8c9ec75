// Keeps some of the columns of a run: `--only "x*,force[hinge:*"`.
#pragma once

#include <string>
#include <vector>

#include "ananke/record.h"

namespace ananke::io {

/// "x*, force[hinge:*" as patterns: split at commas, blanks around each dropped.
std::vector<std::string> split_patterns(const std::string& text);

}  // namespace ananke::io

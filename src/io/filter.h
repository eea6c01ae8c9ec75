// Keeps some of the columns of a run: `--only "x*,force[hinge:*"`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/record.h"

namespace ananke::io {

/// Hands `next` the columns that match any pattern (`*` is the only wildcard), and always `t`.
/// begin() fails for a pattern that matches no column, and names the nearest ones.
std::unique_ptr<sim::Recorder> only(std::unique_ptr<sim::Recorder> next,
                                    std::vector<std::string> patterns);

/// "x*, force[hinge:*" as patterns: split at commas, blanks around each dropped.
std::vector<std::string> split_patterns(const std::string& text);

}  // namespace ananke::io

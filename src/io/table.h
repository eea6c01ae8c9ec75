// The short table that a run prints when its results go to no file.
#pragma once

#include <cstddef>
#include <string>

#include "io/memory.h"

namespace ananke::io {

struct TableOptions {
    std::size_t rows = 11;    ///< chosen evenly, first and last always among them
    std::size_t width = 100;  ///< characters of a line; columns that do not fit are counted below
};

/// `t`, positions, velocities, then whatever else fits, with about six significant digits:
///
///        t         x        x'
///      0.0   1.00000   0.00000
///      0.5   0.87758  -0.47943
std::string table(const Trajectory& trajectory, const TableOptions& options = {});

}  // namespace ananke::io

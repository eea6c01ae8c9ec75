// Units in which a search for initial values measures its unknowns.
//
// Values whose size is known have that as their unit. The unit of another follows from a row that
// ties it to known ones, or asks something of it: f + sum of J_i dx_i = 0 gives
//   unit_j = (|f| + sum over known i of |J_i| unit_i) / |J_j|,    the least over all rows.
// Where that tells nothing (all gradients are zero at the guess) all unknown values are moved
// together until some residual changes by half of itself: by a power of two.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "solve/constraint_level.h"

namespace ananke::solve {

/// Fixed numbers in [-1, 1] that are well spread: sines of multiples of the golden angle.
inline double golden_spread(std::size_t i) {
    return std::sin(2.399963 * static_cast<double>(i));
}

/// One for each of the values (n) of a level, above 0. The sizes that are known are those of the
/// values themselves and ConstraintSurface::sizes().
std::vector<double> search_units(ConstraintSurface& surface, const LevelState& at);

}  // namespace ananke::solve

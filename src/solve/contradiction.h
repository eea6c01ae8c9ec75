// Which of many linear equations contradict each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dense/dense.h"
#include "solve/system.h"

namespace ananke::solve {

struct ContradictionTolerance {
    double dependence =
        1e-9;                ///< distance of a unit row from the span of others that counts as none
    double mismatch = 1e-9;  ///< scaled mismatch of the right-hand side that counts as none
};

/// A smallest set of rows of A x = r that no x satisfies together, in ascending order; empty when
/// all rows can be satisfied. Serves accelerations (b), velocities (-psi) and positions (-phi)
/// alike. Among sets of equal size the first in the order of `keys` (names of the rows; empty:
/// their indices) is taken, so that the answer does not depend on the order of the rows. `scale`
/// (empty: none) is the size below which, times the tolerance, an entry of r is round-off.
///
/// Beyond a few hundred thousand candidate sets the search falls back to an irreducible set: no row
/// of it can be left out, but a smaller set may exist.
std::vector<int> contradictory_rows(
    const Eigen::Ref<const RowMatrix>& A, const Eigen::Ref<const Eigen::VectorXd>& r,
    std::span<const std::string> keys = {},
    const Eigen::Ref<const Eigen::VectorXd>& scale = Eigen::VectorXd(),
    ContradictionTolerance tolerance = {});

}  // namespace ananke::solve

// Which rows of a large sparse A are independent, found body by body from the leaves to the ground.
#pragma once

#include <vector>

#include "solve/elimination_order.h"

namespace ananke::solve {

/// A row of which the others leave less than this depends on them.
constexpr double kDependentPart = 1e-9;

struct RowChoice {
    std::vector<int> kept, dropped;  ///< ascending
    std::vector<int> coordinates;    ///< of kept rows: one of each, that it determines
    /// Least part of a kept row that the rows before it did not reproduce.
    double weakest = 1.0;
    bool warning = false;  ///< a row was near to dependent
};

/// Null-space elimination of the rows with threshold pivoting; rows that have no good pivot in
/// their body wait in a neighbour, and what vanishes depends on the others. M is not looked at.
RowChoice independent_rows(const SparseSystem& at, double dependent = kDependentPart);

}  // namespace ananke::solve

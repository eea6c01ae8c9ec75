// In which order the unknowns are eliminated: chosen at one state, then kept.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "solve/elimination.h"
#include "solve/quaternion_basis.h"

namespace ananke::solve {

struct SparseSystem {
    int n = 0;
    int m = 0;
    std::vector<SparseEntry> mass;  ///< upper triangle of M
    std::vector<SparseEntry> rows;  ///< of A; independent rows
    std::vector<double> scale;      ///< n  size of a unit of each coordinate, such as M_jj^-1/2
    std::vector<int> block = {};    ///< n  the body each belongs to; empty: no bodies
    /// Searches are given up beyond this cost.
    double most_cost = std::numeric_limits<double>::infinity();
    /// Searches that take the square of the size are not begun, and the entries looked at are
    /// limited with the cost. Asks for blocks.
    bool many_blocks = false;
};

struct EliminationOrder {
    std::vector<Pivot> pivots;
    std::vector<double> sizes;  ///< of each pivot at the state
    double cost = 0.0;          ///< products, about
};

/// Null-space order: at each pivot the cheapest of those that are large enough among their row.
/// Nothing if the rows are dependent or a direction without mass is left free.
std::optional<EliminationOrder> null_space_order(const SparseSystem& at);

/// Range-space order. Coordinates without mass go first, by rows that hold them. Nothing if M is
/// not safely positive but for these, or rows are too near to dependent: their pivots must be at
/// least `least` of their diagonals in A M^-1 A^T.
std::optional<EliminationOrder> range_space_order(const SparseSystem& at, double least);

/// Pivots of rows below this part of their diagonal in A M^-1 A^T are too near to dependent for the
/// range-space order.
constexpr double kSoundPart = 0.1;
/// The same in systems that are not small: the last row of a rope between two hooks has 1/N. The
/// accelerations lose the root of it.
constexpr double kSoundPartOfMany = 1e-5;

/// The null-space order, or the range-space order. Where M > 0 that one if it is sound and not much
/// dearer: it asks for a new one only where rows become dependent; systems of bodies without
/// many_blocks are searched for it only if they are small. In larger systems with loops, where rows
/// that wait for a pivot fill in, if it is much cheaper. Else where there is no other.
std::optional<EliminationOrder> choose_order(const SparseSystem& at);

}  // namespace ananke::solve

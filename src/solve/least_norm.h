// Multipliers that give a force, where sparse rows are dependent.
//
// Of all l with B^T l = f the one of least |K l|, B of any rank with the independent rows B_k:
//   K^T y = B mu,  y = K l,  mu = B_k^T z,  B^T l - w = f,  B_k w = 0
// one symmetric sparse system, regular whatever the dependences as long as K has full rank on them.
// f is a combination of rows, so that w = 0.
#pragma once

#include <span>
#include <vector>

#include "solve/elimination_order.h"

namespace ananke::solve {

/// `rows`: the entries of B (m x n); `kept`: its independent rows; `K`: entries of a matrix with m
/// columns, of which rows without entries need none. Nothing if the system is singular.
std::vector<double> least_norm(int n, int m, std::span<const SparseEntry> rows,
                               std::span<const int> kept, std::span<const double> f,
                               std::span<const SparseEntry> K);

}  // namespace ananke::solve

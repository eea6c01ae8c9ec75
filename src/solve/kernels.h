// Small dense kernels on caller-owned memory. Matrices are row-major and contiguous.
#pragma once

#include <span>

#include "solve/fixed_size.h"
#include "solve/system.h"

namespace ananke::solve {

/// M = L L^T, lower triangle of M read, L fully written (zeros above the diagonal). Returns the
/// smallest pivot relative to its own diagonal entry of M, not positive if the factor does not
/// exist.
double cholesky(int n, const double* M, double* L);

/// The same, and true if M is positive definite: smallest pivot above `threshold`. Pivots in the
/// order of the coordinates say so only when none is small (a zero pivot after a small one is
/// blurred by rounding); otherwise the pivots of a diagonally pivoted factorisation decide. `work`
/// holds n×n numbers.
bool positive_definite(int n, const double* M, double threshold, double* L, double* work);

/// x <- L^-1 x, for `count` vectors one after the other
void solve_lower(int n, const double* L, double* x, int count = 1);
/// x <- L^-T x
void solve_lower_transposed(int n, const double* L, double* x);
/// y = L x
void multiply_lower(int n, const double* L, const double* x, double* y);

/// False if any of the n numbers is a NaN or an infinity.
bool all_finite(int n, const double* x);
/// Of M, Q, C, A and b. Requires contiguous M and A.
bool all_finite(const System& at);

/// Scales d (n) of the coordinates: d_i^2 (M_ii + sum_k rho_k^2 A_ki^2) = 1 with the rows measured
/// in units of the masses, rho_k^2 a geometric mean of M_ii / A_ki^2. Neither the units of the
/// coordinates nor the scale of the rows matter. Only the rows listed take part; `row_scale` (m)
/// receives rho, `work` holds n numbers. Iterated balance of [M A^T; A 0] has no limit when
/// rows outnumber coordinates, and blows up coordinates whose mass is small by chance where M is
/// singular. For the same reason the members of a group count with their mean mass.
void equilibrate(int n, const double* M, const double* A, int count, const int* rows, double* d,
                 double* row_scale, double* work, std::span<const CoordinateGroup> groups = {});

/// Rows of A by their entries: row k has those from begin[k] on, before begin[k + 1].
struct SparseRowEntries {
    std::span<const int> begin;
    std::span<const int> column;
    std::span<const double> value;
};

/// The same for all of these rows; `mass` (n): the diagonal of M.
void equilibrate(std::span<const double> mass, const SparseRowEntries& A, std::span<double> d,
                 std::span<double> row_scale, std::span<const CoordinateGroup> groups);

}  // namespace ananke::solve

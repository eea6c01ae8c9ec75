// Small dense kernels on caller-owned memory. Matrices are row-major and contiguous.
#pragma once

namespace ananke::solve {

/// M = L L^T, lower triangle of M read, L fully written (zeros above the diagonal). False as soon
/// as a pivot is not above `threshold` times its own diagonal entry of M.
bool cholesky(int n, const double* M, double threshold, double* L);

/// x <- L^-1 x
void solve_lower(int n, const double* L, double* x);
/// x <- L^-T x
void solve_lower_transposed(int n, const double* L, double* x);
/// y = L x
void multiply_lower(int n, const double* L, const double* x, double* y);

double dot(int n, const double* x, const double* y);

/// False if any of the n numbers is a NaN or an infinity.
bool all_finite(int n, const double* x);

/// Scales d that give D M D a unit diagonal. A coordinate without mass takes its scale from the
/// constraint rows: its largest entry then measures as much as the row's massive part.
void equilibrate(int n, int m, const double* M, const double* A, double* d);

}  // namespace ananke::solve

// Projection onto the constraints and constrained accelerations for systems of fixed size, by the
// normal equations in the metric of the masses:
//   dq = -M^-1 A^T (A M^-1 A^T)^-1 phi,   a = a0 - M^-1 A^T (A M^-1 A^T)^-1 (A a0 - b).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ananke::bench {

template <std::size_t Rows, std::size_t Columns>
using Matrix = std::array<std::array<double, Columns>, Rows>;

/// L L^T = S, in place, lower triangle; the diagonal holds its reciprocals.
template <std::size_t N>
void cholesky(Matrix<N, N>& S) {
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = S[i][j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= S[i][k] * S[j][k];
            }
            S[i][j] = i == j ? 1.0 / std::sqrt(sum) : sum * S[j][j];
        }
    }
}

/// The least change of x (in the metric L L^T) that takes residuals f of rows A away.
template <std::size_t N, std::size_t R>
void least_change_by_factor(const Matrix<N, N>& M, const Matrix<R, N>& A, std::array<double, R> f,
                            double* x) {
    Matrix<N, R> W;  // L^-1 A^T
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t r = 0; r < R; ++r) {
            double sum = A[r][i];
            for (std::size_t k = 0; k < i; ++k) {
                sum -= M[i][k] * W[k][r];
            }
            W[i][r] = sum * M[i][i];
        }
    }
    Matrix<R, R> S{};
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t r = 0; r < R; ++r) {
            for (std::size_t s = 0; s <= r; ++s) {
                S[r][s] += W[i][r] * W[i][s];
            }
        }
    }
    cholesky<R>(S);
    for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t s = 0; s < r; ++s) {
            f[r] -= S[r][s] * f[s];
        }
        f[r] *= S[r][r];
    }
    for (std::size_t r = R; r-- > 0;) {
        for (std::size_t s = r + 1; s < R; ++s) {
            f[r] -= S[s][r] * f[s];
        }
        f[r] *= S[r][r];
    }
    std::array<double, N> y{};
    for (std::size_t i = N; i-- > 0;) {
        for (std::size_t r = 0; r < R; ++r) {
            y[i] += W[i][r] * f[r];
        }
        for (std::size_t k = i + 1; k < N; ++k) {
            y[i] -= M[k][i] * y[k];
        }
        y[i] *= M[i][i];
        x[i] -= y[i];
    }
}

/// The same in the metric M.
template <std::size_t N, std::size_t R>
void least_change(Matrix<N, N> M, const Matrix<R, N>& A, const std::array<double, R>& f,
                  double* x) {
    cholesky<N>(M);
    least_change_by_factor<N, R>(M, A, f, x);
}

/// M a = F + A^T lambda, A a = b
template <std::size_t N, std::size_t R>
void constrained_acceleration(Matrix<N, N> M, const std::array<double, N>& F, const Matrix<R, N>& A,
                              const std::array<double, R>& b, double* a) {
    cholesky<N>(M);
    for (std::size_t i = 0; i < N; ++i) {
        a[i] = F[i];
        for (std::size_t k = 0; k < i; ++k) {
            a[i] -= M[i][k] * a[k];
        }
        a[i] *= M[i][i];
    }
    for (std::size_t i = N; i-- > 0;) {
        for (std::size_t k = i + 1; k < N; ++k) {
            a[i] -= M[k][i] * a[k];
        }
        a[i] *= M[i][i];
    }
    std::array<double, R> f;
    for (std::size_t r = 0; r < R; ++r) {
        f[r] = -b[r];
        for (std::size_t i = 0; i < N; ++i) {
            f[r] += A[r][i] * a[i];
        }
    }
    least_change_by_factor<N, R>(M, A, f, a);
}

template <std::size_t R>
double largest(const std::array<double, R>& f) {
    double most = 0.0;
    for (const double value : f) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

/// A model that brings its own projection.
template <class Model>
concept ProjectsItself = requires(double* x) {
    Model::project(0.0, x, x);
};

template <ProjectsItself Model>
void project(double t, double* q, double* v) {
    Model::project(t, q, v);
}

/// `Model` has position(t, q, phi, A), rate(t, A, v) and mass(q, M).
template <class Model>
requires(!ProjectsItself<Model>) void project(double t, double* q, double* v) {
    constexpr double kDone = 2e-15;
    constexpr int kMostIterations = 10;
    typename Model::Residual f;
    typename Model::Jacobian A;
    typename Model::Mass M;
    Model::position(t, q, f, A);
    double left = largest(f);
    for (int i = 0; i < kMostIterations && left > kDone; ++i) {
        std::array<double, Model::n> before;
        std::copy(q, q + Model::n, before.begin());
        Model::mass(q, M);
        least_change(M, A, f, q);
        Model::position(t, q, f, A);
        const double now = largest(f);
        if (now >= left) {  // round-off reached
            std::copy(before.begin(), before.end(), q);
            Model::position(t, q, f, A);
            break;
        }
        left = now;
    }
    f = Model::rate(t, A, v);
    if (largest(f) > kDone) {
        Model::mass(q, M);
        least_change(M, A, f, v);
    }
}

}  // namespace ananke::bench

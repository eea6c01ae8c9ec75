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

/// (L D L^T) x = f for a matrix S of fixed size, loops unrolled; S is overwritten.
template <std::size_t N>
inline void solve_symmetric(Matrix<N, N>& S, std::array<double, N>& f) {
    std::array<double, N> inverse;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) {
        inverse[j] = 1.0 / S[j][j];
#pragma GCC unroll 8
        for (std::size_t i = j + 1; i < N; ++i) {
            const double factor = S[i][j] * inverse[j];
#pragma GCC unroll 8
            for (std::size_t k = j + 1; k <= i; ++k) {
                S[i][k] -= factor * S[k][j];
            }
            f[i] -= factor * f[j];
        }
    }
#pragma GCC unroll 8
    for (std::size_t back = 0; back < N; ++back) {
        const std::size_t j = N - 1 - back;
        double sum = f[j];
#pragma GCC unroll 8
        for (std::size_t i = j + 1; i < N; ++i) {
            sum -= S[i][j] * f[i];
        }
        f[j] = sum * inverse[j];
    }
}

/// m a = F + A^T lambda, A a = b with masses m of particles: S = A m^-1 A^T.
template <std::size_t N, std::size_t R>
inline void acceleration_of_particles(const std::array<double, N>& inverse_mass,
                                      const std::array<double, N>& F, const Matrix<R, N>& A,
                                      std::array<double, R> b, double* a) {
    Matrix<R, R> S{};
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
        a[i] = inverse_mass[i] * F[i];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r) {
            b[r] -= A[r][i] * a[i];
#pragma GCC unroll 8
            for (std::size_t s = 0; s <= r; ++s) {
                S[r][s] += A[r][i] * inverse_mass[i] * A[s][i];
            }
        }
    }
    solve_symmetric<R>(S, b);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r) {
            a[i] += inverse_mass[i] * A[r][i] * b[r];
        }
    }
}

/// The same with any mass matrix: the factors of M are applied to A^T and F together.
template <std::size_t N, std::size_t R>
inline void constrained_acceleration(Matrix<N, N> M, const std::array<double, N>& F,
                                     const Matrix<R, N>& A, std::array<double, R> b, double* a) {
    std::array<double, N> inverse;
    Matrix<N, R + 1> W;  // L^-1 [A^T F]
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r) {
            W[i][r] = A[r][i];
        }
        W[i][R] = F[i];
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) {
        inverse[j] = 1.0 / M[j][j];
#pragma GCC unroll 8
        for (std::size_t i = j + 1; i < N; ++i) {
            const double factor = M[i][j] * inverse[j];
#pragma GCC unroll 8
            for (std::size_t k = j + 1; k <= i; ++k) {
                M[i][k] -= factor * M[k][j];
            }
#pragma GCC unroll 8
            for (std::size_t r = 0; r <= R; ++r) {
                W[i][r] -= factor * W[j][r];
            }
        }
    }
    Matrix<R, R> S{};
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r) {
            const double scaled = W[i][r] * inverse[i];
            b[r] -= scaled * W[i][R];
#pragma GCC unroll 8
            for (std::size_t s = 0; s <= r; ++s) {
                S[r][s] += scaled * W[i][s];
            }
        }
    }
    solve_symmetric<R>(S, b);
#pragma GCC unroll 8
    for (std::size_t back = 0; back < N; ++back) {
        const std::size_t i = N - 1 - back;
        double sum = W[i][R];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r) {
            sum += W[i][r] * b[r];
        }
#pragma GCC unroll 8
        for (std::size_t k = i + 1; k < N; ++k) {
            sum -= M[k][i] * a[k];
        }
        a[i] = sum * inverse[i];
    }
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

#include "solve/kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ananke::solve {
namespace {

// Pivots above this, in whatever order, leave no doubt that a matrix is positive definite.
constexpr double kSurePivot = 1e-5;
// The square of an entry of A this much smaller than the largest of its row is round-off.
constexpr double kNoEntry = 1e-24;

double square(double x) {
    return x * x;
}

}  // namespace

bool all_finite(int n, const double* x) {
    // 0 for numbers, NaN for a NaN or an infinity; four sums that need not wait for each other.
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            sum[k] += x[i + k] * 0.0;
        }
    }
    for (; i < n; ++i) {
        sum[0] += x[i] * 0.0;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

bool all_finite(const System& at) {
    const int n = at.n();
    const int m = at.m();
    return all_finite(n * n, at.M.data()) && all_finite(n, at.Q.data()) &&
           all_finite(m * n, at.A.data()) && all_finite(m, at.b.data()) &&
           all_finite(static_cast<int>(at.C.size()), at.C.data());
}

namespace {

/// Zeros a row begins with, up to `most`: large matrices have many, and what they multiply need not
/// be added. Small ones are done before their zeros are counted.
int leading_zeros(int most, const double* row) {
    int zeros = 0;
    while (zeros < most && row[zeros] == 0.0) {
        ++zeros;
    }
    return zeros;
}
template <int most>
Fixed<0> leading_zeros(Fixed<most> /*most*/, const double* /*row*/) {
    return {};
}

/// The dot product of the first n entries but the leading zeros.
template <class Size, class Zeros>
double dot_behind(Zeros zeros, Size n, const double* x, const double* y) {
    if constexpr (std::is_same_v<Zeros, int>) {
        return n > zeros ? dot(n - zeros, x + zeros, y + zeros) : 0.0;
    } else {
        return dot(n, x, y);
    }
}

}  // namespace

double cholesky(int size, const double* M, double* L) {
    return with_size(size, [M, L](auto n) {
        double smallest = 1.0;
        bool positive = true;
        each(n, [&](auto i) {
            double* row = L + i * n;
            const auto zeros = leading_zeros(i, M + i * n);  // and of the row of L
            each(i, [&](auto j) {
                row[j] = (M[i * n + j] - dot_behind(zeros, j, row, L + j * n)) / L[j * n + j];
            });
            const double pivot = M[i * n + i] - dot(i, row, row);
            positive = positive && pivot > 0.0;
            smallest = std::min(smallest, pivot / M[i * n + i]);
            row[i] = std::sqrt(pivot);
            std::fill(row + i + 1, row + n, 0.0);
        });
        return positive ? smallest : 0.0;
    });
}

namespace {

// Smallest pivot of D M D (unit diagonal) when the largest remaining one is always taken next.
double smallest_pivot(int n, const double* M, double* S) {
    for (int i = 0; i < n; ++i) {
        if (!(M[i * n + i] > 0.0)) {
            return 0.0;
        }
        for (int j = 0; j < n; ++j) {
            S[i * n + j] = M[std::max(i, j) * n + std::min(i, j)] / std::sqrt(M[i * n + i]) /
                           std::sqrt(M[j * n + j]);
        }
    }
    double smallest = 1.0;
    for (int k = 0; k < n; ++k) {
        int pick = k;
        for (int i = k + 1; i < n; ++i) {
            pick = S[i * n + i] > S[pick * n + pick] ? i : pick;
        }
        for (int j = 0; j < n; ++j) {
            std::swap(S[k * n + j], S[pick * n + j]);
        }
        for (int i = 0; i < n; ++i) {
            std::swap(S[i * n + k], S[i * n + pick]);
        }
        const double pivot = S[k * n + k];
        smallest = std::min(smallest, pivot);
        if (!(pivot > 0.0)) {
            return 0.0;
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = S[i * n + k] / pivot;
            for (int j = k + 1; j < n; ++j) {
                S[i * n + j] -= factor * S[k * n + j];
            }
        }
    }
    return smallest;
}

// The factor that makes a row comparable with the masses: its square is a mean of M_ii / A_ki^2
// over the coordinates with mass. Each ratio is free of the unit of its coordinate. The mean is the
// geometric one, and a ratio counts the less the larger it is (by its fourth root): entries that
// are small because a body happens to stand parallel to an axis say nothing about the row. Powers
// of two throughout, so that no logarithm of a library decides a bit. 0 if the row touches no mass.
template <class Rows>
double row_in_mass_units(const Rows& A, int k, const double* mass) {
    double largest = 0.0;
    A.each(k, [&](int i, double a) {
        largest = mass[i] > 0.0 ? std::max(largest, square(a) / mass[i]) : largest;
    });
    if (largest == 0.0) {
        return 0.0;
    }
    const int top = std::ilogb(largest);
    double weights = 0.0;
    double below = 0.0;  // weighted powers of two below the largest
    A.each(k, [&](int i, double a) {
        if (mass[i] > 0.0 && square(a) / mass[i] > kNoEntry * largest) {
            const int distance = top - std::ilogb(square(a) / mass[i]);
            const double weight = std::ldexp(1.0, -distance / 4);
            weights += weight;
            below += weight * distance;
        }
    });
    return std::ldexp(1.0, static_cast<int>((below / weights - top) / 2.0));
}

/// Rows of a matrix, and their entries that are not zero.
struct FullRows {
    int n, count;
    const int* rows;
    const double* A;

    int id(int k) const { return rows[k]; }
    template <class F>
    void each(int k, F f) const {
        const double* row = A + rows[k] * n;
        for (int i = 0; i < n; ++i) {
            if (row[i] != 0.0) {
                f(i, row[i]);
            }
        }
    }
};

struct SparseRows {
    int n, count;
    const SparseRowEntries& A;

    static int id(int k) { return k; }
    template <class F>
    void each(int k, F f) const {
        const auto row = static_cast<std::size_t>(k);
        for (auto e = static_cast<std::size_t>(A.begin[row]);
             e < static_cast<std::size_t>(A.begin[row + 1]); ++e) {
            if (A.value[e] != 0.0) {
                f(A.column[e], A.value[e]);
            }
        }
    }
};

/// `d` holds the masses at first, `sum` is memory.
template <class Rows>
void balance(const Rows& A, double* d, double* row_scale, double* sum) {
    const int n = A.n;
    std::copy(d, d + n, sum);
    for (int k = 0; k < A.count; ++k) {
        double& rho = row_scale[A.id(k)];
        rho = row_in_mass_units(A, k, d);
        A.each(k, [&](int i, double a) { sum[i] += square(rho * a); });
    }
    for (int i = 0; i < n; ++i) {
        d[i] = sum[i] > 0.0 ? 1.0 / std::sqrt(sum[i]) : 0.0;
    }
    // Rows that touch no mass take their unit from coordinates that have one, and hand it on.
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < A.count; ++k) {
            double& rho = row_scale[A.id(k)];
            double length2 = 0.0;
            if (rho == 0.0) {
                A.each(k, [&](int i, double a) { length2 += square(a * d[i]); });
            }
            if (length2 > 0.0) {
                rho = 1.0 / std::sqrt(length2);
                more = true;
                A.each(k, [&](int i, double a) {
                    d[i] = d[i] == 0.0 ? 1.0 / (rho * std::abs(a)) : d[i];
                });
            }
        }
    }
    // What is tied to no mass at all has only its rows to go by.
    std::fill(sum, sum + n, 0.0);
    for (int k = 0; k < A.count; ++k) {
        double& rho = row_scale[A.id(k)];
        if (rho == 0.0) {
            double length2 = 0.0;
            A.each(k, [&](int, double a) { length2 += square(a); });
            rho = 1.0 / std::sqrt(length2);
            A.each(k, [&](int i, double a) { sum[i] += square(rho * a); });
        }
    }
    for (int i = 0; i < n; ++i) {
        if (d[i] == 0.0) {
            d[i] = sum[i] > 0.0 ? 1.0 / std::sqrt(sum[i]) : 1.0;
        }
    }
}

}  // namespace

bool positive_definite(int n, const double* M, double threshold, double* L, double* work) {
    const double pivot = cholesky(n, M, L);
    return pivot > kSurePivot || (pivot > 0.0 && smallest_pivot(n, M, work) > threshold);
}

void solve_lower(int size, const double* L, double* x, int count) {
    with_size(size, [L, x, count](auto n) {
        each(n, [&](auto i) {
            const double* row = L + i * n;
            const auto zeros = leading_zeros(i, row);
            for (double* y = x; y != x + count * n; y += n) {
                y[i] = (y[i] - dot_behind(zeros, i, row, y)) / row[i];
            }
        });
    });
}

void solve_lower_transposed(int size, const double* L, double* x) {
    with_size(size, [L, x](auto n) {
        each_down(n, [&](auto i) {
            x[i] /= L[i * n + i];
            each(i, [&](auto j) { x[j] -= L[i * n + j] * x[i]; });
        });
    });
}

void multiply_lower(int size, const double* L, const double* x, double* y) {
    with_size(size,
              [L, x, y](auto n) { each(n, [&](auto i) { y[i] = dot(next(i), L + i * n, x); }); });
}

void equilibrate(int n, const double* M, const double* A, int count, const int* rows, double* d,
                 double* row_scale, double* work, std::span<const CoordinateGroup> groups) {
    for (int i = 0; i < n; ++i) {
        d[i] = M[i * n + i];
    }
    mean_masses({d, static_cast<std::size_t>(n)}, groups);
    balance(FullRows{n, count, rows, A}, d, row_scale, work);
}

void equilibrate(std::span<const double> mass, const SparseRowEntries& A, std::span<double> d,
                 std::span<double> row_scale, std::span<const CoordinateGroup> groups) {
    std::copy(mass.begin(), mass.end(), d.begin());
    mean_masses(d, groups);
    std::vector<double> work(d.size());
    const SparseRows rows{static_cast<int>(d.size()), static_cast<int>(A.begin.size()) - 1, A};
    balance(rows, d.data(), row_scale.data(), work.data());
}

}  // namespace ananke::solve

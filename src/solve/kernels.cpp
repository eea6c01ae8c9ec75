#include "solve/kernels.h"

#include <algorithm>
#include <cmath>

namespace ananke::solve {
namespace {

// A diagonal entry of M this much smaller than the largest one is no mass at all.
constexpr double kMassless = 1e-26;

}  // namespace

double dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

bool all_finite(int n, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * 0.0;  // 0 for a number, NaN for a NaN or an infinity
    }
    return sum == 0.0;
}

bool cholesky(int n, const double* M, double threshold, double* L) {
    for (int i = 0; i < n; ++i) {
        double* row = L + i * n;
        for (int j = 0; j < i; ++j) {
            row[j] = (M[i * n + j] - dot(j, row, L + j * n)) / L[j * n + j];
        }
        const double pivot = M[i * n + i] - dot(i, row, row);
        if (!(pivot > threshold * M[i * n + i])) {
            return false;
        }
        row[i] = std::sqrt(pivot);
        std::fill(row + i + 1, row + n, 0.0);
    }
    return true;
}

void solve_lower(int n, const double* L, double* x) {
    for (int i = 0; i < n; ++i) {
        x[i] = (x[i] - dot(i, L + i * n, x)) / L[i * n + i];
    }
}

void solve_lower_transposed(int n, const double* L, double* x) {
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= L[i * n + i];
        for (int j = 0; j < i; ++j) {
            x[j] -= L[i * n + j] * x[i];
        }
    }
}

void multiply_lower(int n, const double* L, const double* x, double* y) {
    for (int i = 0; i < n; ++i) {
        y[i] = dot(i + 1, L + i * n, x);
    }
}

void equilibrate(int n, int m, const double* M, const double* A, double* d) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = std::max(largest, M[i * n + i]);
    }
    const auto massive = [&](int i) { return M[i * n + i] > kMassless * largest; };
    bool all_massive = true;
    for (int i = 0; i < n; ++i) {
        d[i] = massive(i) ? 1.0 / std::sqrt(M[i * n + i]) : 0.0;
        all_massive = all_massive && massive(i);
    }
    if (all_massive) {
        return;
    }
    // For massless coordinates d collects the largest relative entry of the column, inverted below.
    for (int k = 0; k < m; ++k) {
        const double* row = A + k * n;
        double massive_part = 0.0;
        double whole = 0.0;
        for (int j = 0; j < n; ++j) {
            massive_part =
                massive(j) ? std::max(massive_part, std::abs(row[j]) * d[j]) : massive_part;
            whole = std::max(whole, std::abs(row[j]));
        }
        const double size = massive_part > 0.0 ? massive_part : whole;
        for (int j = 0; j < n && size > 0.0; ++j) {
            d[j] = massive(j) ? d[j] : std::max(d[j], std::abs(row[j]) / size);
        }
    }
    for (int i = 0; i < n; ++i) {
        if (!massive(i)) {
            d[i] = d[i] > 0.0 ? 1.0 / d[i] : 1.0;
        }
    }
}

}  // namespace ananke::solve

// Gragg's midpoint rule with polynomial extrapolation (Hairer, Norsett & Wanner I, II.9).
#pragma once

#include <array>
#include <cmath>

#include <Eigen/Dense>

namespace mechanisms {

struct Extrapolated {
    Eigen::VectorXd y;
    double error = HUGE_VAL;  ///< against max(1, |y|)
};

/// y' = derivative(t, y) from t to t + H, of order 16.
template <class Derivative>
Extrapolated extrapolate(const Derivative& derivative, double t, const Eigen::VectorXd& start,
                         double H) {
    using Eigen::VectorXd;
    constexpr int kColumns = 8;
    std::array<VectorXd, kColumns> table;
    const VectorXd first = derivative(t, start);
    VectorXd before_last;
    for (int j = 0; j < kColumns; ++j) {
        const int n = 2 * (j + 1);
        const double h = H / n;
        VectorXd before = start;
        VectorXd now = start + h * first;
        for (int i = 1; i < n; ++i) {
            before += 2.0 * h * derivative(t + i * h, now);
            before.swap(now);
        }
        // Aitken and Neville in h^2; the table holds the row before.
        VectorXd entry = now;
        for (int k = 1; k <= j; ++k) {
            const double ratio = static_cast<double>(n) / (2.0 * (j - k + 1));
            VectorXd& above = table[static_cast<std::size_t>(k - 1)];
            const VectorXd next = entry + (entry - above) / (ratio * ratio - 1.0);
            above = entry;
            entry = next;
        }
        if (!entry.allFinite()) {
            return {};
        }
        if (j == kColumns - 2) {
            before_last = entry;
        }
        table[static_cast<std::size_t>(j)] = entry;
    }
    Extrapolated result;
    result.y = table.back();
    const VectorXd scale = start.cwiseAbs().cwiseMax(result.y.cwiseAbs()).cwiseMax(1.0);
    result.error = (result.y - before_last).cwiseQuotient(scale).cwiseAbs().maxCoeff();
    return result;
}

}  // namespace mechanisms

#include "turning_bar.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace ananke::bench {
namespace {

constexpr std::size_t kOrder = 36;
constexpr long double kStep = 0.01L;
using Series = std::array<long double, kOrder + 2>;

/// Coefficients of theta, with those of its sine and cosine on the way:
/// s' = c theta', c' = -s theta'.
Series series(long double k, long double angle, long double rate) {
    Series theta{};
    Series s{};
    Series c{};
    theta[0] = angle;
    theta[1] = rate;
    s[0] = std::sin(angle);
    c[0] = std::cos(angle);
    for (std::size_t n = 0; n + 2 < theta.size(); ++n) {
        if (n > 0) {
            for (std::size_t j = 1; j <= n; ++j) {
                const long double weight =
                    static_cast<long double>(j) / static_cast<long double>(n) * theta[j];
                s[n] += weight * c[n - j];
                c[n] -= weight * s[n - j];
            }
        }
        theta[n + 2] = -k * c[n] / static_cast<long double>((n + 1) * (n + 2));
    }
    return theta;
}

}  // namespace

Turning turning_bar(double k, Turning start, double t) {
    long double angle = start.angle;
    long double rate = start.rate;
    const auto steps = static_cast<long>(std::ceil(static_cast<long double>(t) / kStep));
    const long double h = static_cast<long double>(t) / static_cast<long double>(steps);
    for (long i = 0; i < steps; ++i) {
        const Series theta = series(k, angle, rate);
        angle = 0.0L;
        rate = 0.0L;
        for (std::size_t n = theta.size(); n-- > 0;) {
            angle = angle * h + theta[n];
            if (n > 0) {
                rate = rate * h + static_cast<long double>(n) * theta[n];
            }
        }
    }
    return {static_cast<double>(angle), static_cast<double>(rate)};
}

double four_bar_constant(int four_bars) {
    constexpr double kGravity = 9.81;
    const double turning = four_bars + 1;
    return kGravity * (turning / 2 + four_bars) / (turning / 3 + four_bars);
}

}  // namespace ananke::bench

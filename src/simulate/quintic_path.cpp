#include "simulate/quintic_path.h"

namespace ananke::simulate {

/// By divided differences.
void follow_quintic(const PathState& before, const PathState& now, std::size_t n, double t,
                    std::span<double> y) {
    const double d = now.t - before.t;
    const double x = t - now.t;
    const double u = x + d;
    for (std::size_t i = 0; i < n; ++i) {
        const double v = now.y[n + i];
        const double half_a = 0.5 * now.slope[n + i];
        const double earlier_v = before.y[n + i];
        const double earlier_half_a = 0.5 * before.slope[n + i];
        const double mean = (now.y[i] - before.y[i]) / d;
        const double f001 = (v - mean) / d;
        const double f011 = (mean - earlier_v) / d;
        const double f0001 = (half_a - f001) / d;
        const double f0011 = (f001 - f011) / d;
        const double f0111 = (f011 - earlier_half_a) / d;
        const double f00011 = (f0001 - f0011) / d;
        const double f00111 = (f0011 - f0111) / d;
        const double f000111 = (f00011 - f00111) / d;
        const double cubic = f0001 + u * (f00011 + u * f000111);
        y[i] = now.y[i] + x * (v + x * (half_a + x * cubic));
        y[n + i] = v + x * (2.0 * half_a + x * (3.0 * cubic + x * (f00011 + 2.0 * u * f000111)));
    }
    for (std::size_t i = 2 * n; i < y.size(); ++i) {
        y[i] = now.y[i] + x * now.slope[i];
    }
}

}  // namespace ananke::simulate

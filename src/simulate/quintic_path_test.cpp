#include "simulate/quintic_path.h"

#include <array>

#include <gtest/gtest.h>

namespace ananke::simulate {
namespace {

/// q = 1 + 2 t - 3 t^2 + t^3 / 2 - t^4 + t^5 / 4, and an integral w with w' = 5.
std::array<double, 3> state(double t) {
    return {1.0 + t * (2.0 + t * (-3.0 + t * (0.5 + t * (-1.0 + 0.25 * t)))),
            2.0 + t * (-6.0 + t * (1.5 + t * (-4.0 + 1.25 * t))), 5.0 * t};
}
std::array<double, 3> slope(double t) {
    return {state(t)[1], -6.0 + t * (3.0 + t * (-12.0 + 5.0 * t)), 5.0};
}

// A polynomial of degree 5 is its own path, before, between and behind the two states.
TEST(QuinticPath, ContinuesAPolynomialOfDegreeFive) {
    const std::array<double, 3> y0 = state(0.3), f0 = slope(0.3);
    const std::array<double, 3> y1 = state(0.7), f1 = slope(0.7);
    for (const double t : {0.0, 0.3, 0.5, 0.7, 1.5}) {
        std::array<double, 3> y{};
        follow_quintic({0.3, y0, f0}, {0.7, y1, f1}, 1, t, y);
        for (std::size_t i = 0; i < y.size(); ++i) {
            EXPECT_NEAR(y[i], state(t)[i], 1e-12) << "t = " << t << ", component " << i;
        }
    }
}

}  // namespace
}  // namespace ananke::simulate

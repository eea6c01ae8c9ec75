#include "ode/dop853.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ode/integrate.h"
#include "ode/stepper_suite.h"

namespace ananke::ode {
namespace {

struct Dop853Traits {
    using Stepper = Dop853;
    static constexpr double kOrder = 8.0;
    static constexpr double kDenseOrder = 7.0;
    static constexpr int kStepsForOrder = 64;
    static constexpr bool kImplicit = false;
    static constexpr bool kDenseEvaluates = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Dop853, StepperSuite, Dop853Traits);

// The Arenstorf orbit of [HNW] II.0 (0.1), (0.2): restricted three-body problem, periodic.
TEST(Dop853, ArenstorfOrbitCloses) {
    constexpr double kMoon = 0.012277471;
    constexpr double kPeriod = 17.0652165601579625588917206249;
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        constexpr double kEarth = 1.0 - kMoon;
        const double to_earth = std::hypot(y[0] + kMoon, y[1]);
        const double to_moon = std::hypot(y[0] - kEarth, y[1]);
        const double d1 = to_earth * to_earth * to_earth;
        const double d2 = to_moon * to_moon * to_moon;
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = y[0] + 2.0 * y[3] - kEarth * (y[0] + kMoon) / d1 - kMoon * (y[0] - kEarth) / d2;
        dydt[3] = y[1] - 2.0 * y[2] - kEarth * y[1] / d1 - kMoon * y[1] / d2;
        return Evaluation::ok();
    };
    const std::vector<double> start{0.994, 0.0, 0.0, -2.00158510637908252240537862224};
    std::vector<double> y = start;
    const Problem problem{.size = 4, .rhs = rhs};
    const Outcome outcome =
        integrate(problem, {.rtol = 1e-14, .atol = 1e-15}, 0.0, kPeriod, y, {}, {});
    ASSERT_EQ(outcome.status, Status::kOk);
    EXPECT_EQ(outcome.t, kPeriod);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(y[i], start[i], 1e-9) << "component " << i;
    }
}

}  // namespace
}  // namespace ananke::ode

#include "ode/step_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ananke::ode {
namespace {

double after_acceptance(StepControl& control, double error) {
    const ErrorRoots<double> roots = roots_of(error);
    const double factor = control.growth(roots);
    control.remember(roots);
    return factor;
}

TEST(StepControl, PowersMatchTheLibrary) {
    for (const double x : {1e-300, 3e-8, 0.7, 1.0, 5.0, 1e200}) {
        for (const unsigned k : {0U, 1U, 4U, 13U, 16U, 64U, 127U}) {
            const double expected = std::pow(x, k / 128.0);
            EXPECT_NEAR(power_128th(x, k), expected, 4e-16 * 128.0 * expected);
        }
    }
    EXPECT_EQ(power_128th(0.0, 13), 0.0);
    EXPECT_EQ(power_128th(256.0, 16), 2.0);
    for (const double x : {0.0, 1e-300, 3e-8, 0.7, 1.0, 1e200}) {
        EXPECT_EQ(roots_of(x).fourth, power_128th(x, 4));
        EXPECT_EQ(roots_of(x).thirteenth, power_128th(x, 13));
    }
}

TEST(StepControl, FactorsStayWithinTheirBounds) {
    StepControl control;
    EXPECT_EQ(after_acceptance(control, 0.0), 6.0);
    EXPECT_EQ(after_acceptance(control, 1e-300), 6.0);
    const double factor = after_acceptance(control, 1.0);
    EXPECT_GT(factor, 1.0 / 3.0);
    EXPECT_LT(factor, 1.0);
    for (const double error : {1.0000001, 2.0, 1e10, std::numeric_limits<double>::max()}) {
        EXPECT_LE(control.after_rejection(error), 0.9);
        EXPECT_GE(control.after_rejection(error), 1.0 / 3.0);
    }
}

// err = C h^8 with the step from the controller settles at the safety margin: at the fixed point
// S err^(b - a) = 1, so err = S^(128/9) = 0.2235.
TEST(StepControl, SettlesWhereTheFormulaSays) {
    StepControl control;
    double h = 1.0;
    double error = 0.0;
    for (int i = 0; i < 100; ++i) {
        error = 1e-3 * std::pow(h, 8.0);
        ASSERT_LT(error, 1.5);
        h *= error <= 1.0 ? after_acceptance(control, error) : control.after_rejection(error);
    }
    EXPECT_NEAR(error, std::pow(0.9, 128.0 / 9.0), 1e-6);
}

}  // namespace
}  // namespace ananke::ode

#include "ode/root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "ode/dop853.h"

namespace ananke::ode {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(FindRoot, MatchesClosedFormsInBothDirections) {
    const auto f = [](double t) { return std::cos(t); };
    for (const auto& [a, b] : {std::pair{0.0, 3.0}, std::pair{3.0, 0.0}}) {
        const Result<Root> root = find_root(f, a, b, 0.0);
        ASSERT_TRUE(root) << root.error().message;
        EXPECT_NEAR(root.value().t, std::numbers::pi / 2.0, 4e-15);
        EXPECT_GE(f(root.value().before) * f(a), 0.0);
        EXPECT_GE(f(root.value().after) * f(b), 0.0);
        EXPECT_LE(root.value().evaluations, 15);
    }
}

// Functions on which pure regula falsi or the secant method crawls or runs away.
TEST(FindRoot, StaysWithinTheBoundOfBisectionOnHostileFunctions) {
    const auto power = [](double t) { return std::pow(t - 0.3, 21); };
    const auto step = [](double t) { return t < 0.7 ? -1e-300 : 1e300; };
    const auto infinite = [](double t) {
        return t < 0.1 ? -std::numeric_limits<double>::infinity() : 1.0;
    };
    const auto flat = [](double t) { return std::exp(50.0 * (t - 0.9)) - 1.0; };
    const int bound = 2 + 1 + static_cast<int>(std::ceil(std::log2(1.0 / 1e-12)));
    const auto check = [&](FunctionRef<double(double)> f, double exact, double tolerance) {
        const Result<Root> root = find_root(f, 0.0, 1.0, 1e-12);
        ASSERT_TRUE(root) << root.error().message;
        EXPECT_NEAR(root.value().t, exact, tolerance);
        EXPECT_LE(root.value().evaluations, bound);
        EXPECT_LE(std::abs(root.value().after - root.value().before), 1e-12);
    };
    check(power, 0.3, 1e-12);
    check(step, 0.7, 1e-12);
    check(infinite, 0.1, 1e-12);
    check(flat, 0.9, 1e-12);
}

TEST(FindRoot, RefusesWhatHasNoBracketAndWhatIsNotANumber) {
    const auto positive = [](double t) { return t * t + 1.0; };
    const Result<Root> none = find_root(positive, -1.0, 2.0, 1e-9);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(none.error().message, "no change of sign: 2 at t = -1 and 5 at t = 2");

    const auto hole = [](double t) { return t > 0.4 && t < 0.6 ? kNan : t - 0.5; };
    const Result<Root> bad = find_root(hole, 0.0, 1.0, 1e-9);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, ErrorCode::kNotFinite);
}

TEST(FindRoot, AnEndThatIsARootIsTheRoot) {
    const auto f = [](double t) { return t - 1.0; };
    const Result<Root> root = find_root(f, 1.0, 2.0, 0.0);
    ASSERT_TRUE(root);
    EXPECT_EQ(root.value().t, 1.0);
    EXPECT_EQ(root.value().evaluations, 2);
}

// The seam for events: y = cos t crosses zero inside some step.
TEST(FindRoot, LocatesACrossingInsideAStep) {
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
        return Evaluation::ok();
    };
    const Problem problem{.size = 2, .rhs = rhs};
    Result<Dop853> made = Dop853::create(problem, {.rtol = 1e-12, .atol = 1e-14});
    ASSERT_TRUE(made);
    Dop853& stepper = made.value();
    stepper.start(0.0, std::vector<double>{1.0, 0.0});
    std::vector<double> y(2);
    const auto height = [&](double t) { return stepper.dense(t, y) == Status::kOk ? y[0] : kNan; };
    while (stepper.y()[0] > 0.0) {
        ASSERT_EQ(stepper.step(3.0), Status::kOk);
    }
    const Result<Root> root = find_root(height, stepper.t_previous(), stepper.t(), 0.0);
    ASSERT_TRUE(root);
    EXPECT_NEAR(root.value().t, std::numbers::pi / 2.0, 1e-10);
}

}  // namespace
}  // namespace ananke::ode

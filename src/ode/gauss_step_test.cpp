#include "ode/gauss_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ananke::ode {
namespace {

bool leave_alone(double /*t*/, std::span<double> /*y*/) {
    return true;
}

/// The end of one step of y' = y from 1 over h.
double end_of_growth(double h) {
    auto rhs = [](double /*t*/, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[0];
        return Evaluation::ok();
    };
    auto guess = [](double t, std::span<double> y) { y[0] = std::exp(t); };
    const std::vector<double> atol{1e-15};
    auto project = leave_alone;
    GaussStep step(1);
    const std::vector<double> y0{1.0};
    EXPECT_EQ(step.take({rhs, project, 1e-15, atol}, 0.0, y0, h, guess), Status::kOk);
    return step.end()[0];
}

/// The Pade approximant (8, 8) of exp(h), which is what the method makes of y' = y: [HNW] II.7.
double pade(double h) {
    double numerator = 0.0;
    double denominator = 0.0;
    double coefficient = 1.0;  // 8! (16 - j)! / (16! j! (8 - j)!)
    double power = 1.0;
    for (int j = 0; j <= 8; ++j) {
        numerator += coefficient * power;
        denominator += (j % 2 == 0 ? coefficient : -coefficient) * power;
        coefficient *= (8.0 - j) / ((16.0 - j) * (j + 1.0));
        power *= h;
    }
    return numerator / denominator;
}

TEST(GaussStep, PointsAreTheZerosOfLegendre) {
    const GaussStep::Nodes& c = GaussStep::nodes();
    for (std::size_t i = 0; i < c.size(); ++i) {
        EXPECT_NEAR(std::legendre(8, 2.0 * c[i] - 1.0), 0.0, 1e-14);
        EXPECT_NEAR(c[i] + c[c.size() - 1 - i], 1.0, 1e-16);
    }
}

// Slopes that depend on time alone are integrated exactly up to degree 15.
TEST(GaussStep, QuadratureIsExactToDegree15) {
    for (int degree = 0; degree <= 15; ++degree) {
        auto rhs = [&](double t, std::span<const double>, std::span<double> dydt) {
            dydt[0] = (degree + 1) * std::pow(t, degree);
            return Evaluation::ok();
        };
        auto guess = [](double, std::span<double> y) { y[0] = 0.0; };
        auto project = leave_alone;
        const std::vector<double> atol{1e-14};
        const std::vector<double> y0{0.0};
        GaussStep step(1);
        ASSERT_EQ(step.take({rhs, project, 1e-14, atol}, 0.0, y0, 1.0, guess), Status::kOk);
        EXPECT_NEAR(step.end()[0], 1.0, 4e-15) << degree;
        std::vector<double> lower(1);
        step.end_of_order_7(lower);
        EXPECT_EQ(std::abs(lower[0] - 1.0) < 1e-13, degree < 7) << degree;
        step.end_of_order_6(lower);
        EXPECT_EQ(std::abs(lower[0] - 1.0) < 1e-13, degree < 6) << degree;
    }
}

/// y = (sin t, cos t)
Evaluation turn(double /*t*/, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[1];
    dydt[1] = -y[0];
    return Evaluation::ok();
}

/// A first guess of it.
void straight_on(double t, std::span<double> y) {
    y[0] = t;
    y[1] = 1.0;
}

// Its order is 16: the approximant differs from exp(h) by terms of h^17 and higher.
TEST(GaussStep, GrowthIsThePadeApproximant) {
    for (const double h : {0.5, 1.0, 2.0, 3.0, 4.0}) {
        EXPECT_NEAR(end_of_growth(h) / pade(h), 1.0, 1e-14) << h;
    }
    EXPECT_NEAR(end_of_growth(1.0), std::exp(1.0), 1e-14);
}

// y'' = -y with y' of the second component; slopes at the ends sharpen the inside.
TEST(GaussStep, DenseOutputAndSlopes) {
    auto rhs = turn;
    auto guess = straight_on;
    auto project = leave_alone;
    const std::vector<double> atol{1e-14, 1e-14};
    const std::vector<double> y0{0.0, 1.0};
    const double h = 1.2;
    GaussStep step(2);
    ASSERT_EQ(step.take({rhs, project, 1e-14, atol}, 0.0, y0, h, guess), Status::kOk);
    const auto largest_error = [&] {
        double largest = 0.0;
        std::vector<double> y(2);
        std::vector<double> slope(2);
        for (double t = 0.0; t <= h; t += 0.01) {
            step.dense(t, y);
            step.slope(t, slope);
            largest = std::max({largest, std::abs(y[0] - std::sin(t)), std::abs(y[1] - std::cos(t)),
                                0.1 * std::abs(slope[1] + std::sin(t))});
        }
        return largest;
    };
    const double without = largest_error();
    EXPECT_LT(without, 1e-8);
    const std::vector<double> first{1.0, 0.0};
    const std::vector<double> last{std::cos(h), -std::sin(h)};
    step.set_slopes_at_ends(first, last);
    EXPECT_LT(largest_error(), 0.1 * without);
}

// A rotation kept on its circle; the rough way there leaves a ten-thousandth of what was off.
TEST(GaussStep, RoughProjectionsLeaveNoTraceInTheEnd) {
    auto rhs = turn;
    auto guess = straight_on;
    const auto scale_to = [](std::span<double> y, double part) {
        const double length = std::hypot(y[0], y[1]);
        for (double& one : y) {
            one *= 1.0 + part * (1.0 / length - 1.0);
        }
        return true;
    };
    int fine = 0;
    int rough = 0;
    auto project = [&](double, std::span<double> y) {
        ++fine;
        return scale_to(y, 1.0);
    };
    auto roughly = [&](double, std::span<double> y) {
        ++rough;
        return scale_to(y, 1.0 - 1e-4);
    };
    const std::vector<double> atol{1e-12, 1e-12};
    const std::vector<double> y0{0.0, 1.0};
    GaussStep step(2);
    ASSERT_EQ(step.take({rhs, project, 1e-12, atol, roughly}, 0.0, y0, 1.2, guess), Status::kOk);
    EXPECT_NEAR(step.end()[0], std::sin(1.2), 1e-12);
    EXPECT_NEAR(step.end()[1], std::cos(1.2), 1e-12);
    EXPECT_GE(fine, 8);
    EXPECT_GT(rough, 2 * fine);
}

// y' = sin(t)/t is 0/0 in the middle of the step; no point meets it. Si(1) by its series.
TEST(GaussStep, PassesAnInstantWhereTheSlopeIsNotDefined) {
    auto rhs = [](double t, std::span<const double>, std::span<double> dydt) {
        dydt[0] = std::sin(t) / t;
        return t == 0.0 ? Evaluation::fatal() : Evaluation::ok();
    };
    auto guess = [](double, std::span<double> y) { y[0] = 0.0; };
    auto project = leave_alone;
    const std::vector<double> atol{1e-15};
    const std::vector<double> y0{-0.946083070367183};
    GaussStep step(1);
    ASSERT_EQ(step.take({rhs, project, 1e-15, atol}, -1.0, y0, 2.0, guess), Status::kOk);
    EXPECT_NEAR(step.end()[0], 0.946083070367183, 2e-15);
    std::vector<double> slope(1);
    step.slope(0.0, slope);
    // The error of interpolation: f^(8)/8! at most (1/9)/8!, times the product of the points.
    double product = 1.0;
    for (const double c : GaussStep::nodes()) {
        product *= 2.0 * c - 1.0;
    }
    EXPECT_NEAR(slope[0], 1.0, std::abs(product) / 9.0 / 40320.0);
}

TEST(GaussStep, FailuresAreReturned) {
    auto guess = [](double, std::span<double> y) { y[0] = 1.0; };
    auto project = leave_alone;
    auto refuse = [](double, std::span<double>) { return false; };
    auto fails = [](double, std::span<const double>, std::span<double>) {
        return Evaluation::retry();
    };
    auto nothing = [](double, std::span<const double>, std::span<double> dydt) {
        dydt[0] = std::numeric_limits<double>::quiet_NaN();
        return Evaluation::ok();
    };
    auto stiff = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = -100.0 * y[0];
        return Evaluation::ok();
    };
    const std::vector<double> atol{1e-12};
    const std::vector<double> y0{1.0};
    GaussStep step(1);
    EXPECT_EQ(step.take({stiff, refuse, 1e-9, atol}, 0.0, y0, 1.0, guess),
              Status::kProjectionFailed);
    EXPECT_EQ(step.take({fails, project, 1e-9, atol}, 0.0, y0, 1.0, guess), Status::kRhsRetry);
    EXPECT_EQ(step.take({nothing, project, 1e-9, atol}, 0.0, y0, 1.0, guess), Status::kNotFinite);
    EXPECT_EQ(step.take({stiff, project, 1e-9, atol}, 0.0, y0, 1.0, guess), Status::kStepTooSmall);
}

}  // namespace
}  // namespace ananke::ode

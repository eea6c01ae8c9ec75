// What every stepper must do, written once. A new stepper inherits it:
//
//   struct MyTraits {
//       using Stepper = MyStepper;
//       static constexpr double kOrder = 8, kDenseOrder = 7;
//       static constexpr int kStepsForOrder = 64;  // of an orbit, well above rounding
//       static constexpr bool kImplicit = false, kDenseEvaluates = true;
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(My, StepperSuite, MyTraits);
//
// MyStepper::create(problem, options) returns Result<MyStepper>. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/sanitizers.h"
#include "ode/integrate.h"
#include "ode/problem.h"
#include "ode/stepper.h"

namespace ananke::ode {

/// Allocations of the test program so far; 0 under the address sanitizer.
long allocation_count();

/// Planar motion around a fixed centre, y = (x, y, x', y'), semi-major axis 1, period 2 pi.
struct Kepler {
    static constexpr double kEccentricity = 0.3;

    Evaluation operator()(double, std::span<const double> y, std::span<double> dydt) const {
        const double r = std::sqrt(y[0] * y[0] + y[1] * y[1]);
        const double cube = r * r * r;
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = -y[0] / cube;
        dydt[3] = -y[1] / cube;
        return Evaluation::ok();
    }

    /// From Kepler's equation E - e sin E = t.
    static std::vector<double> exact(double t) {
        constexpr double e = kEccentricity;
        double anomaly = t;
        for (int i = 0; i < 50; ++i) {
            anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1.0 - e * std::cos(anomaly));
        }
        const double minor = std::sqrt(1.0 - e * e);
        const double rate = 1.0 / (1.0 - e * std::cos(anomaly));
        return {std::cos(anomaly) - e, minor * std::sin(anomaly), -std::sin(anomaly) * rate,
                minor * std::cos(anomaly) * rate};
    }
};

inline double distance(std::span<const double> a, std::span<const double> b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

/// Options under which every step has length h: no error is too large.
inline Options fixed_step(double h) {
    return {.rtol = 0.0, .atol = 1e100, .initial_step = h, .max_step = h, .stage_tolerance = 0.0};
}

template <class Traits>
class StepperSuite : public testing::Test {
  protected:
    using Stepper = typename Traits::Stepper;

    static Stepper make(const Problem& problem, const Options& options) {
        Result<Stepper> made = Stepper::create(problem, options);
        if (!made) {
            ADD_FAILURE() << made.error().message;
        }
        return std::move(made).value();
    }

    static Outcome run(const Problem& problem, const Options& options, double t0, double t_end,
                       std::vector<double>& y) {
        Stepper stepper = make(problem, options);
        return integrate(stepper, t0, t_end, y, {}, {});
    }

    const Kepler kepler_{};
    const Problem problem_{.size = 4, .rhs = kepler_};
    static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
};

TYPED_TEST_SUITE_P(StepperSuite);

// Steps so small that the leading term rules, so large that rounding does not.
TYPED_TEST_P(StepperSuite, ConvergesAtItsOrder) {
    const auto oscillator = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
        return Evaluation::ok();
    };
    const auto order = [&](const Problem& problem, const std::vector<double>& start,
                           const std::vector<double>& end, double t_end, int steps) {
        double error[2];
        for (const int half : {0, 1}) {
            std::vector<double> y = start;
            const Options options = fixed_step(t_end / (steps << half));
            const Outcome outcome = this->run(problem, options, 0.0, t_end, y);
            EXPECT_EQ(outcome.status, Status::kOk);
            EXPECT_EQ(outcome.statistics.steps, static_cast<std::size_t>(steps << half));
            error[half] = distance(y, end);
        }
        return std::log2(error[0] / error[1]);
    };
    const double t_end = 2.0 * std::numbers::pi;
    EXPECT_NEAR(order(this->problem_, Kepler::exact(0.0), Kepler::exact(t_end), t_end,
                      TypeParam::kStepsForOrder),
                TypeParam::kOrder, 0.3);
    EXPECT_NEAR(
        order({.size = 2, .rhs = oscillator}, {1.0, 0.0}, {std::cos(5.0), -std::sin(5.0)}, 5.0, 10),
        TypeParam::kOrder, 0.3);
}

// One step: an interpolant of order p is wrong by O(h^(p + 1)).
TYPED_TEST_P(StepperSuite, DenseOutputConvergesAtItsOrder) {
    const auto error = [&](double h) {
        auto stepper = this->make(this->problem_, fixed_step(h));
        stepper.start(0.7, Kepler::exact(0.7));
        EXPECT_EQ(stepper.step(0.7 + h), Status::kOk);
        std::vector<double> y(4);
        double largest = 0.0;
        for (int i = 1; i < 40; ++i) {
            const double t = 0.7 + h * i / 40.0;
            EXPECT_EQ(stepper.dense(t, y), Status::kOk);
            largest = std::max(largest, distance(y, Kepler::exact(t)));
        }
        return largest;
    };
    const double order = std::log2(error(0.14) / error(0.07));
    EXPECT_NEAR(order, TypeParam::kDenseOrder + 1.0, 0.5);
}

TYPED_TEST_P(StepperSuite, ErrorFollowsTheTolerance) {
    double last = 1.0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
        std::vector<double> y = Kepler::exact(0.0);
        const Outcome outcome =
            this->run(this->problem_, {.rtol = tolerance, .atol = tolerance}, 0.0, 20.0, y);
        ASSERT_EQ(outcome.status, Status::kOk);
        const double error = distance(y, Kepler::exact(20.0));
        EXPECT_LT(error, 300.0 * tolerance);
        EXPECT_LT(error, 0.1 * last);
        last = error;
    }
}

TYPED_TEST_P(StepperSuite, GoesBackInTimeAndReturns) {
    const std::vector<double> start = Kepler::exact(3.0);
    std::vector<double> y = start;
    const Options options{.rtol = 1e-12, .atol = 1e-13};
    EXPECT_EQ(this->run(this->problem_, options, 3.0, -4.0, y).t, -4.0);
    EXPECT_LT(distance(y, Kepler::exact(-4.0)), 1e-10);
    EXPECT_EQ(this->run(this->problem_, options, -4.0, 3.0, y).t, 3.0);
    EXPECT_LT(distance(y, start), 1e-10);
}

TYPED_TEST_P(StepperSuite, OutputsAreExactInTimeAndDoNotDisturbTheSteps) {
    const Options options{.rtol = 1e-11, .atol = 1e-12};
    for (const double t_end : {9.0, -9.0}) {
        std::vector<double> times(1002);  // t0 twice
        for (std::size_t i = 1; i < times.size(); ++i) {
            times[i] = t_end * static_cast<double>(i - 1) / 1000.0;
        }
        std::vector<double> seen;
        const auto sink = [&](double t, std::span<const double> y) {
            seen.push_back(t);
            EXPECT_LT(distance(y, Kepler::exact(t)), 2e-9);
            return Flow::kContinue;
        };
        std::vector<double> y = Kepler::exact(0.0);
        auto stepper = this->make(this->problem_, options);
        const Outcome outcome = integrate(stepper, 0.0, t_end, y, times, sink);
        EXPECT_EQ(outcome.status, Status::kOk);
        EXPECT_EQ(seen, times);  // bitwise

        std::vector<double> undisturbed = Kepler::exact(0.0);
        const Outcome plain = this->run(this->problem_, options, 0.0, t_end, undisturbed);
        EXPECT_EQ(undisturbed, y);  // bitwise
        EXPECT_EQ(plain.statistics.steps, outcome.statistics.steps);
        EXPECT_EQ(plain.statistics.rhs_evaluations < outcome.statistics.rhs_evaluations,
                  TypeParam::kDenseEvaluates);
    }
}

TYPED_TEST_P(StepperSuite, SpansOfNoLengthAndStatesOfNoComponents) {
    std::vector<double> y = Kepler::exact(0.0);
    int calls = 0;
    const auto sink = [&](double t, std::span<const double> at) {
        EXPECT_EQ(t, 2.0);
        EXPECT_EQ(distance(at, Kepler::exact(0.0)), 0.0);
        ++calls;
        return Flow::kContinue;
    };
    auto stepper = this->make(this->problem_, {});
    const Outcome none = integrate(stepper, 2.0, 2.0, y, std::vector<double>{2.0}, sink);
    EXPECT_EQ(none.status, Status::kOk);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(none.statistics.steps, 0U);
    ASSERT_EQ(stepper.step(2.0), Status::kOk);
    EXPECT_EQ(stepper.t_previous(), 2.0);

    const auto nothing = [](double, std::span<const double>, std::span<double>) {
        return Evaluation::ok();
    };
    std::vector<double> times{0.0, 1.0, 1e6};
    std::vector<double> seen;
    const auto record = [&](double t, std::span<const double> at) {
        EXPECT_TRUE(at.empty());
        seen.push_back(t);
        return Flow::kContinue;
    };
    auto empty = this->make({.size = 0, .rhs = nothing}, {});
    const Outcome outcome = integrate(empty, 0.0, 1e6, {}, times, record);
    EXPECT_EQ(outcome.status, Status::kOk);
    EXPECT_EQ(seen, times);
    EXPECT_LT(outcome.statistics.steps, 30U);
}

TYPED_TEST_P(StepperSuite, NeverLooksBeyondTheEnd) {
    double latest = 0.0;
    const auto rhs = [&](double t, std::span<const double> y, std::span<double> dydt) {
        latest = std::max(latest, t);
        dydt[0] = y[0];
        return Evaluation::ok();
    };
    std::vector<double> y{0.0};
    for (const double t_end : {1e-9, 0.1, 7.0}) {
        latest = 0.0;
        ASSERT_EQ(this->run({.size = 1, .rhs = rhs}, {}, 0.0, t_end, y).status, Status::kOk);
        EXPECT_EQ(latest, t_end);
    }
}

// A first step far too large over a narrow pulse of area sqrt(pi) w.
TYPED_TEST_P(StepperSuite, RejectsStepsThatMissTheTolerance) {
    constexpr double kWidth = 0.05;
    const auto pulse = [](double t, std::span<const double>, std::span<double> dydt) {
        const double x = (t - 1.0) / kWidth;
        dydt[0] = std::exp(-x * x);
        return Evaluation::ok();
    };
    std::vector<double> y{0.0};
    const Outcome outcome =
        this->run({.size = 1, .rhs = pulse}, {.rtol = 1e-10, .atol = 1e-12, .initial_step = 1.9},
                  0.0, 2.0, y);
    ASSERT_EQ(outcome.status, Status::kOk);
    EXPECT_GT(outcome.statistics.rejected, 2U);
    EXPECT_NEAR(y[0], std::sqrt(std::numbers::pi) * kWidth, 1e-10);
    EXPECT_LT(outcome.statistics.smallest_step, outcome.statistics.largest_step);
    EXPECT_LE(outcome.statistics.last_error, 1.0);
}

TYPED_TEST_P(StepperSuite, EachComponentHasItsTolerance) {
    const auto rhs = [](double t, std::span<const double>, std::span<double> dydt) {
        dydt[0] = std::cos(40.0 * t);
        dydt[1] = 1.0;
        return Evaluation::ok();
    };
    const Problem problem{.size = 2, .rhs = rhs};
    std::vector<double> y{0.0, 0.0};
    const Outcome fine = this->run(problem, {.rtol = 0.0, .atol_each = {1e-10, 1.0}}, 0.0, 5.0, y);
    EXPECT_NEAR(y[0], std::sin(200.0) / 40.0, 1e-8);
    y = {0.0, 0.0};
    const Outcome coarse =
        this->run(problem, {.rtol = 0.0, .atol_each = {1.0, 1e-10}}, 0.0, 5.0, y);
    EXPECT_GT(fine.statistics.steps, 2 * coarse.statistics.steps);
}

TYPED_TEST_P(StepperSuite, BlowUpEndsWithTimeAndReason) {
    const auto square = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[0] * y[0];
        return Evaluation::ok();
    };
    std::vector<double> y{1.0};
    std::vector<double> times(20);
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = 0.05 + 0.1 * static_cast<double>(i);
    }
    std::vector<double> seen;
    const auto sink = [&](double t, std::span<const double> at) {
        EXPECT_NEAR(at[0] * (1.0 - t), 1.0, 1e-6);  // y = 1 / (1 - t)
        seen.push_back(t);
        return Flow::kContinue;
    };
    auto stepper = this->make({.size = 1, .rhs = square}, {});
    const Outcome outcome = integrate(stepper, 0.0, 2.0, y, times, sink);
    EXPECT_TRUE(outcome.status == Status::kStepTooSmall || outcome.status == Status::kNotFinite);
    EXPECT_NEAR(outcome.t, 1.0, 1e-6);
    ASSERT_TRUE(outcome.error.has_value());
    EXPECT_NE(outcome.error->message.find("t = "), std::string::npos);
    EXPECT_EQ(seen, std::vector<double>(times.begin(), times.begin() + 10));
    EXPECT_LT(outcome.statistics.rhs_evaluations, 20000U);
}

// The pole at t = 0, where no unit in the last place of t bounds the step.
TYPED_TEST_P(StepperSuite, BlowUpAtTimeZeroEnds) {
    const auto square = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[0] * y[0];
        return Evaluation::ok();
    };
    std::vector<double> y{1.0};
    const Outcome outcome = this->run({.size = 1, .rhs = square}, {}, -1.0, 1.0, y);
    EXPECT_TRUE(outcome.status == Status::kStepTooSmall || outcome.status == Status::kNotFinite);
    EXPECT_NEAR(outcome.t, 0.0, 1e-6);
    EXPECT_LT(outcome.statistics.rhs_evaluations, 200000U);
}

TYPED_TEST_P(StepperSuite, StiffnessEndsAtTheLimitOfStepsOrIsPassed) {
    const auto stiff = [](double t, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = -1e9 * (y[0] - std::cos(t));
        return Evaluation::ok();
    };
    std::vector<double> y{2.0};
    const Outcome outcome = this->run({.size = 1, .rhs = stiff}, {.max_steps = 500}, 0.0, 100.0, y);
    if (TypeParam::kImplicit) {
        ASSERT_EQ(outcome.status, Status::kOk);
        EXPECT_NEAR(y[0], std::cos(100.0), 1e-8);  // the slow solution, to 1e-9
        return;
    }
    ASSERT_EQ(outcome.status, Status::kTooManySteps);
    EXPECT_EQ(outcome.statistics.steps + outcome.statistics.rejected, 500U);
    EXPECT_EQ(outcome.error->code, ErrorCode::kTooManySteps);
    EXPECT_GT(outcome.t, 0.0);
    EXPECT_TRUE(std::isfinite(y[0]));
}

TYPED_TEST_P(StepperSuite, WallsAreApproachedAndReported) {
    // NaN, retry and a failing hook beyond t = 0.5; each keeps its own reason.
    std::vector<double> y{1.0};
    const auto nan = [](double t, std::span<const double> at, std::span<double> dydt) {
        dydt[0] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : at[0];
        return Evaluation::ok();
    };
    Outcome outcome = this->run({.size = 1, .rhs = nan}, {}, 0.0, 1.0, y);
    EXPECT_EQ(outcome.status, Status::kNotFinite);
    EXPECT_NEAR(outcome.t, 0.5, 1e-9);
    EXPECT_NEAR(y[0], std::exp(0.5), 1e-8);
    EXPECT_EQ(outcome.error->code, ErrorCode::kNotFinite);

    const auto retry = [](double t, std::span<const double>, std::span<double> dydt) {
        dydt[0] = 1.0;
        return t > 0.5 ? Evaluation::retry(42) : Evaluation::ok();
    };
    y = {0.0};
    outcome = this->run({.size = 1, .rhs = retry}, {}, 0.0, 1.0, y);
    EXPECT_EQ(outcome.status, Status::kRhsRetry);
    EXPECT_NEAR(outcome.t, 0.5, 1e-9);
    EXPECT_NE(outcome.error->message.find("code 42"), std::string::npos);

    const auto smooth = [](double, std::span<const double>, std::span<double> dydt) {
        dydt[0] = 1.0;
        return Evaluation::ok();
    };
    const auto hook = [](double t, std::span<double>) {
        return t > 0.5 ? Acceptance::kFailed : Acceptance::kUnchanged;
    };
    y = {0.0};
    outcome = this->run({.size = 1, .rhs = smooth, .accepted = hook}, {}, 0.0, 1.0, y);
    EXPECT_EQ(outcome.status, Status::kProjectionFailed);
    EXPECT_NEAR(outcome.t, 0.5, 1e-9);
    EXPECT_NEAR(y[0], 0.5, 1e-9);
}

TYPED_TEST_P(StepperSuite, FatalFailureIsNotRetried) {
    int after = 0;
    const auto rhs = [&](double t, std::span<const double>, std::span<double> dydt) {
        dydt[0] = 1.0;
        after += t > 0.5 ? 1 : 0;
        return t > 0.5 ? Evaluation::fatal(7) : Evaluation::ok();
    };
    std::vector<double> y{0.0};
    auto stepper = this->make({.size = 1, .rhs = rhs}, {.max_step = 0.2});
    const Outcome outcome = integrate(stepper, 0.0, 1.0, y, {}, {});
    EXPECT_EQ(outcome.status, Status::kRhsFailed);
    EXPECT_EQ(stepper.rhs_code(), 7);
    EXPECT_EQ(after, 1);
    EXPECT_LE(outcome.t, 0.5);
    EXPECT_NEAR(y[0], outcome.t, 1e-12);
}

TYPED_TEST_P(StepperSuite, BadStartIsReportedAtOnce) {
    std::vector<double> y = Kepler::exact(0.0);
    y[2] = this->kNan;
    EXPECT_EQ(this->run(this->problem_, {}, 0.0, 1.0, y).status, Status::kNotFinite);
    const auto retry = [](double, std::span<const double>, std::span<double>) {
        return Evaluation::retry(3);
    };
    y = {1.0};
    const Outcome outcome = this->run({.size = 1, .rhs = retry}, {}, 0.0, 1.0, y);
    EXPECT_EQ(outcome.status, Status::kRhsRetry);
    EXPECT_EQ(outcome.statistics.rhs_evaluations, 1U);
    EXPECT_EQ(outcome.t, 0.0);
}

TYPED_TEST_P(StepperSuite, StopsWhenAsked) {
    int polls = 0;
    const auto stop = [&] { return ++polls > 40; };
    std::vector<double> y = Kepler::exact(0.0);
    const Problem interruptible{.size = 4, .rhs = this->kepler_, .stop_requested = stop};
    auto stepper = this->make(interruptible, {});
    const Outcome outcome = integrate(stepper, 0.0, 100.0, y, {}, {});
    EXPECT_EQ(outcome.status, Status::kInterrupted);
    EXPECT_EQ(outcome.error->code, ErrorCode::kInterrupted);
    EXPECT_GT(outcome.t, 0.0);
    EXPECT_LT(distance(y, Kepler::exact(outcome.t)), 1e-7);

    // The run can be taken up again where it was left.
    polls = -1000;
    EXPECT_EQ(stepper.step(100.0), Status::kOk);
    EXPECT_EQ(stepper.t_previous(), outcome.t);

    const auto sink = [](double t, std::span<const double>) {
        return t >= 0.3 ? Flow::kStop : Flow::kContinue;
    };
    y = Kepler::exact(0.0);
    auto other = this->make(this->problem_, {});
    const Outcome stopped =
        integrate(other, 0.0, 9.0, y, std::vector<double>{0.1, 0.2, 0.3, 0.4}, sink);
    EXPECT_EQ(stopped.status, Status::kStopped);
    EXPECT_EQ(stopped.t, 0.3);
    EXPECT_FALSE(stopped.error.has_value());
    EXPECT_LT(distance(y, Kepler::exact(0.3)), 1e-8);
}

TYPED_TEST_P(StepperSuite, TimesOutOfOrderAreRefused) {
    std::vector<double> y = Kepler::exact(0.0);
    auto stepper = this->make(this->problem_, {});
    const Outcome order = integrate(stepper, 0.0, 3.0, y, std::vector<double>{2.0, 1.0}, {});
    EXPECT_EQ(order.status, Status::kInvalidInput);
    EXPECT_EQ(order.error->message, "output time 1 does not lie between 2 and 3");
    const Outcome nan = integrate(stepper, 0.0, this->kNan, y, {}, {});
    EXPECT_EQ(nan.error->message, "cannot integrate from t = 0 to t = nan");
}

// The hook moves the state onto the unit circle: the next step must start from f there, and the
// curve through the step must end there.
TYPED_TEST_P(StepperSuite, MovedStatesAreTheStartOfTheNextStep) {
    std::vector<double> expected;
    bool evaluated = false;
    const auto rhs = [&](double, std::span<const double> y, std::span<double> dydt) {
        evaluated = evaluated || std::equal(y.begin(), y.end(), expected.begin(), expected.end());
        dydt[0] = -y[1];
        dydt[1] = y[0];
        return Evaluation::ok();
    };
    double correction = 0.0;
    const auto project = [&](double, std::span<double> y) {
        const double r = std::hypot(y[0], y[1]);
        correction = std::max(correction, std::abs(r - 1.0));
        y[0] /= r;
        y[1] /= r;
        expected.assign(y.begin(), y.end());
        evaluated = false;
        return Acceptance::kChanged;
    };
    auto stepper =
        this->make({.size = 2, .rhs = rhs, .accepted = project}, {.rtol = 1e-5, .atol = 1e-5});
    stepper.start(0.0, std::vector<double>{1.0, 0.0});
    std::vector<double> y(2);
    int steps = 0;
    for (; stepper.t() < 30.0 && steps < 1000; ++steps) {
        ASSERT_EQ(stepper.step(30.0), Status::kOk);
        EXPECT_TRUE(evaluated);
        EXPECT_EQ(distance(stepper.y(), expected), 0.0);
        const double t0 = stepper.t_previous();
        const double t1 = stepper.t();
        ASSERT_EQ(stepper.dense(t0, y), Status::kOk);
        EXPECT_EQ(distance(y, stepper.y_previous()), 0.0);
        ASSERT_EQ(stepper.dense(t1, y), Status::kOk);
        EXPECT_EQ(distance(y, stepper.y()), 0.0);
        // No jump just inside either end, for a curve of unit speed.
        const double inside = 1e-9 * (t1 - t0);
        ASSERT_EQ(stepper.dense(t1 - inside, y), Status::kOk);
        EXPECT_LT(distance(y, stepper.y()), 2.0 * inside + 1e-15);
        ASSERT_EQ(stepper.dense(t0 + inside, y), Status::kOk);
        EXPECT_LT(distance(y, stepper.y_previous()), 2.0 * inside + 1e-15);
    }
    EXPECT_GT(steps, 3);
    EXPECT_GT(correction, 1e-9);
    EXPECT_NEAR(std::hypot(stepper.y()[0], stepper.y()[1]), 1.0, 1e-15);
}

TYPED_TEST_P(StepperSuite, SlopeIsContinuousAcrossSteps) {
    auto stepper = this->make(this->problem_, {.rtol = 1e-10, .atol = 1e-10});
    stepper.start(0.0, Kepler::exact(0.0));
    std::vector<double> a(4);
    std::vector<double> f(4);
    const auto check = [&](double end, double inside, std::span<const double> y_end) {
        ASSERT_EQ(stepper.dense(inside, a), Status::kOk);
        this->kepler_(end, y_end, f);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_NEAR((y_end[i] - a[i]) / (end - inside), f[i], 1e-5);
        }
    };
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(stepper.step(10.0), Status::kOk);
        check(stepper.t(), stepper.t() - 1e-6, stepper.y());
        check(stepper.t_previous(), stepper.t_previous() + 1e-6, stepper.y_previous());
    }
}

TYPED_TEST_P(StepperSuite, DoesNotAllocateWhileRunning) {
    const auto project = [](double, std::span<double> y) {
        y[0] += 1e-14;
        return Acceptance::kChanged;
    };
    const Problem problem{.size = 4, .rhs = this->kepler_, .accepted = project};
    auto stepper = this->make(problem, {});
    std::vector<double> y = Kepler::exact(0.0);
    std::vector<double> times(101);
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = 0.2 * static_cast<double>(i);
    }
    double sum = 0.0;
    const auto sink = [&](double, std::span<const double> at) {
        sum += at[0];
        return Flow::kContinue;
    };
    const long before = allocation_count();
    const Outcome outcome = integrate(stepper, 0.0, 20.0, y, times, sink);
    const long after = allocation_count();
    EXPECT_EQ(outcome.status, Status::kOk);
#if !ANANKE_ADDRESS_SANITIZER
    EXPECT_GT(before, 0);  // the counter counts
#endif
    EXPECT_EQ(after, before);
}

TYPED_TEST_P(StepperSuite, RunsRepeatBitForBit) {
    const Options options{.rtol = 1e-8, .atol = 1e-10};
    std::vector<double> first = Kepler::exact(0.0);
    this->run(this->problem_, options, 0.0, 30.0, first);
    auto stepper = this->make(this->problem_, options);
    for (int i = 0; i < 2; ++i) {  // start() forgets the run before
        std::vector<double> again = Kepler::exact(0.0);
        integrate(stepper, 0.0, 30.0, again, {}, {});
        EXPECT_EQ(again, first);
        auto moved = std::move(stepper);
        stepper = std::move(moved);
    }
}

REGISTER_TYPED_TEST_SUITE_P(StepperSuite, ConvergesAtItsOrder, DenseOutputConvergesAtItsOrder,
                            ErrorFollowsTheTolerance, GoesBackInTimeAndReturns,
                            OutputsAreExactInTimeAndDoNotDisturbTheSteps,
                            SpansOfNoLengthAndStatesOfNoComponents, NeverLooksBeyondTheEnd,
                            RejectsStepsThatMissTheTolerance, EachComponentHasItsTolerance,
                            BlowUpEndsWithTimeAndReason, BlowUpAtTimeZeroEnds,
                            StiffnessEndsAtTheLimitOfStepsOrIsPassed, WallsAreApproachedAndReported,
                            FatalFailureIsNotRetried, BadStartIsReportedAtOnce, StopsWhenAsked,
                            TimesOutOfOrderAreRefused, MovedStatesAreTheStartOfTheNextStep,
                            SlopeIsContinuousAcrossSteps, DoesNotAllocateWhileRunning,
                            RunsRepeatBitForBit);

}  // namespace ananke::ode

#include "ode/radau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ode/integrate.h"
#include "ode/stepper_suite.h"

namespace ananke::ode {
namespace {

struct RadauTraits {
    using Stepper = Radau;
    static constexpr double kOrder = 9.0;
    static constexpr double kDenseOrder = 5.0;
    static constexpr int kStepsForOrder = 32;
    static constexpr bool kImplicit = true;
    static constexpr bool kDenseEvaluates = false;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Radau, StepperSuite, RadauTraits);

// [HW] IV.5 table 5.6 and IV.8 (8.18): the method of order 5 in closed form.
TEST(RadauTableau, HasTheNumbersOfTheMethodOfOrderFive) {
    const RadauTableau table(3);
    const double r = std::sqrt(6.0);
    EXPECT_NEAR(table.c[0], (4.0 - r) / 10.0, 1e-16);
    EXPECT_NEAR(table.c[1], (4.0 + r) / 10.0, 1e-16);
    EXPECT_EQ(table.c[2], 1.0);
    Eigen::Matrix3d A;
    A << (88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0,
        (296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0,
        (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0;
    EXPECT_LT((table.A - A).cwiseAbs().maxCoeff(), 2e-16);
    const double third = std::cbrt(3.0);
    EXPECT_NEAR(table.real, 30.0 / (6.0 + third * third * third * third - third * third), 1e-14);
    EXPECT_NEAR(table.error[0], -(13.0 + 7.0 * r) / 3.0, 1e-13);
    EXPECT_NEAR(table.error[1], (-13.0 + 7.0 * r) / 3.0, 1e-13);
    EXPECT_NEAR(table.error[2], -1.0 / 3.0, 1e-13);
}

TEST(RadauTableau, IsCollocationAndDiagonal) {
    for (const std::size_t s : {3U, 5U, 7U, 9U}) {
        const RadauTableau table(s);
        const auto size = static_cast<Eigen::Index>(s);
        // b integrates polynomials up to degree 2s - 2
        for (std::size_t k = 0; k <= 2 * s - 2; ++k) {
            double sum = 0.0;
            for (std::size_t j = 0; j < s; ++j) {
                sum += table.A(size - 1, static_cast<Eigen::Index>(j)) *
                       std::pow(table.c[j], static_cast<double>(k));
            }
            EXPECT_NEAR(sum, 1.0 / static_cast<double>(k + 1), 1e-15) << s << ' ' << k;
        }
        Eigen::MatrixXd block = Eigen::MatrixXd::Zero(size, size);
        block(0, 0) = table.real;
        for (std::size_t k = 0; k < table.pairs.size(); ++k) {
            const auto a = static_cast<Eigen::Index>(1 + 2 * k);
            block(a, a) = block(a + 1, a + 1) = table.pairs[k].real();
            block(a, a + 1) = table.pairs[k].imag();
            block(a + 1, a) = -table.pairs[k].imag();
        }
        const Eigen::MatrixXd unit = table.A * table.T * block * table.T_inverse;
        EXPECT_LT((unit - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff(), 1e-12) << s;
    }
}

Outcome run_radau(const Problem& problem, const Options& options, double t_end,
                  std::vector<double>& y, const Structure& structure = {},
                  std::size_t stages = Radau::kStages) {
    Result<Radau> made = Radau::create(problem, options, structure, stages);
    EXPECT_TRUE(made);
    return integrate(made.value(), 0.0, t_end, y, {}, {});
}

// Robertson's reaction, [HW] IV.1 (1.4). Reference: the test set for IVP solvers (Mazzia &
// Magherini, release 2.4), problem ROBER at t = 1e11.
TEST(Radau, RobertsonsReaction) {
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        dydt[2] = 3e7 * y[1] * y[1];
        dydt[1] = -dydt[0] - dydt[2];
        return Evaluation::ok();
    };
    std::vector<double> y{1.0, 0.0, 0.0};
    const Outcome outcome =
        run_radau({.size = 3, .rhs = rhs}, {.rtol = 1e-9, .atol = 1e-17}, 1e11, y);
    ASSERT_EQ(outcome.status, Status::kOk);
    EXPECT_NEAR(y[0] / 0.2083340149701255e-07, 1.0, 1e-7);
    EXPECT_NEAR(y[1] / 0.8333360770334713e-13, 1.0, 1e-7);
    EXPECT_NEAR(y[2], 0.9999999791665050, 1e-9);
    EXPECT_LT(outcome.statistics.steps, 800U);
}

// Differences by many coordinates are long: a request to stop ends them.
TEST(Radau, StopsAmongDifferences) {
    constexpr std::size_t kSize = 100;
    std::size_t calls = 0;
    auto decay = [&](double, std::span<const double> y, std::span<double> dydt) {
        ++calls;
        std::transform(y.begin(), y.end(), dydt.begin(), [](double x) { return -x; });
        return Evaluation::ok();
    };
    const auto stop = [&] { return calls > 10; };
    const Problem problem{.size = kSize, .rhs = decay, .stop_requested = stop};
    Result<Radau> made = Radau::create(problem, {});
    ASSERT_TRUE(made);
    std::vector<double> y(kSize, 1.0);
    const Outcome outcome = integrate(made.value(), 0.0, 1.0, y, {}, {});
    EXPECT_EQ(outcome.status, Status::kInterrupted);
    EXPECT_EQ(outcome.t, 0.0);
    EXPECT_LT(calls, 20U);
}

// Van der Pol's oscillator with eps = 1e-6, [HW] IV.10; y = (q, v) as a motion of second order.
// Reference: the test set for IVP solvers (Mazzia & Magherini, release 2.4), problem VDPOL at t
// = 2.
TEST(Radau, VanDerPolsOscillator) {
    constexpr double kEps = 1e-6;
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / kEps;
        return Evaluation::ok();
    };
    const auto jacobian = [](double, std::span<const double> y, std::span<double> J) {
        J[0] = (-2.0 * y[0] * y[1] - 1.0) / kEps;
        J[1] = (1.0 - y[0] * y[0]) / kEps;
        return true;
    };
    const Problem problem{.size = 2, .rhs = rhs};
    const Options options{.rtol = 1e-9, .atol = 1e-9};
    for (const Structure& structure : {Structure{}, Structure{.positions = 1},
                                       Structure{.positions = 1, .jacobian = jacobian}}) {
        std::vector<double> y{2.0, 0.0};
        const Outcome outcome = run_radau(problem, options, 2.0, y, structure);
        ASSERT_EQ(outcome.status, Status::kOk);
        EXPECT_NEAR(y[0], 0.1706167732170469e+01, 1e-8);
        EXPECT_NEAR(y[1], -0.8928097010248125e+00, 1e-8);
        EXPECT_LT(outcome.statistics.steps, 1500U);
    }
}

/// (m - J) x = r of Van der Pol's oscillator, by Cramer's rule.
class OscillatorSystems final : public LinearSystems {
  public:
    explicit OscillatorSystems(double eps) : eps_(eps) {}

    Status linearize(double, std::span<const double> y, Slope) override {
        by_q_ = (-2.0 * y[0] * y[1] - 1.0) / eps_;
        by_v_ = (1.0 - y[0] * y[0]) / eps_;
        ++linearizations;
        return Status::kOk;
    }
    void factorise(double real, std::span<const std::complex<double>> pairs) override {
        real_ = real;
        pairs_.assign(pairs.begin(), pairs.end());
    }
    void solve(Eigen::Ref<Eigen::VectorXd> r) override { solve(real_, r); }
    void solve_pair(std::size_t pair, Eigen::Ref<Eigen::VectorXcd> r) override {
        solve(pairs_[pair], r);
    }

    int linearizations = 0;

  private:
    template <class Scalar, class Vector>
    void solve(Scalar m, Vector& r) const {
        const Scalar q = ((m - by_v_) * r[0] + r[1]) / (m * (m - by_v_) - by_q_);
        r[1] = m * q - r[0];
        r[0] = q;
    }

    double eps_;
    double by_q_ = 0.0, by_v_ = 0.0;
    double real_ = 0.0;
    std::vector<std::complex<double>> pairs_;
};

// Whoever solves the systems, the steps are the same.
TEST(Radau, SystemsMayBeSolvedByOthers) {
    constexpr double kEps = 1e-6;
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / kEps;
        return Evaluation::ok();
    };
    OscillatorSystems systems(kEps);
    std::vector<double> y{2.0, 0.0};
    const Outcome outcome = run_radau({.size = 2, .rhs = rhs}, {.rtol = 1e-9, .atol = 1e-9}, 2.0, y,
                                      {.positions = 1, .systems = &systems});
    ASSERT_EQ(outcome.status, Status::kOk);
    EXPECT_NEAR(y[0], 0.1706167732170469e+01, 1e-8);
    EXPECT_NEAR(y[1], -0.8928097010248125e+00, 1e-8);
    EXPECT_LT(outcome.statistics.steps, 1500U);
    EXPECT_EQ(static_cast<std::size_t>(systems.linearizations), outcome.statistics.jacobians);
}

// The oscillator of second order with an integral behind it, int q dt = 1 - cos t for q = sin t.
TEST(Radau, IntegralsFollowTheMotion) {
    const auto rhs = [](double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
        dydt[2] = y[0];
        return Evaluation::ok();
    };
    std::vector<double> y{0.0, 1.0, 0.0};
    const Outcome outcome = run_radau({.size = 3, .rhs = rhs}, {.atol_each = {1e-10, 1e-10, 1e100}},
                                      10.0, y, {.positions = 1, .integrals = 1});
    ASSERT_EQ(outcome.status, Status::kOk);
    EXPECT_NEAR(y[0], std::sin(10.0), 1e-9);
    EXPECT_NEAR(y[2], 1.0 - std::cos(10.0), 1e-9);
}

// The stiff test of Prothero & Robinson, [HW] IV.15 (15.1): dense output keeps to the slow motion.
TEST(Radau, DenseOutputIsAsGoodAsTheTolerance) {
    for (const double lambda : {-1.0, -1e3, -1e6, -1e9}) {
        const auto rhs = [lambda](double t, std::span<const double> y, std::span<double> dydt) {
            dydt[0] = lambda * (y[0] - std::sin(t)) + std::cos(t);
            return Evaluation::ok();
        };
        Result<Radau> radau = Radau::create({.size = 1, .rhs = rhs}, {.rtol = 1e-9, .atol = 1e-10});
        ASSERT_TRUE(radau);
        std::vector<double> times(2001);
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i] = 0.01 * static_cast<double>(i);
        }
        double largest = 0.0;
        const auto sink = [&](double t, std::span<const double> y) {
            largest = std::max(largest, std::abs(y[0] - std::sin(t)));
            return Flow::kContinue;
        };
        std::vector<double> y{0.0};
        const Outcome outcome = integrate(radau.value(), 0.0, 20.0, y, times, sink);
        ASSERT_EQ(outcome.status, Status::kOk);
        EXPECT_LT(largest, 5e-9) << lambda;
        EXPECT_LT(outcome.statistics.steps, 300U) << lambda;
    }
}

}  // namespace
}  // namespace ananke::ode

#include "solve/forms.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>

#include "solve/random_system.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Pendulum in Cartesian coordinates: x^2 + y^2 = l^2 differentiated twice.
SystemData pendulum(double mass, double x, double y, double vx, double vy) {
    SystemData s(2, 1);
    s.M = mass * MatrixXd::Identity(2, 2);
    s.Q << 0.0, -9.81 * mass;
    s.A << x, y;
    s.b << -(vx * vx + vy * vy);
    return s;
}

// Analytic: the rod force is Qc = m (g y - v^2) / l^2 (x, y).
TEST(Forms, PendulumMatchesClosedForm) {
    const double mass = 2.0, x = 0.6, y = -0.8, vx = 0.4, vy = 0.3;
    const SystemData s = pendulum(mass, x, y, vx, vy);
    const double lambda = mass * (9.81 * y - (vx * vx + vy * vy)) / (x * x + y * y);
    for (const Form form : all_forms()) {
        SCOPED_TRACE(form_name(form));
        const Result<Motion> r = evaluate(form, s.view());
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_NEAR(r.value().Qc[0], lambda * x, 1e-13);
        EXPECT_NEAR(r.value().Qc[1], lambda * y, 1e-13);
        EXPECT_NEAR(r.value().lambda[0], lambda, 1e-13);
        EXPECT_NEAR(r.value().a[0], lambda * x / mass, 1e-13);
        EXPECT_EQ(r.value().rank, 1);
    }
}

// As many rows as coordinates: A a = b leaves nothing to the masses, and Qc = M a - Q.
TEST(Forms, NoDegreeOfFreedomIsLeft) {
    SystemData s(2, 2);
    s.M << 2.0, 0.5, 0.5, 3.0;
    s.Q << 1.0, -9.81;
    s.A << 1.0, 2.0, 3.0, -1.0;
    s.b << 5.0, 1.0;  // a = (1, 2)
    for (const Form form : all_forms()) {
        SCOPED_TRACE(form_name(form));
        const Result<Motion> r = evaluate(form, s.view());
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_NEAR(r.value().a[0], 1.0, 1e-13);
        EXPECT_NEAR(r.value().a[1], 2.0, 1e-13);
        EXPECT_NEAR(r.value().Qc[0], 2.0, 1e-13);
        EXPECT_NEAR(r.value().Qc[1], 16.31, 1e-13);
    }
}

// Free rigid body in quaternions: M = 4 E^T J E of rank 3, unit norm as constraint. Closed form
// US10 (116) and constraint torque US10 (121), here without applied torque.
TEST(Forms, QuaternionBodyMatchesClosedForm) {
    const Eigen::Vector3d J(1.0, 2.0, 3.5);
    const Eigen::Vector4d u = Eigen::Vector4d(0.5, -0.3, 0.7, 0.2).normalized();
    const Eigen::Vector3d omega(0.4, -1.2, 0.9);
    const auto E_of = [](const Eigen::Vector4d& x) {
        Eigen::Matrix<double, 3, 4> E;
        E << -x[1], x[0], x[3], -x[2], -x[2], -x[3], x[0], x[1], -x[3], x[2], -x[1], x[0];
        return E;
    };
    const Eigen::Matrix<double, 3, 4> E = E_of(u);
    const Eigen::Vector4d v = 0.5 * E.transpose() * omega;  // US10 (79)
    SystemData s(4, 1);
    s.M = 4.0 * E.transpose() * J.asDiagonal() * E;
    s.Q = -8.0 * E_of(v).transpose() * J.asDiagonal() * E * v;  // US10 (91)
    s.A = u.transpose();
    s.b << -v.squaredNorm();
    const Eigen::Vector3d Jw = J.cwiseProduct(omega);
    const VectorXd expected =
        -0.5 * E.transpose() * omega.cross(Jw).cwiseQuotient(J) - 0.25 * omega.squaredNorm() * u;
    const VectorXd force = -2.0 * omega.dot(Jw) * u;
    int answered = 0;
    for (const Form form : all_forms()) {
        SCOPED_TRACE(form_name(form));
        const Result<Motion> r = evaluate(form, s.view());
        if (!r) {
            EXPECT_EQ(r.error().code, ErrorCode::kNotApplicable);
            EXPECT_TRUE(form == Form::kFundamental || form == Form::kGauss);
            continue;
        }
        ++answered;
        EXPECT_LE((r.value().a - expected).norm(), 1e-13);
        EXPECT_LE((r.value().Qc - force).norm(), 1e-12);
    }
    EXPECT_EQ(answered, 6);
}

double relative(const VectorXd& x, const VectorXd& y) {
    return (x - y).norm() / std::max({1.0, x.norm(), y.norm()});
}

// Largest difference between the forms' answers; each answer passes through `tamper` first.
using Tamper = std::function<void(Form, Motion&)>;
double disagreement(const SystemData& s, const Gauge& gauge, const Tamper& tamper, int& answers,
                    int& refusals) {
    std::map<Form, Motion> motions;
    refusals = 0;
    const Analysis analysis = analyse(s.view());
    for (const Form form : all_forms()) {
        Result<Motion> r = evaluate(form, s.view(), gauge, analysis);
        if (!r) {
            refusals += r.error().code == ErrorCode::kNotApplicable ? 0 : 1;
            continue;
        }
        tamper(form, r.value());
        motions.emplace(form, r.value());
    }
    answers = static_cast<int>(motions.size());
    double worst = 0.0;
    for (const auto& [f, x] : motions) {
        for (const auto& [g, y] : motions) {
            worst = std::max(
                {worst, relative(x.a, y.a), relative(x.Qc, y.Qc), relative(x.Qc_ideal, y.Qc_ideal),
                 relative(x.Qc_nonideal, y.Qc_nonideal), relative(x.lambda, y.lambda)});
        }
    }
    return worst;
}

void honest(Form /*form*/, Motion& /*motion*/) {}

// A wrong result of any one form, in any one quantity, is seen by the comparison.
TEST(Forms, ComparisonSeesAnErrorInAnyOneForm) {
    Random random(21);
    const SystemData s = random_system(random, 5, 4, 3, 5, 0.5, 2.0);
    const std::vector<std::function<VectorXd&(Motion&)>> parts{
        [](Motion& x) -> VectorXd& { return x.a; }, [](Motion& x) -> VectorXd& { return x.Qc; },
        [](Motion& x) -> VectorXd& { return x.lambda; }};
    int answers = 0;
    int refusals = 0;
    ASSERT_LE(disagreement(s, {}, honest, answers, refusals), 1e-12);
    ASSERT_EQ(answers, 8);
    for (const Form broken : all_forms()) {
        for (const auto& part : parts) {
            SCOPED_TRACE(form_name(broken));
            const Tamper tamper = [&](Form form, Motion& motion) {
                if (form == broken) {
                    part(motion)[0] += 1e-8;
                }
            };
            EXPECT_GT(disagreement(s, {}, tamper, answers, refusals), 1e-10);
        }
    }
}

TEST(Forms, RedundantCopiesOfAnyScaleChangeNothing) {
    Random random(24);
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 6);
        const int rank = random.pick(1, n - 1);
        const SystemData s = random_system(random, n, rank, rank, n, 0.1, 10.0);
        SystemData copies = s;
        copies.A.conservativeResize(rank + 2, n);
        copies.b.conservativeResize(rank + 2);
        for (int k = 0; k < 2; ++k) {
            const double factor = random.magnitude(1e-5, 1e5);
            const int of = random.pick(0, rank - 1);
            copies.A.row(rank + k) = factor * s.A.row(of);
            copies.b[rank + k] = factor * s.b[of];
        }
        for (const Form form : all_forms()) {
            SCOPED_TRACE(form_name(form));
            const Result<Motion> one = evaluate(form, s.view());
            const Result<Motion> two = evaluate(form, copies.view());
            ASSERT_TRUE(one && two);
            EXPECT_LE(relative(one.value().a, two.value().a), 1e-10);
            EXPECT_LE(relative(one.value().Qc, two.value().Qc), 1e-10);
        }
    }
}

TEST(Forms, RefuseWithTheRightReason) {
    SystemData s(2, 1);
    s.M.setZero();
    s.M(0, 0) = 1.0;
    s.A << 0.0, 1.0;
    const auto code = [&](Form form, const Gauge& gauge = {}) {
        const Result<Motion> r = evaluate(form, s.view(), gauge);
        return r ? std::string("answer") : r.error().message;
    };
    EXPECT_EQ(
        code(Form::kFundamental),
        "the fundamental equation needs a positive definite mass matrix; here it is singular");
    EXPECT_EQ(code(Form::kGauss),
              "Gauss's principle needs a positive definite mass matrix; here it is singular");
    EXPECT_EQ(code(Form::kMinimal), "answer");
    Gauge gauge;
    gauge.alpha = 0.0;
    EXPECT_EQ(code(Form::kWanichanon, gauge), "the gauge alpha must be finite and not zero");
    gauge.alpha = 1.0;
    gauge.G = -MatrixXd::Identity(1, 1);
    EXPECT_EQ(code(Form::kWanichanon, gauge),
              "the gauge G must be symmetric and positive definite");
    s.M.setIdentity();
    s.C = Eigen::Vector2d(1.0, 0.0);
    EXPECT_EQ(code(Form::kGauss), "Gauss's principle needs ideal constraints (C = 0)");
    s.Q[0] = std::numeric_limits<double>::quiet_NaN();
    for (const Form form : all_forms()) {
        const Result<Motion> r = evaluate(form, s.view());
        ASSERT_FALSE(r);
        EXPECT_EQ(r.error().code, ErrorCode::kNotFinite);
    }
}

TEST(Forms, NamesReadBack) {
    for (const Form form : all_forms()) {
        EXPECT_EQ(parse_form(form_name(form)), form);
    }
    EXPECT_EQ(parse_form("lagrange"), std::nullopt);
}

}  // namespace
}  // namespace ananke::solve

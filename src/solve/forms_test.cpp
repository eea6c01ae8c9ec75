#include "solve/forms.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>

#include "solve/pseudo_inverse.h"
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

struct Draw {
    SystemData system;
    int rank;
    int mass_rank;
};

// Every pair of ranks that leaves the motion unique, with up to two redundant rows.
Draw draw(Random& random, double low, double high) {
    const int n = random.pick(1, 7);
    const int rank = random.pick(0, n);
    const int m = rank == 0 ? 0 : random.pick(rank, rank + 2);
    const int mass_rank = random.pick(n - rank, n);
    Draw d{random_system(random, n, m, rank, mass_rank, low, high), rank, mass_rank};
    if (random.pick(0, 2) == 0) {
        d.system.C = random.vector(n);
    }
    return d;
}

// How hard the draw is: the least the mass matrix weighs on the directions the rows leave free, and
// how well rows and masses are conditioned.
double condition(const SystemData& s, int rank) {
    const int n = static_cast<int>(s.M.rows());
    double value = 1.0;
    MatrixXd Z = MatrixXd::Identity(n, n);
    if (rank > 0) {
        const Eigen::JacobiSVD<MatrixXd> svd(MatrixXd(s.A), Eigen::ComputeFullV);
        value *= svd.singularValues()[0] / svd.singularValues()[rank - 1];
        Z = svd.matrixV().rightCols(n - rank);
    }
    if (rank < n) {
        const Eigen::SelfAdjointEigenSolver<MatrixXd> free(Z.transpose() * s.M * Z);
        value *= std::max(1.0, s.M.norm()) / free.eigenvalues()[0];
    }
    return value;
}

TEST(Forms, AgreeOnRandomSystemsOfEveryRank) {
    Random random(20);
    int full = 0;
    double worst = 0.0;
    for (int trial = 0; trial < 3000; ++trial) {
        SCOPED_TRACE(trial);
        const Draw d = draw(random, 0.1, 10.0);
        if (condition(d.system, d.rank) > 1e4) {
            continue;  // the draw of directions, not of singular values, is bad: see the next test
        }
        const int m = static_cast<int>(d.system.A.rows());
        Gauge gauge;
        gauge.G = random.symmetric_of_rank(m, m, 0.1, 10.0);
        gauge.z = random.vector(m);
        int answers = 0;
        int refusals = 0;
        const double difference = disagreement(d.system, gauge, honest, answers, refusals);
        EXPECT_EQ(refusals, 0);
        EXPECT_GE(answers, 6);
        EXPECT_LE(difference, 1e-10);
        EXPECT_EQ(analyse(d.system.view()).rank, d.rank);
        worst = std::max(worst, difference);
        full += answers == 8 ? 1 : 0;
    }
    EXPECT_GT(full, 300);  // all eight, Gauss included
    RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace ananke::solve

// Rows that are nearly dependent or nearly gone: what the solver and the projector say of them.
#include <gtest/gtest.h>

#include "solve/acceleration.h"
#include "solve/projection.h"
#include "solve/random_system.h"
#include "solve/test_surfaces.h"

namespace ananke::solve {
namespace {

using Eigen::VectorXd;

// Two unit rows at the angle s: the pivot of the second is sin(s), and what it has besides the
// first turns round with s.
TEST(WeakestRow, PivotIsTheSineOfTheAngleAndTheRemainderTurns) {
    SystemData s(3, 2);
    s.M = RowMatrix::Identity(3, 3);
    const auto set_angle = [&](double angle) {
        s.A << 1.0, 0.0, 0.0, 2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.0;
    };
    AccelerationSolver solver(3, 2);
    VectorXd before(3);
    VectorXd after(3);
    for (const double angle : {1.0, 0.1, 1e-3, 1e-5}) {
        set_angle(angle);
        ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
        EXPECT_EQ(solver.rank(), 2);
        EXPECT_EQ(solver.weakest_row(), 1);
        EXPECT_NEAR(solver.weakest_pivot(), std::sin(angle), 1e-15);
        solver.weakest_remainder(before.data());
        EXPECT_NEAR((before - VectorXd::Unit(3, 1) * std::sin(angle)).norm(), 0.0, 1e-15);
        set_angle(-angle);
        ASSERT_EQ(solver.solve_again(s.view()), SolveStatus::kOk);
        solver.weakest_remainder(after.data());
        EXPECT_LT((before + after).norm(), 1e-15);
    }
    set_angle(0.0);
    ASSERT_EQ(solver.solve(s.view()), SolveStatus::kOk);
    EXPECT_EQ(solver.rank(), 1);
    EXPECT_EQ(solver.weakest_pivot(), 1.0);
}

// The forces of a given motion are those of the solver, where both exist.
TEST(Attribute, GivesTheForcesOfASolvedMotion) {
    Random random(11);
    for (int trial = 0; trial < 500; ++trial) {
        SCOPED_TRACE(trial);
        const int n = random.pick(2, 7);
        const int rank = random.pick(1, n - 1);
        const int m = random.pick(rank, rank + 2);
        const bool singular = random.pick(0, 1) == 1;
        SystemData s =
            random_system(random, n, m, rank, singular ? random.pick(n - rank, n) : n, 0.1, 10.0);
        if (random.pick(0, 1) == 1) {
            s.C = random.vector(n);
        }
        AccelerationSolver solver(n, m);
        if (solver.solve(s.view()) != SolveStatus::kOk || solver.weakest_pivot() < 1e-3) {
            continue;
        }
        AccelerationSolver other(n, m);
        ASSERT_EQ(other.attribute(s.view(), solver.a().data(), 1e-6), SolveStatus::kOk);
        const double size = 1.0 + s.M.norm() * solver.a().norm() + s.Q.norm();
        EXPECT_LT((other.Qc() - solver.Qc()).norm(), 1e-10 * size);
        EXPECT_LT((other.Qc_nonideal() - solver.Qc_nonideal()).norm(), 1e-9 * size);
        EXPECT_LT((other.lambda() - solver.lambda()).norm(), 1e-6 * (1.0 + solver.lambda().norm()));
        EXPECT_EQ(other.a(), solver.a());
    }
}

// A row that is nearly gone still holds: x y = 0 next to the crossing of its two branches. What is
// left of y is below the residual that is left alone, and y' = -x' y / x magnifies it.
TEST(Projector, NearlyVanishedRowsHold) {
    for (const double distance : {1e-3, 1e-6, 1e-9}) {
        TestSurface surface({1.0, 1.0});
        surface.hold([](const double* q, double* gradient, double& scale) {
            gradient[0] = q[1];
            gradient[1] = q[0];
            scale = std::abs(q[0] * q[1]);
            return q[0] * q[1];
        });
        Projector projector(surface);
        std::vector<double> q{distance, 0.01 * distance};
        std::vector<double> v{1.0, 0.01};
        ASSERT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kOk);
        EXPECT_NEAR(q[0], distance, 1e-3 * distance);
        EXPECT_LE(std::abs(q[1]), ProjectionOptions{}.skip);
        EXPECT_NEAR(v[0], 1.0, 1e-3);
        EXPECT_LE(std::abs(v[1]), 2.0 * ProjectionOptions{}.skip / distance);
    }
}

// Two rows at a small angle whose residuals disagree by rounding: with a rank policy that drops the
// weaker one the state stays where it is, without it the correction is magnified.
TEST(Projector, RankPolicyDecidesWhatAWeakRowMayMove) {
    constexpr double kAngle = 1e-4;
    constexpr double kOff = 1e-13;
    TestSurface surface({1.0, 1.0});
    surface.hold([](const double* q, double* gradient, double& scale) {
        gradient[0] = 1.0;
        scale = std::abs(q[0]);
        return q[0];
    });
    surface.hold([](const double* q, double* gradient, double& scale) {
        gradient[0] = std::cos(kAngle);
        gradient[1] = std::sin(kAngle);
        scale = 1.0;
        return q[0] * std::cos(kAngle) + q[1] * std::sin(kAngle) - kOff;
    });
    std::vector<double> v{0.0, 0.0};
    std::vector<double> q{0.0, 0.0};
    Projector projector(surface);
    ASSERT_EQ(projector.project(0.0, q, v, {.skip = 1e-16}).status, ProjectionStatus::kOk);
    EXPECT_NEAR(q[1], kOff / kAngle, 1e-3 * kOff / kAngle);
    q = {0.0, 0.0};
    const ProjectionOptions careful{.skip = 1e-16, .rank = {1e-3, 1e-3}};
    ASSERT_EQ(projector.project(0.0, q, v, careful).status, ProjectionStatus::kOk);
    EXPECT_EQ(q[1], 0.0);
}

}  // namespace
}  // namespace ananke::solve

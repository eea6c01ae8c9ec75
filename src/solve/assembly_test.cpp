#include "solve/assembly.h"

#include <gtest/gtest.h>

#include "solve/random_system.h"
#include "solve/test_surfaces.h"

namespace ananke::solve {
namespace {

using Eigen::VectorXd;

InitialValues values(std::vector<double> q, std::vector<double> v, std::vector<bool> q_exact = {},
                     std::vector<bool> v_exact = {}) {
    InitialValues given;
    const auto n = static_cast<Eigen::Index>(q.size());
    given.q = Eigen::Map<VectorXd>(q.data(), n);
    given.v = Eigen::Map<VectorXd>(v.data(), n);
    given.q_exact = q_exact.empty() ? std::vector<bool>(q.size(), false) : q_exact;
    given.v_exact = v_exact.empty() ? std::vector<bool>(q.size(), false) : v_exact;
    return given;
}

TEST(Assembly, ExactValuesAreKeptAndGuessesFollow) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6, -1.1}, {0.4, 0.0}, {true, false}, {true, false}));
    ASSERT_FALSE(a.failure) << a.failure->message;
    EXPECT_EQ(a.q[0], 0.6);
    EXPECT_NEAR(a.q[1], -0.8, 1e-14);
    EXPECT_EQ(a.v[0], 0.4);
    EXPECT_NEAR(a.v[1], 0.3, 1e-14);  // 0.6 * 0.4 - 0.8 * 0.3 = 0
    EXPECT_NEAR(a.position_change[1], 0.3, 1e-14);
    EXPECT_LE(a.position_residual, 1e-15);
    EXPECT_TRUE(a.moved_exact_q.empty());
}

// The nearest point of a circle, with unequal masses: stationary point of the Lagrangian,
// M (q - guess) parallel to the gradient.
TEST(Assembly, GuessesMoveLeastInTheMassMetric) {
    TestSurface surface({1.0, 9.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a = assemble(surface, values({0.9, 0.9}, {0.0, 0.0}));
    ASSERT_FALSE(a.failure);
    const double px = 1.0 * (a.q[0] - 0.9);
    const double py = 9.0 * (a.q[1] - 0.9);
    EXPECT_NEAR(px * a.q[1] - py * a.q[0], 0.0, 1e-13);
    EXPECT_NEAR(a.q.squaredNorm(), 1.0, 1e-14);
    EXPECT_GT(a.q[0], 0.0);
}

// A planar chain of five rods from the origin, every coordinate guessed with an error of 10 to 50
// %.
TEST(Assembly, GuessesOffByHalfConverge) {
    Random random(4);
    for (int trial = 0; trial < 100; ++trial) {
        SCOPED_TRACE(trial);
        TestSurface surface(std::vector<double>(10, 1.0));
        surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
        for (int k = 0; k < 4; ++k) {
            surface.hold(rod(2 * k, 2 * k + 2, 1.0));
        }
        surface.hold(circle(0, 1, 0.0, 0.0, 1.0, 1e3));  // redundant
        std::vector<double> q(10);
        double x = 0.0;
        double y = 0.0;
        for (int k = 0; k < 5; ++k) {
            const double angle = random.uniform(-1.0, 1.0);
            x += std::cos(angle);
            y += std::sin(angle);
            q[static_cast<std::size_t>(2 * k)] = x * random.uniform(0.5, 1.5);
            q[static_cast<std::size_t>(2 * k + 1)] = y * random.uniform(0.5, 1.5);
        }
        std::vector<double> v(10, 0.5);
        const Assembly a = assemble(surface, values(q, v));
        ASSERT_FALSE(a.failure) << a.failure->message;
        EXPECT_LE(a.position_residual, 1e-12);
        EXPECT_LE(a.velocity_residual, 1e-12);
    }
}

TEST(Assembly, StartWithoutGradientIsLeft) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a = assemble(surface, values({0.0, 0.0}, {0.0, 0.0}));
    ASSERT_FALSE(a.failure);
    EXPECT_NEAR(a.q.norm(), 1.0, 1e-14);
}

TEST(Assembly, ExactValuesThatMissByRoundOffAreProjectedAndReported) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6 + 1e-10, 0.8}, {0.0, 0.0}, {true, true}, {true, true}));
    ASSERT_FALSE(a.failure);
    EXPECT_LE(a.position_residual, 1e-15);
    EXPECT_EQ(a.moved_exact_q, (std::vector<int>{0, 1}));
    EXPECT_NEAR(a.position_change.norm(), 0.6e-10, 1e-13);
    EXPECT_TRUE(a.moved_exact_v.empty());
}

TEST(Assembly, ExactValuesInTheWayAreNamed) {
    TestSurface surface({1.0, 1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.7, 0.8, 5.0}, {0.0, 0.0, 0.0}, {true, true, true}));
    ASSERT_TRUE(a.failure);
    EXPECT_FALSE(a.failure->velocities);
    EXPECT_EQ(a.failure->code, ErrorCode::kNotConverged);
    EXPECT_EQ(a.failure->exact_values, (std::vector<int>{0, 1}));
    EXPECT_NEAR(a.failure->residual[0], 0.7 * 0.7 + 0.8 * 0.8 - 1.0, 1e-14);
}

TEST(Assembly, SeveralExactValuesMayHaveToGoTogether) {
    TestSurface surface({1.0, 1.0});
    surface.hold(fixed(0, 1.0)).hold(fixed(1, 1.0));
    const Assembly a = assemble(surface, values({2.0, 2.0}, {0.0, 0.0}, {true, true}));
    ASSERT_TRUE(a.failure);
    EXPECT_TRUE(a.failure->exact_values.empty());
    EXPECT_EQ(a.failure->exact_values_together, (std::vector<int>{0, 1}));
}

TEST(Assembly, ContradictoryConstraintsAreNamed) {
    TestSurface surface({1.0, 1.0, 1.0});
    surface.hold(fixed(2, 1.0))
        .hold(circle(0, 1, 0.0, 0.0, 1.0))
        .hold(fixed(2, 1.0))
        .hold(circle(0, 1, 0.0, 0.0, 2.0));
    const Assembly a = assemble(surface, values({1.0, 0.4, 0.0}, {0.0, 0.0, 0.0}));
    ASSERT_TRUE(a.failure);
    EXPECT_EQ(a.failure->code, ErrorCode::kInconsistent);
    EXPECT_EQ(a.failure->contradictory_rows, (std::vector<int>{1, 3}));
    EXPECT_EQ(a.failure->residual.size(), 4);
}

TEST(Assembly, VelocitiesThatContradictTheConstraintFailOnTheirLevel) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6, 0.8}, {1.0, 1.0}, {true, true}, {true, true}));
    ASSERT_TRUE(a.failure);
    EXPECT_TRUE(a.failure->velocities);
    EXPECT_EQ(a.failure->exact_values, (std::vector<int>{0, 1}));
}

TEST(Assembly, NonlinearVelocityConstraintIsMet) {
    TestSurface surface({1.0, 2.0});
    surface.drive(constant_speed(2, 5.0));
    const Assembly a = assemble(surface, values({0.0, 0.0}, {3.0, 1.0}, {}, {true, false}));
    ASSERT_FALSE(a.failure);
    EXPECT_EQ(a.v[0], 3.0);
    EXPECT_NEAR(a.v[1], 4.0, 1e-13);
}

}  // namespace
}  // namespace ananke::solve

#include "solve/assembly.h"

#include <gtest/gtest.h>

#include "solve/random_system.h"
#include "solve/test_surfaces.h"

namespace ananke::solve {
namespace {

InitialValues values(std::vector<double> q, std::vector<double> v, std::vector<bool> q_exact = {},
                     std::vector<bool> v_exact = {}) {
    q_exact.resize(q.size(), false);
    v_exact.resize(q.size(), false);
    return {0.0, std::move(q), std::move(v), std::move(q_exact), std::move(v_exact), {}};
}

TEST(Assembly, ExactValuesAreKeptAndGuessesFollow) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6, -1.1}, {0.4, 0.0}, {true, false}, {true, false}));
    ASSERT_FALSE(a.failure);
    EXPECT_EQ(a.q[0], 0.6);
    EXPECT_NEAR(a.q[1], -0.8, 1e-14);
    EXPECT_EQ(a.v[0], 0.4);
    EXPECT_NEAR(a.v[1], 0.3, 1e-14);  // 0.6 * 0.4 - 0.8 * 0.3 = 0
    EXPECT_LE(a.positions.residual, 1e-15);
    EXPECT_TRUE(a.positions.moved_exact.empty());
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
    EXPECT_NEAR(std::hypot(a.q[0], a.q[1]), 1.0, 1e-14);
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
        ASSERT_FALSE(a.failure);
        EXPECT_LE(a.positions.residual, 1e-12);
        EXPECT_LE(a.velocities.residual, 1e-12);
    }
}

// The same point by both kinds of factors.
TEST(Assembly, SparseFactorsFindTheSamePoint) {
    Random random(5);
    for (int trial = 0; trial < 100; ++trial) {
        SCOPED_TRACE(trial);
        TestSurface dense({1.0, 2.0, 0.5, 4.0});
        dense.hold(circle(0, 1, 0.0, 0.0, 1.0)).hold(rod(0, 2, 1.5));
        TestSurface sparse = dense;
        sparse.solve_with(Factors::kSparse);
        std::vector<double> q(4);
        std::vector<double> v(4);
        for (std::size_t i = 0; i < 4; ++i) {
            q[i] = random.uniform(0.2, 1.8);
            v[i] = random.uniform(0.2, 1.8);
        }
        const std::vector<bool> exact{trial % 3 == 0, false, false, false};
        q[0] = exact[0] ? 0.5 * q[0] : q[0];
        const Assembly a = assemble(dense, values(q, v, exact));
        const Assembly b = assemble(sparse, values(q, v, exact));
        ASSERT_FALSE(a.failure);
        ASSERT_FALSE(b.failure);
        for (std::size_t i = 0; i < 4; ++i) {
            // The sparse metric has 1e-10 of the largest mass in the least unit, 6e-8.
            EXPECT_NEAR(a.q[i], b.q[i], 1e-7);
            EXPECT_NEAR(a.v[i], b.v[i], 1e-7);
        }
    }
}

TEST(Assembly, StartWithoutGradientIsLeft) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a = assemble(surface, values({0.0, 0.0}, {0.0, 0.0}));
    ASSERT_FALSE(a.failure);
    EXPECT_NEAR(std::hypot(a.q[0], a.q[1]), 1.0, 1e-14);
}

TEST(Assembly, ExactValuesThatMissByRoundOffAreProjectedAndReported) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6 + 1e-10, 0.8}, {0.0, 0.0}, {true, true}, {true, true}));
    ASSERT_FALSE(a.failure);
    EXPECT_LE(a.positions.residual, 1e-15);
    EXPECT_EQ(a.positions.moved_exact, (std::vector<int>{0, 1}));
    EXPECT_NEAR(std::hypot(a.q[0] - 0.6 - 1e-10, a.q[1] - 0.8), 0.6e-10, 1e-13);
    EXPECT_TRUE(a.velocities.moved_exact.empty());
}

TEST(Assembly, ExactValuesInTheWayAreNamed) {
    TestSurface surface({1.0, 1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.7, 0.8, 5.0}, {0.0, 0.0, 0.0}, {true, true, true}));
    ASSERT_TRUE(a.failure);
    EXPECT_EQ(a.failure->level, Level::kPositions);
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
    EXPECT_EQ(a.failure->residual.size(), 4U);
}

TEST(Assembly, VelocitiesThatContradictTheConstraintFailOnTheirLevel) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    const Assembly a =
        assemble(surface, values({0.6, 0.8}, {1.0, 1.0}, {true, true}, {true, true}));
    ASSERT_TRUE(a.failure);
    EXPECT_EQ(a.failure->level, Level::kVelocities);
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

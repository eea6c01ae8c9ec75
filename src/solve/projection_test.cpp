#include "solve/projection.h"

#include <gtest/gtest.h>

#include <limits>

#include "solve/allocation_count.h"
#include "solve/random_system.h"
#include "solve/test_surfaces.h"

namespace ananke::solve {
namespace {

// Equal masses: the nearest point of a circle lies on the radius.
TEST(Projector, CircleIsReachedAlongTheRadius) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    Projector projector(surface);
    std::vector<double> q{0.6 * 1.001, 0.8 * 1.001};
    std::vector<double> v{0.8 + 0.06, -0.6 + 0.08};  // tangent (0.8, -0.6) plus 0.1 of the radius
    const ProjectionReport report = projector.project(0.0, q, v);
    ASSERT_EQ(report.status, ProjectionStatus::kOk);
    EXPECT_NEAR(q[0], 0.6, 1e-15);
    EXPECT_NEAR(q[1], 0.8, 1e-15);
    EXPECT_NEAR(v[0], 0.8, 1e-15);
    EXPECT_NEAR(v[1], -0.6, 1e-15);
    EXPECT_LE(report.position_residual, 1e-15);
    EXPECT_NEAR(report.position_correction, 0.8e-3, 1e-12);
    EXPECT_NEAR(report.velocity_correction, 0.08, 1e-12);
}

// Least change in M: dq is M^-1 J^T times a number, to first order in the change.
TEST(Projector, HeavyCoordinatesMoveLess) {
    TestSurface surface({1.0, 100.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    Projector projector(surface);
    std::vector<double> q{0.6, 0.8 + 1e-6};
    std::vector<double> v{0.0, 0.0};
    const double x = q[0];
    const double y = q[1];
    ASSERT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kOk);
    EXPECT_NEAR((q[0] - x) / (q[1] - y), 100.0 * 0.6 / 0.8, 1e-3);
}

TEST(Projector, RedundantRowsOfAnyScaleChangeNothing) {
    Random random(2);
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        TestSurface plain({1.0, 2.0, 3.0, 4.0});
        plain.hold(circle(0, 1, 0.0, 0.0, 1.0)).hold(rod(0, 2, 2.0));
        TestSurface redundant = plain;
        redundant.hold(circle(0, 1, 0.0, 0.0, 1.0, random.magnitude(1e-5, 1e5)));
        redundant.hold(circle(0, 1, 0.0, 0.0, 1.0, -random.magnitude(1e-5, 1e5)));
        Projector one(plain);
        Projector two(redundant);
        const double a = random.uniform(0.0, 6.0);
        const double b = random.uniform(0.0, 6.0);
        std::vector<double> q{std::cos(a), std::sin(a), std::cos(a) + 2.0 * std::cos(b),
                              std::sin(a) + 2.0 * std::sin(b)};
        std::vector<double> v{0.3, -0.2, 0.5, 0.1};
        for (double& x : q) {
            x += random.uniform(-1e-5, 1e-5);
        }
        std::vector<double> q2 = q;
        std::vector<double> v2 = v;
        ASSERT_EQ(one.project(0.0, q, v).status, ProjectionStatus::kOk);
        ASSERT_EQ(two.project(0.0, q2, v2).status, ProjectionStatus::kOk);
        for (std::size_t i = 0; i < q.size(); ++i) {
            EXPECT_NEAR(q[i], q2[i], 1e-12);
            EXPECT_NEAR(v[i], v2[i], 1e-12);
        }
        EXPECT_LE(one.violation(Level::kPositions, 0.0, q, v), ProjectionOptions{}.skip);
        EXPECT_LE(one.violation(Level::kVelocities, 0.0, q, v), ProjectionOptions{}.skip);
    }
}

// Both kinds of factors lead to the same place, redundant rows or not.
TEST(Projector, SparseFactorsLeadToTheSamePlace) {
    Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        TestSurface dense({1.0, 2.0, 3.0, 4.0});
        dense.hold(circle(0, 1, 0.0, 0.0, 1.0)).hold(rod(0, 2, 2.0));
        if (trial % 2 == 0) {
            dense.hold(circle(0, 1, 0.0, 0.0, 1.0, random.magnitude(1e-5, 1e5)));
        }
        TestSurface sparse = dense;
        sparse.solve_with(Factors::kSparse);
        Projector one(dense);
        Projector two(sparse);
        const double a = random.uniform(0.0, 6.0);
        const double b = random.uniform(0.0, 6.0);
        std::vector<double> q{std::cos(a), std::sin(a), std::cos(a) + 2.0 * std::cos(b),
                              std::sin(a) + 2.0 * std::sin(b)};
        std::vector<double> v{0.3, -0.2, 0.5, 0.1};
        for (double& x : q) {
            x += random.uniform(-1e-3, 1e-3);
        }
        std::vector<double> q2 = q;
        std::vector<double> v2 = v;
        ASSERT_EQ(one.project(0.0, q, v).status, ProjectionStatus::kOk);
        ASSERT_EQ(two.project(0.0, q2, v2).status, ProjectionStatus::kOk);
        for (std::size_t i = 0; i < q.size(); ++i) {
            EXPECT_NEAR(q[i], q2[i], 1e-9);  // the sparse metric has 1e-10 of the plain norm
            EXPECT_NEAR(v[i], v2[i], 1e-9);
        }
        EXPECT_LE(two.violation(Level::kPositions, 0.0, q2, v2), ProjectionOptions{}.skip);
        EXPECT_LE(two.violation(Level::kVelocities, 0.0, q2, v2), ProjectionOptions{}.skip);
    }
}

// Two massless coordinates whose sum is held: both move alike, the plain norm breaks the tie.
TEST(Projector, MasslessTiesAreBrokenByThePlainNorm) {
    TestSurface surface({0.0, 0.0, 1.0});
    surface.hold([](const double* q, double* g, double& scale) {
        g[0] = g[1] = g[2] = 1.0;
        scale = std::abs(q[0]) + std::abs(q[1]) + std::abs(q[2]) + 1.0;
        return q[0] + q[1] + q[2] - 1.0;
    });
    Projector projector(surface);
    std::vector<double> q{0.3, 0.5, 0.4};  // 0.2 too much
    std::vector<double> v{0.0, 0.0, 0.0};
    ASSERT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kOk);
    EXPECT_NEAR(q[0], 0.2, 1e-7);
    EXPECT_NEAR(q[1], 0.4, 1e-7);
    EXPECT_NEAR(q[2], 0.4, 1e-7);  // has mass: stays
    EXPECT_NEAR(q[0] + q[1] + q[2], 1.0, 1e-15);
}

TEST(Projector, VelocityRowsMayBeNonlinear) {
    TestSurface surface({1.0, 1.0});
    surface.drive(constant_speed(2, 5.0));
    Projector projector(surface);
    std::vector<double> q{0.0, 0.0};
    std::vector<double> v{3.3, 4.4};
    ASSERT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kOk);
    EXPECT_NEAR(v[0], 3.0, 1e-14);
    EXPECT_NEAR(v[1], 4.0, 1e-14);
}

TEST(Projector, SkipsWhatIsAlreadyThere) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0));
    Projector projector(surface);
    std::vector<double> q{0.6, 0.8};
    std::vector<double> v{0.8, -0.6};
    const ProjectionReport report = projector.project(0.0, q, v);
    EXPECT_EQ(report.status, ProjectionStatus::kOk);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_FALSE(report.position_changed);
    EXPECT_FALSE(report.velocity_changed);
}

TEST(Projector, FailureIsReportedAndLeavesTheStateAlone) {
    TestSurface surface({1.0, 1.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0)).hold(circle(0, 1, 0.0, 0.0, 2.0));
    Projector projector(surface);
    std::vector<double> q{1.2, 0.3};
    std::vector<double> v{0.0, 0.0};
    EXPECT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kPositionNotConverged);
    EXPECT_EQ(q, (std::vector<double>{1.2, 0.3}));
    q[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(projector.project(0.0, q, v).status, ProjectionStatus::kNotFinite);
}

TEST(Projector, TakesNoMemory) {
    TestSurface surface({1.0, 2.0, 0.0, 0.0});
    surface.hold(circle(0, 1, 0.0, 0.0, 1.0)).hold(rod(0, 2, 2.0)).hold(rod(0, 2, 2.0));
    Projector projector(surface);
    std::vector<double> q{1.0 + 1e-3, 1e-3, 3.0, 1e-2};
    std::vector<double> v{0.1, 0.2, 0.3, 0.4};
    std::vector<double> q2 = q;
    std::vector<double> v2 = v;
    ASSERT_EQ(projector.project(0.0, q2, v2).status, ProjectionStatus::kOk);
    const long before = allocation_count();
    const ProjectionReport report = projector.project(0.0, q, v);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_EQ(report.status, ProjectionStatus::kOk);
    EXPECT_GT(report.iterations, 0);
}

}  // namespace
}  // namespace ananke::solve

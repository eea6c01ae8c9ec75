#include "report/shapes.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ananke::report {
namespace {

Eigen::Matrix3d diagonal(double a, double b, double c) {
    return Eigen::Vector3d(a, b, c).asDiagonal();
}

// Moments of solid bodies as in any handbook.
TEST(Shapes, SolidsComeBackFromTheirMoments) {
    const double m = 3.0;
    const Shape ball = solid_of_inertia(m, diagonal(1, 1, 1) * (0.4 * m * 0.25), 0.1);
    EXPECT_EQ(ball.kind, Shape::Kind::kSphere);
    EXPECT_NEAR(ball.radius, 0.5, 1e-12);

    const double across = m * (3 * 0.04 + 1.0) / 12.0;  // r = 0.2, L = 1 along y
    const Shape roller = solid_of_inertia(m, diagonal(across, m * 0.02, across), 0.1);
    EXPECT_EQ(roller.kind, Shape::Kind::kCylinder);
    EXPECT_NEAR(roller.radius, 0.2, 1e-12);
    EXPECT_NEAR(roller.length, 1.0, 1e-12);
    EXPECT_NEAR(std::abs(roller.axis[1]), 1.0, 1e-12);

    // A box 1 x 2 x 3, turned: its sides are found along the turned axes.
    const Eigen::Matrix3d R =
        Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
    const Eigen::Matrix3d J = R * diagonal(m * 13 / 12, m * 10 / 12, m * 5 / 12) * R.transpose();
    const Shape box = solid_of_inertia(m, J, 0.1);
    ASSERT_EQ(box.kind, Shape::Kind::kBox);
    const Eigen::Quaterniond u(box.rotation[0], box.rotation[1], box.rotation[2], box.rotation[3]);
    Eigen::Matrix3d from_box = Eigen::Matrix3d::Zero();
    for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = u * Eigen::Vector3d::Unit(k);
        const double size = box.size[static_cast<std::size_t>(k)];
        from_box += size * size * axis * axis.transpose();
    }
    EXPECT_LT((from_box - R * diagonal(1, 4, 9) * R.transpose()).norm(), 1e-9);
}

TEST(Shapes, ThinBodiesCanBeSeen) {
    const Shape rod = solid_of_inertia(1.0, diagonal(0.0, 1.0 / 12, 1.0 / 12), 0.1);
    EXPECT_EQ(rod.kind, Shape::Kind::kCylinder);
    EXPECT_NEAR(rod.length, 1.0, 1e-12);
    EXPECT_GT(rod.radius, 0.01);
    const Shape disk = solid_of_inertia(2.0, diagonal(0.125, 0.25, 0.125), 0.1);
    EXPECT_NEAR(disk.radius, 0.5, 1e-12);
    EXPECT_GT(disk.length, 0.01);
    EXPECT_LT(disk.length, 0.1);
}

TEST(Shapes, BodiesWithoutExtentAreSmallSpheres) {
    for (const double mass : {0.0, 1.0}) {
        const Shape shape = solid_of_inertia(mass, Eigen::Matrix3d::Zero(), 0.1);
        EXPECT_EQ(shape.kind, Shape::Kind::kSphere);
        EXPECT_EQ(shape.radius, 0.1);
    }
}

TEST(Shapes, PlanarBodiesAreBarsTowardsTheirJoints) {
    const double angle = 0.4;
    const std::vector<Vector> ends{{0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.0},
                                   {-0.5 * std::cos(angle), -0.5 * std::sin(angle), 0.0}};
    const Shape bar = planar_solid(6.0, 0.5, ends, 0.1);
    ASSERT_EQ(bar.kind, Shape::Kind::kBox);
    EXPECT_NEAR(bar.size[0], 1.0, 1e-12);
    EXPECT_NEAR(std::abs(2.0 * std::atan2(bar.rotation[3], bar.rotation[0])), angle, 1e-12);
    const Shape disk = planar_solid(2.0, 1.0, {{1, 0, 0}, {0, 1, 0}}, 0.1);
    EXPECT_EQ(disk.kind, Shape::Kind::kCylinder);
    EXPECT_NEAR(disk.radius, 1.0, 1e-12);
}

}  // namespace
}  // namespace ananke::report

#include "report/shapes.h"

#include <algorithm>
#include <cmath>

namespace ananke::report {
namespace {

constexpr double kEqual = 1e-3;  ///< relative difference of moments taken as equal
constexpr double kThin = 0.04;   ///< least thickness, of the largest size

Vector vector_of(const Eigen::Vector3d& v) {
    return {v[0], v[1], v[2]};
}

Shape small_sphere(double radius) {
    Shape shape;
    shape.radius = radius;
    return shape;
}

/// J_axis = m r^2/2, J_across = m (3 r^2 + L^2)/12
Shape cylinder(double mass, double axial, double across, const Eigen::Vector3d& axis) {
    Shape shape;
    shape.kind = Shape::Kind::kCylinder;
    shape.axis = vector_of(axis);
    const double radius_squared = 2.0 * std::max(0.0, axial) / mass;
    const double length_squared = 12.0 * across / mass - 3.0 * radius_squared;
    shape.radius = std::sqrt(radius_squared);
    shape.length = std::sqrt(std::max(0.0, length_squared));
    shape.radius = std::max(shape.radius, kThin / 2.0 * shape.length);
    shape.length = std::max(shape.length, kThin * 2.0 * shape.radius);
    return shape;
}

}  // namespace

std::array<double, 4> quaternion_of(const Eigen::Matrix3d& rotation) {
    const Eigen::Quaterniond u(rotation);
    return {u.w(), u.x(), u.y(), u.z()};
}

Shape solid_of_inertia(double mass, const Eigen::Matrix3d& inertia, double least) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
    const Eigen::Vector3d J = solver.eigenvalues();  // ascending
    if (!(mass > 0.0) || !(J[2] > 0.0) || !std::isfinite(J[2] / mass)) {
        return small_sphere(least);
    }
    const bool low_equal = J[1] - J[0] <= kEqual * J[2];
    const bool high_equal = J[2] - J[1] <= kEqual * J[2];
    if (low_equal && high_equal) {
        return small_sphere(std::sqrt(2.5 * J[2] / mass));  // J = 2/5 m r^2
    }
    if (low_equal) {
        return cylinder(mass, J[2], (J[0] + J[1]) / 2.0, solver.eigenvectors().col(2));
    }
    if (high_equal) {
        return cylinder(mass, J[0], (J[1] + J[2]) / 2.0, solver.eigenvectors().col(0));
    }
    Shape shape;
    shape.kind = Shape::Kind::kBox;
    Eigen::Matrix3d axes = solver.eigenvectors();
    if (axes.determinant() < 0.0) {
        axes.col(2) *= -1.0;
    }
    // J_1 = m (b^2 + c^2)/12 and so on.
    for (std::size_t i = 0; i < 3; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double squared = 6.0 * (J.sum() - 2.0 * J[k]) / mass;
        shape.size[i] = std::sqrt(std::max(0.0, squared));
    }
    const double largest = *std::ranges::max_element(shape.size);
    for (double& size : shape.size) {
        size = std::max(size, kThin * largest);
    }
    shape.rotation = quaternion_of(axes);
    return shape;
}

Shape planar_solid(double mass, double inertia, const std::vector<Vector>& places, double least) {
    if (!(mass > 0.0) || !(inertia > 0.0)) {
        return small_sphere(least);
    }
    Eigen::Vector2d along = Eigen::Vector2d::Zero();
    for (const Vector& place : places) {
        const Eigen::Vector2d p(place[0], place[1]);
        along = p.norm() > along.norm() ? p : along;
    }
    bool on_a_line = along.norm() > 0.0;
    for (const Vector& place : places) {
        const double off = std::abs(along[0] * place[1] - along[1] * place[0]);
        on_a_line = on_a_line && off <= 1e-6 * along.squaredNorm();
    }
    Shape shape;
    if (!on_a_line) {
        shape.kind = Shape::Kind::kCylinder;
        shape.axis = {0.0, 0.0, 1.0};
        shape.radius = std::sqrt(2.0 * inertia / mass);
        shape.length = kThin * 2.0 * shape.radius;
        return shape;
    }
    shape.kind = Shape::Kind::kBox;
    const double length = std::sqrt(12.0 * inertia / mass);
    shape.size = {length, kThin * length, kThin * length};
    const double half = std::atan2(along[1], along[0]) / 2.0;
    shape.rotation = {std::cos(half), 0.0, 0.0, std::sin(half)};
    return shape;
}

double extent(const Shape& shape) {
    const Eigen::Vector3d at(shape.at[0], shape.at[1], shape.at[2]);
    const Eigen::Vector3d to(shape.to[0], shape.to[1], shape.to[2]);
    switch (shape.kind) {
        case Shape::Kind::kSphere:
            return at.norm() + shape.radius;
        case Shape::Kind::kBox:
            return at.norm() + std::hypot(shape.size[0], shape.size[1], shape.size[2]) / 2.0;
        case Shape::Kind::kCylinder:
            return at.norm() + std::hypot(shape.radius, shape.length / 2.0);
        case Shape::Kind::kLine:
            return std::max(at.norm(), to.norm());
    }
    return 0.0;
}

}  // namespace ananke::report

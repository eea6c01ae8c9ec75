// What a body looks like when nobody says it: the simplest solid of its mass and inertia.
#pragma once

#include <vector>

#include "dense/dense.h"
#include "report/report.h"

namespace ananke::report {

/// A sphere where the principal moments are equal, a cylinder where two of them are, else a box;
/// thin ones get a thickness that can be seen. A body without extent is a small sphere of radius
/// `least`.
Shape solid_of_inertia(double mass, const Eigen::Matrix3d& inertia, double least);

/// A planar body: a bar towards its places where these lie on a line through the mass centre, else
/// a disk. `places` in body axes.
Shape planar_solid(double mass, double inertia, const std::vector<Vector>& places, double least);

/// Largest distance of the shape from the mass centre.
double extent(const Shape& shape);

/// w x y z of a rotation matrix.
std::array<double, 4> quaternion_of(const Eigen::Matrix3d& rotation);

}  // namespace ananke::report

// Vectors and rotations of expressions.
#pragma once

#include <array>

#include "mech/model.h"
#include "sym/graph.h"

namespace ananke::mech {

inline Expr dot(sym::Graph& graph, const Vec3& a, const Vec3& b) {
    return graph.add(graph.add(graph.mul(a[0], b[0]), graph.mul(a[1], b[1])),
                     graph.mul(a[2], b[2]));
}
Vec3 cross(sym::Graph& graph, const Vec3& a, const Vec3& b);
Vec3 add(sym::Graph& graph, const Vec3& a, const Vec3& b);
Vec3 scale(sym::Graph& graph, Expr factor, const Vec3& a);
/// The vector with these components along the axes.
Vec3 along(sym::Graph& graph, const Axes& axes, const Vec3& components);

/// u = (u0, u1, u2, u3), scalar first; Hamilton's product.
using Quaternion = std::array<Expr, 4>;
Quaternion multiply(sym::Graph& graph, const Quaternion& a, const Quaternion& b);

/// The body's axes in world axes, columns of R(u), which maps body to world.
Axes axes_of(sym::Graph& graph, const Quaternion& u);

/// The 3x4 matrices with omega = 2 E u' in body axes, US10 (79), (80), and 2 G u' in world axes.
using Matrix34 = std::array<Quaternion, 3>;
Matrix34 body_rates(sym::Graph& graph, const Quaternion& u);
Matrix34 world_rates(sym::Graph& graph, const Quaternion& u);
Vec3 apply(sym::Graph& graph, const Matrix34& matrix, const Quaternion& u);

}  // namespace ananke::mech

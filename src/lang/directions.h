// Places and directions fixed in bodies (directions.cpp), rotations (rotations.cpp).
#pragma once

#include <optional>
#include <string_view>

#include "lang/lowering.h"

namespace ananke::lang {

/// A body, or the body that a point is fixed in.
std::optional<int> body_of(Lowering& in, ExprId id, std::string_view what);
/// The components of a place on a body, over parameters.
std::optional<mech::Vec3> local_place(Lowering& in, ExprId id);

Value place_on_body(Lowering& in, ExprId id);  ///< B at v
Value in_body(Lowering& in, ExprId id);        ///< v in B

// Functions of the language.
Value call_body_function(Lowering& in, ExprId id, std::string_view name);
Value call_start(Lowering& in, ExprId id);
Value call_turned(Lowering& in, ExprId id);

Value call_rotation(Lowering& in, ExprId id);    ///< rotation(axis, angle)
Value call_quaternion(Lowering& in, ExprId id);  ///< quaternion(u0, u1, u2, u3)
Value call_axes(Lowering& in, ExprId id);        ///< axes(x = (0, 1, 0), z = (0, 0, 1))

/// Axes of bodies and positions of points written out over the coordinates.
sym::Expr over_coordinates(Lowering& in, sym::Expr e);

}  // namespace ananke::lang

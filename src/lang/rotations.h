// Rotations: about an axis, by a quaternion, by two axes.
#pragma once

#include "lang/lowering.h"

namespace ananke::lang {

Value call_rotation(Lowering& in, ExprId id);    ///< rotation(axis, angle)
Value call_quaternion(Lowering& in, ExprId id);  ///< quaternion(u0, u1, u2, u3)
Value call_axes(Lowering& in, ExprId id);        ///< axes(x = (0, 1, 0), z = (0, 0, 1))

}  // namespace ananke::lang

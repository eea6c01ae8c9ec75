// Which coordinates are quantities of one kind, so that their sizes may be compared.
//
// The language has no units. Two coordinates are of one kind if the model itself adds them up
// (x1 - x2, x^2 + y^2), or if both are Cartesian components of points, angles (of planar bodies, or
// of which sines and cosines are taken) or parts of quaternions, and if they belong to one
// mechanism: something couples them. A number may carry a unit, as the inertia in 2*x'^2 +
// 3*angle'^2, so a sum does not make one kind of what geometry knows to be two.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/model.h"

namespace ananke::compile {

struct CoordinateKinds {
    std::vector<int> of;      ///< n  numbered from 0 in the order of first occurrence
    std::vector<bool> turns;  ///< n  an angle or a part of a quaternion: bends over a size of 1
};
CoordinateKinds coordinate_kinds(const mech::Model& model, const mech::Equations& equations);

}  // namespace ananke::compile

// Which coordinates are quantities of one kind, so that their sizes may be compared.
//
// The language has no units. Two coordinates are of one kind if the model itself adds them up
// (x1 - x2, x^2 + y^2), or if both are Cartesian components of points, angles (of planar bodies, or
// of which sines and cosines are taken) or parts of quaternions, and if they belong to one
// mechanism: something couples them.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/model.h"

namespace ananke::sim {

/// The kind of each coordinate (n), numbered from 0 in the order of first occurrence.
std::vector<int> coordinate_kinds(const mech::Model& model, const mech::Equations& equations);

}  // namespace ananke::sim

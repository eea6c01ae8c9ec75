// Actuators of servo constraints: the columns of D in Qc = A_p^T lambda + D u.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/points.h"

namespace ananke::mech {

/// One control per actuator, in the order of the constraints. A vector along which an actuator
/// pushes is brought to unit length, so that the control is a force in newtons.
std::vector<Control> controls_of(Model& model, const TimeFlow& flow, const PointTable& points);

}  // namespace ananke::mech

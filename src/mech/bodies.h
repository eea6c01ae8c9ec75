// Rigid bodies: their motion over the coordinates and their inertia.
//
// A spatial body turns by a unit quaternion u; omega = 2 E u' in body axes, and
//   M_rot = 4 E^T J E (4x4, rank 3)     Q_rot = -8 E'^T J E u'          US10 (79)-(81), (88)
// so M is singular and u.u = 1 is a constraint like any other.
#pragma once

#include "mech/equations.h"
#include "mech/points.h"
#include "mech/vectors.h"
#include "sym/repetition.h"

namespace ananke::mech {

/// The quaternion of a spatial body, and its rate.
Quaternion quaternion(const Model& model, const Body& body);
Quaternion quaternion_rate(const Model& model, const Body& body);

/// Axes, angular velocity and angular acceleration. Bodies of one kind are derived once and
/// renamed.
BodyKinematics body_motion(Model& model, const TimeFlow& flow, const Body& body,
                           sym::Repetition& repetition);

/// The inertia of its rotation; that of its mass centre belongs to the point.
InertiaElement body_element(Model& model, const Body& body, sym::Repetition& repetition);

/// Q += d omega/d v^T tau.
void add_torque(Model& model, const Body& body, const Vec3& tau, std::vector<Expr>& Q);

}  // namespace ananke::mech

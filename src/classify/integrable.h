// Velocity constraints that are holonomic in disguise; P21 (53)-(56).
//
//   A(q,t) v + c(q,t) = 0   as the one-form   w = sum A_i dq_i + c dt
//   exact         dw = 0               w = d phi
//   integrable    w ^ dw = 0           mu w = d phi for some mu(q,t)           (Frobenius)
//
// The conditions are evaluated at random states; phi is found in closed form and then evaluated as
// a check.
#pragma once

#include "mech/equations.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Equations, mech::Model, mech::Probe;

/// Fills Row::integrable, Row::integral and Row::note of the rows that are linear in the
/// velocities.
void find_integrals(Model& model, const Probe& probe, Equations& equations);

}  // namespace ananke::classify

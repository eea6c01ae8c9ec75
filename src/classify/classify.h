// Evaluates the derived equations at some states: finds the kinds of the constraints, and those
// that no motion can satisfy.
#pragma once

#include "mech/derive.h"

namespace ananke::classify {

/// classify(model, mech::derive(model)): the derivation with the kinds of its rows and the
/// integrals of those in the velocities, and with diagnostics of what only the derived equations
/// show: a negative mass, a constraint that cannot hold or is degenerate, a gauge or a control that
/// does not fit. Without equations, a derivation is returned as it is.
mech::Derivation classify(mech::Model& model, mech::Derivation derivation);

}  // namespace ananke::classify

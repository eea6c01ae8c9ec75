// Errors that the derived equations show, each with the statement that causes it.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "mech/equations.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Equations, mech::Model, mech::Probe;

/// Masses of particles are not negative, T is quadratic in the velocities, M >= 0.
void validate_inertia(const Model& model, const Probe& probe, const Equations& equations,
                      std::vector<Diagnostic>& diagnostics);

/// A full gauge matrix G has one row and one column per constraint row.
void validate_gauge(const Model& model, const Equations& equations,
                    std::vector<Diagnostic>& diagnostics);

/// An actuator without a direction, one that moves nothing, and more actuators than equations.
void validate_controls(const Model& model, const Equations& equations,
                       std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::classify

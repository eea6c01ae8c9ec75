// Errors of a model that its text alone shows, each with its place.
#pragma once

#include <vector>

#include "base/result.h"
#include "mech/points.h"
#include "mech/probe.h"

namespace ananke::mech {

/// A parameter that has no finite value.
Diagnostic parameter_diagnostic(const Model& model, const Error& error);

/// Symbols where they may not stand: velocities in a potential, accelerations in a constraint, and
/// so on; a model without coordinates; a mass entry given twice; a speed that is not linear.
void validate_symbols(Model& model, std::vector<Diagnostic>& diagnostics);

/// Everything that will be differentiated has the derivatives it needs.
void validate_smoothness(Model& model, const PointTable& points, const Probe& probe,
                         std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::mech

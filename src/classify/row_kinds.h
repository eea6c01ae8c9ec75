// Kinds of constraint rows that only their values show.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/points.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Equations, mech::Model, mech::PointTable, mech::Probe;

/// Completes the classification of equations.rows: rows that hold identically become vacuous, rows
/// whose gradient vanishes where they hold become degenerate (with a warning), rows that only look
/// nonlinear in the velocities are explained (classify/contrived.h), and a row without coordinates
/// that does not hold is an error.
void classify_rows(Model& model, const PointTable& points, const Probe& probe, Equations& equations,
                   std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::classify

// Friction laws as generalized forces and as rows that hold while they stick; THEORY section 5.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "mech/equations.h"
#include "mech/points.h"
#include "sym/walk.h"

namespace ananke::mech {

/// The frictions of the model, those of the same slip joined. `reactions` replaces the symbols of
/// reaction(c). Adds an error per friction that has no sliding direction, or whose slip
/// is not linear in the velocities.
std::vector<FrictionElement> friction_elements(Model& model, const TimeFlow& flow,
                                               const PointTable& points,
                                               const std::vector<Row>& rows,
                                               const std::vector<sym::Replacement>& reactions,
                                               std::vector<Diagnostic>& diagnostics);

/// C_i -= sum of F_k d slip_k/dv_i
void add_friction_forces(Model& model, const std::vector<FrictionElement>& frictions,
                         std::vector<Expr>& C);

}  // namespace ananke::mech

// Given and non-ideal forces as generalized forces.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/points.h"

namespace ananke::mech {

/// Q_i = f_i + sum over points of F . dr/dq_i, one entry per coordinate.
std::vector<Expr> generalized_forces(Model& model, const TimeFlow& flow, const PointTable& points,
                                     const Forces& forces);

/// The whole potential energy: the `potential` statements, and -m g.r for each particle.
Expr total_potential(Model& model, const PointTable& points);

/// Q_i -= V_i, summand by summand. Returns the V_i that are not finite everywhere, with the
/// statements of their summands.
std::vector<ForcePart> subtract_gradient(Model& model, const TimeFlow& flow,
                                         const PointTable& points, Expr potential,
                                         std::vector<Expr>& Q);

}  // namespace ananke::mech

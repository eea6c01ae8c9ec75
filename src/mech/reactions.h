// Reactions in expressions: reaction(c) by the multipliers of the rows of c.
//
//   scalar constraint   lambda |W|              W its direction on the point P
//   vector constraint   sum of lambda_k W_k     the force on P
//
// P is the first of Constraint::named_points that the rows act on, the ground last. So a reaction
// does not depend on how the equation of the constraint is scaled, nor a vector on how places are
// written. A constraint that acts on no point has the torque on a body, tau for W, chosen likewise;
// where it acts on nothing that has a name |row of A| counts for |W|.            THEORY section 3
#pragma once

#include <vector>

#include "mech/equations.h"
#include "sym/walk.h"

namespace ananke::mech {

/// Gives every row the symbol of its multiplier, where the model asks for reactions, and what each
/// symbol of reaction(c) stands for.
std::vector<sym::Replacement> reaction_values(Model& model, std::vector<Row>& rows);

/// Row::compliances: sqrt(c) reaction(c) of each constraint with a compliance, and of joints
/// sqrt(c) times their force and their torque about their own place, on the body named last.
void add_compliances(Model& model, const std::vector<PointKinematics>& points,
                     std::vector<Row>& rows);

/// |v|; the magnitude of its component where it has only one.
Expr length(sym::Graph& graph, const Vec3& v);

}  // namespace ananke::mech

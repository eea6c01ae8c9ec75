// Reactions in expressions: reaction(c) by the multipliers of the rows of c.
//
//   scalar constraint   lambda |W|              W its direction on the first point it acts on
//   vector constraint   sum of lambda_k W_k     the force on the first point it acts on
//
// So a reaction does not depend on how the equation of the constraint is scaled. A constraint that
// acts on no point counts |tau| of the first body that it twists for |W|, or |row of A| where it
// acts on nothing that has a name.                                               THEORY section 3
#pragma once

#include <vector>

#include "mech/equations.h"
#include "sym/walk.h"

namespace ananke::mech {

/// Gives every row the symbol of its multiplier, where the model asks for reactions, and what each
/// symbol of reaction(c) stands for.
std::vector<sym::Replacement> reaction_values(Model& model, std::vector<Row>& rows);

/// |v|; the magnitude of its component where it has only one.
Expr length(sym::Graph& graph, const Vec3& v);

}  // namespace ananke::mech

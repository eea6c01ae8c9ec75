// Constraint rows: A, b, and where each row pushes.
//
//   phi(q,t) = 0:    A = phi_q    b = -( v^T phi_qq v + 2 phi_qt v + phi_tt )
//   psi(q,v,t) = 0:  A = psi_v    b = -( psi_q v + psi_t )                    THEORY section 1
#pragma once

#include <string>
#include <vector>

#include "mech/equations.h"
#include "mech/points.h"

namespace ananke::mech {

/// The rows of all constraints, classified by their symbols (classify/row_kinds.h adds what only
/// numbers show). Rows are numbered in the order of the statements.
std::vector<Row> constraint_rows(Model& model, const TimeFlow& flow, const PointTable& points);

/// The row psi = 0 of an expression over q, v, t that is not a constraint of the model.
Row velocity_row(Model& model, const TimeFlow& flow, std::string name, Expr psi);

/// Kind of a row from its symbols; `A` holds its entries.
ConstraintKind kind_by_symbols(Model& model, Expr residual, bool holonomic,
                               const std::vector<Entry>& A);

}  // namespace ananke::mech

// Minimal equations of motion: as many as there are degrees of freedom, without constraint forces,
// or with chosen ones in evidence.
//
//   u = Y q' + y                       motion variables, n of them                RH section 2
//   v^P = sum v~_r u_r + v~_t          nonholonomic partial velocities            RH (10), (12)
//   a^P = sum a~_r u'_r + a~_t         nonholonomic partial accelerations         RH (11), (18)
//   alpha^B = sum alpha~_r u'_r + ...  partial angular accelerations              RH (71)
//   N^T (Q + C - M a) = 0              minimal equations, N^T A^T = 0             RH (8), (23),
//   (24) N^T (Q + C + A_e^T lambda - M a) = 0,  A_e a = b_e   rows e in evidence       RH (7)
//
// Constraints linear in the velocities are solved for dependent velocities; those that are not are
// solved for dependent accelerations, and for a dependent velocity too where that has a closed
// form, so that the velocities cannot drift off the constraint (RH 4.3).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "mech/equations.h"
#include "typeset/closed_form.h"
#include "typeset/derive_report.h"

namespace ananke::typeset {

/// u: the velocity of a coordinate, or a `speed`.
struct MotionVariable {
    std::string name;     ///< x', or the name of the speed
    int coordinate = -1;  ///< -1: a speed
    Expr symbol, rate;    ///< u and u'; those of the coordinate where there is one
    Label label, rate_label;
    Expr value;  ///< over q, q', t
};

struct MinimalOptions {
    std::vector<int> rows;      ///< independent ones, ascending
    std::vector<int> evidence;  ///< those of them whose multipliers stay in the equations
    /// Names of the independent motion variables; empty: chosen at the state.
    std::vector<std::string> independent;
};

struct MinimalForm {
    ClosedForm lines;  ///< the straight-line program and its names; a, and lambda of the evidence
    std::vector<MotionVariable> variables;
    std::vector<std::size_t> independent;  ///< whose rates are the unknowns
    std::vector<std::size_t> inputs;       ///< independent ones, then those that no line gives
    std::vector<int> evidence;             ///< rows
    std::vector<Expr> rates;               ///< u' of all variables, after all lines
    std::vector<std::string> facts, notes;
};

/// `at`: a value for every symbol (parameters, q, v, t): the state at which pivots, roots and
/// independent variables are chosen. Adds expressions to the model's graph. Fails with
/// kInvalidInput (a choice that does not work) or kNotUnique.
Result<MinimalForm> minimal_form(Model& model, const Equations& equations,
                                 const MinimalOptions& options, const sym::Values<double>& at);

/// One C99 file with ananke_minimal(t, q, u, p, q_dot, u_dot, a, lambda).
std::string minimal_c(const Model& model, const Equations& equations, const MinimalForm& form,
                      const ReportOptions& options);

}  // namespace ananke::typeset

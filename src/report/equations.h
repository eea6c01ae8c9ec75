// The equations of a model for the page: blocks of LaTeX, long ones cut before they become a wall.
#pragma once

#include <vector>

#include "mech/closed_form.h"
#include "mech/equations.h"
#include "mech/minimal.h"
#include "report/report.h"

namespace ananke::report {

/// M, Q, C, A, b, as matrices where these are small; then the directions of the constraint forces.
std::vector<EquationBlock> given_blocks(const mech::Model& model, const mech::Equations& equations,
                                        const mech::ClosedForm& given);

/// The stages that lead to as many equations as there are degrees of freedom.
std::vector<EquationBlock> minimal_blocks(const mech::Model& model, const mech::MinimalForm& form);

}  // namespace ananke::report

// The equations of a model for the page: blocks of LaTeX, long ones cut before they become a wall.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "report/report.h"
#include "typeset/closed_form.h"
#include "typeset/minimal.h"

namespace ananke::report {

/// M, Q, C, A, b, as matrices where these are small; then the directions of the constraint forces.
std::vector<EquationBlock> given_blocks(const mech::Model& model, const mech::Equations& equations,
                                        const typeset::ClosedForm& given);

/// The stages that lead to as many equations as there are degrees of freedom.
std::vector<EquationBlock> minimal_blocks(const mech::Model& model,
                                          const typeset::MinimalForm& form);

}  // namespace ananke::report

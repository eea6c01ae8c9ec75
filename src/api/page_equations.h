// The equations that a page shows.
#pragma once

#include <vector>

#include "report/report.h"
#include "compile/prepare.h"

namespace ananke {

/// M, Q, A, b, force directions; the minimal equations where the model has them and is not too
/// large to be read.
std::vector<report::EquationBlock> page_equations(const compile::Prepared& prepared);

}  // namespace ananke

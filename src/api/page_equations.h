// The equations that a page shows.
#pragma once

#include <vector>

#include "compile/prepare.h"
#include "report/report.h"

namespace ananke {

/// M, Q, A, b, force directions; the minimal equations where the model has them and is not too
/// large to be read.
std::vector<report::EquationBlock> page_equations(const compile::Prepared& prepared);

}  // namespace ananke

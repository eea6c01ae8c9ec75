// The predicted cost of each method that a model could use, and the one it uses: compile/roads.h.
#pragma once

#include <string>

#include "compile/prepare.h"

namespace ananke::inspect {

std::string cost_text(const compile::Prepared& prepared);

}  // namespace ananke::inspect

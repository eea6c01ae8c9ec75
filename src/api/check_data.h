// The public report of a check.
#pragma once

#include "ananke/check.h"
#include "inspect/check.h"

namespace ananke {

std::vector<MovedValue> moved_values(const dynamics::StartState& start);

CheckReport public_report(const inspect::CheckReport& report, const compile::Prepared& prepared);

}  // namespace ananke

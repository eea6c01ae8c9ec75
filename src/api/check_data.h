// The public report of a check.
#pragma once

#include "ananke/check.h"
#include "sim/check.h"

namespace ananke {

std::vector<MovedValue> moved_values(const sim::StartState& start);

CheckReport public_report(const sim::CheckReport& report, const sim::Prepared& prepared);

}  // namespace ananke

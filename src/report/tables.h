// What `check` finds, as tables of the page.
#pragma once

#include <vector>

#include "inspect/check.h"
#include "report/report.h"

namespace ananke::report {

/// Freedom and rank, kinds of constraints, dependent sets, uniqueness of reactions, actuators,
/// moved initial values, events; each only where there is something to tell.
std::vector<Table> check_tables(const inspect::CheckReport& check,
                                const compile::Prepared& prepared);

}  // namespace ananke::report

// The curves that a report shows at first: the figures of the papers.
#pragma once

#include "ananke/record.h"
#include "compile/prepare.h"
#include "report/report.h"

namespace ananke::report {

/// Response, paths, constrained against unconstrained, forces of constraint, controls, constraint
/// satisfaction, numerical error, energy; each only where the run has such columns.
std::vector<PlotSpec> default_plots(const Report& report, const compile::Prepared& prepared,
                                    const io::Trajectory& trajectory);

/// For results of which nothing but the columns is known.
std::vector<PlotSpec> plain_plots(const Report& report, const io::Trajectory& trajectory);

}  // namespace ananke::report

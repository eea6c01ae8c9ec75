// From a model and a run of it to everything that its page shows.
#pragma once

#include <string>
#include <vector>

#include "ananke/record.h"
#include "base/result.h"
#include "compile/prepare.h"
#include "inspect/check.h"
#include "report/report.h"

namespace ananke::report {

struct Compared {
    const io::Trajectory* trajectory = nullptr;  ///< nothing to compare with if null
    std::string label;
};

/// What is known of a run from its rows alone: columns, events, parameters, plots. No scene.
Report plain_report(const io::Trajectory& trajectory, const std::string& file);

/// The same with scene, tables (where `check` is not null) and the plots of the model's kind. Fails
/// where the run is not one of this model. Equations are left to the caller.
Result<Report> make_report(const compile::Prepared& prepared, const inspect::CheckReport* check,
                           const io::Trajectory& trajectory, const std::string& file,
                           const Compared& compared = {});

}  // namespace ananke::report

// The report page of a run, and with --without the run that it is set against.
#pragma once

#include <string>

#include "ananke/report.h"
#include "load.h"

namespace ananke::cli {

/// Writes the page of a run of `model`. Where the arguments leave constraints out, the page shows
/// the whole model, run with the same options, against this run.
Result<void> write_run_page(const std::string& path, const ModelArguments& arguments,
                            const RunOptions& options, const Model& model, Trajectory trajectory,
                            const RunSummary& summary);

}  // namespace ananke::cli

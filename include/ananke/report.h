// A run as one page to look at: animation, curves, equations, tables. The page needs no network, no
// server and no other file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ananke/model.h"
#include "ananke/record.h"
#include "ananke/result.h"
#include "ananke/run.h"

namespace ananke {

/// Another run of the same system to set against the first: without a constraint, say.
struct ComparedRun {
    Trajectory trajectory;
    std::string label;  ///< "without guide"
};

struct PageOptions {
    std::string file{};                   ///< name of the model's file, shown on the page
    std::optional<RunSummary> summary{};  ///< steps, time and accuracy of the run
    std::optional<ComparedRun> compare{};
};

/// Whether this library carries the page; else why not, and what to install.
Result<void> page_available();

/// Rows of a run worth keeping for a page: more would make it slow to open. For
/// record_in_memory().
std::size_t page_row_limit(const Header& header);

/// Writes the page of a run of the model. The run must have all its positions and velocities.
Result<void> write_page(const std::string& path, const Model& model, const Trajectory& trajectory,
                        const PageOptions& options = {});

/// Writes the page of results that were read back. The model is read again from its text in the
/// results, with their parameters; where that fails (its imports are not there, say) the page shows
/// the curves and the text alone, and says why.
Result<void> write_results_page(const std::string& path, const Trajectory& results,
                                const std::string& file);

}  // namespace ananke

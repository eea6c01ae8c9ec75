// Results as an HDF5 file that is whole at every instant.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "sim/record.h"

namespace ananke::io {

/// `t` (rows) and one dataset (rows x columns) for each kind that has columns: `q`, `v`, `a`, `Qc`,
/// `lambda`, `residual`, `force`, `energy`, `output`, each with the attribute `columns`, a list of
/// UTF-8 strings (continued in `columns2`, ... beyond 4000). Group `events`: `t`, `name`, `kind`,
/// `detail`. Attributes of the root: `title`, `model`, `version`, `check`, `parameter_names`,
/// `parameter_values`, `ending` ("running" until finish() says how the run ended).
///
/// The file is written at least once per `interval` of a run and needs no repair after the process
/// is killed at any instant: H5Fopen with default properties succeeds, all datasets but the events
/// have the same number of rows, and these are the first rows of the run. The library's own writer
/// cannot promise this (it marks files as open for writing, or changes several places in turn), so
/// the format is written here:
///   - whatever changes meaning (sizes of all datasets, root of each index, end of file, ending)
///   lies in the
///     first 4096 bytes and changes in one write within one page, which a signal cannot split;
///   - all else is written before, where no reader looks yet: new blocks at the end of the file,
///     rows beyond the sizes, index entries beyond the count of their node.
Result<std::unique_ptr<sim::Recorder>> open_hdf5(
    const std::string& path, std::chrono::milliseconds interval = std::chrono::milliseconds(200));

}  // namespace ananke::io

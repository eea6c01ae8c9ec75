// Results as comma-separated values.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sim/record.h"

namespace ananke::io {

/// One header row, then one row per output time with 17 significant digits (every double reads
/// back exactly; `nan`, `inf`, `-inf` as such). Names are quoted (RFC 4180) only where they must
/// be.
///
/// Rows reach the file at least every 0.2 s of a run, at finish() and on destruction. Events go to
/// `path`.events.csv, made when the first one arrives; one left by an earlier run is removed at
/// begin(). Standard output, path "-", has no file of events.
Result<std::unique_ptr<sim::Recorder>> open_csv(const std::string& path);

}  // namespace ananke::io

// One page that needs nothing else: no network, no server, no other file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/report.h"

namespace ananke::report {

/// The page, with the given script and style.
std::string to_html(const Report& report, std::string_view script, std::string_view style);

/// Writes the page with the viewer of this program. Fails where it was built without one, or the
/// file cannot be written.
Result<void> write_html(const std::string& path, const Report& report);

/// kNotApplicable, with what to install, where this program has no viewer.
Result<void> require_viewer();

}  // namespace ananke::report

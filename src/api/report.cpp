#include "ananke/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "api/model_data.h"
#include "api/summary.h"
#include "report/html.h"
#include "report/make_report.h"
#include "sim/check.h"

namespace ananke {
namespace {

/// Numbers of a page: 32 MB of them, 43 MB of text.
constexpr std::size_t kMostNumbers = 8'000'000;
constexpr std::size_t kFewestRows = 2'000;

}  // namespace

Result<void> page_available() {
    return report::require_viewer();
}

std::size_t page_row_limit(const Header& header) {
    return std::max(kFewestRows, kMostNumbers / std::max<std::size_t>(1, header.columns.size()));
}

Result<void> write_page(const std::string& path, const Model& model, const Trajectory& trajectory,
                        const PageOptions& options) {
    const sim::Prepared& prepared = *model.data().prepared;
    const Result<sim::CheckReport> check = sim::check(prepared, sim::Agreement::kSkip);
    if (!check) {
        return check.error();
    }
    report::Compared compared;
    if (options.compare) {
        compared = {&options.compare->trajectory, options.compare->label};
    }
    Result<report::Report> made =
        report::make_report(prepared, check.value(), trajectory, options.file, compared);
    if (!made) {
        return made.error();
    }
    report::Report page = std::move(made).value();
    if (options.summary) {
        page.summary = summary_facts(*options.summary);
    }
    return report::write_html(path, page);
}

}  // namespace ananke

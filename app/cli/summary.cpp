#include "summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::cli {
namespace {

/// Constraints beyond this many are summed up in one line.
constexpr std::size_t kMostConstraints = 12;

std::string start_line(const sim::StartState& start) {
    if (start.moved.empty()) {
        return "";
    }
    std::string text = "initial     ";
    constexpr std::size_t kMost = 6;
    for (std::size_t i = 0; i < std::min(kMost, start.moved.size()); ++i) {
        const sim::Moved& moved = start.moved[i];
        text += fmt::format("{}{} {} -> {}{}", i == 0 ? "" : ", ", moved.name,
                            to_short_text(moved.from, 6), to_short_text(moved.to, 10),
                            moved.exact ? " (exact value, projected)" : "");
    }
    if (start.moved.size() > kMost) {
        text += fmt::format(" and {} more", start.moved.size() - kMost);
    }
    return text + "\n";
}

std::string constraint_lines(const sim::RunSummary& summary) {
    if (summary.constraints.empty()) {
        return "";
    }
    std::vector<sim::RowSummary> rows = summary.constraints;
    const std::size_t shown = std::min(rows.size(), kMostConstraints);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                      [](const sim::RowSummary& a, const sim::RowSummary& b) {
                          return std::max(a.residual, a.rate) > std::max(b.residual, b.rate);
                      });
    std::vector<std::vector<std::string>> table{{"constraint", "residual", "its rate"}};
    for (std::size_t i = 0; i < shown; ++i) {
        table.push_back(
            {rows[i].name, to_short_text(rows[i].residual), to_short_text(rows[i].rate)});
    }
    std::string text = "largest scaled violation over all rows\n" + format_table(table);
    if (rows.size() > shown) {
        text += fmt::format("  and {} more below these\n", rows.size() - shown);
    }
    return text;
}

std::string projection_line(const sim::ProjectionSummary& projection) {
    if (projection.calls == 0) {
        return "";
    }
    return fmt::format(
        "projection  {} of {} states corrected, by at most {} (position) and {} (velocity)\n",
        projection.corrections, projection.calls, to_short_text(projection.largest_position),
        to_short_text(projection.largest_velocity));
}

}  // namespace

std::string summary_text(const sim::RunSummary& summary, const sim::StartState& start) {
    std::string text;
    text += fmt::format(
        "system      {} coordinate{}, {} constraint row{} of rank {}, {} degree{} of "
        "freedom\n",
        summary.coordinates, summary.coordinates == 1 ? "" : "s", summary.constraint_rows,
        summary.constraint_rows == 1 ? "" : "s", summary.rank, summary.degrees_of_freedom,
        summary.degrees_of_freedom == 1 ? "" : "s");
    text += start_line(start);
    text += fmt::format(
        "run         to t = {}: {} rows, {} steps ({} rejected), {} evaluations, "
        "{} s\n",
        to_short_text(summary.reached, 9), summary.rows, summary.steps.steps,
        summary.steps.rejected, summary.steps.rhs_evaluations, to_short_text(summary.wall_seconds));
    text += projection_line(summary.projection);
    text += fmt::format("energy      balance within {} (energy of the system up to {})\n",
                        to_short_text(summary.largest_energy_imbalance),
                        to_short_text(summary.energy_scale));
    if (summary.events > 0) {
        text +=
            fmt::format("events      {}: the rank of the constraints changed\n", summary.events);
    }
    if (summary.rank_warning) {
        text +=
            "warning     a constraint is nearly dependent on the others; its rank is a "
            "judgement (see `ananke check`)\n";
    }
    return text + constraint_lines(summary);
}

}  // namespace ananke::cli

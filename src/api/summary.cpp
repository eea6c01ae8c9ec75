// What a person is told at the end of a run.
#include <algorithm>

#include <fmt/format.h>

#include "ananke/run.h"
#include "base/text.h"

namespace ananke {
namespace {

/// Constraints beyond this many are summed up in one line.
constexpr std::size_t kMostConstraints = 12;

std::string start_line(const std::vector<MovedValue>& all) {
    if (all.empty()) {
        return "";
    }
    std::string text = "initial     ";
    constexpr std::size_t kMost = 6;
    for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i) {
        const MovedValue& moved = all[i];
        text += fmt::format("{}{} {} -> {}{}", i == 0 ? "" : ", ", moved.name,
                            to_short_text(moved.from, 6), to_short_text(moved.to, 10),
                            moved.exact ? " (exact value, projected)" : "");
    }
    if (all.size() > kMost) {
        text += fmt::format(" and {} more", all.size() - kMost);
    }
    return text + "\n";
}

std::string constraint_lines(const RunSummary& summary) {
    if (summary.constraints.empty()) {
        return "";
    }
    std::vector<RowViolation> rows = summary.constraints;
    const std::size_t shown = std::min(rows.size(), kMostConstraints);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                      [](const RowViolation& a, const RowViolation& b) {
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

std::string projection_line(const ProjectionSummary& projection) {
    if (projection.calls == 0) {
        return "";
    }
    return fmt::format(
        "projection  {} of {} states corrected, by at most {} (position) and {} (velocity)\n",
        projection.corrections, projection.calls, to_short_text(projection.largest_position),
        to_short_text(projection.largest_velocity));
}

}  // namespace

std::string to_text(const RunSummary& summary) {
    std::string text;
    text += fmt::format(
        "system      {} coordinate{}, {} constraint row{} of rank {}, {} degree{} of "
        "freedom\n",
        summary.coordinates, summary.coordinates == 1 ? "" : "s", summary.constraint_rows,
        summary.constraint_rows == 1 ? "" : "s", summary.rank, summary.degrees_of_freedom,
        summary.degrees_of_freedom == 1 ? "" : "s");
    text += start_line(summary.moved);
    text += fmt::format(
        "run         to t = {}: {} row{}, {} steps ({} rejected), {} evaluations, "
        "{} s\n",
        to_short_text(summary.reached, 9), summary.rows, summary.rows == 1 ? "" : "s",
        summary.steps, summary.rejected_steps, summary.evaluations,
        to_short_text(summary.wall_seconds));
    text += projection_line(summary.projection);
    text += fmt::format("energy      balance within {} (energy of the system up to {})\n",
                        to_short_text(summary.largest_energy_imbalance),
                        to_short_text(summary.energy_scale));
    if (summary.events > 0) {
        text += fmt::format(
            "events      {}: events of the model, switches of force laws, changes of rank (listed "
            "in FILE.events.csv)\n",
            summary.events);
    }
    if (!summary.shared_reactions.empty()) {
        constexpr std::size_t kShown = 8;
        std::vector<std::string> names = summary.shared_reactions;
        if (names.size() > kShown) {
            const std::size_t more = names.size() - kShown + 1;
            names.resize(kShown - 1);
            names.push_back(fmt::format("{} more", more));
        }
        text += fmt::format(
            "reactions   one of many (the one of least norm is given): {}; see `ananke check`\n",
            join_names(names));
    }
    if (!summary.stopped.empty()) {
        text += fmt::format("end         {}\n", summary.stopped);
    }
    if (!summary.not_finite.empty()) {
        text += fmt::format("warning     not a finite number: {}\n", summary.not_finite);
    }
    if (summary.rank_warning) {
        text +=
            "warning     a constraint is nearly dependent on the others; its rank is a "
            "judgement (see `ananke check`)\n";
    }
    return text + constraint_lines(summary);
}

}  // namespace ananke

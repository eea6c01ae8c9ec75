// What a person is told at the end of a run.
#include <algorithm>

#include <fmt/format.h>

#include "api/summary.h"
#include "base/text.h"

namespace ananke {
namespace {

/// Constraints beyond this many are summed up in one line.
constexpr std::size_t kMostConstraints = 12;

std::string start_text(const std::vector<MovedValue>& all) {
    std::string text;
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
    return text;
}

std::string shared_text(std::vector<std::string> names) {
    constexpr std::size_t kShown = 8;
    if (names.size() > kShown) {
        const std::size_t more = names.size() - kShown + 1;
        names.resize(kShown - 1);
        names.push_back(fmt::format("{} more", more));
    }
    return fmt::format(
        "statically indeterminate (one share of many is given): {}; see `ananke check`",
        join_names(names));
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

}  // namespace

std::vector<std::pair<std::string, std::string>> summary_facts(const RunSummary& summary) {
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back(
        "system",
        fmt::format("{} coordinate{}, {} constraint row{} of rank {}, {} degree{} of freedom",
                    summary.coordinates, summary.coordinates == 1 ? "" : "s",
                    summary.constraint_rows, summary.constraint_rows == 1 ? "" : "s", summary.rank,
                    summary.degrees_of_freedom, summary.degrees_of_freedom == 1 ? "" : "s"));
    if (!summary.moved.empty()) {
        facts.emplace_back("initial", start_text(summary.moved));
    }
    facts.emplace_back(
        "run",
        fmt::format("to t = {}: {} row{}{}, {} steps ({} rejected), {} evaluations, {} s",
                    to_short_text(summary.reached, 9), summary.rows, summary.rows == 1 ? "" : "s",
                    summary.error && summary.error->code == ErrorCode::kIo
                        ? " computed, not all of them written"
                        : "",
                    summary.steps, summary.rejected_steps, summary.evaluations,
                    to_short_text(summary.wall_seconds)));
    if (summary.projection.calls > 0) {
        facts.emplace_back(
            "projection",
            fmt::format("{} of {} states corrected, by at most {} (position) and {} (velocity)",
                        summary.projection.corrections, summary.projection.calls,
                        to_short_text(summary.projection.largest_position),
                        to_short_text(summary.projection.largest_velocity)));
    }
    facts.emplace_back("energy", fmt::format("balance within {} (energy of the system up to {})",
                                             to_short_text(summary.largest_energy_imbalance),
                                             to_short_text(summary.energy_scale)));
    if (summary.events > 0) {
        facts.emplace_back("events", fmt::format("{}, in the list of events", summary.events));
    }
    if (!summary.shared_reactions.empty()) {
        facts.emplace_back("reactions", shared_text(summary.shared_reactions));
    }
    if (!summary.stopped.empty()) {
        facts.emplace_back("end", summary.stopped);
    }
    if (!summary.not_finite.empty()) {
        facts.emplace_back("warning", "not a finite number: " + summary.not_finite);
    }
    for (const std::string& warning : summary.warnings) {
        facts.emplace_back("warning", warning);
    }
    if (summary.rank_warning) {
        facts.emplace_back("warning",
                           "a constraint is nearly dependent on the others; its rank is a "
                           "judgement (see `ananke check`)");
    }
    return facts;
}

std::string to_text(const RunSummary& summary) {
    std::string text;
    for (const auto& [label, fact] : summary_facts(summary)) {
        text += fmt::format("{:<12}{}\n", label, fact);
    }
    return text + constraint_lines(summary);
}

}  // namespace ananke

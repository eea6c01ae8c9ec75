#include "inspect/check_tables.h"
#include "dynamics/some_names.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::inspect {
namespace {

std::vector<std::string> names_of(std::span<const int> rows,
                                  const std::vector<std::string>& names) {
    std::vector<std::string> chosen;
    for (const int row : rows) {
        if (!names[static_cast<std::size_t>(row)].empty()) {
            chosen.push_back(names[static_cast<std::size_t>(row)]);
        }
    }
    return chosen;
}

bool is_norm(const compile::Prepared& prepared, const mech::Row& row) {
    return !row.stick &&
           prepared.model.constraints[static_cast<std::size_t>(row.constraint)].norm_of >= 0;
}

/// Names of the rows, "" for the norms of quaternions: they push nothing.
std::vector<std::string> acting_rows(const compile::Prepared& prepared) {
    std::vector<std::string> names;
    for (const mech::Row& row : prepared.compiled->rows) {
        names.push_back(is_norm(prepared, row) ? "" : row.name);
    }
    return names;
}

/// "rod + 2 wire - 0.5 link" of coefficients and names.
std::string combination_text(const solve::DroppedRow& dropped,
                             const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < dropped.kept.size(); ++k) {
        const double c = dropped.coefficients[k];
        if (std::abs(c) < 1e-12 || names[static_cast<std::size_t>(dropped.kept[k])].empty()) {
            continue;
        }
        const char* sign = c < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
        const std::string size = to_short_text(std::abs(c), 6);
        text += fmt::format("{}{}{}", sign, size == "1" ? "" : size + " ",
                            names[static_cast<std::size_t>(dropped.kept[k])]);
    }
    return text.empty() ? "0" : text;
}

}  // namespace

TextTable constraint_table(const CheckReport& report, const compile::Prepared& prepared) {
    const compile::CompiledModel& model = *prepared.compiled;
    TextTable table{{"constraint", "kind", "multiplier", "residual at start", "remark"}};
    for (std::size_t i = 0; i < model.constraints().size(); ++i) {
        const mech::Row& row = model.rows[i];
        std::string remark = row.actuated ? "servo: enforced by actuators"
                             : row.servo  ? "servo: its force is a control"
                                          : "";
        const auto index = static_cast<int>(i);
        const auto is_in = [index](const std::vector<int>& list) {
            return std::find(list.begin(), list.end(), index) != list.end();
        };
        const bool dropped =
            std::any_of(report.analysis.dropped.begin(), report.analysis.dropped.end(),
                        [index](const solve::DroppedRow& d) { return d.row == index; });
        const auto add_remark = [&remark](const std::string& more) {
            remark += remark.empty() ? more : "; " + more;
        };
        if (dropped) {
            add_remark("redundant here");
        }
        if (is_in(report.analysis.vanished) && row.kind != mech::ConstraintKind::kVacuous) {
            add_remark("its gradient vanishes here");
        }
        if (is_norm(prepared, row)) {
            add_remark("unit quaternion");
        }
        if (!row.note.empty()) {
            add_remark(row.note);
        }
        table.push_back(
            {row.name, std::string(mech::describe(row)),
             row.kind == mech::ConstraintKind::kVacuous || is_norm(prepared, row) || row.actuated
                 ? "none"
             : report.analysis.lambda_unique[i] ? "unique"
                                                : "one of many",
             to_short_text(report.residuals[i]), remark});
    }
    return table;
}

TextTable dependence_table(const CheckReport& report, const compile::Prepared& prepared) {
    const std::vector<std::string> names = acting_rows(prepared);
    TextTable table{{"redundant", "is a combination of others", "mismatch"}};
    for (const solve::DroppedRow& dropped : report.analysis.dropped) {
        table.push_back({names[static_cast<std::size_t>(dropped.row)],
                         combination_text(dropped, names), to_short_text(dropped.inconsistency)});
    }
    return table;
}

std::vector<std::string> dependent_sets(const CheckReport& report,
                                        const compile::Prepared& prepared) {
    const std::vector<std::string> names = acting_rows(prepared);
    std::vector<std::string> sets;
    for (const std::vector<int>& set : report.analysis.dependent_sets) {
        sets.push_back(dynamics::some_names(names_of(set, names)));
    }
    return sets;
}

TextTable reaction_table(const CheckReport& report, const compile::Prepared& prepared) {
    const compile::ReactionMap& map = prepared.compiled->reactions;
    TextTable table{{"reaction", "on", "unique", "one of many", "shared with"}};
    for (std::size_t i = 0; i < map.targets.size(); ++i) {
        const compile::ReactionMap::Target& target = map.targets[i];
        const compile::ReactionShare& share = report.reactions[i];
        std::array<std::string, 2> lists;  // one of many, unique
        const auto add = [&](const char* what, const std::array<bool, 3>& unique) {
            for (std::size_t k = 0; k < 3; ++k) {
                std::string& list = lists.at(unique.at(k) ? 1 : 0);
                list += fmt::format("{}{}.{}", list.empty() ? "" : " ", what, "xyz"[k]);
            }
        };
        if (target.force) {
            add("force", share.force);
        }
        if (target.torque) {
            add("torque", share.torque);
        }
        std::vector<std::string> others;
        for (const int owner : share.shared_with) {
            others.push_back(map.owners[static_cast<std::size_t>(owner)].name);
        }
        table.push_back({map.owners[static_cast<std::size_t>(target.owner)].name, target.name,
                         lists[1], lists[0], others.empty() ? "" : dynamics::some_names(others)});
    }
    return table;
}

TextTable control_table(const compile::Prepared& prepared) {
    TextTable table;
    for (const mech::Control& control : prepared.compiled->controls) {
        table.push_back({fmt::format("control[{}]", control.name), control.description});
    }
    return table;
}

}  // namespace ananke::inspect

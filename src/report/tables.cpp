#include "report/tables.h"

#include <fmt/format.h>

#include "base/text.h"
#include "inspect/check_tables.h"

namespace ananke::report {
namespace {

Table with_head(std::string title, std::string note, inspect::TextTable rows) {
    Table table{std::move(title), std::move(note), rows.front(), {}};
    table.rows.assign(rows.begin() + 1, rows.end());
    return table;
}

Table system_table(const inspect::CheckReport& check, const compile::Prepared& prepared) {
    Table table{"System", "", {"quantity", "value"}, {}};
    table.rows = {{"coordinates", std::to_string(check.coordinates)},
                  {"constraint rows", std::to_string(prepared.compiled->constraint_rows)},
                  {"rank of the constraints at the start", std::to_string(check.analysis.rank)},
                  {"degrees of freedom", std::to_string(check.degrees_of_freedom)},
                  {"mass matrix", check.analysis.mass_positive_definite
                                      ? "positive definite"
                                      : "singular; with the constraints the motion is unique"}};
    if (check.nonideal) {
        table.rows.push_back(
            {"non-ideal force at the start",
             fmt::format("{:.1f} % acts, {:.1f} % is taken up by the constraints",
                         100.0 * check.nonideal->acting, 100.0 * check.nonideal->absorbed)});
    }
    for (const std::string& warning : check.warnings) {
        table.rows.push_back({"warning", warning});
    }
    return table;
}

Table start_table(const inspect::CheckReport& check) {
    Table table{"Initial values moved onto the constraints",
                "",
                {"quantity", "given", "used", "remark"},
                {}};
    for (const dynamics::Moved& moved : check.start.moved) {
        table.rows.push_back({moved.name, to_text(moved.from), to_text(moved.to),
                              moved.exact ? "exact value, projected" : ""});
    }
    return table;
}

}  // namespace

std::vector<Table> check_tables(const inspect::CheckReport& check,
                                const compile::Prepared& prepared) {
    std::vector<Table> tables{system_table(check, prepared)};
    if (prepared.compiled->constraint_rows > 0) {
        tables.push_back(with_head("Constraints", "", inspect::constraint_table(check, prepared)));
    }
    if (!check.analysis.dropped.empty()) {
        std::string sets;
        for (const std::string& set : inspect::dependent_sets(check, prepared)) {
            sets += fmt::format(" Dependent: {}.", set);
        }
        tables.push_back(
            with_head("Redundant constraints at the start",
                      "Their motion and total force are unique, their multipliers are not." + sets,
                      inspect::dependence_table(check, prepared)));
        tables.push_back(
            with_head("Uniqueness of reactions at the start",
                      "Where they are one of many (statically indeterminate) one share is given.",
                      inspect::reaction_table(check, prepared)));
    }
    if (!prepared.compiled->controls.empty()) {
        tables.push_back({"Actuators",
                          fmt::format("Regularity at the start {}: 1 where they push straight "
                                      "along what the servos prescribe, 0 where they cannot.",
                                      to_short_text(check.regularity)),
                          {"control", "pushes"},
                          inspect::control_table(prepared)});
    }
    if (!check.start.moved.empty()) {
        tables.push_back(start_table(check));
    }
    return tables;
}

}  // namespace ananke::report

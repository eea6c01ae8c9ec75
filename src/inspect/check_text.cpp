// The report of check() as text.
#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/motion_solver.h"
#include "inspect/check.h"
#include "inspect/check_tables.h"
#include "simulate/row_writer.h"
#include "sym/print.h"
#include "typeset/report_lines.h"

namespace ananke::inspect {
namespace {

/// Characters of a direction; longer ones are for `derive`.
constexpr std::size_t kLongestDirection = 200;

std::string plural(int count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

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

std::string header_text(const CheckReport& report, const compile::Prepared& prepared) {
    std::string text = report.title.empty() ? "" : report.title + "\n\n";
    const int rows = prepared.compiled->constraint_rows;
    text += fmt::format("{}, {} of rank {}, {} of freedom\n",
                        plural(report.coordinates, "coordinate"), plural(rows, "constraint row"),
                        report.analysis.rank, plural(report.degrees_of_freedom, "degree"));
    text += report.analysis.mass_positive_definite
                ? "mass matrix positive definite\n"
                : "mass matrix singular; with the constraints the motion is unique\n";
    return text;
}

std::string constraint_text(const CheckReport& report, const compile::Prepared& prepared) {
    return prepared.compiled->constraints().empty()
               ? "\nno constraints\n"
               : "\n" + format_table(constraint_table(report, prepared));
}

std::string redundancy_text(const CheckReport& report, const compile::Prepared& prepared) {
    std::string text;
    for (const std::string& set : dependent_sets(report, prepared)) {
        text += fmt::format("  dependent: {}\n", set);
    }
    const TextTable table = dependence_table(report, prepared);
    for (std::size_t i = 1; i < table.size(); ++i) {
        text += fmt::format("  {} = {}   (mismatch {})\n", table[i][0], table[i][1], table[i][2]);
    }
    return text.empty() ? ""
                        : "\nredundant constraints at the start (their motion and total force are "
                          "unique, their multipliers are not)\n" +
                              text;
}

std::string direction_text(const compile::Prepared& prepared) {
    const compile::CompiledModel& model = *prepared.compiled;
    const mech::Model& written = prepared.model;
    std::string text;
    const auto line = [&](const mech::Row& row, const char* what, const std::string& on,
                          const mech::Vec3& vector) {
        std::string direction = typeset::vector_text(written, vector, sym::Notation::kText);
        if (direction.size() > kLongestDirection) {
            direction =
                fmt::format("(a vector of {} characters: see `ananke derive`)", direction.size());
        }
        text +=
            fmt::format("  {} {}{}: lambda[{}] * {}\n", row.name, what, on, row.name, direction);
    };
    const auto at_rest = [&](int body) {
        return body >= 0 &&
               written.bodies[static_cast<std::size_t>(body)].kind == mech::Body::Kind::kGround;
    };
    for (const mech::Row& row : model.constraints()) {
        for (const mech::Direction& direction : row.directions) {
            if (at_rest(written.points[static_cast<std::size_t>(direction.point)].body)) {
                continue;  // it takes the opposite of what the others get
            }
            line(row, "on ", written.points[static_cast<std::size_t>(direction.point)].name,
                 direction.W_symbolic);
        }
        for (const mech::Twist& twist : row.twists) {
            if (at_rest(twist.body)) {
                continue;
            }
            line(row, "twists ", written.bodies[static_cast<std::size_t>(twist.body)].name,
                 twist.tau_symbolic);
        }
        if (!row.unattributed.empty() && row.kind != mech::ConstraintKind::kVacuous) {
            text += fmt::format("  {}: written in {}, which {} no point; see Qc\n", row.name,
                                join_names(names_of(row.unattributed, model.coordinate_names)),
                                row.unattributed.size() == 1 ? "names" : "name");
        }
    }
    return text.empty() ? "" : "\nforces of constraint\n" + text;
}

}  // namespace

std::vector<std::string> shared_reactions(const CheckReport& report,
                                          const compile::Prepared& prepared) {
    const compile::ReactionMap& map = prepared.compiled->reactions;
    std::vector<std::string> names;
    if (report.analysis.dropped.empty()) {
        return names;
    }
    for (std::size_t i = 0; i < map.targets.size(); ++i) {
        const compile::ReactionMap::Target& target = map.targets[i];
        const std::string& owner = map.owners[static_cast<std::size_t>(target.owner)].name;
        const auto add = [&](const char* what, const std::array<bool, 3>& unique) {
            if (std::count(unique.begin(), unique.end(), false) > 0) {
                names.push_back(fmt::format("{}[{}:{}]", what, owner, target.name));
            }
        };
        if (target.force) {
            add("force", report.reactions[i].force);
        }
        if (target.torque) {
            add("torque", report.reactions[i].torque);
        }
    }
    return names;
}

namespace {

/// Only where rows are dependent: elsewhere every reaction is unique.
std::string reaction_text(const CheckReport& report, const compile::Prepared& prepared) {
    return report.analysis.dropped.empty()
               ? ""
               : "\nreactions at the start (one of many: statically indeterminate, one share is "
                 "given)\n" +
                     format_table(reaction_table(report, prepared));
}

std::string control_text(const CheckReport& report, const compile::Prepared& prepared) {
    if (prepared.compiled->controls.empty()) {
        return "";
    }
    return fmt::format(
        "\nactuators (regularity at the start {}: 1 where they push straight along what the servos "
        "prescribe, 0 where they cannot enforce it)\n{}",
        to_short_text(report.regularity), format_table(control_table(prepared)));
}

std::string start_text(const CheckReport& report) {
    if (report.start.moved.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> table;
    for (const dynamics::Moved& moved : report.start.moved) {
        table.push_back({moved.name, ananke::to_text(moved.from), "->", ananke::to_text(moved.to),
                         moved.exact ? "(exact value, projected)" : ""});
    }
    return "\ninitial values moved onto the constraints\n" + format_table(table);
}

std::string agreement_text(const CheckReport& report) {
    if (report.forms_at_start.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> table{
        {"form", "at the start",
         fmt::format("at {} random state{}", report.random_states,
                     report.random_states == 1 ? "" : "s")}};
    for (std::size_t i = 0; i < report.forms_at_start.size(); ++i) {
        const FormAgreement& start = report.forms_at_start[i];
        std::vector<std::string> row{std::string(solve::form_name(start.form))};
        row.push_back(start.applies ? to_short_text(start.difference) : start.reason);
        if (start.applies && i < report.forms_at_random.size()) {
            const FormAgreement& random = report.forms_at_random[i];
            row.push_back(random.applies ? to_short_text(random.difference) : random.reason);
        }
        table.push_back(std::move(row));
    }
    return "\nagreement of the forms (largest relative difference of acceleration and force)\n" +
           format_table(table);
}

std::string nonideal_text(const CheckReport& report) {
    if (!report.nonideal) {
        return "";
    }
    return fmt::format(
        "\nnon-ideal force C at the start: {:.1f} % acts, {:.1f} % is taken up by the "
        "constraints\n",
        100.0 * report.nonideal->acting, 100.0 * report.nonideal->absorbed);
}

std::string event_text(const compile::Prepared& prepared) {
    if (prepared.model.events.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> table;
    for (const mech::Event& event : prepared.model.events) {
        table.push_back({event.name, compile::describe(prepared.model, event)});
    }
    return "\nevents\n" + format_table(table);
}

std::string lists_text(const compile::Prepared& prepared) {
    std::string text;
    if (!prepared.parameters.empty()) {
        std::vector<std::vector<std::string>> table;
        for (std::size_t i = 0; i < prepared.parameters.size(); ++i) {
            const mech::Parameter& parameter = prepared.model.parameters[i];
            table.push_back({parameter.name, "=", ananke::to_text(prepared.parameters[i]),
                             parameter.structural ? "(structural)" : ""});
        }
        text += "\nparameters\n" + format_table(table);
    }
    std::string columns;
    std::size_t width = 0;
    for (const Column& column : simulate::columns_of(*prepared.compiled)) {
        if (width + display_width(column.name) > 90) {
            columns += "\n  ";
            width = 0;
        }
        columns += column.name + "  ";
        width += display_width(column.name) + 2;
    }
    return text + "\ncolumns\n  " + columns + "\n";
}

}  // namespace

std::string to_text(const CheckReport& report, const compile::Prepared& prepared) {
    if (prepared.compiled->is_large()) {
        return header_text(report, prepared) +
               fmt::format(
                   "\n{} rows depend on others; tables are left out for a model of {} "
                   "coordinates\n",
                   report.analysis.dropped.size(), report.coordinates) +
               start_text(report);
    }
    std::string text = header_text(report, prepared) + constraint_text(report, prepared) +
                       redundancy_text(report, prepared) + direction_text(prepared) +
                       reaction_text(report, prepared) + control_text(report, prepared) +
                       start_text(report) + event_text(prepared) + nonideal_text(report) +
                       agreement_text(report) + lists_text(prepared);
    for (const std::string& warning : report.warnings) {
        text += "\nwarning: " + warning + "\n";
    }
    return text;
}

}  // namespace ananke::inspect

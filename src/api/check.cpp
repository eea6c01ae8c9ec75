#include "ananke/check.h"

#include <algorithm>

#include "api/check_data.h"
#include "api/model_data.h"
#include "base/ranges.h"
#include "dynamics/motion_solver.h"
#include "inspect/cost_text.h"

namespace ananke {
namespace {

std::vector<CheckedRow> checked_rows(const inspect::CheckReport& report,
                                     const compile::CompiledModel& model) {
    std::vector<CheckedRow> rows;
    const solve::Analysis& analysis = report.analysis;
    for (std::size_t i = 0; i < model.constraints().size(); ++i) {
        const mech::Row& row = model.rows[i];
        CheckedRow checked;
        checked.name = row.name;
        checked.kind = mech::describe(row);
        checked.multiplier_unique = analysis.lambda_unique[i];
        checked.residual = report.residuals[i];
        checked.note = row.note;
        const auto index = static_cast<int>(i);
        checked.redundant = contains(transformed(analysis.dropped, &solve::DroppedRow::row), index);
        checked.vanished = contains(analysis.vanished, index);
        rows.push_back(std::move(checked));
    }
    return rows;
}

std::vector<FormCheck> form_checks(const inspect::CheckReport& report) {
    std::vector<FormCheck> forms;
    for (std::size_t i = 0; i < report.forms_at_start.size(); ++i) {
        const inspect::FormAgreement& start = report.forms_at_start[i];
        FormCheck form{start.form, start.applies, start.reason, start.difference, std::nullopt};
        if (start.applies && i < report.forms_at_random.size() &&
            report.forms_at_random[i].applies) {
            form.difference_at_random = report.forms_at_random[i].difference;
        }
        forms.push_back(std::move(form));
    }
    return forms;
}

}  // namespace

std::vector<MovedValue> moved_values(const dynamics::StartState& start) {
    return transformed(start.moved, [](const dynamics::Moved& moved) {
        return MovedValue{moved.name, moved.from, moved.to, moved.exact};
    });
}

CheckReport public_report(const inspect::CheckReport& report, const compile::Prepared& prepared) {
    const compile::CompiledModel& model = *prepared.compiled;
    const std::vector<std::string> names = dynamics::row_names(model);
    const auto name = [&](int row) { return names[row]; };

    CheckReport result;
    result.title = report.title;
    result.coordinates = report.coordinates;
    result.constraint_rows = model.constraint_rows;
    result.rank = report.analysis.rank;
    result.degrees_of_freedom = report.degrees_of_freedom;
    result.mass_positive_definite = report.analysis.mass_positive_definite;
    result.constraints = checked_rows(report, model);
    result.dependent_sets =
        transformed(report.analysis.dependent_sets,
                    [&](const std::vector<int>& set) { return transformed(set, name); });
    for (const solve::DroppedRow& dropped : report.analysis.dropped) {
        Redundancy redundancy{name(dropped.row), {}, dropped.inconsistency};
        for (std::size_t k = 0; k < dropped.kept.size(); ++k) {
            redundancy.combination.emplace_back(name(dropped.kept[k]), dropped.coefficients[k]);
        }
        result.redundant.push_back(std::move(redundancy));
    }
    result.moved = moved_values(report.start);
    result.start_positions = report.start.q;
    result.start_velocities = report.start.v;
    result.forms = form_checks(report);
    result.random_states = report.random_states;
    if (report.nonideal) {
        result.nonideal_acting = report.nonideal->acting;
    }
    result.text = inspect::to_text(report, prepared);
    return result;
}

Result<CheckReport> check(const Model& model) {
    const compile::Prepared& prepared = *model.data().prepared;
    const Result<inspect::CheckReport> report = inspect::check(prepared);
    if (!report) {
        return report.error();
    }
    return public_report(report.value(), prepared);
}

std::string predicted_cost(const Model& model) {
    return inspect::cost_text(*model.data().prepared);
}

}  // namespace ananke

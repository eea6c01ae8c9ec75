#include "ananke/derive.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/model_data.h"
#include "mech/derive_report.h"
#include "sim/dynamics.h"
#include "sim/evaluator.h"
#include "sim/start.h"
#include "solve/analysis.h"

namespace ananke {
namespace {

/// Where the numeric choices (independent rows, pivots, M > 0) are made.
struct Judgement {
    sym::Values<double> at;
    std::vector<int> rows;
    bool mass_positive_definite = true;
    std::vector<std::string> notes;
    std::optional<Error> failure;  ///< why there is no acceleration
};

std::string row_list(const mech::Equations& equations, const std::vector<int>& rows) {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const int row : rows) {
        names.push_back(equations.rows[static_cast<std::size_t>(row)].name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

sym::Values<double> symbol_values(const sim::Prepared& prepared, const sim::StartState& start) {
    sym::Values<double> at = mech::symbol_values<double>(prepared.model, prepared.parameters);
    at[prepared.model.time] = start.t;
    for (std::size_t i = 0; i < start.q.size(); ++i) {
        at[prepared.model.coordinates[i].q] = start.q[i];
        at[prepared.model.coordinates[i].v] = start.v[i];
    }
    return at;
}

Judgement judge(const sim::Prepared& prepared) {
    Judgement result;
    sim::Evaluator evaluator(prepared.compiled, prepared.parameters);
    sim::StartState start{0.0, prepared.initial.q, prepared.initial.v, {}};
    const Result<sim::StartState> assembled = sim::assemble(evaluator, prepared.initial);
    if (assembled) {
        start = assembled.value();
    } else {
        result.notes.push_back(
            "the initial values do not satisfy the constraints; the lines below hold all the same");
    }
    const solve::Analysis analysis =
        solve::analyse(evaluator.system(start.t, start.q.data(), start.v.data()));
    result.mass_positive_definite = analysis.mass_positive_definite;
    if (analysis.failure) {
        result.failure = sim::explain_failure(evaluator, start.t, start.q.data(), start.v.data());
    }
    result.rows = analysis.kept;
    if (!analysis.failure && !analysis.dropped.empty()) {
        std::vector<int> dropped;
        for (const solve::DroppedRow& row : analysis.dropped) {
            dropped.push_back(row.row);
        }
        result.notes.push_back(fmt::format(
            "left out of the acceleration because they follow from the other rows (their "
            "multipliers are set to 0, one choice of many; a run reports those of least norm): {}",
            row_list(prepared.equations, dropped)));
    }
    if (!analysis.vanished.empty()) {
        result.notes.push_back(
            fmt::format("rows that vanish at the initial state, taken as independent: {}",
                        row_list(prepared.equations, analysis.vanished)));
        result.rows.insert(result.rows.end(), analysis.vanished.begin(), analysis.vanished.end());
        std::sort(result.rows.begin(), result.rows.end());
        // Pivots are judged beside the special state.
        for (std::size_t i = 0; i < start.q.size(); ++i) {
            start.q[i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
            start.v[i] += 0.1 * std::cos(1.0 + static_cast<double>(i));
        }
    }
    result.at = symbol_values(prepared, start);
    return result;
}

std::string rendered(Notation notation, const mech::Model& model, const mech::Equations& equations,
                     const mech::ClosedForm& form, const mech::ReportOptions& options) {
    if (notation == Notation::kLatex) {
        return mech::derive_latex(model, equations, form, options);
    }
    if (notation == Notation::kC) {
        return mech::derive_c(model, equations, form, options);
    }
    return mech::derive_text(model, equations, form, options);
}

}  // namespace

std::vector<Form> written_forms() {
    std::vector<Form> forms;
    for (const Form form : all_forms()) {
        if (form == Form::kAuto || mech::parse_written_form(form_name(form))) {
            forms.push_back(form);
        }
    }
    return forms;
}

Derived derive(const Model& model, const DeriveOptions& options) {
    const sim::Prepared& prepared = *model.data().prepared;
    const Judgement judgement = judge(prepared);
    mech::ReportOptions report{prepared.parameters, judgement.rows, judgement.notes, options.full};
    // The lines of the closed form are new expressions: they go into a graph of their own.
    mech::Model own = prepared.model;

    std::optional<Error> failure = judgement.failure;
    if (!failure) {
        const mech::WrittenForm automatic = judgement.mass_positive_definite
                                                ? mech::WrittenForm::kFundamental
                                                : mech::WrittenForm::kMultipliers;
        const mech::WrittenForm wanted =
            mech::parse_written_form(form_name(options.form)).value_or(automatic);
        const Result<mech::ClosedForm> form =
            mech::closed_form(own, prepared.equations, wanted, judgement.rows, judgement.at);
        if (form &&
            (wanted == mech::WrittenForm::kMinimal || wanted == mech::WrittenForm::kMultipliers)) {
            report.notes.push_back(
                "the elimination divides by pivots chosen at the initial state; near a state where "
                "one of them vanishes the lines lose digits (a run chooses anew there)");
        }
        if (form) {
            return {rendered(options.notation, own, prepared.equations, form.value(), report),
                    std::nullopt};
        }
        failure = form.error();
    }
    // The equations exist even where they do not determine an acceleration.
    report.notes.push_back("no closed acceleration: " + failure->message);
    const mech::ClosedForm given = mech::given_equations(own, prepared.equations, judgement.at);
    return {rendered(options.notation, own, prepared.equations, given, report), failure};
}

}  // namespace ananke

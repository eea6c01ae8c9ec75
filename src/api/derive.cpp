#include "ananke/derive.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "api/judgement.h"
#include "api/model_data.h"
#include "base/ranges.h"
#include "base/text.h"
#include "typeset/derive_report.h"
#include "typeset/minimal.h"

namespace ananke {
namespace {

/// Rows of the constraints and joints named; kInvalidInput for an unknown name.
Result<std::vector<int>> rows_of(const compile::Prepared& prepared,
                                 const std::vector<std::string>& names) {
    const mech::Model& model = prepared.model;
    std::vector<int> result;
    std::vector<std::string> known = transformed(model.constraints, &mech::Constraint::name);
    append(known, transformed(prepared.equations.rows, &mech::Row::name));
    for (const std::string& name : names) {
        const std::size_t before = result.size();
        for (std::size_t k = 0; k < prepared.equations.rows.size(); ++k) {
            const mech::Row& row = prepared.equations.rows[k];
            const mech::Constraint& constraint = model.constraints[row.constraint];
            const bool of_joint =
                constraint.joint >= 0 &&
                (model.joints[constraint.joint].name + ".").starts_with(name + ".");
            if (of_joint || row.name == name || constraint.name == name) {
                result.push_back(static_cast<int>(k));
            }
        }
        if (result.size() == before) {
            const std::string near = nearest_name(name, known);
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("evidence: no constraint is called \"{}\"{}", name,
                                     near.empty() ? "" : "; did you mean " + near + "?")};
        }
    }
    sort_unique(result);
    return result;
}

/// Independent rows that contain those in evidence as far as these are independent themselves: a
/// row that follows from others takes the place of one of them.
typeset::MinimalOptions minimal_options(const compile::Prepared& prepared,
                                        const Judgement& judgement,
                                        const std::vector<int>& evidence,
                                        std::vector<std::string> independent,
                                        std::vector<std::string>& notes) {
    typeset::MinimalOptions options{judgement.rows, {}, std::move(independent)};
    for (const int row : evidence) {
        const auto dropped = std::ranges::find_if(
            judgement.dropped, [&](const solve::DroppedRow& d) { return d.row == row; });
        if (dropped == judgement.dropped.end()) {
            options.evidence.push_back(row);
            continue;
        }
        int replaced = -1;
        double largest = 1e-6;
        for (std::size_t k = 0; k < dropped->kept.size(); ++k) {
            const int kept = dropped->kept[k];
            const double size = std::abs(dropped->coefficients[k]);
            if (contains(options.rows, kept) && !contains(evidence, kept) && size > largest) {
                largest = size;
                replaced = kept;
            }
        }
        if (replaced < 0) {
            notes.push_back(
                fmt::format("{} follows from other constraints in evidence; its "
                            "multiplier is set to 0, one choice of many",
                            row_list(prepared.equations, {row})));
            continue;
        }
        notes.push_back(fmt::format(
            "the force of {0} is one of many: {0} follows from other constraints; here it stands "
            "for {1}, whose multiplier is set to 0",
            row_list(prepared.equations, {row}), row_list(prepared.equations, {replaced})));
        std::ranges::replace(options.rows, replaced, row);
        std::ranges::sort(options.rows);
        options.evidence.push_back(row);
    }
    return options;
}

std::string rendered(Notation notation, const mech::Model& model, const mech::Equations& equations,
                     const typeset::ClosedForm& form, const typeset::ReportOptions& options) {
    if (notation == Notation::kLatex) {
        return typeset::derive_latex(model, equations, form, options);
    }
    if (notation == Notation::kC) {
        return typeset::derive_c(model, equations, form, options);
    }
    return typeset::derive_text(model, equations, form, options);
}

constexpr std::string_view kPivotNote =
    "the elimination divides by pivots chosen at the initial state; near a state where one of them "
    "vanishes the lines lose digits (a run chooses anew there)";

/// RH (8), or (7) with constraints in evidence.
Result<Derived> derive_minimal(const compile::Prepared& prepared, const mech::Equations& equations,
                               const Judgement& judgement, const DeriveOptions& options) {
    const Result<std::vector<int>> evidence = rows_of(prepared, options.evidence);
    if (!evidence) {
        return evidence.error();
    }
    mech::Model own = prepared.model;
    typeset::ReportOptions report{prepared.parameters, judgement.rows, judgement.notes,
                                  options.full};
    const typeset::MinimalOptions choice =
        minimal_options(prepared, judgement, evidence.value(), options.independent, report.notes);
    Result<typeset::MinimalForm> form = typeset::minimal_form(own, equations, choice, judgement.at);
    if (!form) {
        return form.error();
    }
    report.rows = choice.rows;
    report.facts = form.value().facts;
    append(report.notes, form.value().notes);
    if (choice.rows.size() > choice.evidence.size()) {
        report.notes.emplace_back(kPivotNote);
    }
    return Derived{options.notation == Notation::kC
                       ? typeset::minimal_c(own, equations, form.value(), report)
                       : rendered(options.notation, own, equations, form.value().lines, report),
                   std::nullopt};
}

/// Forms are written with full matrices of expressions. So many coordinates and constraint rows
/// together take a few seconds; the minimal equations search for independent velocities besides.
constexpr std::size_t kMostUnknowns = 600;
constexpr std::size_t kMostUnknownsMinimal = 150;

std::optional<Error> too_many(const compile::Prepared& prepared, Form form) {
    const std::size_t coordinates = prepared.model.coordinates.size();
    const std::size_t rows = prepared.equations.rows.size();
    const bool minimal = form == Form::kMinimal;
    const std::size_t most = minimal ? kMostUnknownsMinimal : kMostUnknowns;
    if (coordinates + rows <= most) {
        return std::nullopt;
    }
    return Error{ErrorCode::kNotApplicable,
                 fmt::format("{}equations are written out for at most {} coordinates and "
                             "constraint rows together, the model has {} and {}: make it smaller, "
                             "as by --set N=10; a run needs no written equations",
                             minimal ? "minimal " : "", most, coordinates, rows)};
}

Derived write_out(const compile::Prepared& prepared, const DeriveOptions& options) {
    if (std::optional<Error> many = too_many(prepared, options.form)) {
        return {"", std::move(many)};
    }
    Judgement judgement = judge(prepared);
    const mech::Equations equations = without_frictions(prepared, judgement.notes);
    if (!judgement.failure && depend_on_reactions(prepared.model.graph, equations)) {
        judgement.failure =
            Error{ErrorCode::kNotApplicable,
                  "forces depend on reactions, which follow from the acceleration; run the model"};
        if (options.notation == Notation::kC) {
            return {"", judgement.failure};
        }
    }
    typeset::ReportOptions report{prepared.parameters, judgement.rows, judgement.notes,
                                  options.full};
    // The lines of the closed form are new expressions: they go into a graph of their own.
    mech::Model own = prepared.model;

    std::optional<Error> failure = judgement.failure;
    if (!failure && !prepared.equations.controls.empty()) {
        if (options.form != Form::kAuto || options.notation == Notation::kC) {
            failure = Error{ErrorCode::kNotApplicable,
                            "no closed form is written for a model with actuators"};
        } else {
            report.notes.push_back(
                "the acceleration a, the multipliers lambda of the passive rows (A_p, b_p) and the "
                "controls u of the actuators solve M a = Q + A_p^T lambda + D u, A_p a = b_p, "
                "A_s a = b_s; --form multipliers and minimal of a run do so");
            const typeset::ClosedForm given =
                typeset::given_equations(own, prepared.equations, judgement.at);
            return {rendered(options.notation, own, prepared.equations, given, report),
                    std::nullopt};
        }
    }
    if (!failure && options.form == Form::kMinimal) {
        Result<Derived> derived = derive_minimal(prepared, equations, judgement, options);
        if (derived) {
            return std::move(derived.value());
        }
        if (derived.error().code == ErrorCode::kInvalidInput) {
            return {"", derived.error()};
        }
        failure = derived.error();
    }
    if (!failure) {
        const typeset::WrittenForm automatic = judgement.mass_positive_definite
                                                   ? typeset::WrittenForm::kFundamental
                                                   : typeset::WrittenForm::kMultipliers;
        const typeset::WrittenForm wanted =
            typeset::parse_written_form(form_name(options.form)).value_or(automatic);
        const Result<typeset::ClosedForm> form =
            typeset::closed_form(own, equations, wanted, judgement.rows, judgement.at);
        if (form && wanted == typeset::WrittenForm::kMultipliers) {
            report.notes.emplace_back(kPivotNote);
        }
        if (form) {
            return {rendered(options.notation, own, equations, form.value(), report), std::nullopt};
        }
        failure = form.error();
    }
    // The equations exist even where they do not determine an acceleration.
    report.notes.push_back("no closed acceleration: " + failure->message);
    const typeset::ClosedForm given = typeset::given_equations(own, equations, judgement.at);
    return {rendered(options.notation, own, equations, given, report), failure};
}

}  // namespace

std::vector<Form> written_forms() {
    std::vector<Form> forms;
    for (const Form form : all_forms()) {
        if (form == Form::kAuto || form == Form::kMinimal ||
            typeset::parse_written_form(form_name(form))) {
            forms.push_back(form);
        }
    }
    return forms;
}

Derived derive(const Model& model, const DeriveOptions& options) {
    const compile::Prepared& prepared = *model.data().prepared;
    Derived derived = write_out(prepared, options);
    derived.without_friction_on =
        transformed(prepared.equations.frictions, &mech::FrictionElement::name);
    return derived;
}

}  // namespace ananke

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mech/derive_report.h"
#include "sim/dynamics.h"
#include "sim/evaluator.h"
#include "sim/start.h"
#include "solve/analysis.h"
#include "verbs.h"

namespace ananke::cli {
namespace {

struct DeriveArguments {
    ModelArguments model;
    std::string notation = "text";
    std::string form = "auto";
    bool full = false;
};

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
        result.notes.push_back(
            fmt::format("left out of the acceleration because they follow from the other rows: {}",
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

std::string rendered(const std::string& notation, const sim::Prepared& prepared,
                     const mech::ClosedForm& form, const mech::ReportOptions& options) {
    if (notation == "latex") {
        return mech::derive_latex(prepared.model, prepared.equations, form, options);
    }
    if (notation == "c") {
        return mech::derive_c(prepared.model, prepared.equations, form, options);
    }
    return mech::derive_text(prepared.model, prepared.equations, form, options);
}

int wrong(const std::string& message) {
    fmt::print(stderr, "ananke: {}\n", message);
    return kWrongInput;
}

int run_derive(const DeriveArguments& arguments) {
    const std::optional<mech::WrittenForm> asked = mech::parse_written_form(arguments.form);
    if (!asked && arguments.form != "auto") {
        std::vector<std::string_view> names{"auto"};
        for (const mech::WrittenForm form : mech::all_written_forms()) {
            names.push_back(mech::written_form_name(form));
        }
        return wrong(fmt::format("unknown form \"{}\"; the forms are {}", arguments.form,
                                 fmt::join(names, ", ")));
    }
    const std::string& notation = arguments.notation;
    if (notation != "text" && notation != "latex" && notation != "c") {
        return wrong(
            fmt::format("unknown notation \"{}\"; the notations are text, latex, c", notation));
    }
    const std::optional<LoadedModel> loaded = load(arguments.model);
    if (!loaded) {
        return kWrongInput;
    }
    sim::Prepared& prepared = *loaded->prepared;
    const Judgement judgement = judge(prepared);
    mech::ReportOptions options{prepared.parameters, judgement.rows, judgement.notes,
                                arguments.full};

    std::optional<Error> failure = judgement.failure;
    if (!failure) {
        const mech::WrittenForm automatic = judgement.mass_positive_definite
                                                ? mech::WrittenForm::kFundamental
                                                : mech::WrittenForm::kMultipliers;
        const Result<mech::ClosedForm> form =
            mech::closed_form(prepared.model, prepared.equations, asked.value_or(automatic),
                              judgement.rows, judgement.at);
        if (form) {
            fmt::print("{}", rendered(notation, prepared, form.value(), options));
            return kDone;
        }
        failure = form.error();
    }
    // The equations exist even where they do not determine an acceleration.
    options.notes.push_back("no closed acceleration: " + failure->message);
    fmt::print(
        "{}",
        rendered(notation, prepared,
                 mech::given_equations(prepared.model, prepared.equations, judgement.at), options));
    return wrong(failure->message);
}

}  // namespace

void add_derive(CLI::App& app, int& exit_code) {
    CLI::App* verb = app.add_subcommand(
        "derive", "Print the equations: M, Q, A, b, force directions and the closed acceleration");
    const auto arguments = std::make_shared<DeriveArguments>();
    add_model_arguments(*verb, arguments->model);
    verb->add_option("--as", arguments->notation, "text, latex, or c (a file that compiles alone)")
        ->type_name("NOTATION")
        ->capture_default_str();
    verb->add_option("--form", arguments->form,
                     "auto, fundamental, phohomsiri, schutte, wanichanon, multipliers or minimal: "
                     "how the acceleration is written")
        ->type_name("FORM")
        ->capture_default_str();
    verb->add_flag("--full", arguments->full, "Print every line of a long report");
    verb->footer(
        "Examples:\n"
        "  ananke derive models/two_link_pendulum.ank\n"
        "  ananke derive models/free_top.ank --form wanichanon     Table 1 of the paper\n"
        "  ananke derive models/duffing.ank --form minimal\n"
        "  ananke derive models/duffing.ank --as latex > duffing.tex\n"
        "  ananke derive models/andrews.ank --as c > andrews.c && cc -c andrews.c");
    verb->callback([arguments, &exit_code] { exit_code = run_derive(*arguments); });
}

}  // namespace ananke::cli

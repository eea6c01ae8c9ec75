#include "ananke/run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "api/check_data.h"
#include "api/model_data.h"
#include "base/text.h"
#include "dynamics/energy_level.h"
#include "dynamics/implicit_systems.h"
#include "inspect/check.h"
#include "simulate/row_writer.h"
#include "simulate/run.h"

namespace ananke {

struct Plan::Data {
    Model model;
    simulate::RunOptions options;
    dynamics::StartState start;
    Header header;
    std::vector<std::string> shared_reactions;
};

namespace {

constexpr double kDefaultIntervals = 500.0;
constexpr double kLeastTolerance = 1e-14;

Error invalid(std::string message) {
    return {ErrorCode::kInvalidInput, std::move(message)};
}

Result<double> end_of_run(const RunOptions& wanted, const std::optional<Simulation>& statement) {
    double until = 0.0;
    if (wanted.until) {
        until = *wanted.until;
    } else if (!wanted.at.empty()) {
        until = wanted.at.back();
    } else if (statement) {
        until = statement->until;
    } else {
        return invalid(
            "the model does not say how long to simulate; add `simulate until 10` to it "
            "or give --until 10");
    }
    if (!std::isfinite(until) || until < 0.0) {
        return invalid(fmt::format("the run cannot end at t = {}", to_text(until)));
    }
    return until;
}

/// When to write rows: `at`, `every`, or what the model says.
Result<void> choose_times(const RunOptions& wanted, const std::optional<Simulation>& statement,
                          simulate::RunOptions& options) {
    if (!wanted.at.empty() && (!std::ranges::all_of(wanted.at, [](double t) { return t >= 0.0; }) ||
                               !std::ranges::is_sorted(wanted.at))) {
        return invalid("--at needs times in ascending order, none before 0");
    }
    const Result<double> until = end_of_run(wanted, statement);
    if (!until) {
        return until.error();
    }
    options.until = until.value();
    if (!wanted.at.empty()) {
        if (wanted.at.back() > options.until) {
            return invalid(fmt::format("--at asks for t = {}, after the end at {}",
                                       to_text(wanted.at.back()), to_text(options.until)));
        }
        options.output_times = wanted.at;
        return {};
    }
    if (options.until == 0.0) {
        options.output_times = {0.0};
        return {};
    }
    double every = options.until / kDefaultIntervals;
    if (wanted.every) {
        every = *wanted.every;
    } else if (statement && statement->every) {
        every = *statement->every;
    }
    Result<std::vector<double>> times = simulate::regular_times(options.until, every);
    if (!times) {
        return times.error();
    }
    options.output_times = std::move(times).value();
    return {};
}

Result<simulate::RunOptions> run_options(const Model& model, const RunOptions& wanted) {
    simulate::RunOptions options;
    const Result<void> times = choose_times(wanted, model.simulation(), options);
    if (!times) {
        return times.error();
    }
    if (!(wanted.tolerance >= kLeastTolerance && wanted.tolerance < 1.0)) {
        return invalid(fmt::format("--tolerance must lie between 1e-14 and 1, not {}",
                                   to_text(wanted.tolerance)));
    }
    options.tolerance = wanted.tolerance;
    options.max_steps = wanted.max_steps;
    const std::optional<Simulation> simulation = model.simulation();
    options.max_step = wanted.max_step ? *wanted.max_step
                       : simulation && simulation->max_step
                           ? *simulation->max_step
                           : std::numeric_limits<double>::infinity();
    if (!(options.max_step > 0.0)) {
        return invalid(
            fmt::format("the longest step must be above 0, not {}", to_text(options.max_step)));
    }
    options.stiff = wanted.stiff || (simulation && simulation->stiff);
    options.dynamics.form = wanted.form;
    options.dynamics.drift = wanted.drift;
    options.dynamics.baumgarte_rate = wanted.baumgarte_rate;
    const compile::CompiledModel& compiled = *model.data().prepared->compiled;
    if (options.stiff && !dynamics::may_be_sparse(compiled, options.dynamics)) {
        if (const std::optional<Error> obstacle = dynamics::obstacle_to_full_steps(compiled.n())) {
            return invalid(obstacle->message);
        }
    }
    options.principle = wanted.principle;
    options.stop_requested = wanted.stop_requested;
    if (wanted.progress) {
        options.progress = [report = wanted.progress, until = options.until](double t) {
            report(t, until);
        };
    }
    return options;
}

Header header_of(const Model& model, std::string check, bool principle) {
    Header header;
    header.title = model.title();
    header.model_text = model.text();
    header.version = version();
    for (Parameter& parameter : model.parameters()) {
        header.parameters.emplace_back(std::move(parameter.name), parameter.value);
    }
    header.check = std::move(check);
    header.columns = simulate::columns_of(*model.data().prepared->compiled, principle);
    return header;
}

RunSummary public_summary(const simulate::RunSummary& from, const dynamics::StartState& start) {
    RunSummary summary;
    summary.reached = from.reached;
    summary.rows = from.rows;
    summary.coordinates = from.coordinates;
    summary.constraint_rows = from.constraint_rows;
    summary.rank = from.rank;
    summary.degrees_of_freedom = from.degrees_of_freedom;
    summary.steps = from.steps.steps;
    summary.rejected_steps = from.steps.rejected;
    summary.evaluations = from.steps.rhs_evaluations;
    summary.jacobians = from.steps.jacobians;
    summary.wall_seconds = from.wall_seconds;
    summary.moved = moved_values(start);
    for (const simulate::RowSummary& row : from.constraints) {
        summary.constraints.push_back({row.name, row.residual, row.rate});
    }
    summary.projection = {from.projection.calls, from.projection.corrections,
                          from.projection.largest_position, from.projection.largest_velocity};
    summary.largest_energy_imbalance = from.largest_energy_imbalance;
    summary.energy_scale = from.energy_scale;
    summary.rank_warning = from.rank_warning;
    summary.events = from.events;
    summary.stopped = from.stopped;
    summary.not_finite = from.not_finite;
    summary.warnings = from.warnings;
    summary.error = from.error;
    return summary;
}

}  // namespace

double Plan::until() const {
    return data_->options.until;
}

const std::vector<double>& Plan::times() const {
    return data_->options.output_times;
}

const Header& Plan::header() const {
    return data_->header;
}

Result<Plan> plan(const Model& model, const RunOptions& options) {
    Result<simulate::RunOptions> chosen = run_options(model, options);
    if (!chosen) {
        return chosen.error();
    }
    const compile::Prepared& prepared = *model.data().prepared;
    if (options.drift == Drift::kEnergy) {
        if (const std::string why = dynamics::why_not_conserved(prepared.model, prepared.equations);
            !why.empty()) {
            return Error{
                ErrorCode::kNotApplicable,
                fmt::format("--drift energy needs a model that conserves its energy: {}", why)};
        }
    }
    const Result<inspect::CheckReport> report = inspect::check(
        prepared, options.full_check ? inspect::Agreement::kCompare : inspect::Agreement::kSkip);
    if (!report) {
        return report.error();
    }
    if (options.principle && !report.value().analysis.mass_positive_definite) {
        return Error{
            ErrorCode::kNotApplicable,
            "--principle needs a positive definite mass matrix: where it is singular there "
            "is no unconstrained acceleration"};
    }
    Header header = header_of(model, inspect::to_text(report.value(), prepared), options.principle);
    simulate::record_programs(prepared.compiled, prepared.parameters, report.value().start,
                              chosen.value());
    return Plan(std::make_shared<const Plan::Data>(
        Plan::Data{model, std::move(chosen).value(), report.value().start, std::move(header),
                   inspect::shared_reactions(report.value(), prepared)}));
}

Result<RunSummary> run(const Plan& plan, Recorder& recorder) {
    const Plan::Data& data = plan.data();
    const Result<void> began = recorder.begin(data.header);
    if (!began) {
        return began.error();
    }
    const compile::Prepared& prepared = *data.model.data().prepared;
    RunSummary summary = public_summary(
        simulate::run(prepared.compiled, prepared.parameters, data.start, data.options, recorder),
        data.start);
    summary.shared_reactions = data.shared_reactions;
    return summary;
}

Result<RunSummary> run(const Model& model, const RunOptions& options, Recorder& recorder) {
    const Result<Plan> planned = plan(model, options);
    if (!planned) {
        return planned.error();
    }
    return run(planned.value(), recorder);
}

}  // namespace ananke

#include "simulate/run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/flush_tiny.h"
#include "base/text.h"
#include "dynamics/implicit_systems.h"
#include "ode/dop853.h"
#include "ode/radau.h"
#include "simulate/dry_stop.h"
#include "simulate/run_texts.h"
#include "simulate/runner.h"

namespace ananke::simulate {
namespace {

/// Seconds of wall time between two calls of RunOptions::progress.
constexpr double kProgressInterval = 0.1;
/// A step is made again, each time at most half as long, this often.
constexpr int kMostRepeated = 40;
/// Steps, accepted or not, over which the pace of a run is measured; a run that would need so many
/// times the limit on steps ends there.
constexpr std::size_t kStepsOfPace = 50'000;
constexpr double kHopeless = 100.0;
/// So does one that would need more steps than the limit at so many looks in succession: a million
/// steps long, or soon where dry forces are bringing it to rest.
constexpr int kMostSlow = 20;
constexpr int kMostDry = 2;

template <class Integrator>
Result<std::unique_ptr<ode::Stepper>> on_heap(Result<Integrator> made) {
    if (!made) {
        return made.error();
    }
    return std::unique_ptr<ode::Stepper>(std::make_unique<Integrator>(std::move(made).value()));
}

}  // namespace

Runner::Runner(std::shared_ptr<const compile::CompiledModel> model,
               std::span<const double> parameters, const RunOptions& options, Recorder& recorder)
    : options_(options),
      journal_(recorder),
      evaluator_(std::move(model), parameters),
      n_(static_cast<std::size_t>(evaluator_.model().n())),
      equation_(evaluator_, options.dynamics),
      surface_(evaluator_, options.dynamics.drift, options.tolerance),
      rows_(evaluator_, equation_, surface_, journal_, options),
      friction_(evaluator_, options.dynamics, options.tolerance, &equation_),
      switch_watch_(evaluator_, options.dynamics, options.tolerance, equation_),
      event_watch_(evaluator_, equation_.size()),
      began_(Clock::now()),
      last_progress_(began_) {}

RunSummary Runner::run(const dynamics::StartState& start) {
    const compile::CompiledModel& model = evaluator_.model();
    std::optional<FlushTiny> flush;
    if (!model.extreme_numbers) {
        flush.emplace();
    }
    dynamics::Dynamics& dynamics = equation_.dynamics();
    RunSummary& summary = journal_.summary();
    summary.coordinates = model.n();
    summary.constraint_rows = model.constraint_rows;
    for (const mech::Row& row : model.constraints()) {
        summary.constraints.push_back({row.name, 0.0, 0.0});
    }
    evaluator_.scales().start(start.scales);
    evaluator_.scales().see(start.q.data(), start.v.data());
    evaluator_.hold_integrals(options_.start, start.q.data());
    const solve::SolveStatus status =
        dynamics.accelerate(options_.start, start.q.data(), start.v.data());
    summary.reached = options_.start;
    summary.rank = dynamics.rank();
    summary.degrees_of_freedom = model.n() - summary.rank;
    if (std::optional<Error> vanished =
            describe_vanished_start(evaluator_, options_.start, start)) {
        journal_.fail(std::move(*vanished));
    } else if (status != solve::SolveStatus::kOk) {
        Error why = dynamics.explain(options_.start, start.q.data(), start.v.data());
        journal_.fail({why.code, fmt::format("at the start: {}", why.message)});
    } else if (std::optional<Error> singular = describe_start_near_singular(
                   evaluator_, options_.start, start, dynamics.weakest_pivot())) {
        journal_.fail(std::move(*singular));
    } else {
        integrate(start);
    }
    journal_.finish();
    summary.projection = surface_.summary();
    summary.wall_seconds = seconds_since(began_);
    return summary;
}

/// Starts an integrator on the state equation, lets it step and says why it ended.
void Runner::integrate(const dynamics::StartState& start) {
    y_ = equation_.state(start);
    note_shared_loads(options_.start);
    if (!settle_friction(options_.start)) {
        return;
    }
    auto rhs = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_.rhs(t, y, dydt);
    };
    auto call_accepted = [this](double t, std::span<double> y) { return accepted(t, y); };
    auto stop = [this] { return options_.stop_requested && options_.stop_requested(); };
    auto tolerances = [this](const ode::StepAhead& step, std::span<double> atol) {
        step_tried_ = std::abs(step.h);
        equation_.set_tolerances(options_.tolerance, step, atol);
    };
    const ode::Problem problem{equation_.size(), rhs, call_accepted, stop, tolerances};
    ode::Options options;
    options.rtol = options_.tolerance;
    options.max_steps = options_.max_steps;
    options.max_step = options_.max_step;
    auto jacobian = [this](double t, std::span<const double> y, std::span<double> J) {
        return equation_.jacobian(t, y, J);
    };
    const compile::CompiledModel& model = evaluator_.model();
    std::unique_ptr<dynamics::ImplicitSystems> systems;
    if (options_.stiff && dynamics::may_be_sparse(model, options_.dynamics)) {
        systems = dynamics::ImplicitSystems::make(evaluator_, equation_.right_hand_side(),
                                                  ode::Radau::kStages / 2, options_.sparse_steps);
    }
    if (options_.stiff && !systems && model.n() > dynamics::kMostFullSteps) {
        journal_.fail({ErrorCode::kNotApplicable,
                       fmt::format("an implicit step would need full matrices, which are for at "
                                   "most {} coordinates; the model has {}",
                                   dynamics::kMostFullSteps, model.n())});
        return;
    }
    const ode::Structure structure{equation_.positions(), equation_.integrals(), jacobian,
                                   systems.get()};
    Result<std::unique_ptr<ode::Stepper>> steps =
        options_.stiff ? on_heap(ode::Radau::create(problem, options, structure))
                       : on_heap(ode::Dop853::create(problem, options));
    if (!steps) {
        journal_.fail(steps.error());
        return;
    }
    auto rhs_on_surface = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_.rhs_on_surface(t, y, dydt);
    };
    auto onto_surface = [this](double t, std::span<double> y) {
        return surface_.project_closely(t, y, equation_.order());
    };
    auto roughly_onto_surface = [this](double t, std::span<double> y) {
        return surface_.project_once(t, y, equation_.order());
    };
    auto rhs_across = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_.rhs_across(t, y, dydt);
    };
    auto violation = [this](double t, std::span<const double> y) {
        return surface_.violation(t, y);
    };
    auto weakest = [this](std::span<double> direction) { return equation_.weakest(direction); };
    const dynamics::Dynamics* dynamics = &equation_.dynamics();
    auto pivots = [this](double t, std::span<const double> y) { return equation_.pivots(t, y); };
    SurfaceHooks hooks;
    if (evaluator_.model().m() > 0 && dynamics::is_foreseen(evaluator_.model())) {
        hooks = {rhs_on_surface, rhs_across, {}, {}, violation, weakest, dynamics, pivots};
    }
    if (surface_.projects()) {
        hooks.project = onto_surface;
        hooks.project_roughly = roughly_onto_surface;
    }
    SingularStepper stepper(std::move(steps.value()), evaluator_, equation_.size(), options.rtol,
                            hooks);
    surface_.start_energy(options_.start, y_);
    stepper.start(options_.start, y_);
    const ode::Status status = step_through(stepper);
    journal_.add(stepper.statistics());
    if (ended_at_ || !journal_.failed()) {  // else the last row is where the run ended
        journal_.summary().reached = ended_at_.value_or(stepper.t());
    }
    if (status == ode::Status::kOk || journal_.failed()) {
        return;
    }
    const bool no_derivative =
        status == ode::Status::kRhsFailed || status == ode::Status::kRhsRetry;
    journal_.fail(no_derivative ? equation_.explain_failure()
                                : describe_stop(evaluator_, status, stepper, rows_.rank()));
}

void Runner::show_progress(double t) {
    if (options_.progress && seconds_since(last_progress_) > kProgressInterval) {
        last_progress_ = Clock::now();
        options_.progress(t);
    }
}

/// What becomes of a step that has passed the error test.
ode::Acceptance Runner::accepted(double t, std::span<double> y) {
    show_progress(t);
    const dynamics::RowOrder* order = equation_.trusted_order();
    equation_.choose_rows();
    if (!first_step_done_) {
        equation_.look_closely();
    }
    return surface_.accept(t, step_tried_, y, order);
}

/// Step by step to the end.
ode::Status Runner::step_through(SingularStepper& stepper) {
    rows_.start(stepper.t(), stepper.y());
    control_watch_.start(evaluator_, stepper.t(), stepper.y());
    evaluator_.hold_switches(stepper.t(), stepper.y().data(), stepper.y().data() + n_);
    ode::Status status = rows_.write_until(stepper.t(), stepper);
    event_watch_.start(stepper.t(), stepper.y().data(), stepper.y().data() + n_,
                       equation_.acceleration(stepper.t(), stepper.y()));
    while (status == ode::Status::kOk && !is_over(stepper)) {
        status = stepper.step(options_.until);
        if (status == ode::Status::kOk && stagnates(stepper)) {
            break;
        }
        if (status == ode::Status::kOk && !started_singular(stepper)) {
            status = pass_step(stepper);
        }
    }
    return status;
}

bool Runner::is_over(const ode::Stepper& stepper) {
    return journal_.failed() || !journal_.summary().stopped.empty() ||
           stepper.t() >= options_.until;
}

/// True, with a failure, if at the pace of the last steps the run would never end.
bool Runner::stagnates(const ode::Stepper& stepper) {
    const ode::Statistics& part = stepper.statistics();
    const std::size_t steps = journal_.summary().steps.steps + journal_.summary().steps.rejected +
                              part.steps + part.rejected;
    if (steps < counted_steps_ + kStepsOfPace) {
        return false;
    }
    const double pace = (stepper.t() - counted_at_) / static_cast<double>(steps - counted_steps_);
    const double ahead = (options_.until - stepper.t()) / pace;
    counted_steps_ = steps;
    counted_at_ = stepper.t();
    const auto end = [&](bool dry) {
        end_at(stepper.t(),
               describe_stagnation(evaluator_, stepper, {pace, ahead, options_.stiff, dry}));
        return true;
    };
    if (ahead > kHopeless * static_cast<double>(options_.max_steps)) {
        return end(false);
    }
    const double* const y = stepper.y().data();
    slow_ = ahead > static_cast<double>(options_.max_steps) ? slow_ + 1 : 0;
    dry_ = slow_ > 0 && is_dry_stop(evaluator_, stepper.t(), y, y + n_) ? dry_ + 1 : 0;
    return dry_ >= kMostDry ? end(true) : slow_ >= kMostSlow && end(false);
}

/// True, with a failure, if constraints that are dependent at the start are so nowhere near it.
bool Runner::started_singular(const ode::Stepper& stepper) {
    if (std::exchange(first_step_done_, true)) {
        return false;
    }
    const TimedState start{options_.start, y_.data(), journal_.summary().rank};
    const TimedState beside{stepper.t(), stepper.y().data(), equation_.dynamics().rank()};
    if (!surface_.projects() || beside.rank <= start.rank) {
        return false;
    }
    std::optional<Error> singular = describe_singular_start(evaluator_, start, beside);
    if (singular) {
        end_at(options_.start, std::move(*singular));
    }
    return singular.has_value();
}

/// Goes through the step just made, to what comes first in it: events, a friction that changes, a
/// force that changes its law, a constraint or control that is lost. Else to its end.
ode::Status Runner::pass_step(SingularStepper& stepper) {
    if (const std::optional<OutputRows::Doubt> doubt = rows_.doubt(stepper);
        doubt && repeat_step(*doubt, stepper)) {
        return ode::Status::kOk;
    }
    repeated_ = 0;
    const std::optional<Switching> law =
        switch_watch_.after_step(stepper, rows_.due_times(stepper.t()));
    const std::optional<FrictionEvent> friction = friction_.after_step(stepper);
    const bool friction_first = friction && (!law || friction->t < law->t);
    const double until = friction_first ? friction->t : law ? law->t : stepper.t();
    const std::optional<double> event = first_event(stepper, until);
    if (stepper.singular() && stepper.singular()->t <= event.value_or(until)) {
        journal_.event(describe_passage(evaluator_.model(), *stepper.singular()));
    }
    if (event) {
        return pass_events(*event, stepper);
    }
    if (journal_.failed()) {
        return ode::Status::kOk;
    }
    if (friction_first) {
        return change_friction(*friction, stepper);
    }
    if (law) {
        return change_law(*law, stepper);
    }
    // Across a singular configuration holonomic constraints go on.
    const bool looked = equation_.looked_closely() && !evaluator_.model().is_large();
    const std::optional<VanishedRow> vanished =
        row_watch_.after_step(evaluator_, stepper,
                              !looked              ? RowWatch::Rows::kOfVelocities
                              : stepper.singular() ? RowWatch::Rows::kNonholonomic
                                                   : RowWatch::Rows::kAll);
    if (vanished) {
        return stop_at_vanished_row(*vanished, stepper);
    }
    if (const std::optional<double> lost = control_watch_.after_step(evaluator_, stepper)) {
        return stop_at_lost_control(*lost, stepper);
    }
    return rows_.write_until(stepper.t(), stepper);
}

/// Starts anew at the beginning of a step that a row has shown to be wrong, with one that ends
/// before that row. False where this has not helped often enough.
bool Runner::repeat_step(const OutputRows::Doubt& doubt, SingularStepper& stepper) {
    const double begin = stepper.t_previous();
    if (++repeated_ > kMostRepeated) {
        return false;
    }
    std::copy(stepper.y_previous().begin(), stepper.y_previous().end(), y_.begin());
    const double shorter = std::min(doubt.trusted > begin ? doubt.trusted - begin : doubt.t - begin,
                                    0.5 * (stepper.t() - begin));
    go_on(begin, stepper, shorter);
    return true;
}

/// Where the first events of the last step happen, up to a time inside it.
std::optional<double> Runner::first_event(ode::Stepper& stepper, double until) {
    if (event_watch_.empty()) {
        return std::nullopt;
    }
    const Result<std::optional<double>> found =
        event_watch_.after_step(stepper, until, rows_.due_times(until));
    if (!found) {
        end_at(stepper.t_previous(), found.error());
        return std::nullopt;
    }
    return found.value();
}

/// Rows up to where a gradient vanished are kept; beyond, the constraint says nothing.
ode::Status Runner::stop_at_vanished_row(const VanishedRow& row, SingularStepper& stepper) {
    const ode::Status status = rows_.write_until(row.t, stepper);
    if (status == ode::Status::kOk) {
        end_at(row.t, describe_vanished_row(evaluator_.model(), row));
    }
    return status;
}

/// Rows up to where the actuators lost their hold are kept.
ode::Status Runner::stop_at_lost_control(double t, SingularStepper& stepper) {
    const ode::Status status = cut(t, stepper, t);
    if (status == ode::Status::kOk) {
        end_at(t, describe_lost_control(evaluator_, t, y_));
    }
    return status;
}

/// Ends the run inside the last step.
void Runner::end_at(double t, Error error) {
    journal_.fail(std::move(error));
    ended_at_ = t;
}

double Runner::seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

RunSummary run(std::shared_ptr<const compile::CompiledModel> model,
               std::span<const double> parameters, const dynamics::StartState& start,
               const RunOptions& options, Recorder& recorder) {
    return Runner(std::move(model), parameters, options, recorder).run(start);
}

Result<std::vector<double>> regular_times(double until, double every) {
    constexpr double kMostTimes = 1e8;
    if (!(every > 0.0) || !std::isfinite(every)) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("the output interval must be positive, not {}", to_text(every))};
    }
    if (!(until >= 0.0) || !std::isfinite(until)) {
        return Error{
            ErrorCode::kInvalidInput,
            fmt::format("the end of the simulation must not lie before t = 0: {}", to_text(until))};
    }
    if (until / every > kMostTimes) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} outputs are asked for; at most 1e8 are possible",
                                 to_short_text(until / every))};
    }
    // A last interval shorter than this part of the others is a rounding of until/every.
    constexpr double kRounding = 1e-9;
    const auto whole = static_cast<std::size_t>(until / every + kRounding);
    std::vector<double> times;
    times.reserve(whole + 2);
    for (std::size_t i = 0; i <= whole; ++i) {
        times.push_back(std::min(until, static_cast<double>(i) * every));
    }
    if (until - times.back() > kRounding * every) {
        times.push_back(until);
    } else {
        times.back() = until;
    }
    return times;
}

}  // namespace ananke::simulate

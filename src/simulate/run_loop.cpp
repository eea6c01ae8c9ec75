#include "simulate/run_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "simulate/run_texts.h"

namespace ananke::simulate {
namespace {

/// Seconds of wall time between two calls of RunOptions::progress.
constexpr double kProgressInterval = 0.1;
/// A step is made again, each time at most half as long, this often: down to 1e-12 of it.
constexpr int kMostRepeated = 40;

}  // namespace

/// The loop: a step, then what is inside it, until the run is over.
ode::Status RunLoop::step_through(SingularStepper& stepper) {
    begin(stepper);
    ode::Status status = rows_.write_until(stepper.t(), stepper);
    events_.start(stepper.t(), stepper.y());
    while (status == ode::Status::kOk && !is_over(stepper)) {
        status = stepper.step(options_.until);
        if (status == ode::Status::kOk && !stagnates(stepper) && !started_singular(stepper)) {
            status = pass_step(stepper);
        }
    }
    return status;
}

void RunLoop::begin(SingularStepper& stepper) {
    const double t = stepper.t();
    const std::span<const double> y = stepper.y();
    rows_.start(t, y);
    controls_.start(evaluator_, t, y);
    evaluator_.hold_switches(t, y.data(), y.data() + n_);
}

/// What becomes of a step that has passed the error test.
ode::Acceptance RunLoop::accept(double t, std::span<double> y) {
    show_progress(t);
    const dynamics::RowOrder* order = equation_.acceleration().trusted_order();
    equation_.choose_rows();
    if (!first_step_done_) {
        equation_.acceleration().request_rank_check();
    }
    return surface_.accept(t, step_tried_, y, order);
}

bool RunLoop::is_over(const ode::Stepper& stepper) const {
    return journal_.failed() || !journal_.summary().stopped.empty() ||
           stepper.t() >= options_.until;
}

/// True, with a failure, if at the pace of the last steps the run would never end.
bool RunLoop::stagnates(const ode::Stepper& stepper) {
    const ode::Statistics& before = journal_.summary().steps;
    const ode::Statistics& since = stepper.statistics();
    const std::optional<Stagnation> measured = pace_.measure(
        evaluator_, stepper, before.steps + before.rejected + since.steps + since.rejected,
        options_.until, options_.max_steps);
    if (measured) {
        end_at(stepper.t(), describe_stagnation(evaluator_, stepper, *measured, options_));
    }
    return measured.has_value();
}

/// True, with a failure, if constraints that are dependent at the start are so nowhere near it.
bool RunLoop::started_singular(const ode::Stepper& stepper) {
    if (std::exchange(first_step_done_, true)) {
        return false;
    }
    const TimedState start{options_.start, y_.data(), journal_.summary().rank};
    const TimedState beside{stepper.t(), stepper.y().data(),
                            equation_.acceleration().motion_solver().rank()};
    if (!surface_.projects() || beside.rank <= start.rank) {
        return false;
    }
    std::optional<Error> singular = describe_singular_start(evaluator_, start, beside);
    if (singular) {
        end_at(options_.start, std::move(*singular));
    }
    return singular.has_value();
}

/// Goes through the step just made: to the first change inside it, or to where the model says
/// nothing any more, or to its end.
ode::Status RunLoop::pass_step(SingularStepper& stepper) {
    if (repeats_step(stepper)) {
        return ode::Status::kOk;
    }
    const std::optional<Cut> cut = first_change(stepper);
    if (journal_.failed()) {
        return ode::Status::kOk;
    }
    const std::optional<SingularPoint>& singular = stepper.singular();
    if (singular && singular->t <= (cut ? cut->t : stepper.t())) {
        journal_.event(describe_passage(evaluator_.model(), *singular));
    }
    if (cut) {
        return change(*cut, stepper);
    }
    if (std::optional<End> end = first_end(stepper)) {
        const ode::Status status = rows_.write_until(end->t, stepper);
        if (status == ode::Status::kOk) {
            end_at(end->t, std::move(end->why));
        }
        return status;
    }
    return rows_.write_until(stepper.t(), stepper);
}

/// Starts anew at the beginning of a step that a row has shown to be wrong, with a step that ends
/// before that row. False if no row has, or where this has not helped often enough.
bool RunLoop::repeats_step(SingularStepper& stepper) {
    const std::optional<OutputRows::Doubt> doubt = rows_.doubt(stepper);
    if (!doubt || ++repeated_ > kMostRepeated) {
        repeated_ = 0;
        return false;
    }
    const double begin = stepper.t_previous();
    std::copy(stepper.y_previous().begin(), stepper.y_previous().end(), y_.begin());
    const double shorter =
        std::min(doubt->trusted > begin ? doubt->trusted - begin : doubt->t - begin,
                 0.5 * (stepper.t() - begin));
    restart(begin, shorter, stepper);
    return true;
}

/// The first change inside the last step: each watch looks up to what the ones before it have
/// found. At one time events come first, then switches, then frictions.
std::optional<RunLoop::Cut> RunLoop::first_change(SingularStepper& stepper) {
    std::optional<Cut> first;
    for (StepWatch* watch : std::array<StepWatch*, 3>{&switches_, &frictions_, &events_}) {
        const double until = first ? first->t : stepper.t();
        const Result<std::optional<double>> found =
            watch->after_step(stepper, until, rows_.due_times(until));
        if (!found) {
            end_at(stepper.t_previous(), found.error());
            return std::nullopt;
        }
        if (found.value()) {
            first = Cut{watch, *found.value()};
        }
    }
    return first;
}

/// Cuts the step, lets the watch change state and laws there, and starts anew.
ode::Status RunLoop::change(const Cut& cut, SingularStepper& stepper) {
    const double t = cut.t;
    const ode::Status status = rows_.write_until(cut.watch->last_row_before(t), stepper);
    if (status != ode::Status::kOk || journal_.failed()) {
        return status;
    }
    if (const ode::Status inside = stepper.dense(t, y_); inside != ode::Status::kOk) {
        return inside;
    }
    if (!surface_.project_near(t, y_, stepper.pivot_at(t, y_))) {
        return ode::Status::kProjectionFailed;
    }
    const Result<double> step = cut.watch->change(t, y_, stepper.next_step());
    if (!step) {
        end_at(t, step.error());
        return ode::Status::kOk;
    }
    // A friction that changes has decided for all of them.
    if (cut.watch != &frictions_) {
        if (const Result<void> settled = frictions_.settle(t, y_); !settled) {
            end_at(t, settled.error());
            return ode::Status::kOk;
        }
    }
    if (!frictions_.empty()) {
        rows_.forget_rank();
    }
    restart(t, step.value(), stepper);
    controls_.start(evaluator_, t, y_);
    rows_.write_at(t, y_, stepper);
    // The integrator counts from its last start only.
    const RunSummary& summary = journal_.summary();
    if (summary.steps.steps >= options_.max_steps) {
        journal_.fail(describe_too_many_steps(t, summary.steps.steps, summary.events));
    }
    return ode::Status::kOk;
}

/// Where the model says nothing any more: the gradient of a constraint vanishes, or actuators lose
/// their influence.
std::optional<RunLoop::End> RunLoop::first_end(SingularStepper& stepper) {
    // Across a singular configuration holonomic constraints go on.
    const bool all_rows =
        equation_.acceleration().rank_was_checked() && !evaluator_.model().is_large();
    const std::optional<VanishedRow> vanished =
        constraint_rows_.after_step(evaluator_, stepper,
                                    !all_rows            ? RowWatch::Rows::kOfVelocities
                                    : stepper.singular() ? RowWatch::Rows::kNonholonomic
                                                         : RowWatch::Rows::kAll);
    if (vanished) {
        return End{vanished->t, describe_vanished_row(evaluator_.model(), *vanished)};
    }
    const std::optional<double> lost = controls_.after_step(evaluator_, stepper);
    if (lost && stepper.dense(*lost, y_) == ode::Status::kOk) {
        return End{*lost, describe_lost_control(evaluator_, *lost, y_)};
    }
    return std::nullopt;
}

/// Steps on from y_; a first step of 0 is the integrator's choice.
void RunLoop::restart(double t, double step, ode::Stepper& stepper) {
    equation_.choose_rows();
    journal_.add(stepper.statistics());
    stepper.start(t, y_, step);
}

/// Ends the run inside the last step, not at its last row.
void RunLoop::end_at(double t, Error error) {
    journal_.fail(std::move(error));
    journal_.summary().reached = t;
}

void RunLoop::show_progress(double t) {
    if (options_.progress && seconds_since(last_progress_) > kProgressInterval) {
        last_progress_ = Clock::now();
        options_.progress(t);
    }
}

double RunLoop::seconds_since(Clock::time_point then) const {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace ananke::simulate

// Where a run cuts a step and goes on otherwise: another law, another friction, events.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "simulate/event_actions.h"
#include "simulate/run_texts.h"
#include "simulate/runner.h"
#include "solve/analysis.h"

namespace ananke::simulate {
namespace {

/// A row whose time differs from an event's by this part of 1 + |t| is a row of the event's time.
constexpr double kSameTime = 4.0 * std::numeric_limits<double>::epsilon();

/// First step of a slip in two directions, by the last step of rest: near zero the direction turns
/// faster than a longer step would notice.
constexpr double kFirstOfSlip = 1e-5;

}  // namespace

/// Writes the rows that are due up to `rows_until`, and puts the state at t, inside the last step,
/// into y_.
ode::Status Runner::cut(double t, SingularStepper& stepper, double rows_until) {
    const ode::Status status = rows_.write_until(rows_until, stepper);
    return status == ode::Status::kOk && !journal_.failed() ? stepper.dense(t, y_) : status;
}

/// Cuts the step where a force changed its law, and starts anew there under the other law.
ode::Status Runner::change_law(const Switching& change, SingularStepper& stepper) {
    const ode::Status status = cut(change.t, stepper, change.t);
    if (status != ode::Status::kOk || journal_.failed()) {
        return status;
    }
    if (!surface_.project_near(change.t, y_, stepper.pivot_at(change.t, y_))) {
        return ode::Status::kProjectionFailed;
    }
    const std::vector<compile::Switch>& laws = evaluator_.model().switches;
    std::vector<bool> before;
    for (std::size_t k = 0; k < laws.size(); ++k) {
        before.push_back(laws[k].is_true(evaluator_.side(static_cast<int>(k))));
    }
    const Result<int> side = switch_watch_.change(change, y_);
    // Others may change at the same place.
    for (std::size_t k = 0; k < laws.size(); ++k) {
        const auto which = static_cast<int>(k);
        const bool failed = !side && which == change.which;
        const bool now = laws[k].is_true(failed ? change.side : evaluator_.side(which));
        if (laws[k].listed && now != before[k]) {
            journal_.event({change.t, laws[k].text, "switch",
                            now ? "true from here on" : "false from here on"});
        }
    }
    if (!side) {
        end_at(change.t, side.error());
        return ode::Status::kOk;
    }
    restart(change.t, stepper, 0.0);
    return ode::Status::kOk;
}

/// Cuts the step where a friction comes to rest or breaks away, and starts anew there.
ode::Status Runner::change_friction(const FrictionEvent& event, SingularStepper& stepper) {
    const ode::Status status = cut(event.t, stepper, event.t);
    if (status != ode::Status::kOk || journal_.failed()) {
        return status;
    }
    if (!surface_.project_near(event.t, y_, stepper.pivot_at(event.t, y_))) {
        return ode::Status::kProjectionFailed;
    }
    const Result<std::vector<FrictionChange>> changes =
        friction_.change(event, y_.data(), y_.data() + n_);
    note_changes(event.t, changes);
    equation_.expect_hold(friction_.largest_limit());
    if (journal_.failed()) {
        ended_at_ = event.t;
        return ode::Status::kOk;
    }
    if (!surface_.project(event.t, y_)) {
        return ode::Status::kProjectionFailed;
    }
    rows_.forget_rank();
    const std::vector<compile::CompiledFriction>& frictions = evaluator_.model().frictions;
    const bool slides_in_a_plane =
        std::any_of(changes.value().begin(), changes.value().end(), [&](const FrictionChange& one) {
            return one.kind == "slip" &&
                   frictions[static_cast<std::size_t>(one.which)].components > 1;
        });
    go_on(event.t, stepper,
          changes.value().empty() ? stepper.next_step()
          : slides_in_a_plane     ? kFirstOfSlip * stepper.next_step()
                                  : 0.0);
    return ode::Status::kOk;
}

/// Rows before the events, what the events do, and the rows of their very time.
ode::Status Runner::pass_events(double t, SingularStepper& stepper) {
    const ode::Status status = cut(t, stepper, t - kSameTime * (1.0 + std::abs(t)));
    if (status != ode::Status::kOk || journal_.failed()) {
        return status;
    }
    if (!surface_.project_near(t, y_, stepper.pivot_at(t, y_))) {
        return ode::Status::kProjectionFailed;
    }
    friction_.release();  // an event may set in motion what sticks
    const double work_before = y_[2 * n_];
    const Result<EventOutcome> outcome =
        carry_out_events(event_watch_, evaluator_, surface_.projector(), t, y_);
    if (!outcome) {
        end_at(t, outcome.error());
        return ode::Status::kOk;
    }
    surface_.shift_energy(y_[2 * n_] - work_before);
    for (const Event& entry : outcome.value().entries) {
        journal_.event(entry);
    }
    take_law(t);
    event_watch_.resume(t, y_.data(), y_.data() + n_, equation_.acceleration(t, y_));
    restart(t, stepper, event_watch_.longest_step());
    rows_.write_at(t, y_, stepper);
    RunSummary& summary = journal_.summary();
    const std::string& stopped_by = outcome.value().stopped_by;
    if (!stopped_by.empty()) {
        summary.stopped = fmt::format("stopped at t = {} by the event {}", to_text(t), stopped_by);
    }
    // The integrator counts from the last start only.
    if (summary.steps.steps >= options_.max_steps) {
        journal_.fail(describe_too_many_steps(t, summary.steps.steps, summary.events));
    }
    return ode::Status::kOk;
}

/// The force laws of y_, a state that no step has led to.
void Runner::take_law(double t) {
    const double* q = y_.data();
    evaluator_.release_switches();
    if (evaluator_.model().switches_by_reactions()) {
        equation_.dynamics().accelerate(t, q, q + n_);
    }
    evaluator_.hold_switches(t, q, q + n_);
}

/// Starts anew from y_, a state that the frictions have to be told of; a longest step of 0 is any.
void Runner::restart(double t, ode::Stepper& stepper, double longest_step) {
    if (!settle_friction(t)) {
        ended_at_ = t;
        return;
    }
    const double step = stepper.next_step();
    go_on(t, stepper, longest_step > 0.0 ? std::min(step, longest_step) : step);
    control_watch_.start(evaluator_, stepper.t(), stepper.y());
}

/// Steps on from y_ at a time inside the last step; a first step of 0 is the integrator's choice.
void Runner::go_on(double t, ode::Stepper& stepper, double step) {
    equation_.choose_rows();
    journal_.add(stepper.statistics());
    stepper.start(t, y_, step);
}

/// What the frictions do at a state that no step has led to: y_. False, with a failure, if they
/// cannot be decided.
bool Runner::settle_friction(double t) {
    if (friction_.empty()) {
        return true;
    }
    note_changes(t, friction_.settle(t, y_.data(), y_.data() + n_));
    equation_.expect_hold(friction_.largest_limit());
    if (!journal_.failed() && !surface_.project(t, y_)) {
        journal_.fail(
            {ErrorCode::kNotConverged,
             fmt::format("the state at t = {} could not be brought to rest where friction holds it",
                         to_text(t))});
    }
    equation_.choose_rows();
    rows_.forget_rank();
    return !journal_.failed();
}

void Runner::note_changes(double t, const Result<std::vector<FrictionChange>>& changes) {
    if (!changes) {
        journal_.fail(changes.error());
        return;
    }
    for (const FrictionChange& one : changes.value()) {
        journal_.event({t, evaluator_.model().frictions[static_cast<std::size_t>(one.which)].name,
                        one.kind, one.detail});
    }
}

void Runner::note_shared_loads(double t) {
    if (friction_.empty()) {
        return;
    }
    const solve::Analysis analysis =
        solve::analyse(evaluator_.system(t, y_.data(), y_.data() + n_));
    for (const SharedLoad& one : shared_loads(evaluator_.model(), analysis)) {
        journal_.event({t, evaluator_.model().frictions[static_cast<std::size_t>(one.which)].name,
                        "shared load", one.text});
    }
}

}  // namespace ananke::simulate

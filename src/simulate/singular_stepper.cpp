#include "simulate/singular_stepper.h"

#include <algorithm>
#include <utility>

#include "base/fresh_numbers.h"

namespace ananke::simulate {

SingularStepper::SingularStepper(std::unique_ptr<ode::Stepper> inner,
                                 dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
                                 dynamics::Surface& surface, double rtol)
    : inner_(std::move(inner)),
      evaluator_(&evaluator),
      equation_(&equation),
      surface_(&surface),
      rtol_(rtol),
      watches_(evaluator.model().m() > 0),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      gauss_(equation.size()),
      follower_(evaluator) {
    previous_.direction.resize(n_);
    now_.direction.resize(n_);
    for (std::vector<double>* values :
         {&previous_.y, &previous_.slope, &now_.y, &now_.slope, &work_}) {
        values->resize(equation.size());
    }
}

void SingularStepper::start(double t0, std::span<const double> y0, double step) {
    statistics_ = {};
    counted_ = {};
    if (goes_on(t0, y0)) {
        last_ = Last::kCut;
        t_previous_ = t0;
        std::copy(y0.begin(), y0.end(), y_previous_.begin());
        inner_->start(t_, y_, step);
        return;
    }
    inner_->start(t0, y0, step);
    singular_.reset();
    last_ = Last::kInner;
    known_ = Known::kNothing;
    strongest_ = 0.0;
    refused_ = 0;
}

ode::Status SingularStepper::step(double t_end) {
    if (last_ == Last::kCut) {
        if (t_end >= t_) {
            take_rest();
            return ode::Status::kOk;
        }
        last_ = Last::kInner;
        inner_->start(t_previous_, y_previous_, inner_->next_step());
    }
    const bool watched = watches_ && t_end > t();
    double limit = t_end;
    if (watched) {
        const Approach ahead = approach(t_end);
        if (ahead.action == Approach::Action::kCrossed) {
            return ode::Status::kOk;
        }
        if (ahead.action == Approach::Action::kFail) {
            return fail();
        }
        limit = ahead.limit;
    }
    singular_.reset();
    last_ = Last::kInner;
    const ode::Status status = inner_->step(limit);
    add_statistics();
    if (status != ode::Status::kOk || !watched) {
        return status;
    }
    record_state(inner_->t(), inner_->y());
    replace_if_passed(t_end);
    if (singular_ && !may_cross()) {
        inner_->start(previous_.t, previous_.y, inner_->next_step());
        return fail();
    }
    if (!is_crossing() && !singular_ && may_cross()) {
        replace_if_too_near(t_end);
    }
    return status;
}

ode::Status SingularStepper::fail() {
    lost_ = true;
    return ode::Status::kStepTooSmall;
}

/// The rest of a crossing as the next step.
void SingularStepper::take_rest() {
    last_ = Last::kCrossing;
    if (singular_ && singular_->t <= t_previous_) {
        singular_.reset();
    }
}

ode::Status SingularStepper::dense(double t, std::span<double> y) {
    if (!is_crossing()) {
        const ode::Status status = inner_->dense(t, y);
        add_statistics();
        return status;
    }
    if (t == t_ || t == t_previous_) {
        const std::vector<double>& end = t == t_ ? y_ : y_previous_;
        std::copy(end.begin(), end.end(), y.begin());
    } else {
        gauss_.dense(t, y);
    }
    return ode::Status::kOk;
}

/// statistics_ = counted_ + what inner_ has done since
void SingularStepper::add_statistics() {
    statistics_ = counted_;
    ode::add(statistics_, inner_->statistics());
}

void SingularStepper::record_start() {
    std::copy(inner_->y().begin(), inner_->y().end(), work_.begin());
    ++counted_.rhs_evaluations;
    // record_state() makes previous_ the state of now, with its slope.
    if (equation_->rhs_on_surface(inner_->t(), work_, previous_.slope).kind ==
        ode::Evaluation::Kind::kOk) {
        record_state(inner_->t(), work_);
    }
}

/// Requires that f was last evaluated at this state.
void SingularStepper::record_state(double t, std::span<const double> y) {
    std::swap(previous_, now_);
    now_.t = t;
    copy_few(y.data(), y.size(), now_.y.data());
    find_weakest(now_);
    const Known before = std::exchange(known_, Known::kState);
    if (!now_.weakest.known) {
        return;
    }
    const bool both = before == Known::kState ? find_previous_weakest() : before != Known::kNothing;
    known_ = both ? Known::kWeakestRows : Known::kWeakestRow;
    strongest_ = std::max(strongest_, now_.weakest.pivot);
    if (now_.weakest.pivot >= previous_.weakest.pivot) {
        refused_ = 0;
    }
}

/// Requires that f was last evaluated at this state. Where that was by a method without pivots they
/// are found here.
void SingularStepper::find_weakest(State& state) {
    state.weakest = equation_->weakest(state.direction);
    if (!state.weakest.known) {
        return;
    }
    rows_by_follower_ = state.weakest.row < 0;
    if (rows_by_follower_) {
        state.weakest = follower_.choose(state.t, state.y, state.direction);
    }
}

/// Finds the weakest row of the state before, which was not needed then; false if there is none.
bool SingularStepper::find_previous_weakest() {
    if (follower_.is_made()) {
        previous_.weakest = follower_.choose(previous_.t, previous_.y, previous_.direction);
        return previous_.weakest.known;
    }
    // Most models whose rows are examined never come to a crossing, and need no follower.
    const auto evaluate = [this](State& state) {
        ++counted_.rhs_evaluations;
        const bool found = equation_->rhs_on_surface(state.t, state.y, state.slope).kind ==
                           ode::Evaluation::Kind::kOk;
        find_weakest(state);
        return found;
    };
    const bool found = evaluate(previous_);
    evaluate(now_);  // the rows of the steps to come are those of the last state
    return found;
}

}  // namespace ananke::simulate

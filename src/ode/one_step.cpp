#include "ode/one_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/fresh_numbers.h"

namespace ananke::ode {
namespace {

constexpr int kMaxConsecutiveRejections = 60;
/// Errors of a method of high order fall faster than this many rejections need.
constexpr int kSuspiciousRejections = 6;
constexpr double kRetryFactor = 0.25;  // on h where f or the hook failed and no error is known
constexpr double kStretch = 1.01;      // a step is stretched by up to 1 % to end at t_end
constexpr double kRoundingOfSpan =
    1.0 + 1e-12;  // equal steps over a span leave no crumb at its end

}  // namespace

OneStep::OneStep(const Problem& problem, const Options& options)
    : problem_(problem),
      options_(options),
      atol_(options.atol_each.empty() ? std::vector<double>(problem.size, options.atol)
                                      : options.atol_each),
      y_(problem.size),
      y_previous_(problem.size),
      y_new_(problem.size),
      y_raw_(problem.size),
      first_(problem.size) {}

void OneStep::start(double t0, std::span<const double> y0, double step) {
    ANANKE_REQUIRE(y0.size() == y_.size());
    ANANKE_REQUIRE(std::isfinite(t0) && std::isfinite(step) && step >= 0.0);
    t_ = t_previous_ = t0;
    std::ranges::copy(y0, y_.begin());
    y_previous_ = y_;
    h_ = 0.0;
    step_ = std::min(step > 0.0 ? step : options_.initial_step, options_.max_step);
    statistics_ = {};
    rhs_code_ = 0;
    started_ = true;
    first_known_ = false;
    moved_ = false;
    forget();
    allow_dense(true);
}

Status OneStep::evaluate(double t, std::span<const double> y, std::span<double> dydt) {
    ++statistics_.rhs_evaluations;
    const Evaluation evaluation = problem_.rhs(t, y, dydt);
    if (evaluation.kind == Evaluation::Kind::kOk) {
        return all_finite(dydt) ? Status::kOk : Status::kNotFinite;
    }
    rhs_code_ = evaluation.code;
    return evaluation.kind == Evaluation::Kind::kRetry ? Status::kRhsRetry : Status::kRhsFailed;
}

Status OneStep::step(double t_end) {
    ANANKE_REQUIRE(started_ && std::isfinite(t_end));
    if (t_end == t_) {
        t_previous_ = t_;
        y_previous_ = y_;
        h_ = 0.0;
        allow_dense(true);
        return Status::kOk;
    }
    return make_step(t_end);
}

Status OneStep::make_step(double t_end) {
    if (is_stopped()) {
        return Status::kInterrupted;
    }
    allow_dense(false);
    if (const Status status = prepare_first(); status != Status::kOk) {
        return status;
    }
    if (step_ == 0.0) {
        set_tolerances(0.0);
        step_ = std::clamp(initial_step(t_end), 2.0 * least_step(),
                           std::max(2.0 * least_step(), options_.max_step));
    }

    Status cause = Status::kStepTooSmall;
    for (int rejections = 0; rejections < kMaxConsecutiveRejections; ++rejections) {
        if (statistics_.steps + statistics_.rejected >= options_.max_steps) {
            return Status::kTooManySteps;
        }
        if (rejections > 0 && is_stopped()) {
            return Status::kInterrupted;
        }
        Trial trial = choose_trial(t_end);
        trial.retry = rejections > 0;
        if (!trial.last && !(std::abs(trial.h) > least_step())) {
            return cause;
        }
        rounding_ = rounding_ || rejections >= kSuspiciousRejections;
        set_tolerances(trial.h);
        retry_factor_ = kRetryFactor;
        const Status status = attempt(trial);
        if (status == Status::kOk) {
            accept(trial);
            return Status::kOk;
        }
        if (status == Status::kRhsFailed || status == Status::kInterrupted) {
            return status;
        }
        ++statistics_.rejected;
        cause = status;
        step_ = std::abs(trial.h) * retry_factor_;
    }
    return cause;
}

Status OneStep::prepare_first() {
    if (first_known_) {
        return Status::kOk;
    }
    if (!all_finite(y_)) {
        return Status::kNotFinite;
    }
    const Status status = evaluate(t_, y_, first_);
    first_known_ = status == Status::kOk;
    return status;
}

Status OneStep::run_hook(const Trial& trial) {
    end_moved_ = false;
    if (!problem_.accepted) {
        return Status::kOk;
    }
    copy_few(y_new_.data(), y_new_.size(), y_raw_.data());
    const Acceptance acceptance = problem_.accepted(trial.t, y_new_);
    if (acceptance == Acceptance::kFailed) {
        return Status::kProjectionFailed;
    }
    end_moved_ = acceptance == Acceptance::kChanged;
    return end_moved_ && !all_finite(y_new_) ? Status::kNotFinite : Status::kOk;
}

double OneStep::next_after(const Trial& trial, double wanted) const {
    if (trial.retry) {
        return std::min(wanted, std::abs(trial.h));
    }
    return trial.last ? std::max(wanted, step_) : wanted;
}

void OneStep::advance(const Trial& trial, double next) {
    const double h = std::abs(trial.h);
    step_ = std::min(next, options_.max_step);
    y_previous_.swap(y_);
    y_.swap(y_new_);
    t_previous_ = t_;
    t_ = trial.t;
    h_ = trial.h;
    moved_ = end_moved_;
    statistics_.smallest_step = statistics_.steps == 0 ? h : std::min(statistics_.smallest_step, h);
    statistics_.largest_step = std::max(statistics_.largest_step, h);
    ++statistics_.steps;
}

bool OneStep::copy_end(double t, std::span<double> y) const {
    ANANKE_REQUIRE(std::min(t_previous_, t_) <= t && t <= std::max(t_previous_, t_));
    if (t != t_ && t != t_previous_) {
        return false;
    }
    std::ranges::copy(t == t_ ? y_ : y_previous_, y.begin());
    return true;
}

OneStep::Trial OneStep::choose_trial(double t_end) const {
    const double remaining = t_end - t_;
    const double distance = std::abs(remaining);
    if (distance <= step_ * kStretch && distance <= options_.max_step * kRoundingOfSpan) {
        return {remaining, t_end, true, false};
    }
    const double t = t_ + std::copysign(std::min(step_, distance), remaining);
    return {t - t_, t, false, false};  // so that t + h is exactly where the stages say it is
}

double OneStep::least_step() const {
    return std::max({options_.min_step,
                     10.0 * std::numeric_limits<double>::epsilon() * std::abs(t_),
                     std::numeric_limits<double>::min()});
}

}  // namespace ananke::ode

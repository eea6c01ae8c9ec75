#include "ode/dop853.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/fresh_numbers.h"

namespace ananke::ode {
namespace {

using dop853::DenseRow;

/// Of the polynomial of one component, and what the hook added.
constexpr std::size_t kCoefficients = 8;

/// The slopes of one component of y, stage by stage.
struct Slopes {
    const double* k;
    std::size_t stride;
    double operator()(std::size_t stage) const { return k[stage * stride]; }
};

}  // namespace

Result<Dop853> Dop853::create(const Problem& problem, const Options& options) {
    ANANKE_REQUIRE(static_cast<bool>(problem.rhs));
    if (const Result<void> checked = check_options(options, problem.size); !checked) {
        return checked.error();
    }
    return Dop853(problem, options);
}

Dop853::Dop853(const Problem& problem, const Options& options)
    : OneStep(problem, options),
      sums_(&dop853_sums()),
      stride_((problem.size + 1) / 2 * 2),
      k_(dop853::kStages * stride_) {
    const std::size_t n = problem.size;
    for (auto* values : {&begin_, &y_stage_, &y_new_, &y_raw_}) {
        values->resize(n);
    }
    interpolant_.resize(kCoefficients * n);
}

void Dop853::forget() {
    control_.reset();
}

void Dop853::allow_dense(bool possible) {
    dense_ = possible ? Dense::kPossible : Dense::kNone;
}

// [HNW] II.4, "Starting step size": an explicit Euler step h0 that changes y by 1 % shows y''; then
// h^8 max(|y'|, |y''|) = 0.01 in the norm of the tolerance.
double Dop853::initial_step(double t_end) {
    const double span = t_end - t_;
    const auto norm = [this](const auto& component) {
        double sum = 0.0;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            const double scaled = component(i) / (atol_[i] + options_.rtol * std::abs(y_[i]));
            sum += scaled * scaled;
        }
        return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(y_.size(), 1)));
    };
    const double d0 = norm([&](std::size_t i) { return y_[i]; });
    const double d1 = norm([&](std::size_t i) { return first_[i]; });
    const double guess = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * (d0 / d1);
    double h0 = std::min({guess, std::abs(span), options_.max_step});
    if (!(h0 > 0.0)) {  // d1 overflowed: the controller finds the step from here
        h0 = std::min({1e-6, std::abs(span), options_.max_step});
    }

    const double h = std::copysign(h0, span);
    for (std::size_t i = 0; i < y_.size(); ++i) {
        y_stage_[i] = y_[i] + h * first_[i];
    }
    const std::span<double> second = k(1);
    if (evaluate(t_ + h, y_stage_, second) != Status::kOk) {
        return h0;
    }
    const double d2 = norm([&](std::size_t i) { return second[i] - first_[i]; }) / h0;
    const double d = std::max(d1, d2);
    const double h1 = d <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : power_128th(0.01 / d, 16);
    return h1 > 0.0 ? std::min(100.0 * h0, h1) : h0;
}

Status Dop853::attempt(const Trial& trial, bool after_rejection) {
    begin_in_k_ = begin_in_k_ && after_rejection;
    is_whole_ = problem_.whole_step && attempt_whole(trial);
    if (!is_whole_) {
        if (!begin_in_k_) {
            copy_few(first_.data(), first_.size(), k_.data());
            begin_in_k_ = true;
        }
        if (const Status status = compute_stages(trial); status != Status::kOk) {
            return status;
        }
        statistics_.last_error = combine(trial.h);
        if (!all_finite(y_new_) || std::isnan(statistics_.last_error)) {
            return Status::kNotFinite;
        }
    }
    if (statistics_.last_error > 1.0) {
        retry_factor_ = control_.after_rejection(statistics_.last_error);
        return Status::kStepTooSmall;
    }
    // Roots take their time: what they are needed for comes after the hook and f.
    roots_ = is_whole_ ? whole_.roots : roots_of(statistics_.last_error);
    growth_ = control_.growth(roots_);
    return is_whole_ ? finish_whole() : finish_step(trial);
}

bool Dop853::attempt_whole(const Trial& trial) {
    whole_.t = t_;
    whole_.h = trial.h;
    whole_.t_end = trial.t;
    whole_.y = y_;
    whole_.slope = begin_in_k_ ? k(0) : std::span<double>(first_);
    whole_.atol = atol_;
    whole_.rtol = options_.rtol;
    if (!problem_.whole_step(whole_)) {
        return false;
    }
    statistics_.rhs_evaluations += dop853::kMainStages - 1;
    statistics_.last_error = whole_.error;
    return true;
}

Status Dop853::finish_whole() {
    ++statistics_.rhs_evaluations;
    copy_few_fresh(whole_.end, y_new_.size(), y_new_.data());
    first_.swap(begin_);
    copy_few_fresh(whole_.end_slope, first_.size(), first_.data());
    moved_ = whole_.moved;
    problem_.whole_step_taken(whole_);
    return Status::kOk;
}

/// What dense output needs of a step that was made at once.
void Dop853::take_stages() {
    if (!begin_in_k_) {
        std::copy(begin_.begin(), begin_.end(), k_.begin());
        begin_in_k_ = true;
    }
    for (std::size_t stage = 1; stage < dop853::kMainStages; ++stage) {
        const double* const from = whole_.stages + (stage - 1) * whole_.stride;
        std::copy(from, from + problem_.size, k(stage).begin());
    }
    std::copy(whole_.raw_end, whole_.raw_end + problem_.size, y_raw_.begin());
    is_whole_ = false;
}

/// k(Stage) = f(t + c h, y + h sum_j a_j k_j).
template <std::size_t Stage>
Status Dop853::compute_stage(double t, double h, const std::vector<double>& y) {
    sums_->advance[Stage](y, h, k_.data(), stride_, y_stage_.data());
    return evaluate(t + dop853::kC[Stage] * h, y_stage_, k(Stage));
}

Status Dop853::compute_stages(const Trial& trial) {
    Status status = Status::kOk;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        // Stages 1 to 11 (the book's 2 to 12), as long as none fails.
        ((status = compute_stage<I + 1>(t_, trial.h, y_), status == Status::kOk) && ...);
    }
    (std::make_index_sequence<dop853::kMainStages - 1>{});
    return status;
}

/// y_new, and the error in units of the tolerance.
double Dop853::combine(double h) {
    dop853::ErrorSums<double> sums(0.0);
    sums_->finish(y_, h, k_.data(), stride_, atol_.data(), options_.rtol, y_new_.data(), sums);
    return sums.fifth() == 0.0 ? 0.0 : sums.error(h, static_cast<double>(y_.size()));
}

/// The hook, and f at the state it leaves: a step that ends where f is undefined is rejected here,
/// not found out by the next.
Status Dop853::finish_step(const Trial& trial) {
    bool moved = false;
    if (problem_.accepted) {
        copy_few(y_new_.data(), y_new_.size(), y_raw_.data());
        const Acceptance acceptance = problem_.accepted(trial.t, y_new_);
        if (acceptance == Acceptance::kFailed) {
            return Status::kProjectionFailed;
        }
        moved = acceptance == Acceptance::kChanged;
        if (moved && !all_finite(y_new_)) {
            return Status::kNotFinite;
        }
    }
    if (const Status status = evaluate(trial.t, y_new_, first_); status != Status::kOk) {
        first_known_ = false;
        return status;
    }
    moved_ = moved;
    return Status::kOk;
}

void Dop853::accept(const Trial& trial, bool after_rejection) {
    const double h = std::abs(trial.h);
    control_.remember(roots_);
    double next = h * growth_;
    if (after_rejection) {
        next = std::min(next, h);
    } else if (trial.last) {
        next = std::max(next, step_);  // cut short by t_end, not by the error
    }
    step_ = std::min(next, options_.max_step);

    y_previous_.swap(y_);
    y_.swap(y_new_);
    t_previous_ = t_;
    t_ = trial.t;
    h_ = trial.h;
    first_known_ = true;
    dense_ = Dense::kPossible;

    statistics_.smallest_step = statistics_.steps == 0 ? h : std::min(statistics_.smallest_step, h);
    statistics_.largest_step = std::max(statistics_.largest_step, h);
    ++statistics_.steps;
}

// The polynomial of [HNW] II.6 in nested form, coefficients 4 to 7 from the table D.
Status Dop853::prepare_dense() {
    if (is_whole_) {
        take_stages();
    }
    const std::vector<double>& end = moved_ ? y_raw_ : y_;
    Status status = Status::kOk;
    if (moved_) {
        status = evaluate(t_, end, k(12));
    } else {
        std::copy(first_.begin(), first_.end(), k(12).begin());
    }
    const bool ok = status == Status::kOk &&
                    (status = compute_stage<13>(t_previous_, h_, y_previous_)) == Status::kOk &&
                    (status = compute_stage<14>(t_previous_, h_, y_previous_)) == Status::kOk &&
                    (status = compute_stage<15>(t_previous_, h_, y_previous_)) == Status::kOk;
    if (!ok) {
        return status;
    }
    const std::span<const double> last = k(12);
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const Slopes slope{k_.data() + i, stride_};
        double* const c = interpolant_.data() + kCoefficients * i;
        const double difference = end[i] - y_previous_[i];
        const double bend = h_ * slope(0) - difference;
        c[0] = difference;
        c[1] = bend;
        c[2] = difference - h_ * last[i] - bend;
        c[3] = h_ * dop853::weighted<DenseRow<0>>(slope);
        c[4] = h_ * dop853::weighted<DenseRow<1>>(slope);
        c[5] = h_ * dop853::weighted<DenseRow<2>>(slope);
        c[6] = h_ * dop853::weighted<DenseRow<3>>(slope);
        c[7] = y_[i] - end[i];  // what the hook added
    }
    dense_ = Dense::kReady;
    return Status::kOk;
}

Status Dop853::dense(double t, std::span<double> y) {
    ANANKE_REQUIRE(dense_ != Dense::kNone && y.size() == y_.size());
    ANANKE_REQUIRE(std::min(t_previous_, t_) <= t && t <= std::max(t_previous_, t_));
    if (t == t_ || t == t_previous_) {
        const std::vector<double>& end = t == t_ ? y_ : y_previous_;
        std::copy(end.begin(), end.end(), y.begin());
        return Status::kOk;
    }
    if (dense_ == Dense::kPossible) {
        if (const Status status = prepare_dense(); status != Status::kOk) {
            return status;
        }
    }
    const double x = (t - t_previous_) / h_;
    const double z = 1.0 - x;
    const double correction = x * x * (3.0 - 2.0 * x);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double* const c = interpolant_.data() + kCoefficients * i;
        const double high = c[3] + x * (c[4] + z * (c[5] + x * c[6]));
        const double low = c[0] + z * (c[1] + x * (c[2] + z * high));
        y[i] = y_previous_[i] + x * low + correction * c[7];
    }
    return Status::kOk;
}

}  // namespace ananke::ode

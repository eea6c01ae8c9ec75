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
/// First step, as a part of the way to go, where nothing tells how fast y changes.
constexpr double kBlindPart = 1e-4;
/// Of the step that |y'| and |y''| promise, for the derivatives that nobody has seen.
constexpr double kCarefulStart = 0.5;

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
    y_stage_.resize(problem.size);
    interpolant_.resize(kCoefficients * problem.size);
}

void Dop853::forget() {
    control_.reset();
}

void Dop853::allow_dense(bool possible) {
    dense_ = possible ? Dense::kPossible : Dense::kNone;
}

// As [HNW] II.4, "Starting step size", but free of units of time: a step h0 of Euler's method that
// changes y by 1 % shows y''. Then |y|/|y'| and sqrt(|y|/|y''|), in the norm of the tolerance, are
// the times in which y changes by as much as it is; a method of order 8 may take this times the
// eighth root of the tolerance.
double Dop853::initial_step(double t_end) {
    const double span = t_end - t_;
    const double longest = std::min(std::abs(span), options_.max_step);
    const auto norm = [this](const auto& component) {
        double sum = 0.0;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            const double scale = atol_[i] + options_.rtol * std::abs(y_[i]);
            if (scale > 0.0) {  // else nothing is known of its size
                const double scaled = component(i) / scale;
                sum += scaled * scaled;
            }
        }
        return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(y_.size(), 1)));
    };
    const double size = norm([&](std::size_t i) { return y_[i]; });
    const double rate = norm([&](std::size_t i) { return first_[i]; });
    double h0 =
        std::min(size > 0.0 && rate > 0.0 ? 0.01 * (size / rate) : kBlindPart * longest, longest);
    if (!(h0 > 0.0)) {  // the rate overflowed: the controller finds the step from here
        h0 = kBlindPart * longest;
    }

    const double h = std::copysign(h0, span);
    for (std::size_t i = 0; i < y_.size(); ++i) {
        y_stage_[i] = y_[i] + h * first_[i];
    }
    const std::span<double> second = k(1);
    if (evaluate(t_ + h, y_stage_, second) != Status::kOk) {
        return h0;
    }
    const double bend = norm([&](std::size_t i) { return second[i] - first_[i]; }) / h0;
    const double shortest = std::max(rate / size, std::sqrt(bend / size));  // 1/time
    if (!(size > 1.0) || !(shortest > 0.0) || !std::isfinite(shortest)) {
        return h0;
    }
    return std::min({100.0 * h0, longest, kCarefulStart * power_128th(1.0 / size, 16) / shortest});
}

Status Dop853::attempt(const Trial& trial) {
    begin_in_k_ = begin_in_k_ && trial.retry;
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
    if (statistics_.last_error > 1.0) {
        retry_factor_ = control_.after_rejection(statistics_.last_error);
        return Status::kStepTooSmall;
    }
    // Roots take their time: what they are needed for comes after the hook and f.
    roots_ = roots_of(statistics_.last_error);
    growth_ = control_.growth(roots_);
    return finish_step(trial);
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
        static_cast<void>(
            ((status = compute_stage<I + 1>(t_, trial.h, y_), status == Status::kOk) && ...));
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
    if (const Status status = run_hook(trial); status != Status::kOk) {
        return status;
    }
    const Status status = evaluate(trial.t, y_new_, first_);
    first_known_ = status == Status::kOk;
    return status;
}

void Dop853::accept(const Trial& trial) {
    control_.remember(roots_);
    advance(trial, next_after(trial, std::abs(trial.h) * growth_));
    first_known_ = true;
    dense_ = Dense::kPossible;
}

// The polynomial of [HNW] II.6 in nested form, coefficients 4 to 7 from the table D.
Status Dop853::prepare_dense() {
    const std::vector<double>& end = moved_ ? y_raw_ : y_;
    Status status = Status::kOk;
    if (moved_) {
        status = evaluate(t_, end, k(12));
    } else {
        std::ranges::copy(first_, k(12).begin());
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
    if (copy_end(t, y)) {
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

// The derivative of dense(), Horner's scheme for value and slope at once.
double Dop853::defect(double t, std::span<const double> slope) {
    if (dense_ != Dense::kReady || t == t_ || t == t_previous_) {
        return 0.0;  // the slopes at both ends are f
    }
    const double x = (t - t_previous_) / h_;
    const double z = 1.0 - x;
    double sum = 0.0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double* const c = interpolant_.data() + kCoefficients * i;
        double value = c[6];
        double rate = 0.0;
        for (std::size_t k = 6; k-- > 0;) {  // value <- c_k + x value or c_k + (1 - x) value
            const bool by_x = k % 2 == 1;
            rate = by_x ? value + x * rate : z * rate - value;
            value = c[k] + (by_x ? x : z) * value;
        }
        rate = value + x * rate + 6.0 * x * z * c[7];
        const double size = std::max(std::abs(y_[i]), std::abs(y_previous_[i]));
        const double scaled = (h_ * slope[i] - rate) / (atol_[i] + options_.rtol * size);
        sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(y_.size(), 1)));
}

}  // namespace ananke::ode

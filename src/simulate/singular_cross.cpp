// One collocation step across a singular configuration, and the tests that it must pass.
#include <algorithm>
#include <array>
#include <cmath>

#include "simulate/singular_stepper.h"

namespace ananke::simulate {
namespace {

/// As for any step: one that projection must move by more times its tolerance has left its branch.
constexpr double kLargestCorrection = 1e4;
/// The constraints hold at the instant itself to so many tolerances, or to round-off.
constexpr double kViolation = 10.0;
constexpr double kRoundOff = 1e-12;
/// The component of the row orthogonal to the others is zero there up to this part of what it was,
/// or so many tolerances.
constexpr double kVanished = 1e-3;
constexpr double kVanishedTolerances = 200.0;
/// Distance, in tolerances, below which a state is one of the crossing.
constexpr double kSameState = 1e3;
/// The error of the crossing, of order 16, is estimated as if its order were 7 and these.
constexpr int kOrdersClaimed = 6;

/// The longest step with the instant midway between two collocation points, or the one with the
/// instant in the middle if none is short enough.
double length_of_crossing(double away, double longest) {
    const ode::GaussStep::Nodes& c = ode::GaussStep::nodes();
    for (std::size_t k = 0; k + 1 < c.size(); ++k) {
        const double length = away / (0.5 * (c[k] + c[k + 1]));
        if (length <= longest) {
            return length;
        }
    }
    return 2.0 * away;
}

}  // namespace

/// Crosses the instant from a state before it, to the end of the step or `longest` beyond.
bool SingularStepper::cross(const State& from, double t_singular, double longest, double t_end) {
    const double h = length_of_crossing(t_singular - from.t, std::min(longest, t_end - from.t));
    const double t1 = from.t + h;
    const auto guess = [this](double t, std::span<double> y) { path(t, y); };
    const auto rhs = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_->rhs_across(t, y, dydt);
    };
    const auto project = [this](double t, std::span<double> y) { return project_closest(t, y); };
    const auto project_roughly = [this](double t, std::span<double> y) {
        return surface_->project_once(t, y, equation_->acceleration().order());
    };
    const ode::GaussProblem problem{rhs, project, rtol_, inner_->absolute_tolerances(),
                                    project_roughly};
    const ode::Status status = gauss_.take(problem, from.t, from.y, h, guess);
    counted_.rhs_evaluations += gauss_.rhs_evaluations();
    std::optional<double> found;
    if (status == ode::Status::kOk && end_is_sound(t1) && energy_is_kept(from, t1) &&
        equation_->rhs_on_surface(t1, end_, work_).kind == ode::Evaluation::Kind::kOk) {
        gauss_.set_slopes_at_ends(from.slope, work_);
        found = singular_time(from, t1);
    }
    if (!found) {
        ++refused_;
        ++counted_.rejected;
        // The rows of the steps to come are those of the last state.
        equation_->rhs_on_surface(now_.t, now_.y, now_.slope);
        return false;
    }
    gauss_.dense(*found, work_);
    singular_ = follower_.describe(from.t, from.y, *found, work_);
    accept_crossing(from, t1, t_end);
    return true;
}

/// Makes the crossing the last step. Where it went beyond t_end it is cut there.
void SingularStepper::accept_crossing(const State& from, double t1, double t_end) {
    last_ = Last::kCrossing;
    t_previous_ = from.t;
    y_previous_ = from.y;
    t_ = std::min(t1, t_end);
    y_ = end_;
    if (t1 > t_end) {
        gauss_.dense(t_end, y_);
    }
    forces_.record(*evaluator_, gauss_, t_previous_, t_);
    add_statistics();
    counted_ = statistics_;
    ++counted_.steps;
    counted_.largest_step = std::max(counted_.largest_step, t_ - t_previous_);
    inner_->start(t_, y_, inner_->next_step());
    add_statistics();
    known_ = Known::kNothing;
    strongest_ = 0.0;
    refused_ = 0;
}

/// The end of the step, projected, against the error test.
bool SingularStepper::end_is_sound(double t1) {
    end_.assign(gauss_.end().begin(), gauss_.end().end());
    lower_.resize(end_.size());
    lowest_.resize(end_.size());
    gauss_.end_of_order_7(lower_);
    gauss_.end_of_order_6(lowest_);
    if (!project_closest(t1, end_) || !project_closest(t1, lower_) ||
        !project_closest(t1, lowest_)) {
        return false;
    }
    const std::span<const double> positions = evaluator_->scales().positions_with(end_.data());
    const std::span<const double> velocities =
        evaluator_->scales().velocities_with(end_.data() + n_);
    bool near = true;
    for (std::size_t i = 0; i < 2 * n_; ++i) {
        const double size = i < n_ ? positions[i] : velocities[i - n_];
        near = near && std::abs(end_[i] - gauss_.end()[i]) <= kLargestCorrection * rtol_ * size;
    }
    // Each order gained divides the error by about the same; from 6 and 7 to what is safe to claim.
    const double error7 = distance(end_, lower_);
    const double error6 = distance(end_, lowest_);
    const double gain = std::min(1.0, error7 / std::max(error6, error7));
    const double error = error7 * std::pow(gain, kOrdersClaimed);
    return near && error <= 1.0;
}

/// Whether h' = power + Qc.v held over the crossing: another branch has another energy.
bool SingularStepper::energy_is_kept(const State& from, double t1) {
    const dynamics::Energy before = evaluator_->energy(from.t, from.y.data(), from.y.data() + n_);
    const dynamics::Energy after = evaluator_->energy(t1, end_.data(), end_.data() + n_);
    const double work = end_[2 * n_] - from.y[2 * n_];
    const double size = std::abs(before.kinetic) + std::abs(before.potential) +
                        std::abs(after.kinetic) + std::abs(after.potential) + std::abs(work);
    return std::abs(after.h - before.h - work) <= kLargestCorrection * rtol_ * size;
}

/// The instant on the motion found, if the constraints hold there.
std::optional<double> SingularStepper::singular_time(const State& from, double t1) {
    const auto along_step = [this](double t) {
        gauss_.dense(t, work_);
        return true;
    };
    std::optional<double> turn = find_turn(along_step, from.t, t1, 0.0);
    if (!turn) {
        follower_.watch_row_that_turned(t1, end_);
        turn = find_turn(along_step, from.t, t1, 0.0);
    }
    if (!turn) {
        return std::nullopt;
    }
    gauss_.dense(*turn, work_);
    const double violation = surface_->violation(*turn, work_);
    const bool holds = violation <= std::max(kRoundOff, kViolation * rtol_);
    return holds && vanishes(*turn, work_) ? turn : std::nullopt;
}

/// Whether the watched row becomes dependent at a state where it turns round: rows turn with their
/// mechanism, too.
bool SingularStepper::vanishes(double t, std::span<const double> y) {
    return follower_.remaining_part(t, y) <=
           std::max({kVanished, kVanishedTolerances * rtol_, blur(t, y)});
}

double SingularStepper::pivot_at(double t, std::span<const double> y) {
    if (!is_crossing()) {
        return 1.0;
    }
    return std::abs(follower_.signed_pivot(t, y)) * follower_.first_pivot();
}

/// Root mean square of the distance of two ends, in units of the tolerance.
double SingularStepper::distance(std::span<const double> x, std::span<const double> y) const {
    const std::span<const double> atol = inner_->absolute_tolerances();
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double scaled = (x[i] - y[i]) / (atol[i] + rtol_ * std::abs(x[i]));
        sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(x.size()));
}

/// Whether a start goes on with the rest of the crossing.
bool SingularStepper::goes_on(double t0, std::span<const double> y0) {
    if (!is_crossing() || !(t_previous_ < t0 && t0 < t_)) {
        return false;
    }
    gauss_.dense(t0, work_);
    return distance(work_, y0) < kSameState && forces_.hold_from(*evaluator_, t0, t_, rtol_);
}

}  // namespace ananke::simulate

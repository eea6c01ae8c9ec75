// Where a singular configuration lies ahead of the motion, or has just been passed.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "simulate/quintic_path.h"
#include "simulate/singular_stepper.h"

namespace ananke::simulate {
namespace {

/// How many steps ahead a pivot that falls is followed to its zero.
constexpr double kHorizon = 6.0;
/// The path foreseen is searched this many steps ahead: nearer where it leads nowhere farther off.
constexpr std::array kSearch{4.0, 2.0, 1.0};
/// A step that ends nearer to the instant than this part of its length is made again, across it,
/// as far as this many times the way to the instant: shorter where the error is too large.
constexpr double kTooNear = 0.3;
constexpr std::array kAgain{4.0, 2.4, 1.5, 1.1};
/// The instant is foreseen to this part of a step.
constexpr double kForesight = 1e-4;
/// The row that turns is evaluated at this part of the stretch beside the instant that pivots tell:
/// of several rows that become dependent together each has its own instant, but for rounding the
/// same.
constexpr double kMargin = 1e-6;
/// It has there at most this part of what it was where it is followed from.
constexpr double kAboutToTurn = 0.01;
/// A step between states whose weakest pivots are above this passes no singular configuration.
constexpr double kStrong = 0.9;
/// A crossing starts when the instant is less than this many steps away ...
constexpr double kNear = 2.6;
/// ... and the step before ends about this many steps ahead of it, not nearer.
constexpr double kRunUp = 1.8;
/// States nearer to a singular configuration than this part of their size are on no branch: the
/// constraints hold to some 1e-15, and distances count there with their squares.
constexpr double kUndecided = 3e-7;
/// The constraints hold to this at best.
constexpr double kRounding = 1e-15;
/// States that are off the constraints by phi of their size are on no branch nearer than this many
/// sqrt(phi), and never farther off than the part below.
constexpr double kBlur = 10.0;
constexpr double kMostBlurred = 0.1;
/// From the start a row is followed for this part of the time in which a coordinate changes by its
/// size; instants more than so many of these times ahead are left to the steps that come.
constexpr double kGlance = 1e-4;
constexpr double kFarAhead = 1.0;
/// The first step goes this part of the way to an instant that is foreseen from the start.
constexpr double kFirstPart = 0.25;
/// Longest crossing, in steps.
constexpr double kLongest = 4.0;
/// Attempts at one crossing, each from half the distance of the one before and so much shorter.
constexpr int kMostRefused = 5;
constexpr double kShorter = 0.6;

double dot(const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

/// The pivot falls, but attempts to cross have shown that it leads to no crossing.
bool SingularStepper::is_blocked() const {
    return refused_ >= kMostRefused;
}

SingularStepper::Approach SingularStepper::approach(double t_end) {
    const Approach failed{Approach::Action::kFail};
    double limit = t_end;
    if (known_ == Known::kNothing) {
        record_start();
        if (const std::optional<double> near = foresee_from_start()) {
            if (is_undecided(*near)) {
                return failed;
            }
            limit = std::min(t_end, now_.t + kFirstPart * (*near - now_.t));
        }
    }
    const std::optional<double> instant = foresee();
    if (instant ? ends_at(*instant) : is_on_no_branch()) {
        return failed;
    }
    if (instant && may_cross()) {
        const double away = *instant - t();
        const double h = inner_->next_step();
        if (away > kNear * h) {
            limit = std::min(t_end, *instant - kRunUp * h);
        } else if (cross(now_, *instant, kLongest * std::pow(kShorter, refused_) * h, t_end)) {
            return {Approach::Action::kCrossed};
        } else if (is_undecided(*instant)) {
            return failed;
        } else if (!is_blocked()) {
            limit = std::min(t_end, t() + 0.5 * away);
        }
    }
    return {Approach::Action::kStep, limit};
}

/// The time at which the weakest row, or one that vanishes, followed along the motion foreseen,
/// turns round.
std::optional<double> SingularStepper::foresee() {
    const double h = inner_->next_step();
    if (known_ != Known::kWeakestRows || rows_by_follower_ ||
        (is_blocked() && !is_undecided(now_.t + kHorizon * h))) {
        return std::nullopt;
    }
    const double way = now_.t - previous_.t;
    const auto is_near = [&](double ahead) { return ahead * way <= kHorizon * h; };
    const double fall = previous_.weakest.pivot - now_.weakest.pivot;
    const bool weakest_falls = fall > 0.0 && is_near(now_.weakest.pivot / fall);
    std::optional<RowFollower::FallingRow> vanishing =
        follower_.falling_row(previous_.t, previous_.y, now_.t, now_.y);
    if (vanishing && !is_near(vanishing->ahead)) {
        vanishing.reset();
    }
    if (!(weakest_falls || vanishing) || !prepare_path(now_)) {
        return std::nullopt;
    }
    const auto along_path = [this](double t) {
        path(t, work_);
        return true;
    };
    const auto first_turn = [&] {
        std::optional<double> turn;
        for (std::size_t k = 0; k < kSearch.size() && !turn; ++k) {
            turn = find_turn(along_path, now_.t, now_.t + kSearch[k] * h, kForesight * h);
        }
        return turn;
    };
    foreseen_row_ = -1;
    std::optional<double> turn;
    if (weakest_falls) {
        turn = first_turn();
    }
    if (!turn && vanishing) {
        foreseen_row_ = vanishing->row;
        follower_.watch_row(foreseen_row_);
        turn = first_turn();
    }
    return turn;
}

/// The same from one state alone, where the run starts or starts anew: the weakest row, or one that
/// falls in length, goes on to fall as it does at first along q + v dt + a dt^2/2.
std::optional<double> SingularStepper::foresee_from_start() {
    if (known_ < Known::kWeakestRow || rows_by_follower_ || now_.weakest.row < 0 ||
        !follower_.watch_weakest_of(equation_->acceleration().motion_solver(), now_.weakest,
                                    now_.direction, now_.t, now_.y)) {
        return std::nullopt;
    }
    const std::span<const double> sizes = evaluator_->scales().positions();
    double fastest = 0.0;  // 1/time in which a coordinate changes by the glance's part of its size
    for (std::size_t i = 0; i < n_; ++i) {
        const double way = kGlance * sizes[i];
        if (way > 0.0) {
            fastest = std::max({fastest, std::abs(now_.y[n_ + i]) / way,
                                std::sqrt(0.5 * std::abs(now_.slope[n_ + i]) / way)});
        }
    }
    if (!(fastest > 0.0)) {
        return std::nullopt;
    }
    const double dt = 1.0 / fastest;
    for (std::size_t i = 0; i < n_; ++i) {
        const double v = now_.y[n_ + i];
        const double a = now_.slope[n_ + i];
        work_[i] = now_.y[i] + dt * (v + 0.5 * dt * a);
        work_[n_ + i] = v + dt * a;
    }
    const double left = follower_.signed_pivot(now_.t + dt, work_);
    double fall = std::isfinite(left) ? 1.0 - left : 0.0;
    if (const std::optional<RowFollower::FallingRow> row =
            follower_.falling_row(now_.t, now_.y, now_.t + dt, work_)) {
        fall = std::max(fall, 1.0 / (1.0 + row->ahead));
    }
    const double h = inner_->next_step();
    const bool is_near =
        fall > 0.0 && (h == 0.0 ? fall * kFarAhead > kGlance : dt / fall < kHorizon * h);
    return is_near ? std::optional(now_.t + dt / fall) : std::nullopt;
}

/// Whether the motion foreseen hardly leads away from the last state up to then.
bool SingularStepper::is_undecided(double t) const {
    const std::span<const double> sizes = evaluator_->scales().positions();
    const double dt = t - now_.t;
    for (std::size_t i = 0; i < n_; ++i) {
        const double way = dt * (now_.y[n_ + i] + 0.5 * dt * now_.slope[n_ + i]);
        const double size = evaluator_->model().turns[i] ? std::max(1.0, sizes[i]) : sizes[i];
        if (!(std::abs(way) <= kUndecided * size)) {
            return false;
        }
    }
    return true;
}

/// Motions that branch off cannot be told apart where the component of a row orthogonal to the
/// others is below this part of what it was.
double SingularStepper::blur(double t, std::span<const double> y) {
    const double off = surface_->violation(t, y);
    return std::min(kMostBlurred, kBlur * std::sqrt(std::max(off, kRounding)));
}

/// Whether the last state is so near to a singular configuration, while none is ahead, that it may
/// have come from one branch onto another.
bool SingularStepper::is_on_no_branch() {
    return known_ >= Known::kWeakestRow && now_.weakest.pivot < kMostBlurred * strongest_ &&
           now_.weakest.pivot < blur(now_.t, now_.y) * strongest_;
}

/// Whether the next step would meet an instant that cannot be crossed.
bool SingularStepper::ends_at(double t_singular) {
    if (may_cross() || t_singular - now_.t > inner_->next_step()) {
        return false;
    }
    path(t_singular, work_);
    return vanishes(t_singular, work_);
}

/// Replaces the last step if it ended so near to a singular configuration that none leads across
/// from there.
void SingularStepper::replace_if_too_near(double t_end) {
    const std::optional<double> ahead = foresee();
    if (!ahead || *ahead - now_.t > kTooNear * (now_.t - previous_.t) || !prepare_path(previous_)) {
        return;
    }
    if (foreseen_row_ >= 0) {
        follower_.watch_row(foreseen_row_);
    }
    for (const double longest : kAgain) {
        if (cross(previous_, *ahead, longest * (*ahead - previous_.t), t_end)) {
            return;
        }
    }
    refused_ = 0;
}

/// Replaces the last step if it passed over a singular configuration.
void SingularStepper::replace_if_passed(double t_end) {
    if (!may_have_turned() || no_pivot_changed() || !prepare_path(previous_)) {
        return;
    }
    follower_.watch_row_that_turned(now_.t, now_.y);
    const auto along_step = [this](double t) {
        return inner_->dense(t, work_) == ode::Status::kOk;
    };
    const std::optional<double> turn =
        find_turn(along_step, previous_.t, now_.t, kForesight * (now_.t - previous_.t));
    if (!turn) {
        return;
    }
    const double t_singular = *turn;
    if ((rows_by_follower_ || !may_cross() ||
         !cross(previous_, t_singular, now_.t - previous_.t, t_end)) &&
        inner_->dense(t_singular, work_) == ode::Status::kOk && vanishes(t_singular, work_)) {
        singular_ = follower_.describe(previous_.t, previous_.y, t_singular, work_);
    }
}

/// False if the weakest row is the same at both ends of the last step and has not turned.
bool SingularStepper::may_have_turned() {
    const dynamics::WeakestRow& before = previous_.weakest;
    const dynamics::WeakestRow& after = now_.weakest;
    if (known_ != Known::kWeakestRows) {
        return false;
    }
    if (follower_.any_reversed(previous_.t, previous_.y, now_.t, now_.y)) {
        return true;
    }
    if (std::min(before.pivot, after.pivot) > kStrong) {
        return false;
    }
    // The weakest row may be another one than that which turns, a drive with a small pivot of its
    // own. Where nothing is free steps are long enough to hide it at both ends.
    const bool nothing_free = after.rank == static_cast<int>(n_);
    return nothing_free || before.row != after.row || before.row < 0 ||
           dot(previous_.direction, now_.direction) <= 0.0;
}

/// True if the pivots of an elimination show that no rows became dependent within the last step.
bool SingularStepper::no_pivot_changed() {
    const std::span<const double> first = equation_->pivots(previous_.t, previous_.y);
    pivots_.assign(first.begin(), first.end());
    const std::span<const double> last = equation_->pivots(now_.t, now_.y);
    bool same = !last.empty() && last.size() == pivots_.size();
    for (std::size_t k = 0; same && k < last.size(); ++k) {
        same = pivots_[k] * last[k] > 0.0;
    }
    return same;
}

/// Slopes at the last two states and the order of the rows at one of them. False where something
/// is not a number. The rows of the steps to come are those of the last state.
bool SingularStepper::prepare_path(const State& from) {
    counted_.rhs_evaluations += 2;
    if (equation_->rhs_across(previous_.t, previous_.y, previous_.slope).kind !=
            ode::Evaluation::Kind::kOk ||
        equation_->rhs_on_surface(now_.t, now_.y, now_.slope).kind != ode::Evaluation::Kind::kOk) {
        return false;
    }
    return &from == &now_ && !rows_by_follower_
               ? follower_.watch_weakest_of(equation_->acceleration().motion_solver(), now_.weakest,
                                            now_.direction, now_.t, now_.y)
               : follower_.watch_weakest(from.t, from.y);
}

void SingularStepper::path(double t, std::span<double> y) const {
    follow_quintic({previous_.t, previous_.y, previous_.slope}, {now_.t, now_.y, now_.slope}, n_, t,
                   y);
}

/// Where the component of the watched row orthogonal to the others changes its sign, on a motion
/// that begins where its direction was measured. Pivots of an elimination change their signs there
/// too, and cost less; but they may change for other reasons, so the row itself is evaluated just
/// before.
std::optional<double> SingularStepper::find_turn(Motion move, double before, double after,
                                                 double tolerance) {
    const auto row = [&](double t) {
        return move(t) ? follower_.signed_pivot(t, work_) : std::nan("");
    };
    if (!(row(after) < 0.0)) {
        return std::nullopt;
    }
    const std::optional<ode::Root> told = find_change_of_pivot(move, before, after, tolerance);
    const double margin = std::max(kMargin * (after - before), tolerance);
    if (told) {
        const double beside = row(std::max(before, told->before - margin));
        if (beside > 0.0 && beside < kAboutToTurn) {
            return told->t;
        }
    }
    const Result<ode::Root> root = ode::find_root(row, before, after, tolerance);
    return root ? std::optional(root.value().t) : std::nullopt;
}

std::optional<ode::Root> SingularStepper::find_change_of_pivot(Motion move, double before,
                                                               double after, double tolerance) {
    const auto pivots_at = [&](double t) {
        return move(t) ? equation_->pivots(t, work_) : std::span<const double>();
    };
    const std::span<const double> first = pivots_at(before);
    pivots_.assign(first.begin(), first.end());
    const std::span<const double> last = pivots_at(after);
    const std::size_t count = std::min(pivots_.size(), last.size());
    std::size_t which = 0;
    while (which < count && !(pivots_[which] * last[which] < 0.0)) {
        ++which;
    }
    if (which == count) {
        return std::nullopt;
    }
    const auto pivot = [&](double t) {
        const std::span<const double> now = pivots_at(t);
        return which < now.size() ? now[which] : std::nan("");
    };
    const Result<ode::Root> root = ode::find_root(pivot, before, after, tolerance);
    return root ? std::optional(root.value()) : std::nullopt;
}

}  // namespace ananke::simulate

// The law that goes on where a switch changes, and why a change may make no progress.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "simulate/switch_watch.h"

namespace ananke::simulate {
namespace {

/// So many changes without progress in a row ask for the reason: two may come from rounding.
constexpr int kMostStalled = 8;
/// Swings shrink, and not by errors of the integration alone, when they have fallen to this part.
constexpr double kShrunk = 0.5;
/// Rates are compared this much nearer to a place: |v|^p falls by 1e6^p, a jump stays.
constexpr double kNearer = 1e-6;
constexpr double kSameRate = 0.5;
/// Least distance from a place, above the numbers that cannot be squared.
constexpr double kLeastDistance = 1e-140;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

/// Other switches may change at the same place; the journal names all of them.
Result<double> SwitchWatch::change(double t, std::span<double> y, double next_step) {
    const std::vector<compile::Switch>& switches = evaluator_->model().switches;
    std::vector<bool> before;
    for (std::size_t k = 0; k < switches.size(); ++k) {
        before.push_back(switches[k].is_true(evaluator_->side(static_cast<int>(k))));
    }
    const Result<int> side = change_side(found_, y);
    for (std::size_t k = 0; k < switches.size(); ++k) {
        const auto which = static_cast<int>(k);
        const bool failed = !side && which == found_.which;
        const bool now = switches[k].is_true(failed ? found_.side : evaluator_->side(which));
        if (switches[k].listed && now != before[k]) {
            journal_->event(
                {t, switches[k].text, "switch", now ? "true from here on" : "false from here on"});
        }
    }
    if (!side) {
        return side.error();
    }
    return next_step;
}

/// The side that is held from a change on: another one than was found, 0, where g comes to rest.
Result<int> SwitchWatch::change_side(const Switching& found, std::span<const double> y) {
    const int k = found.which;
    if (evaluator_->model().switches[at(k)].of == compile::Switch::Of::kReactions) {
        return change_of_reaction(found, y);
    }
    stalled_[at(k)] = found.stalls ? stalled_[at(k)] + 1 : 0;
    const bool at_rest = rests(found, y);
    const bool ends = swings_end(found, y);
    evaluator_->hold_switches_again(found.t, y.data(), y.data() + n_);
    if (at_rest) {
        const double g = evaluator_->switch_values(found.t, y.data(), y.data() + n_)[at(k)];
        band_[at(k)] = 4.0 * std::abs(g);
        evaluator_->hold(k, 0);
        return 0;
    }
    evaluator_->hold(k, found.side);
    const bool stalls = stalled_[at(k)] >= kMostStalled;
    if (stalls || ends) {
        if (std::optional<Error> error = sticks(found, y)) {
            return *error;
        }
    }
    if (stalls) {
        stalled_[at(k)] = 0;
        evaluator_->let_follow(k);
    }
    return found.side;
}

/// Switch::rate under the sides as they are.
std::optional<double> SwitchWatch::rate_at(double t, std::span<const double> y, int which) {
    const double* q = y.data();
    if (dynamics_->accelerate(t, q, q + n_) != solve::SolveStatus::kOk) {
        return std::nullopt;
    }
    const dynamics::MotionSolver::Vector a = dynamics_->a();
    std::copy(a.begin(), a.end(), a_.begin());
    const double rate = evaluator_->switch_rates(t, q, q + n_, a_.data())[at(which)];
    return std::isnan(rate) ? std::nullopt : std::optional(rate);
}

/// d g/dv of velocities g, else d g/dq, into gradient_.
void SwitchWatch::find_gradient(double t, std::span<const double> y, int which) {
    const double* q = y.data();
    const auto rate = [&] { return evaluator_->switch_rates(t, q, q + n_, a_.data())[at(which)]; };
    std::fill(a_.begin(), a_.end(), 0.0);
    const double base = rate();
    for (std::size_t i = 0; i < n_; ++i) {
        a_[i] = 1.0;
        gradient_[i] = rate() - base;
        a_[i] = 0.0;
    }
}

/// The state nearest to y with this g, into moved_: of velocities g they move, else the positions,
/// and the velocities to g' = 0.
void SwitchWatch::move_to(int which, double g, double t, std::span<const double> y) {
    const double* q = y.data();
    find_gradient(t, y, which);
    double squares = 0.0;
    for (const double slope : gradient_) {
        squares += slope * slope;
    }
    std::copy(y.begin(), y.end(), moved_.begin());
    const double way = g - evaluator_->switch_values(t, q, q + n_)[at(which)];
    const double speed =
        evaluator_->switch_rates(t, q, q + n_, a_.data())[2 * band_.size() + at(which)];
    const bool of_velocities =
        evaluator_->model().switches[at(which)].of == compile::Switch::Of::kVelocities;
    for (std::size_t i = 0; i < n_ && squares > 0.0; ++i) {
        const double part = gradient_[i] / squares;
        moved_[i] += of_velocities ? 0.0 : way * part;
        moved_[n_ + i] += of_velocities ? way * part : -speed * part;
    }
}

/// Error of a g of positions that passes the test of a step.
double SwitchWatch::tolerance_of(int which, double t, std::span<const double> y) {
    find_gradient(t, y, which);
    const std::span<const double> sizes = evaluator_->scales().positions();
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
        sum += std::abs(gradient_[i]) * (dynamics::kPartOfSize * sizes[i] + std::abs(y[i]));
    }
    return tolerance_ * sum;
}

/// Counts the swing that ends here. Whether swings have shrunk to less than the errors of the steps
/// that have made them. Requires that the law that ends here is still held.
bool SwitchWatch::swings_end(const Switching& found, std::span<const double> y) {
    const int k = found.which;
    if (evaluator_->model().switches[at(k)].of != compile::Switch::Of::kPositions ||
        found.side == 0) {
        return false;
    }
    const std::optional<double> rate = rate_at(found.t, y, k);
    const double speed = std::abs(evaluator_->switch_rates(found.t, y.data(), y.data() + n_,
                                                           a_.data())[2 * band_.size() + at(k)]);
    Swings& swings = swings_[at(k)][found.side > 0 ? 0 : 1];
    const bool shorter = speed < swings.speed;
    swings.speed = speed;
    swings.shorter = shorter ? swings.shorter + 1 : 0;
    swings.begun = shorter ? swings.begun : speed;
    if (!rate || swings.shorter < kMostStalled || !(speed <= kShrunk * swings.begun)) {
        return false;
    }
    const double reach = speed * speed / (2.0 * std::abs(*rate));
    return reach <= 2.0 * swings.shorter * tolerance_of(k, found.t, y);
}

/// Under the laws that act there, just beside the place.
std::optional<SwitchWatch::Beside> SwitchWatch::beside(int which, int side, double t,
                                                       std::span<const double> y) {
    const double* q = y.data();
    const double nearest =
        std::max(4.0 * evaluator_->switch_rounding(t, q, q + n_)[at(which)], kLeastDistance);
    const auto rate = [&](double distance) {
        move_to(which, side * distance, t, y);
        evaluator_->suspend_hold();
        const std::optional<double> found = rate_at(t, moved_, which);
        evaluator_->resume_hold();
        return found;
    };
    const std::optional<double> nearer = rate(nearest);
    const std::optional<double> farther = rate(nearest / kNearer);
    if (!nearer || !farther) {
        return std::nullopt;
    }
    const double rounding = evaluator_->switch_rates(t, moved_.data(), moved_.data() + n_,
                                                     a_.data())[band_.size() + at(which)];
    return Beside{*farther, *nearer, rounding};
}

/// Whether g stays zero from here on: sign(0) = 0 leaves it there, and the law beyond brings it
/// back.
bool SwitchWatch::rests(const Switching& found, std::span<const double> y) {
    const int k = found.which;
    const compile::Switch& one = evaluator_->model().switches[at(k)];
    const int held = evaluator_->side(k);
    if (one.of != compile::Switch::Of::kVelocities || one.zero_side != 0 || held == 0) {
        return false;
    }
    evaluator_->set_side(k, 0);
    const std::optional<double> rate = rate_at(found.t, y, k);
    const double rounding =
        evaluator_->switch_rates(found.t, y.data(), y.data() + n_, a_.data())[band_.size() + at(k)];
    evaluator_->set_side(k, held);
    if (!rate || std::abs(*rate) > rounding) {
        return false;
    }
    const std::optional<Beside> beyond = beside(k, found.side, found.t, y);
    return beyond && beyond->rate * found.side <= 0.0;
}

/// The message, if the law jumps and both of its sides lead to the place.
std::optional<Error> SwitchWatch::sticks(const Switching& found, std::span<const double> y) {
    const std::optional<Beside> below = beside(found.which, -1, found.t, y);
    const std::optional<Beside> above = beside(found.which, 1, found.t, y);
    const auto leads_back = [](const std::optional<Beside>& one, double sign) {
        return one && sign * one->rate < -one->rounding &&
               sign * one->nearer <= kSameRate * sign * one->rate;
    };
    if (!leads_back(below, -1.0) || !leads_back(above, 1.0)) {
        return std::nullopt;
    }
    const compile::Switch& one = evaluator_->model().switches[at(found.which)];
    return Error{
        ErrorCode::kNotUnique,
        fmt::format(
            "at t = {}: the force law switches back and forth at {}: the motion sticks there ({} "
            "{} where it is negative and {} where it is positive), which a switch cannot express; "
            "dry friction is written `friction on`, other laws without a jump, as tanh(v/eps) for "
            "sign(v)",
            to_short_text(found.t, 9), one.text,
            one.of == compile::Switch::Of::kPositions
                ? "the second derivative of left less right is"
                : "left less right changes at the rate",
            to_short_text(below->nearer, 6), to_short_text(above->nearer, 6))};
}

/// The law that goes on must not bring g back over zero, where the other one has just led it.
Result<int> SwitchWatch::change_of_reaction(const Switching& found, std::span<const double> y) {
    const int k = found.which;
    const compile::Switch& one = evaluator_->model().switches[at(k)];
    const double* q = y.data();
    std::array<double, 2> g{};
    double rounding = 0.0;
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (dynamics_->accelerate(found.t, q, q + n_) != solve::SolveStatus::kOk) {
            break;  // the next step says why
        }
        evaluator_->set_multipliers(dynamics_->lambda().data());
        g[i] = evaluator_->switch_values(found.t, q, q + n_)[at(k)];
        rounding += evaluator_->switch_rounding(found.t, q, q + n_)[at(k)];
        evaluator_->hold(k, found.side);
    }
    const double jump = g[1] - g[0];
    if (!(jump * found.side < -rounding)) {
        evaluator_->hold_switches_again(found.t, q, q + n_);
        return found.side;
    }
    return Error{
        ErrorCode::kNotUnique,
        fmt::format("at t = {}: the condition {} has no answer: when it becomes {}, the law "
                    "changes the reaction so that left less right jumps by {}, back to "
                    "where it came from; let the law pass from one to the other over a "
                    "range of the reaction",
                    to_short_text(found.t, 9), one.text, one.is_true(found.side) ? "true" : "false",
                    to_short_text(jump, 6))};
}

}  // namespace ananke::simulate

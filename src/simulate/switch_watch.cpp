#include "simulate/switch_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "ode/root.h"

namespace ananke::simulate {
namespace {

/// Parts of a step at whose ends g is sampled.
constexpr std::size_t kParts = 8;
/// Parabolas that are laid one after the other into a dip towards zero.
constexpr int kMostParabolas = 3;
/// A dip whose parabola comes down to this part of its lower end may reach zero.
constexpr double kNearZero = 0.5;
/// Halvings of a step in search of a stretch under its old law.
constexpr int kMostHalvings = 45;
constexpr int kMostBisections = 100;
/// A change within this part of the step that found it makes no progress.
constexpr double kNoProgress = 1e-9;
/// So many of them in a row ask for the reason: two may come from rounding.
constexpr int kMostStalled = 8;
/// Swings shrink, and not by errors of the integration alone, when they have fallen to this part.
constexpr double kShrunk = 0.5;
/// Rates are compared this much nearer to a place: |v|^p falls by 1e6^p, a jump stays.
constexpr double kNearer = 1e-6;
constexpr double kSameRate = 0.5;
/// Least distance from a place, above the numbers that cannot be squared.
constexpr double kLeastDistance = 1e-140;
constexpr double kUlp = std::numeric_limits<double>::epsilon();

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

SwitchWatch::SwitchWatch(dynamics::Evaluator& evaluator, const dynamics::DynamicsOptions& options,
                         double tolerance, dynamics::StateEquation& equation, Journal& journal)
    : evaluator_(&evaluator),
      equation_(&equation),
      journal_(&journal),
      tolerance_(tolerance),
      n_(at(evaluator.model().n())),
      by_reactions_(evaluator.model().switches_by_reactions()) {
    const std::size_t count = evaluator.model().switches.size();
    if (count > 0) {
        dynamics_.emplace(evaluator, options);
        y_.resize(equation.size());
        moved_.resize(equation.size());
        a_.resize(n_);
        gradient_.resize(n_);
    }
    times_.assign(kParts + 1, 0.0);
    band_.assign(count, 0.0);
    stalled_.assign(count, 0);
    swings_.resize(count);
}

/// The state at a time of the step, into y_, with the reactions there where a switch needs them.
void SwitchWatch::find_state(ode::Stepper& stepper, double t) {
    if (stepper.dense(t, y_) != ode::Status::kOk) {
        std::fill(y_.begin(), y_.end(), std::nan(""));
        return;
    }
    if (!by_reactions_) {
        return;
    }
    if (!equation_->give_forces(t, y_.data(), y_.data() + n_, *dynamics_)) {
        if (!rows_chosen_) {
            rows_chosen_ = true;
            const double* begin = stepper.y_previous().data();
            dynamics_->accelerate(stepper.t_previous(), begin, begin + n_);
        }
        dynamics_->accelerate_in_step(t, y_.data(), y_.data() + n_);
    }
    evaluator_->set_multipliers(dynamics_->lambda().data());
}

double SwitchWatch::value_at(ode::Stepper& stepper, int which, double t) {
    find_state(stepper, t);
    return evaluator_->switch_values(t, y_.data(), y_.data() + n_)[at(which)];
}

bool SwitchWatch::has_left(int which, double g) const {
    const int held = evaluator_->side(which);
    return !std::isnan(g) && evaluator_->model().switches[at(which)].side_of(g) != held &&
           !(held == 0 && std::abs(g) <= band_[at(which)]);
}

/// Whether g has left the side that is held by more than rounding.
bool SwitchWatch::is_away(ode::Stepper& stepper, int which, double t) {
    const double g = value_at(stepper, which, t);
    return has_left(which, g) &&
           std::abs(g) > evaluator_->switch_rounding(t, y_.data(), y_.data() + n_)[at(which)];
}

double SwitchWatch::sample(std::size_t time, int which) const {
    return values_[time * band_.size() + at(which)];
}

Result<std::optional<double>> SwitchWatch::after_step(SingularStepper& stepper, double /*until*/,
                                                      std::span<const double> row_times) {
    const std::optional<Switching> found =
        band_.empty() ? std::nullopt : first_change(stepper, row_times);
    if (!found) {
        return std::optional<double>();
    }
    found_ = *found;
    return std::optional(found->t);
}

std::optional<Switching> SwitchWatch::first_change(ode::Stepper& stepper,
                                                   std::span<const double> row_times) {
    const auto count = static_cast<int>(band_.size());
    const double begin = stepper.t_previous();
    const double end = stepper.t();
    rows_chosen_ = false;
    values_.clear();
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(times_.size() - 1);
        times_[i] = i + 1 == times_.size() ? end : begin + (end - begin) * part;
        find_state(stepper, times_[i]);
        const std::span<const double> g =
            evaluator_->switch_values(times_[i], y_.data(), y_.data() + n_);
        values_.insert(values_.end(), g.begin(), g.end());
    }
    hold_again_where_clear();
    std::optional<Switching> first;
    for (int k = 0; k < count; ++k) {
        const std::optional<Switching> one = first_change_of(stepper, k);
        if (one && (!first || one->t < first->t)) {
            first = one;
        }
    }
    if (const std::optional<Switching> seen =
            change_seen_in_row(stepper, row_times, first ? first->t : end)) {
        first = seen;
    }
    if (!first) {
        std::fill(stalled_.begin(), stalled_.end(), 0);
    }
    return first;
}

/// A change before `until` that the samples have missed and the state of a row shows.
std::optional<Switching> SwitchWatch::change_seen_in_row(ode::Stepper& stepper,
                                                         std::span<const double> row_times,
                                                         double until) {
    double before = times_.front();
    for (const double row : row_times) {
        std::optional<Switching> first;
        for (int k = 0; k < static_cast<int>(band_.size()) && row > before && row < until; ++k) {
            if (evaluator_->follows(k) || !is_away(stepper, k, row)) {
                continue;
            }
            for (const double sampled : times_) {
                before = sampled < row ? std::max(before, sampled) : before;
            }
            const Switching one = leaves(stepper, k, before, row);
            first = first && first->t <= one.t ? first : one;
        }
        if (first) {
            return first;
        }
        before = std::max(before, row);
    }
    return std::nullopt;
}

/// Switches that follow the state are held again when they have not changed in a whole step.
void SwitchWatch::hold_again_where_clear() {
    for (int k = 0; k < static_cast<int>(band_.size()); ++k) {
        const compile::Switch& one = evaluator_->model().switches[at(k)];
        const int side = one.side_of(sample(0, k));
        bool clear = evaluator_->follows(k) && side != 0;
        for (std::size_t i = 0; clear && i < times_.size(); ++i) {
            clear = one.side_of(sample(i, k)) == side;
        }
        if (clear) {
            evaluator_->hold(k, side);
        }
    }
}

std::optional<Switching> SwitchWatch::first_change_of(ode::Stepper& stepper, int which) {
    if (evaluator_->follows(which)) {
        return std::nullopt;
    }
    std::size_t i = 1;
    std::optional<double> away;
    for (; i < times_.size() && !away; ++i) {
        if (has_left(which, sample(i, which)) && is_away(stepper, which, times_[i])) {
            away = times_[i];
        } else if (i + 1 < times_.size() && !has_left(which, sample(i + 1, which))) {
            away = bottom(stepper, which, i);
        }
    }
    if (!away) {
        return std::nullopt;
    }
    const double begin = times_.front();
    // The last of those before at which the old law acts. At the beginning, behind an earlier
    // change, rounding may say otherwise: then it acts for a while all the same, however short, or
    // not at all.
    double before = begin;
    for (std::size_t j = 0; j < times_.size() && times_[j] < *away; ++j) {
        before = has_left(which, sample(j, which)) ? before : times_[j];
    }
    const double g = sample(0, which);
    bool acts = before > begin;
    if (!acts && !has_left(which, g)) {
        find_state(stepper, begin);
        const double rounding =
            evaluator_->switch_rounding(begin, y_.data(), y_.data() + n_)[at(which)];
        acts = std::abs(g) > rounding || evaluator_->side(which) == 0;
    }
    double t = *away;
    for (int k = 0; k < kMostHalvings && !acts; ++k) {
        t = begin + 0.5 * (t - begin);
        acts = t > begin && !has_left(which, value_at(stepper, which, t));
        before = acts ? t : begin;
    }
    return acts ? leaves(stepper, which, before, *away)
                : Switching{begin, which, side_at(stepper, which, *away), true};
}

/// The change of a switch between a time before it and one behind it.
Switching SwitchWatch::leaves(ode::Stepper& stepper, int which, double before, double after) {
    const double begin = times_.front();
    const int side = side_at(stepper, which, after);
    const double t = locate(stepper, which, before, after);
    const double least =
        std::max(kNoProgress * (times_.back() - begin), 4.0 * kUlp * std::abs(begin));
    return {t, which, side, t - begin <= least};
}

int SwitchWatch::side_at(ode::Stepper& stepper, int which, double t) {
    return evaluator_->model().switches[at(which)].side_of(value_at(stepper, which, t));
}

/// Where g has left its side in a dip between the neighbours of a sample, if it has.
std::optional<double> SwitchWatch::bottom(ode::Stepper& stepper, int which, std::size_t middle) {
    struct Point {
        double t, g;
    };
    const double sign = evaluator_->side(which);
    std::array<Point, 3> p{};
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = {times_[middle - 1 + i], sign * sample(middle - 1 + i, which)};
    }
    for (int k = 0; k < kMostParabolas && sign != 0.0; ++k) {
        const double first = (p[1].g - p[0].g) / (p[1].t - p[0].t);
        const double second = (p[2].g - p[1].g) / (p[2].t - p[1].t);
        const double bend = (second - first) / (p[2].t - p[0].t);
        const double t = 0.5 * (p[0].t + p[1].t) - 0.5 * first / bend;
        const double lowest = p[0].g + (t - p[0].t) * (first + bend * (t - p[1].t));
        const double least = std::min({p[0].g, p[1].g, p[2].g});
        if (!(bend > 0.0 && t > p[0].t && t < p[2].t && lowest <= kNearZero * least)) {
            return std::nullopt;
        }
        if (is_away(stepper, which, t)) {
            return t;
        }
        const Point here{t, sign * value_at(stepper, which, t)};
        if (t == p[1].t) {
            return std::nullopt;
        }
        p = t < p[1].t ? std::array<Point, 3>{p[0], here, p[1]}
                       : std::array<Point, 3>{p[1], here, p[2]};
    }
    return std::nullopt;
}

/// Where g leaves its side between a time at which it is there and one at which it is not.
double SwitchWatch::locate(ode::Stepper& stepper, int which, double before, double after) {
    auto g = [&](double t) { return value_at(stepper, which, t); };
    if (evaluator_->side(which) != 0) {
        const Result<ode::Root> root = ode::find_root(g, before, after, 0.0);
        if (root) {
            return root.value().after;
        }
    }
    for (int k = 0; k < kMostBisections; ++k) {
        const double t = before + 0.5 * (after - before);
        if (!(t > before && t < after)) {
            break;
        }
        (has_left(which, g(t)) ? after : before) = t;
    }
    return after;
}

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
    const dynamics::Dynamics::Vector a = dynamics_->a();
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

#include "simulate/switch_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr double kUlp = std::numeric_limits<double>::epsilon();

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

SwitchWatch::SwitchWatch(dynamics::Evaluator& evaluator, const dynamics::MethodOptions& options,
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
    if (!equation_->acceleration().forces_by_program(t, y_.data(), y_.data() + n_, *dynamics_)) {
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

}  // namespace ananke::simulate

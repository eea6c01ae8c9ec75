#include "simulate/event_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ananke::simulate {
namespace {

/// Intervals of a step at whose ends and middles the values are sampled.
constexpr int kIntervals = 8;
constexpr std::size_t kSamples = 2 * kIntervals + 1;
/// Divisions of an interval in which a value may touch zero twice.
constexpr int kMostDivisions = 10;
/// Part of a step over which a slope is measured.
constexpr double kSmallPart = 1e-6;
/// No nearer to an end than this part of an interval is it divided.
constexpr double kEdge = 0.02;
/// A dip whose tangents meet at this part of its higher end, or half of the other, may reach zero.
constexpr double kNearZero = 0.1;
/// Slopes that promise this many times the change that is seen belong to a faster motion.
constexpr double kRestless = 8.0;
/// Halvings towards the beginning of a step in search of a state on the event's side.
constexpr int kShortestFlight = 45;
constexpr double kNever = std::numeric_limits<double>::infinity();
/// After an event the first step is at most this many times the time since the one before.
constexpr double kGaps = 16.0;
/// A parameter further from its formula than this was given another value.
constexpr double kSameValue = 1e-14;

int sign_of(double f) {
    return f > 0.0 ? 1 : f < 0.0 ? -1 : 0;
}

}  // namespace

EventWatch::EventWatch(dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
                       dynamics::Surface& surface, FrictionWatch& frictions, Journal& journal)
    : evaluator_(&evaluator),
      equation_(&equation),
      surface_(&surface),
      frictions_(&frictions),
      journal_(&journal),
      compiled_(&evaluator.model().events),
      instant_(evaluator),
      values_(compiled_->values),
      scales_(compiled_->scales),
      rates_(compiled_->rates),
      rate_scales_(compiled_->rate_scales),
      actions_(compiled_->actions),
      parameters_(compiled_->parameters),
      n_(static_cast<std::size_t>(evaluator.model().n())) {
    const std::size_t count = compiled_->list.size();
    y_.assign(equation.size(), 0.0);
    for (std::vector<double>* each :
         {&now_, &scale_, &rounding_, &rate_, &rate_scale_, &band_, &kept_band_, &found_}) {
        each->assign(count, 0.0);
    }
    last_.assign(count, -std::numeric_limits<double>::infinity());
    for (std::vector<int>* each : {&side_, &kept_side_, &piled_}) {
        each->assign(count, 0);
    }
    samples_.assign(kSamples * count, Sample{});
    action_.assign(actions_.output_count(), 0.0);
    formula_.assign(parameters_.output_count(), 0.0);
    due_.reserve(count);
}

/// Coordinates carry the rounding of the largest sizes they have had: x = 0 is reached from 1 up to
/// that of 1.
void EventWatch::raise_rounding(const double* inputs) {
    scales_.run(inputs, scale_.data());
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        rounding_[k] = std::fmax(rounding_[k], kRoundOff * scale_[k]);
    }
}

/// Values, rates and their scales at a state.
void EventWatch::evaluate_rates(double t, const double* q, const double* v, const double* a) {
    const double* in = evaluator_->inputs(t, q, v, a).data();
    values_.run(in, now_.data());
    raise_rounding(in);
    rates_.run(in, rate_.data());
    rate_scales_.run(in, rate_scale_.data());
}

void EventWatch::start(double t, std::span<const double> y) {
    evaluate_rates(t, y.data(), y.data() + n_, equation_->restart_acceleration(t, y));
    for (std::size_t k = 0; k < side_.size(); ++k) {
        find_side(static_cast<int>(k));
    }
    parameters_.run(evaluator_->inputs().data(), formula_.data());
    last_time_ = t;
    follows_.resize(formula_.size());
    for (std::size_t p = 0; p < formula_.size(); ++p) {
        const double value = evaluator_->parameter(static_cast<int>(p));
        follows_[p] = std::abs(formula_[p] - value) <= kSameValue * std::abs(value);
    }
}

/// Decides the side of an event from its value, or from its rate where the value is round-off.
void EventWatch::find_side(int which) {
    const auto k = static_cast<std::size_t>(which);
    if (std::abs(now_[k]) > rounding_[k]) {
        side_[k] = sign_of(now_[k]);
        band_[k] = 0.0;
    } else {
        side_[k] = std::abs(rate_[k]) > kRoundOff * rate_scale_[k] ? sign_of(rate_[k]) : 0;
        band_[k] = rounding_[k];
    }
}

/// The values of all events at a time inside the step, into now_.
void EventWatch::evaluate(double t) {
    if (stepper_->dense(t, y_) == ode::Status::kOk) {
        values_.run(evaluator_->inputs(t, y_.data(), y_.data() + n_).data(), now_.data());
    } else {
        std::fill(now_.begin(), now_.end(), std::nan(""));
    }
}

double EventWatch::value_at(int which, double t) {
    evaluate(t);
    return now_[static_cast<std::size_t>(which)];
}

/// A value and its slope, by a difference over a small part of the step.
EventWatch::Sample EventWatch::sample_at(int which, double t) {
    const double end = stepper_->t();
    const double small = kSmallPart * (end - stepper_->t_previous());
    const double aside = t + small <= end ? t + small : t - small;
    const double f = value_at(which, t);
    return {t, f, aside == t ? 0.0 : (value_at(which, aside) - f) / (aside - t)};
}

bool EventWatch::crossed(int which, int side, double f) const {
    const double band = band_[static_cast<std::size_t>(which)];
    return side != 0 && !std::isnan(f) && sign_of(f) != side && (band == 0.0 || std::abs(f) > band);
}

void EventWatch::fill_samples(double begin, double until) {
    const std::size_t count = side_.size();
    const double small = kSmallPart * (until - begin);
    for (std::size_t s = 0; s < kSamples; ++s) {
        const bool last = s + 1 == kSamples;
        const double t = last ? until
                              : begin + (until - begin) * (static_cast<double>(s) /
                                                           static_cast<double>(kSamples - 1));
        const double aside = last ? t - small : t + small;
        evaluate(t);
        for (std::size_t k = 0; k < count; ++k) {
            samples_[s * count + k] = {t, now_[k], 0.0};
        }
        evaluate(aside);
        for (std::size_t k = 0; k < count && aside != t; ++k) {
            Sample& sample = samples_[s * count + k];
            sample.slope = (now_[k] - sample.f) / (aside - t);
        }
    }
}

void EventWatch::sample_rows(std::span<const double> row_times) {
    row_times_.clear();
    row_values_.clear();
    for (const double t : row_times) {
        if (!(t > stepper_->t_previous() && t < stepper_->t())) {
            continue;
        }
        row_times_.push_back(t);
        evaluate(t);
        row_values_.insert(row_values_.end(), now_.begin(), now_.end());
    }
}

/// The time of a row between two samples at which the value is beyond zero, where the samples are
/// all on this side of it.
std::optional<double> EventWatch::row_beyond(int which, const Sample& from, const Sample& middle,
                                             const Sample& to) const {
    const int side = sign_of(from.f);
    if (side == 0 || sign_of(middle.f) != side || sign_of(to.f) != side) {
        return std::nullopt;
    }
    const auto first = std::upper_bound(row_times_.begin(), row_times_.end(), from.t);
    for (auto row = first; row != row_times_.end() && *row < to.t; ++row) {
        const auto i = static_cast<std::size_t>(row - row_times_.begin());
        if (sign_of(row_values_[i * side_.size() + static_cast<std::size_t>(which)]) == -side) {
            return *row;
        }
    }
    return std::nullopt;
}

Result<std::optional<double>> EventWatch::after_step(SingularStepper& stepper, double until,
                                                     std::span<const double> row_times) {
    if (compiled_->list.empty()) {
        return std::optional<double>();
    }
    stepper_ = &stepper;
    const double begin = stepper.t_previous();
    const std::size_t count = side_.size();
    const double* q = stepper.y_previous().data();
    raise_rounding(evaluator_->inputs(begin, q, q + n_).data());
    fill_samples(begin, until);
    sample_rows(row_times);
    const auto sample = [&](std::size_t s, std::size_t k) { return samples_[s * count + k]; };
    for (std::size_t s = 0; s + 2 < kSamples; s += 2) {
        kept_side_ = side_;
        kept_band_ = band_;
        double first = kNever;
        for (std::size_t k = 0; k < count; ++k) {
            found_[k] = search(static_cast<int>(k), sample(s, k), sample(s + 1, k),
                               sample(s + 2, k), kMostDivisions)
                            .value_or(kNever);
            if (unresolved_) {
                return endless_events(sample(s, k).t, event(*unresolved_).name);
            }
            first = std::min(first, found_[k]);
        }
        if (first < kNever) {
            collect_due(first);
            return std::optional(first);
        }
    }
    return std::optional<double>();
}

/// Where the tangents at the ends of a dip towards zero meet, if they do so near zero or beyond.
std::optional<double> EventWatch::dip(const Sample& from, const Sample& to) {
    const bool towards = from.f * from.slope < 0.0 && to.f * to.slope > 0.0;
    if (!towards || sign_of(from.f) != sign_of(to.f)) {
        return std::nullopt;
    }
    const double width = to.t - from.t;
    const double x = (to.f - from.f - to.slope * width) / (from.slope - to.slope);
    const double f = from.f + from.slope * x;
    const auto [low, high] = std::minmax({std::abs(from.f), std::abs(to.f)});
    if (f * sign_of(from.f) > std::max(0.5 * low, kNearZero * high)) {
        return std::nullopt;
    }
    return from.t + std::clamp(x, kEdge * width, (1.0 - kEdge) * width);
}

/// Where to divide the interval between two samples, if it may hold more zeros than its ends show:
/// the bottom of a dip; the place where the parabola through the three, f = line + 4 c x (1 - x),
/// turns; the middle where the slopes promise more than the values show, as those of a fast wave
/// do, and where a value is not a number. Tangents find the bottom of a kink and parabolas that of
/// a smooth dip, so that they alternate.
std::optional<double> EventWatch::suspect(const Sample& from, const Sample& middle,
                                          const Sample& to, bool by_tangents) {
    if (std::isnan(from.f + middle.f + to.f)) {
        return middle.t;
    }
    const std::optional<double> bottom = dip(from, to);
    const double c = middle.f - 0.5 * (from.f + to.f);
    const double least = std::min({std::abs(from.f), std::abs(middle.f), std::abs(to.f)});
    const bool turns = 4.0 * std::abs(c) > std::abs(to.f - from.f);
    if (bottom && (by_tangents || !turns)) {
        return bottom;
    }
    if (bottom || (turns && least <= 2.0 * std::abs(c))) {
        const double x = 0.5 + (to.f - from.f) / (8.0 * c);
        return x > kEdge && x < 1.0 - kEdge ? from.t + x * (to.t - from.t) : middle.t;
    }
    const double range = std::max({from.f, middle.f, to.f}) - std::min({from.f, middle.f, to.f});
    const double promised =
        (to.t - from.t) *
        std::max({std::abs(from.slope), std::abs(middle.slope), std::abs(to.slope)});
    return promised > kRestless * range && least <= promised ? std::optional(middle.t)
                                                             : std::nullopt;
}

/// The first crossing that counts between two samples; passes over those that do not.
std::optional<double> EventWatch::search(int which, const Sample& from, const Sample& middle,
                                         const Sample& to, int depth) {
    const auto k = static_cast<std::size_t>(which);
    const bool wide = to.t - from.t > 4.0 * kSameTime * (1.0 + std::abs(to.t));
    std::optional<double> place =
        depth > 0 && wide ? suspect(from, middle, to, depth % 2 == 0) : std::nullopt;
    if (!place && depth > 0) {
        place = row_beyond(which, from, middle, to);
    }
    if (place) {
        const Sample turn = *place == middle.t ? middle : sample_at(which, *place);
        const Sample left = sample_at(which, 0.5 * (from.t + turn.t));
        const Sample right = sample_at(which, 0.5 * (turn.t + to.t));
        const std::optional<double> t = search(which, from, left, turn, depth - 1);
        return t || unresolved_ ? t : search(which, turn, right, to, depth - 1);
    }
    int& side = side_[k];
    if (side == 0) {
        side = std::abs(to.f) > band_[k] ? sign_of(to.f) : 0;
        return std::nullopt;
    }
    if (!crossed(which, side, to.f)) {
        band_[k] = std::abs(to.f) > band_[k] ? 0.0 : band_[k];
        return std::nullopt;
    }
    if (counts(event(which), side)) {
        return locate(which, from, to);
    }
    side = sign_of(to.f);
    band_[k] = 0.0;
    return std::nullopt;
}

/// Where the value leaves its side, to round-off: at the beginning if it is over there already (by
/// round-off of the restart at an event of the same time). An interval that begins in the band of
/// round-off begins with a flight on the event's side, however short; if there is none to be seen,
/// an event that never happened has not happened now either, and one that has happened has no end.
std::optional<double> EventWatch::locate(int which, const Sample& from, const Sample& to) {
    const auto k = static_cast<std::size_t>(which);
    const int side = side_[k];
    double begin = from.t;
    if (sign_of(from.f) != side && band_[k] == 0.0) {
        return from.t;
    }
    if (sign_of(from.f) != side) {
        double t = to.t;
        double f = to.f;
        for (int i = 0; i < kShortestFlight && sign_of(f) != side && t > from.t; ++i) {
            t = from.t + 0.5 * (t - from.t);
            f = value_at(which, t);
        }
        if (sign_of(f) != side || !(t > from.t)) {
            if (std::isfinite(last_[k])) {
                unresolved_ = which;
            }
            side_[k] = -side;
            band_[k] = 0.0;
            return std::nullopt;
        }
        begin = t;
    }
    auto f = [&](double t) { return value_at(which, t); };
    const Result<ode::Root> root = ode::find_root(f, begin, to.t, 0.0);
    return root ? at_row(which, nearest_zero(which, root.value()), begin, to.t) : to.t;
}

/// The time of the nearest row if the value is zero there too, up to rounding: a user who asks for
/// a row at t = 1 sees the event that happens at 1.
double EventWatch::at_row(int which, double t, double begin, double end) const {
    const auto k = static_cast<std::size_t>(which);
    const auto after = std::lower_bound(row_times_.begin(), row_times_.end(), t);
    double nearest = t;
    double distance = kNever;
    for (auto row = after == row_times_.begin() ? after : after - 1;
         row != row_times_.end() && row <= after; ++row) {
        const auto i = static_cast<std::size_t>(row - row_times_.begin());
        if (*row > begin && *row <= end && std::abs(*row - t) < distance &&
            std::abs(row_values_[i * side_.size() + k]) <= rounding_[k]) {
            nearest = *row;
            distance = std::abs(*row - t);
        }
    }
    return nearest;
}

/// The time in the bracket of a root where the value is smallest: an end, or between them by the
/// rule of three, which is exact for the time t = T of a clock.
double EventWatch::nearest_zero(int which, const ode::Root& root) {
    const double before = value_at(which, root.before);
    const double after = value_at(which, root.after);
    const double between = root.before + (root.after - root.before) * (before / (before - after));
    if (!(between > root.before && between < root.after)) {
        return root.t;
    }
    const double f = std::abs(value_at(which, between));
    return f < std::min(std::abs(before), std::abs(after)) ? between : root.t;
}

/// The events that were found at this time, in the order of the text; the others are as they were
/// before, or on the other side if that did not count.
void EventWatch::collect_due(double t) {
    due_.clear();
    evaluate(t);
    band_ = kept_band_;
    for (std::size_t k = 0; k < side_.size(); ++k) {
        const auto which = static_cast<int>(k);
        side_[k] = kept_side_[k];
        if (found_[k] <= t + kSameTime * (1.0 + std::abs(t))) {
            due_.push_back(which);
        } else if (crossed(which, side_[k], now_[k]) && !counts(event(which), side_[k])) {
            side_[k] = now_[k] == 0.0 ? side_[k] : -side_[k];
        }
    }
}

/// Goes on from the state that the events of the instant have left, with its acceleration. Returns
/// the longest step to try from there: events may come as soon again as they did.
double EventWatch::resume(double t, std::span<const double> y) {
    evaluate_rates(t, y.data(), y.data() + n_, equation_->restart_acceleration(t, y));
    const std::span<const double> before = instant_.before();
    for (std::size_t k = 0; k < side_.size(); ++k) {
        const auto which = static_cast<int>(k);
        const bool happened = instant_.has_happened(which);
        const double tiny = rounding_[k];
        const double instant = kSameTime * (1.0 + std::abs(t)) * std::abs(rate_[k]);
        const int heading = std::abs(rate_[k]) > kRoundOff * rate_scale_[k] ? sign_of(rate_[k]) : 0;
        // Still at zero: it leaves from here. One that is about to happen keeps its side.
        const bool leaves = happened ? std::abs(now_[k]) <= 2.0 * std::abs(before[k]) + tiny
                                     : std::abs(now_[k]) <= tiny + instant && heading != 0 &&
                                           (heading == side_[k] || !counts(event(which), side_[k]));
        const bool jumped = std::abs(now_[k] - before[k]) > tiny && sign_of(now_[k]) != side_[k];
        if (leaves) {
            side_[k] = heading;
            band_[k] = 4.0 * std::abs(now_[k]) + kRoundOff * scale_[k];
        } else if (happened || jumped) {
            find_side(which);  // a jump over zero is no event
        }
    }
    const double gap = t - std::exchange(last_time_, t);
    return gap > kNoProgress * (1.0 + std::abs(t)) ? kGaps * gap : kNever;
}

}  // namespace ananke::simulate

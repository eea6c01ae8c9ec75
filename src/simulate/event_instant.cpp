#include "simulate/event_instant.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ananke::simulate {
namespace {

/// A light ball between a heavy one and a wall is hit pi/2 sqrt(M/m) times: 5000 for 1e7.
constexpr int kMostRounds = 5000;

}  // namespace

EventInstant::EventInstant(dynamics::Evaluator& evaluator)
    : evaluator_(&evaluator),
      compiled_(&evaluator.model().events),
      values_(compiled_->values),
      rates_(compiled_->rates),
      rate_scales_(compiled_->rate_scales) {
    const std::size_t count = compiled_->list.size();
    for (std::vector<double>* each : {&before_, &now_, &zero_, &rate_, &rate_scale_}) {
        each->assign(count, 0.0);
    }
    for (std::vector<char>* each : {&heads_across_, &came_across_, &due_, &sent_, &happened_}) {
        each->assign(count, 0);
    }
    last_round_.assign(count, 0);
}

void EventInstant::begin(double t, const double* q, const double* v, std::span<const int> due,
                         std::span<const int> sides, std::span<const double> rounding) {
    sides_.assign(sides.begin(), sides.end());
    values_.run(evaluator_->inputs(t, q, v).data(), before_.data());
    zero_.assign(rounding.begin(), rounding.end());
    for (const int which : due) {  // the state may have been put onto the constraints since
        zero_[static_cast<std::size_t>(which)] +=
            2.0 * std::abs(before_[static_cast<std::size_t>(which)]);
    }
    for (std::vector<char>* each : {&due_, &sent_, &happened_}) {
        std::fill(each->begin(), each->end(), 0);
    }
    std::fill(last_round_.begin(), last_round_.end(), 0);
    place_ = 0;
    round_ = 1;
    find_headings(t, q, v);
    came_across_ = heads_across_;
    for (const int which : due) {
        due_[static_cast<std::size_t>(which)] = 1;
    }
}

/// The side an event guards: the one its value comes from, or the one its direction asks for.
int EventInstant::guarded_side(std::size_t k) const {
    if (sides_[k] != 0 || event(k).crossing == mech::Event::Crossing::kEither) {
        return sides_[k];
    }
    return event(k).crossing == mech::Event::Crossing::kFalling ? 1 : -1;
}

/// Rates of values that hold velocities need the acceleration, and an action that changes the
/// velocities makes such a value jump, which is no crossing: they do not take part.
void EventInstant::find_headings(double t, const double* q, const double* v) {
    const double* in = evaluator_->inputs(t, q, v).data();
    values_.run(in, now_.data());
    rates_.run(in, rate_.data());
    rate_scales_.run(in, rate_scale_.data());
    for (std::size_t k = 0; k < now_.size(); ++k) {
        const int side = guarded_side(k);
        const bool at_zero = std::abs(now_[k]) <= zero_[k] + kSameTime * std::abs(t * rate_[k]);
        const bool across = rate_[k] * side < -kRoundOff * rate_scale_[k];
        heads_across_[k] =
            event(k).of_positions && counts(event(k), side) && at_zero && across ? 1 : 0;
    }
}

/// Whether others have turned away an event that came to this instant to set velocities. Events of
/// one condition happen together.
bool EventInstant::has_turned_away(std::size_t k) const {
    if (happened_[k] != 0 || came_across_[k] == 0 || heads_across_[k] != 0 ||
        event(k).coordinates.empty()) {
        return false;
    }
    for (std::size_t other = 0; other < happened_.size(); ++other) {
        if (happened_[other] != 0 && event(other).condition == event(k).condition) {
            return false;
        }
    }
    return true;
}

std::optional<int> EventInstant::next() {
    const std::size_t count = happened_.size();
    for (std::size_t tried = 0; tried < count; ++tried) {
        if (place_ == count) {
            place_ = 0;
            ++round_;
        }
        const std::size_t k = place_++;
        const bool due = std::exchange(due_[k], 0) != 0;
        const bool sent = std::exchange(sent_[k], 0) != 0;
        if (sent || (due && !has_turned_away(k))) {
            happened_[k] = 1;
            last_round_[k] = round_;
            return static_cast<int>(k);
        }
    }
    return std::nullopt;
}

void EventInstant::follow(double t, const double* q, const double* v) {
    earlier_ = heads_across_;
    find_headings(t, q, v);
    for (std::size_t k = 0; k < earlier_.size(); ++k) {
        const bool goes_on = earlier_[k] != 0 && sent_[k] == 0;
        sent_[k] = heads_across_[k] != 0 && !goes_on ? 1 : 0;
    }
}

bool EventInstant::is_endless() const {
    return round_ > kMostRounds;
}

std::vector<std::string> EventInstant::names_of_last_round() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < last_round_.size(); ++k) {
        if (last_round_[k] >= round_ - 1) {
            names.push_back(event(k).name);
        }
    }
    return names;
}

}  // namespace ananke::simulate

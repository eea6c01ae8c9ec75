#include "sim/friction_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ode/root.h"

namespace ananke::sim {
namespace {

/// Slip below this part of the largest velocity is none.
constexpr double kNoSlip = 1e-12;
/// Slip of the wrong sign up to this part of the largest velocity is rounding.
constexpr double kSlipRounding = 1e-14;
/// The same where a slip of two components ends, whose direction is lost before.
constexpr double kNoPlanarSlip = 1e-10;
/// A friction that needs no more than this above its limit holds; rounding of the multipliers.
constexpr double kLimitRounding = 1e-12;
/// Slip accelerations below this part of those without friction have no sign.
constexpr double kNoAcceleration = 1e-9;
/// Looks into a step: force of a friction that sticks, slip of one that slips.
constexpr int kLooks = 8;
/// Changes nearer to each other than this (relative to 1 + |t|) make no progress.
constexpr double kNoProgress = 1e-12;
constexpr int kMostPiled = 40;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<SharedLoad> shared_loads(const CompiledModel& model, const solve::Analysis& analysis) {
    std::vector<SharedLoad> shared;
    for (std::size_t f = 0; f < model.frictions.size(); ++f) {
        const std::vector<int>& own = model.frictions[f].load_rows;
        std::vector<std::string> others;
        bool is_choice = false;
        for (const std::vector<int>& set : analysis.dependent_sets) {
            const bool touches = std::any_of(own.begin(), own.end(), [&](int row) {
                return std::find(set.begin(), set.end(), row) != set.end();
            });
            for (std::size_t i = 0; i < set.size() && touches; ++i) {
                is_choice = true;
                if (std::find(own.begin(), own.end(), set[i]) == own.end()) {
                    others.push_back(model.rows[at(set[i])].name);
                }
            }
        }
        if (is_choice) {
            shared.push_back(
                {static_cast<int>(f),
                 fmt::format("friction on {} depends on how dependent constraints share a force{}: "
                             "the split of least norm is a choice, and so is the friction",
                             model.frictions[f].name,
                             others.empty() ? "" : ", with " + join_names(others))});
        }
    }
    return shared;
}

FrictionWatch::FrictionWatch(Evaluator& evaluator, const DynamicsOptions& options)
    : evaluator_(&evaluator),
      signals_(evaluator.model().frictions.size()),
      earlier_(evaluator.model().frictions.size()),
      noise_(evaluator.model().frictions.size()),
      released_(evaluator.model().frictions.size()),
      candidate_(evaluator.model().frictions.size()),
      modes_(evaluator.model().frictions.size()) {
    if (!evaluator.model().frictions.empty() || !evaluator.model().feedback.empty()) {
        dynamics_.emplace(evaluator, options);
    }
}

std::size_t FrictionWatch::rows() const {
    return static_cast<std::size_t>(evaluator_->model().m() - evaluator_->model().constraint_rows);
}

double FrictionWatch::slip_size(int f) const {
    const CompiledFriction& one = friction(f);
    double size = 0.0;
    for (int k = 0; k < one.components; ++k) {
        size = std::hypot(size, values_[at(one.first_value + k)]);
    }
    return size;
}

/// Static limit less the friction force that sticking takes.
double FrictionWatch::margin(int f) const {
    const CompiledFriction& one = friction(f);
    double force = 0.0;
    for (int k = 0; k < one.components; ++k) {
        force = std::hypot(force, dynamics_->lambda()[one.first_row + k]);
    }
    return values_[at(one.first_value + 2 * one.components + 1)] - force;
}

double FrictionWatch::rest(const double* v) const {
    double largest = 0.0;
    for (int i = 0; i < evaluator_->model().n(); ++i) {
        largest = std::max(largest, std::abs(v[i]));
    }
    return largest;
}

// Positive as long as a friction goes on as it does.
double FrictionWatch::signal(int f) const {
    const CompiledFriction& one = friction(f);
    if (evaluator_->sticks(f)) {
        return margin(f);
    }
    const std::span<const double> direction = evaluator_->direction(f);
    double along = 0.0;
    for (int k = 0; k < one.components; ++k) {
        along += direction[at(k)] * values_[at(one.first_value + k)];
    }
    return along;
}

/// Signals at a state of the step. Multipliers are needed only where a friction sticks.
void FrictionWatch::find_signals(ode::Stepper& stepper, double t, std::span<const double> y) {
    const auto n = static_cast<std::size_t>(evaluator_->model().n());
    const double* q = y.data();
    const double* v = y.data() + n;
    bool solved = true;
    if (evaluator_->any_sticks()) {
        const bool at_begin = t == stepper.t_previous();
        const solve::SolveStatus status =
            at_begin ? dynamics_->accelerate(t, q, v) : dynamics_->accelerate_in_step(t, q, v);
        solved = status == solve::SolveStatus::kOk;
        evaluator_->set_multipliers(dynamics_->lambda().data());
    }
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
    for (int f = 0; f < count(); ++f) {
        const bool known = solved || !evaluator_->sticks(f);
        signals_[at(f)] = known ? signal(f) : std::nan("");
        const CompiledFriction& one = friction(f);
        noise_[at(f)] = evaluator_->sticks(f)
                            ? kLimitRounding * values_[at(one.first_value + 2 * one.components + 1)]
                            : kSlipRounding * rest(v);
    }
}

std::optional<FrictionEvent> FrictionWatch::after_step(ode::Stepper& stepper) {
    if (empty()) {
        return std::nullopt;
    }
    const double begin = stepper.t_previous();
    const double end = stepper.t();
    find_signals(stepper, begin, stepper.y_previous());
    y_.resize(stepper.y().size());
    double before = begin;
    std::optional<FrictionEvent> first;
    for (int look = 1; look <= kLooks && !first; ++look) {
        const double now = look == kLooks ? end : begin + (end - begin) * look / kLooks;
        earlier_.swap(signals_);
        if (stepper.dense(now, y_) != ode::Status::kOk) {
            return std::nullopt;
        }
        find_signals(stepper, now, y_);
        seen_ = signals_;  // locate() looks elsewhere
        seen_noise_ = noise_;
        for (int f = 0; f < count(); ++f) {
            if (!friction(f).dry || !(seen_[at(f)] < -seen_noise_[at(f)])) {
                continue;
            }
            const std::optional<FrictionEvent> one =
                earlier_[at(f)] > 0.0 ? locate(stepper, f, before, now)
                                      : FrictionEvent{before, f, evaluator_->sticks(f)};
            if (one && (!first || one->t < first->t)) {
                first = one;
            }
        }
        signals_ = seen_;
        before = now;
    }
    if (first) {
        return first;
    }
    // A planar slip keeps its own direction as the one it is measured against.
    for (int f = 0; f < count(); ++f) {
        const CompiledFriction& one = friction(f);
        const double size = slip_size(f);
        if (one.components < 2 || evaluator_->sticks(f) || size == 0.0) {
            continue;
        }
        const auto n = static_cast<std::size_t>(evaluator_->model().n());
        if (one.dry && size < kNoPlanarSlip * std::max(1.0, rest(stepper.y().data() + n))) {
            return FrictionEvent{end, f, false};
        }
        const std::array<double, 2> direction{values_[at(one.first_value)] / size,
                                              values_[at(one.first_value + 1)] / size};
        evaluator_->set_slip(f, direction);
    }
    return std::nullopt;
}

std::optional<FrictionEvent> FrictionWatch::locate(ode::Stepper& stepper, int f, double before,
                                                   double after) {
    auto look = [&](double t) {
        if (stepper.dense(t, y_) != ode::Status::kOk) {
            return std::nan("");
        }
        find_signals(stepper, t, y_);
        return signals_[at(f)];
    };
    const Result<ode::Root> root = ode::find_root(look, before, after, 0.0);
    if (!root) {
        return std::nullopt;
    }
    const bool sticks = evaluator_->sticks(f);
    return FrictionEvent{sticks ? root.value().after : root.value().t, f, sticks};
}

/// What is different from the last time this was asked.
std::vector<FrictionChange> FrictionWatch::changes() {
    std::vector<FrictionChange> changes;
    for (int f = 0; f < count(); ++f) {
        Mode& was = modes_[at(f)];
        const bool sticks = evaluator_->sticks(f);
        const double direction = evaluator_->direction(f)[0];
        if (sticks && !was.sticks) {
            changes.push_back({f, "stick", was.known ? "comes to rest" : "at rest"});
        } else if (!sticks && was.sticks) {
            changes.push_back({f, "slip", "breaks away"});
        } else if (!sticks && friction(f).components == 1 && direction * was.direction < 0.0) {
            changes.push_back({f, "slip", "comes to rest and slides back"});
        }
        was = {true, sticks, direction};
    }
    return changes;
}

Result<void> FrictionWatch::note_progress(double t, int f) {
    piled_ = t - last_ > kNoProgress * (1.0 + std::abs(t)) ? 0 : piled_ + 1;
    last_ = t;
    if (piled_ < kMostPiled) {
        return {};
    }
    return Error{ErrorCode::kNotUnique,
                 fmt::format("at t = {}: friction on {} sticks and slips back and forth without "
                             "getting on",
                             to_short_text(t, 9), friction(f).name)};
}

Result<std::vector<FrictionChange>> FrictionWatch::settle(double t, const double* q,
                                                          const double* v) {
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
    for (int f = 0; f < count(); ++f) {
        const CompiledFriction& one = friction(f);
        const double size = slip_size(f);
        candidate_[at(f)] = one.dry && size <= kNoSlip * std::max(1.0, rest(v));
        if (candidate_[at(f)] != 0) {
            evaluator_->set_stick(f);
            continue;
        }
        std::array<double, 2> direction{0.0, 0.0};
        for (int k = 0; k < one.components && size > 0.0; ++k) {
            direction[at(k)] = values_[at(one.first_value + k)] / size;
        }
        evaluator_->set_slip(f, direction);
    }
    std::fill(released_.begin(), released_.end(), 0);
    const Result<void> resolved = resolve(t, q, v);
    if (!resolved) {
        return resolved.error();
    }
    return changes();
}

void FrictionWatch::release() {
    const std::array<double, 2> none{0.0, 0.0};
    for (int f = 0; f < count(); ++f) {
        evaluator_->set_slip(
            f, std::span(none).first(static_cast<std::size_t>(friction(f).components)));
    }
}

Result<std::vector<FrictionChange>> FrictionWatch::change(const FrictionEvent& event,
                                                          const double* q, const double* v) {
    const Result<void> progress = note_progress(event.t, event.which);
    if (!progress) {
        return progress.error();
    }
    std::fill(released_.begin(), released_.end(), 0);
    for (int f = 0; f < count(); ++f) {
        candidate_[at(f)] = evaluator_->sticks(f) || f == event.which;
    }
    const std::span<const double> values = evaluator_->friction_values(event.t, q, v);
    values_.assign(values.begin(), values.end());
    const CompiledFriction& one = friction(event.which);
    const double size = slip_size(event.which);
    if (one.components > 1 && !event.breaks && size > kNoPlanarSlip * std::max(1.0, rest(v))) {
        // It has only turned.
        const std::array<double, 2> direction{values_[at(one.first_value)] / size,
                                              values_[at(one.first_value + 1)] / size};
        evaluator_->set_slip(event.which, direction);
        return std::vector<FrictionChange>{};
    }
    if (!event.breaks) {
        evaluator_->set_stick(event.which);
    } else {
        const solve::SolveStatus status = dynamics_->accelerate(event.t, q, v);
        if (status != solve::SolveStatus::kOk) {
            return dynamics_->explain(event.t, q, v);
        }
        let_go(event.which);
    }
    const Result<void> resolved = resolve(event.t, q, v);
    if (!resolved) {
        return resolved.error();
    }
    return changes();
}

/// Slip begins against the friction that held it.
void FrictionWatch::let_go(int f) {
    const CompiledFriction& one = friction(f);
    std::array<double, 2> direction{0.0, 0.0};
    double size = 0.0;
    for (int k = 0; k < one.components; ++k) {
        direction[at(k)] = -dynamics_->lambda()[one.first_row + k];
        size = std::hypot(size, direction[at(k)]);
    }
    for (double& part : direction) {
        part /= size;
    }
    evaluator_->set_slip(f, direction);
    released_[at(f)] = 1;
}

/// The friction that holds and exceeds its limit by the largest part.
std::optional<int> FrictionWatch::worst_overloaded() const {
    std::optional<int> worst;
    double largest = 0.0;
    for (int f = 0; f < count(); ++f) {
        if (!evaluator_->sticks(f)) {
            continue;
        }
        const CompiledFriction& one = friction(f);
        const double limit = values_[at(one.first_value + 2 * one.components + 1)];
        const double excess = -margin(f);
        const double part = excess / (limit + excess);
        if (excess > kLimitRounding * (limit + excess) && part > largest) {
            largest = part;
            worst = f;
        }
    }
    return worst;
}

/// d slip/dt = (d slip/dv) a - b
std::array<double, 2> FrictionWatch::slip_acceleration(int f) const {
    const CompiledFriction& one = friction(f);
    std::array<double, 2> result{0.0, 0.0};
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row - evaluator_->model().constraint_rows + k;
        const std::span<const double> entries = evaluator_->slip_row(row);
        double sum = -evaluator_->slip_b(row);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            sum += entries[i] * dynamics_->a()[static_cast<Eigen::Index>(i)];
        }
        result[at(k)] = sum;
    }
    return result;
}

/// One let go that would move against the direction it was let go in. Its acceleration is measured
/// by the one it would have without friction, of which it may be the rounding.
std::optional<int> FrictionWatch::wrongly_released(double t, const double* q, const double* v) {
    for (int f = 0; f < count(); ++f) {
        if (released_[at(f)] == 0 || evaluator_->sticks(f)) {
            continue;
        }
        const std::array<double, 2> with = slip_acceleration(f);
        const std::span<const double> now = evaluator_->direction(f);
        std::array<double, 2> direction{0.0, 0.0};
        std::copy(now.begin(), now.end(), direction.begin());
        const std::array<double, 2> none{0.0, 0.0};
        evaluator_->set_slip(f, std::span(none).first(now.size()));
        const bool solved = dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk;
        const std::array<double, 2> without = slip_acceleration(f);
        evaluator_->set_slip(f, std::span(direction).first(now.size()));
        const double along = direction[0] * with[0] + direction[1] * with[1];
        if (solved && along < -kNoAcceleration * std::hypot(without[0], without[1])) {
            return f;
        }
    }
    return std::nullopt;
}

/// Tries combinations, one change at a time, until all that stick can and all let go move.
Result<void> FrictionWatch::resolve(double t, const double* q, const double* v) {
    const int most_trials = 10 + 10 * count();
    for (int trial = 0; trial < most_trials; ++trial) {
        const solve::SolveStatus status = dynamics_->accelerate(t, q, v);
        if (status != solve::SolveStatus::kOk) {
            Error why = dynamics_->explain(t, q, v);
            return Error{why.code, fmt::format("at t = {}: {}", to_short_text(t, 9), why.message)};
        }
        evaluator_->set_multipliers(dynamics_->lambda().data());
        const std::span<const double> values = evaluator_->friction_values(t, q, v);
        values_.assign(values.begin(), values.end());
        if (const std::optional<int> f = worst_overloaded()) {
            let_go(*f);
        } else if (const std::optional<int> wrong = wrongly_released(t, q, v)) {
            evaluator_->set_stick(*wrong);
            released_[at(*wrong)] = 0;
        } else {
            return {};
        }
    }
    std::vector<std::string> names;
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] != 0) {
            names.push_back(friction(f).name);
        }
    }
    return Error{ErrorCode::kNotUnique,
                 fmt::format("at t = {}: no combination of sticking and slipping fits the friction "
                             "on {}",
                             to_short_text(t, 9), join_names(names))};
}

}  // namespace ananke::sim

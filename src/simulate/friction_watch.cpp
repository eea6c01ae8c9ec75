#include "simulate/friction_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ode/root.h"
#include "compile/load_owners.h"

namespace ananke::simulate {
namespace {

/// Slip of the wrong sign up to this part of its size is rounding.
constexpr double kSlipRounding = 1e-14;
/// The same where a slip of two components ends, whose direction is lost before.
constexpr double kNoPlanarSlip = 1e-10;
/// A planar slip below this part of its size has no direction of its own: what is left of it after
/// a rest is rounding, and what begins after it still turns to where its friction pushes it.
constexpr double kNoDirection = 1e-8;
/// Looks into a step: force of a friction that sticks, slip of one that slips.
constexpr int kLooks = 8;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<SharedLoad> shared_loads(const compile::CompiledModel& model, const solve::Analysis& analysis) {
    const std::vector<bool> gives_way = compile::rows_that_give_way(model);
    std::vector<SharedLoad> shared;
    for (std::size_t f = 0; f < model.frictions.size(); ++f) {
        const std::vector<int>& own = model.frictions[f].load_rows;
        std::vector<std::string> others;
        bool is_choice = false;
        for (const std::vector<int>& set : analysis.dependent_sets) {
            const bool touches = std::any_of(own.begin(), own.end(), [&](int row) {
                return std::find(set.begin(), set.end(), row) != set.end();
            });
            const bool open =
                std::any_of(set.begin(), set.end(), [&](int row) { return !gives_way[at(row)]; });
            for (std::size_t i = 0; i < set.size() && touches && open; ++i) {
                is_choice = true;
                if (std::find(own.begin(), own.end(), set[i]) == own.end()) {
                    others.push_back(model.rows[at(set[i])].name);
                }
            }
        }
        if (is_choice) {
            shared.push_back(
                {static_cast<int>(f),
                 fmt::format(
                     "friction on {} depends on how dependent constraints share a force{}: "
                     "it is statically indeterminate, so the share is a choice, and so is the "
                     "friction; `compliance on` makes it physical",
                     model.frictions[f].name,
                     others.empty() ? "" : ", with " + join_names(others))});
        }
    }
    return shared;
}

FrictionWatch::FrictionWatch(dynamics::Evaluator& evaluator, const dynamics::DynamicsOptions& options, double tolerance,
                             dynamics::StateEquation* equation)
    : evaluator_(&evaluator),
      tolerance_(tolerance),
      equation_(equation),
      signals_(evaluator.model().frictions.size()),
      earlier_(evaluator.model().frictions.size()),
      noise_(evaluator.model().frictions.size()),
      speeds_(evaluator.model().frictions.size()),
      pulls_(evaluator.model().frictions.size()),
      measured_limits_(evaluator.model().frictions.size()),
      released_(evaluator.model().frictions.size()),
      candidate_(evaluator.model().frictions.size()),
      idle_(evaluator.model().frictions.size()),
      begin_sizes_(evaluator.model().frictions.size()),
      with_(evaluator.model().frictions.size()),
      modes_(evaluator.model().frictions.size()) {
    if (!evaluator.model().frictions.empty() || !evaluator.model().feedback.empty()) {
        dynamics_.emplace(evaluator, options);
    }
}

std::size_t FrictionWatch::rows() const {
    return static_cast<std::size_t>(evaluator_->model().m() - evaluator_->model().constraint_rows);
}

double FrictionWatch::slip_size(int f) const {
    const compile::CompiledFriction& one = friction(f);
    double size = 0.0;
    for (int k = 0; k < one.components; ++k) {
        size = std::hypot(size, values_[at(one.first_value + k)]);
    }
    return size;
}

/// Static limit less the friction force that sticking takes.
double FrictionWatch::margin(int f) const {
    const compile::CompiledFriction& one = friction(f);
    double force = 0.0;
    for (int k = 0; k < one.components; ++k) {
        force = std::hypot(force, dynamics_->lambda()[one.first_row + k]);
    }
    return limit(f) - force;
}

double FrictionWatch::limit(int f) const {
    const compile::CompiledFriction& one = friction(f);
    return values_[at(one.first_value + 2 * one.components + 1)];
}

double FrictionWatch::largest_limit() const {
    double largest = 0.0;
    for (int f = 0; f < count(); ++f) {
        largest = std::max(largest, std::abs(limit(f)));
    }
    return largest;
}

/// Slip up to this is none, at a state inside a step.
double FrictionWatch::no_slip(int f) const {
    return std::max(kNoPlanarSlip, tolerance_) * speeds_[at(f)];
}

/// Slip of the wrong sign that is none. The direction of a slip in a plane is as uncertain as
/// states inside a step are.
double FrictionWatch::slip_noise(int f) const {
    return friction(f).components > 1 ? no_slip(f) : kSlipRounding * speeds_[at(f)];
}

/// What the slips are measured against from now on: the sizes of the velocities, and what friction
/// takes away in a step. A body that friction holds has velocities of rounding alone, of forces
/// that cancel: h (a - a) is as large as rounding of h a.
void FrictionWatch::measure(double t, const double* q, const double* v) {
    const std::span<const double> sizes = evaluator_->slip_sizes(t, q, v);
    for (int f = 0; f < count(); ++f) {
        const compile::CompiledFriction& one = friction(f);
        const auto first = sizes.begin() + (one.first_row - evaluator_->model().constraint_rows);
        speeds_[at(f)] =
            *std::max_element(first, first + one.components) + longest_step_ * pulls_[at(f)];
        evaluator_->set_still(f, kNoDirection * speeds_[at(f)]);
    }
}

// Positive as long as a friction goes on as it does.
double FrictionWatch::signal(int f) const {
    const compile::CompiledFriction& one = friction(f);
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

/// Motion and forces at a state of the step, by the program where it serves. The solver chooses its
/// rows where the step begins, when it is first needed.
solve::SolveStatus FrictionWatch::find_forces(ode::Stepper& stepper, double t, const double* q,
                                              const double* v) {
    if (equation_ != nullptr && equation_->give_forces(t, q, v, *dynamics_)) {
        return solve::SolveStatus::kOk;
    }
    if (!by_own_rows_) {
        by_own_rows_ = true;
        const double* begin = stepper.y_previous().data();
        const solve::SolveStatus status =
            dynamics_->accelerate(stepper.t_previous(), begin, begin + evaluator_->model().n());
        if (t == stepper.t_previous() || status != solve::SolveStatus::kOk) {
            return status;
        }
    }
    return dynamics_->accelerate_in_step(t, q, v);
}

/// Signals at a state of the step. Multipliers are needed only where a friction sticks.
void FrictionWatch::find_signals(ode::Stepper& stepper, double t, std::span<const double> y) {
    const auto n = static_cast<std::size_t>(evaluator_->model().n());
    const double* q = y.data();
    const double* v = y.data() + n;
    bool solved = true;
    shares_ = false;
    if (evaluator_->any_sticks()) {
        solved = find_forces(stepper, t, q, v) == solve::SolveStatus::kOk;
        shares_ = solved && dynamics_->share_sticking(t, q, v);
        evaluator_->set_multipliers(dynamics_->lambda().data());
    }
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
    for (int f = 0; f < count(); ++f) {
        const bool known = solved || !evaluator_->sticks(f);
        signals_[at(f)] = !known              ? std::nan("")
                          : idle_[at(f)] != 0 ? no_slip(f) - slip_size(f)
                                              : signal(f);
        noise_[at(f)] = evaluator_->sticks(f) ? limit_rounding() * limit(f) : slip_noise(f);
    }
}

std::optional<FrictionEvent> FrictionWatch::after_step(ode::Stepper& stepper) {
    if (empty()) {
        return std::nullopt;
    }
    const double begin = stepper.t_previous();
    const double end = stepper.t();
    by_own_rows_ = false;
    const double* const state = stepper.y().data();
    longest_step_ = std::max(longest_step_, std::abs(end - begin));
    measure(end, state, state + evaluator_->model().n());
    find_signals(stepper, begin, stepper.y_previous());
    for (int f = 0; f < count(); ++f) {
        begin_sizes_[at(f)] = slip_size(f);
    }
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
    // A planar slip that has a direction keeps it as the one it is measured against.
    for (int f = 0; f < count(); ++f) {
        const compile::CompiledFriction& one = friction(f);
        const double size = slip_size(f);
        if (one.components < 2 || evaluator_->sticks(f) || idle_[at(f)] != 0 || size == 0.0) {
            continue;
        }
        if (one.dry && size < begin_sizes_[at(f)] && size < kNoPlanarSlip * speeds_[at(f)]) {
            return FrictionEvent{end, f, false};
        }
        if (size <= kNoDirection * speeds_[at(f)]) {
            continue;
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

}  // namespace ananke::simulate

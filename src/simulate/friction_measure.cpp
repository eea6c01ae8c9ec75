// What frictions are measured by: slips, limits and forces at a state, and the sizes of their
// rounding.
#include <algorithm>
#include <cmath>

#include "simulate/friction_decision.h"

namespace ananke::simulate {
namespace {

/// Slip of the wrong sign up to this part of its size is rounding.
constexpr double kSlipRounding = 1e-14;
/// The same where a slip of two components ends, whose direction is lost before.
constexpr double kNoPlanarSlip = 1e-10;
/// A planar slip below this part of its size has no direction of its own: what is left of it after
/// a rest is rounding, and what begins after it still turns to where its friction pushes it.
constexpr double kNoDirection = 1e-8;
/// Multipliers exceed a limit by this part of it through rounding alone.
constexpr double kLimitRounding = 1e-12;
/// Limits grown by this factor pull much more than before.
constexpr double kMuchMore = 2.0;
/// Pulls are a size to compare slips with: beyond so many frictions several are measured together.
constexpr int kMostPulls = 64;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

FrictionDecision::FrictionDecision(dynamics::Evaluator& evaluator,
                                   const dynamics::MethodOptions& options, double tolerance)
    : evaluator_(&evaluator), tolerance_(tolerance) {
    const std::size_t count = evaluator.model().frictions.size();
    if (count > 0 || !evaluator.model().feedback.empty()) {
        dynamics_.emplace(evaluator, options);
    }
    for (std::vector<double>* each : {&speeds_, &pulls_, &measured_limits_}) {
        each->assign(count, 0.0);
    }
    for (std::vector<char>* each : {&released_, &candidate_, &idle_}) {
        each->assign(count, 0);
    }
    accelerations_.resize(count);
    modes_.resize(count);
}

void FrictionDecision::read(double t, const double* q, const double* v) {
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
}

void FrictionDecision::read_forces(double t, const double* q, const double* v,
                                   solve::SolveStatus status) {
    shares_ = status == solve::SolveStatus::kOk && dynamics_->share_sticking(t, q, v);
    evaluator_->set_multipliers(dynamics_->lambda().data());
}

/// What a friction may need above its limit, as a part of it: the rounding of the multipliers, or
/// of the share.
double FrictionDecision::limit_rounding() const {
    return shares_ ? 10.0 * dynamics::kRatioAccuracy : kLimitRounding;
}

FrictionDecision::Direction FrictionDecision::direction(int f) const {
    const std::span<const double> parts = evaluator_->direction(f);
    Direction direction{0.0, 0.0};
    std::copy(parts.begin(), parts.end(), direction.begin());
    return direction;
}

void FrictionDecision::set_slip(int f, const Direction& direction) {
    evaluator_->set_slip(f, std::span(direction).first(at(friction(f).components)));
}

double FrictionDecision::slip_size(int f) const {
    const compile::CompiledFriction& one = friction(f);
    double size = 0.0;
    for (int k = 0; k < one.components; ++k) {
        size = std::hypot(size, values_[at(one.first_value + k)]);
    }
    return size;
}

/// Static limit less the friction force that rest needs.
double FrictionDecision::margin(int f) const {
    const compile::CompiledFriction& one = friction(f);
    double force = 0.0;
    for (int k = 0; k < one.components; ++k) {
        force = std::hypot(force, dynamics_->lambda()[one.first_row + k]);
    }
    return limit(f) - force;
}

double FrictionDecision::limit(int f) const {
    const compile::CompiledFriction& one = friction(f);
    return values_[at(one.first_value + 2 * one.components + 1)];
}

double FrictionDecision::largest_limit() const {
    double largest = 0.0;
    for (int f = 0; f < count(); ++f) {
        largest = std::max(largest, std::abs(limit(f)));
    }
    return largest;
}

/// Slip up to this counts as none at a state inside a step.
double FrictionDecision::no_slip(int f) const {
    return std::max(kNoPlanarSlip, tolerance_) * speeds_[at(f)];
}

/// Slip of the wrong sign up to this is rounding. The direction of a slip in a plane is as
/// uncertain as states inside a step are.
double FrictionDecision::slip_rounding(int f) const {
    return friction(f).components > 1 ? no_slip(f) : kSlipRounding * speeds_[at(f)];
}

/// A body that friction holds has velocities of rounding alone, of forces that cancel: h (a - a) is
/// as large as the rounding of h a.
void FrictionDecision::measure(double t, const double* q, const double* v, double step) {
    longest_step_ = std::max(longest_step_, step);
    const std::span<const double> sizes = evaluator_->slip_sizes(t, q, v);
    for (int f = 0; f < count(); ++f) {
        const compile::CompiledFriction& one = friction(f);
        const auto first = sizes.begin() + (one.first_row - evaluator_->model().constraint_rows);
        speeds_[at(f)] =
            *std::max_element(first, first + one.components) + longest_step_ * pulls_[at(f)];
        evaluator_->set_still(f, kNoDirection * speeds_[at(f)]);
    }
}

double FrictionDecision::signal(int f) const {
    if (idle_[at(f)] != 0) {
        return no_slip(f) - slip_size(f);
    }
    if (evaluator_->sticks(f)) {
        return margin(f);
    }
    const std::span<const double> direction = evaluator_->direction(f);
    double along = 0.0;
    for (std::size_t k = 0; k < direction.size(); ++k) {
        along += direction[k] * values_[at(friction(f).first_value) + k];
    }
    return along;
}

double FrictionDecision::signal_rounding(int f) const {
    return evaluator_->sticks(f) ? limit_rounding() * limit(f) : slip_rounding(f);
}

FrictionDecision::Direction FrictionDecision::slip_direction(int f) const {
    const double size = slip_size(f);
    Direction direction{0.0, 0.0};
    for (int k = 0; k < friction(f).components && size > 0.0; ++k) {
        direction[at(k)] = values_[at(friction(f).first_value + k)] / size;
    }
    return direction;
}

bool FrictionDecision::has_lost_direction(int f) const {
    return friction(f).components > 1 && friction(f).dry && !evaluator_->sticks(f) &&
           idle_[at(f)] == 0 && slip_size(f) > 0.0 && slip_size(f) < kNoPlanarSlip * speeds_[at(f)];
}

void FrictionDecision::turn_with_slip(int f) {
    if (friction(f).components > 1 && !evaluator_->sticks(f) && idle_[at(f)] == 0 &&
        slip_size(f) > kNoDirection * speeds_[at(f)]) {
        set_slip(f, slip_direction(f));
    }
}

/// Whether a friction may hold much more than where its pull was measured.
bool FrictionDecision::pulls_have_grown() const {
    for (int f = 0; f < count(); ++f) {
        if (friction(f).dry && limit(f) > kMuchMore * measured_limits_[at(f)]) {
            return true;
        }
    }
    return false;
}

/// Accelerations by each friction alone, of the coordinates and of all slips: with it less without.
/// Sums of magnitudes, as forces of several frictions may cancel.
void FrictionDecision::measure_pulls(double t, const double* q, const double* v) {
    if (!pulls_have_grown()) {
        return;
    }
    std::vector<Direction> directions;
    std::vector<bool> sticks;
    for (int f = 0; f < count(); ++f) {
        directions.push_back(direction(f));
        sticks.push_back(evaluator_->sticks(f));
        measured_limits_[at(f)] = std::max(measured_limits_[at(f)], limit(f));
    }
    for (int f = 0; f < count(); ++f) {
        set_slip(f, {0.0, 0.0});
    }
    if (dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk) {
        const Eigen::VectorXd free = dynamics_->a();
        for (int f = 0; f < count(); ++f) {
            accelerations_[at(f)] = slip_acceleration(f);
        }
        std::vector<double> slips(pulls_.size());
        std::vector<double> accelerations(at(evaluator_->model().n()));
        const int groups = std::min(count(), kMostPulls);
        for (int group = 0; group < groups; ++group) {
            for (int k = 0; k < 2; ++k) {
                add_pull(group, groups, k, t, q, v, free, slips, accelerations);
            }
        }
        for (int f = 0; f < count(); ++f) {
            pulls_[at(f)] = std::max(pulls_[at(f)], slips[at(f)]);
        }
        evaluator_->scales().pull(accelerations);
    }
    for (int f = 0; f < count(); ++f) {
        if (sticks[at(f)]) {
            evaluator_->set_stick(f);
        } else {
            set_slip(f, directions[at(f)]);
        }
    }
    accelerate(t, q, v);
}

/// Adds what the frictions of a group change along their k-th direction. accelerations_: of the
/// slips without any friction.
void FrictionDecision::add_pull(int group, int groups, int k, double t, const double* q,
                                const double* v, const Eigen::VectorXd& free,
                                std::span<double> slips, std::span<double> accelerations) {
    const auto each = [&](double along_k) {
        bool any = false;
        for (int f = group; f < count(); f += groups) {
            const compile::CompiledFriction& one = friction(f);
            if (one.dry && k < one.components) {
                Direction along{0.0, 0.0};
                along[at(k)] = along_k;
                set_slip(f, along);
                any = true;
            }
        }
        return any;
    };
    if (!each(1.0)) {
        return;
    }
    if (dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk) {
        for (int g = 0; g < count(); ++g) {
            const Direction with = slip_acceleration(g);
            const Direction without = accelerations_[at(g)];
            slips[at(g)] += std::hypot(with[0] - without[0], with[1] - without[1]);
        }
        for (std::size_t i = 0; i < accelerations.size(); ++i) {
            const auto j = static_cast<Eigen::Index>(i);
            accelerations[i] += std::abs(dynamics_->a()[j] - free[j]);
        }
    }
    each(0.0);
}

/// d slip/dt = (d slip/dv) a - b
FrictionDecision::Direction FrictionDecision::slip_acceleration(int f) const {
    const compile::CompiledFriction& one = friction(f);
    Direction result{0.0, 0.0};
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row + k;
        const std::span<const double> entries = evaluator_->row(row);
        double sum = -evaluator_->b(row);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            sum += entries[i] * dynamics_->a()[static_cast<Eigen::Index>(i)];
        }
        result[at(k)] = sum;
    }
    return result;
}

}  // namespace ananke::simulate

// What the frictions do from a state on: which stick, which slip and where to.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "simulate/friction_watch.h"
#include "dynamics/stick_share.h"

namespace ananke::simulate {
namespace {

/// Slip below this part of its size is none.
constexpr double kNoSlip = 1e-12;
/// Slip accelerations below this part of those without friction have no sign.
constexpr double kNoAcceleration = 1e-9;
/// Slip accelerations that the rows in force prescribe have no sign below this part of their terms.
constexpr double kNoForcedSlip = 1e-8;
/// Coefficients below this are rounding.
constexpr double kNoPart = 1e-9;
/// Ratios of force to limit that differ by no more than this are equal.
constexpr double kSameRatio = 1e-6;
/// Changes nearer to each other than this (relative to 1 + |t|) make no progress.
constexpr double kNoProgress = 1e-12;
/// Limits grown by this factor pull much more than before.
constexpr double kMuchMore = 2.0;
constexpr int kMostPiled = 40;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// What a friction does while it is switched off.
struct Held {
    bool sticks = false;
    std::array<double, 2> direction{0.0, 0.0};
};

}  // namespace

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
    measure(t, q, v);
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
    std::fill(released_.begin(), released_.end(), 0);
    for (int f = 0; f < count(); ++f) {
        const compile::CompiledFriction& one = friction(f);
        const double size = slip_size(f);
        const bool stops = one.dry && size <= kNoSlip * speeds_[at(f)];
        candidate_[at(f)] = stops ? 1 : 0;
        std::array<double, 2> direction{0.0, 0.0};
        for (int k = 0; k < one.components && size > 0.0 && candidate_[at(f)] == 0; ++k) {
            direction[at(k)] = values_[at(one.first_value + k)] / size;
        }
        slip_along(f, direction);
    }
    const Result<void> resolved = resolve(t, q, v);
    if (!resolved) {
        return resolved.error();
    }
    measure_pulls(t, q, v);
    return changes();
}

void FrictionWatch::release() {
    for (int f = 0; f < count(); ++f) {
        slip_along(f, {0.0, 0.0});
    }
}

Result<std::vector<FrictionChange>> FrictionWatch::change(const FrictionEvent& event,
                                                          const double* q, const double* v) {
    const Result<void> progress = note_progress(event.t, event.which);
    if (!progress) {
        return progress.error();
    }
    measure(event.t, q, v);
    const std::span<const double> values = evaluator_->friction_values(event.t, q, v);
    values_.assign(values.begin(), values.end());
    const compile::CompiledFriction& one = friction(event.which);
    const double size = slip_size(event.which);
    const bool idles = idle_[at(event.which)] != 0;
    if (!event.breaks && (idles || (one.components > 1 && size > no_slip(event.which)))) {
        slide_on(event.which);  // it has only turned, or begun to slide
        return changes();
    }
    // Slips that end together are decided together.
    std::fill(released_.begin(), released_.end(), 0);
    for (int f = 0; f < count(); ++f) {
        const bool stops = f == event.which || evaluator_->sticks(f) || idle_[at(f)] != 0 ||
                           (friction(f).dry && slip_size(f) <= no_slip(f));
        candidate_[at(f)] = stops ? 1 : 0;
        if (candidate_[at(f)] != 0 && !evaluator_->sticks(f)) {
            slip_along(f, {0.0, 0.0});
        }
    }
    if (event.breaks) {
        const solve::SolveStatus status = accelerate(event.t, q, v);
        if (status != solve::SolveStatus::kOk) {
            return dynamics_->explain(event.t, q, v);
        }
        let_go_with_sharers(event.which);
    }
    Result<void> resolved = resolve(event.t, q, v);
    for (int k = 0; k < count() && resolved; ++k) {
        const std::optional<int> f = still_slides(event.which);
        if (!f) {
            break;
        }
        slide_on(*f);
        resolved = resolve(event.t, q, v);
    }
    if (!resolved) {
        return resolved.error();
    }
    measure_pulls(event.t, q, v);
    return changes();
}

/// One decided together with another that would begin to slide against the slip it still has: it
/// has not come to rest yet, and will a little later.
std::optional<int> FrictionWatch::still_slides(int but_for) const {
    for (int f = 0; f < count(); ++f) {
        if (f != but_for && candidate_[at(f)] != 0 && !evaluator_->sticks(f) && idle_[at(f)] == 0 &&
            signal(f) < -slip_noise(f)) {
            return f;
        }
    }
    return std::nullopt;
}

void FrictionWatch::slide_on(int f) {
    const compile::CompiledFriction& one = friction(f);
    const double size = slip_size(f);
    std::array<double, 2> direction{0.0, 0.0};
    for (int k = 0; k < one.components; ++k) {
        direction[at(k)] = values_[at(one.first_value + k)] / size;
    }
    slip_along(f, direction);
    candidate_[at(f)] = released_[at(f)] = 0;
}

/// All zero: without friction.
void FrictionWatch::slip_along(int f, const std::array<double, 2>& direction) {
    idle_[at(f)] = 0;
    evaluator_->set_slip(f, std::span(direction).first(at(friction(f).components)));
}

/// Motion and forces at a state, with the loads and limits that belong to them.
solve::SolveStatus FrictionWatch::accelerate(double t, const double* q, const double* v) {
    const solve::SolveStatus status = dynamics_->accelerate(t, q, v);
    shares_ = status == solve::SolveStatus::kOk && dynamics_->share_sticking(t, q, v);
    evaluator_->set_multipliers(dynamics_->lambda().data());
    const std::span<const double> values = evaluator_->friction_values(t, q, v);
    values_.assign(values.begin(), values.end());
    return status;
}

/// The constraints and the stick rows in force.
void FrictionWatch::span_in_force(const solve::System& at_state) {
    const compile::CompiledModel& model = evaluator_->model();
    dynamics::coordinate_units(at_state, unit_);
    span_.clear(unit_);
    for (int row = 0; row < model.m(); ++row) {
        if (row < model.constraint_rows || evaluator_->row_sticks(row)) {
            span_.add({at_state.A.data() + row * at_state.A.outerStride(), unit_.size()},
                      at_state.b[row], row);
        }
    }
}

/// Holds a friction without slip, if it can be held. Directions e in which its rows depend on rows
/// in force, e . slip row = sum of c_k row_k, have the slip acceleration sum of c_k b_k - e . b,
/// whatever the forces.
void FrictionWatch::hold(int f, double t, const double* q, const double* v) {
    const compile::CompiledFriction& one = friction(f);
    slip_along(f, {0.0, 0.0});
    released_[at(f)] = 0;
    const solve::System at_state = evaluator_->system(t, q, v);
    span_in_force(at_state);
    Eigen::MatrixXd remainders(static_cast<Eigen::Index>(unit_.size()), one.components);
    Eigen::VectorXd prescribed(one.components);
    double size = 0.0;
    double given = 0.0;  // slip acceleration by the forces alone, sum of magnitudes
    bool by_constraints_alone = true;
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row + k;
        const std::span<const double> slip_row = evaluator_->slip_row(row);
        const dynamics::RowSpan::Expression by_others = span_.express(slip_row);
        remainders.col(k) = span_.remainder();
        prescribed[k] = by_others.b - evaluator_->slip_b(row);
        size += by_others.magnitude + std::abs(evaluator_->slip_b(row));
        for (std::size_t i = 0; i < unit_.size(); ++i) {
            const auto j = static_cast<Eigen::Index>(i);
            const double mass = at_state.M(j, j);
            given +=
                mass > 0.0 ? std::abs(slip_row[i] * at_state.Q[j]) / mass : 0.0;
        }
        for (int i = 0; i < span_.kept(); ++i) {
            by_constraints_alone =
                by_constraints_alone && (span_.id(i) < evaluator_->model().constraint_rows ||
                                         std::abs(span_.coefficient(i)) < kNoPart);
        }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(remainders.transpose() * remainders);
    Eigen::VectorXd forced = Eigen::VectorXd::Zero(one.components);
    int dependent = 0;
    for (int k = 0; k < one.components; ++k) {
        if (axes.eigenvalues()[k] <= dynamics::kDependentRow * dynamics::kDependentRow) {
            const Eigen::VectorXd e = axes.eigenvectors().col(k);
            forced += e.dot(prescribed) * e;
            ++dependent;
        }
    }
    const double acceleration = forced.norm();
    if (acceleration > kNoForcedSlip * size + kNoSlip * (given + pulls_[at(f)])) {
        std::array<double, 2> direction{0.0, 0.0};
        for (int k = 0; k < one.components; ++k) {
            direction[at(k)] = forced[k] / acceleration;
        }
        slip_along(f, direction);
        released_[at(f)] = 1;
    } else if (dependent == one.components && by_constraints_alone) {
        idle_[at(f)] = 1;
    } else {
        evaluator_->set_stick(f);
    }
}

/// The slip of a stick row at the state looked at, 0 for a constraint.
double FrictionWatch::slip_of_row(int row) const {
    for (int f = 0; f < count(); ++f) {
        const int k = row - friction(f).first_row;
        if (k >= 0 && k < friction(f).components) {
            return values_[at(friction(f).first_value + k)];
        }
    }
    return 0.0;
}

/// Whether those that are held leave a friction no slip, once their own slip is gone:
/// slip - sum of c_k slip_k = 0.
bool FrictionWatch::stops_with_others(int f, double t, const double* q, const double* v) {
    const compile::CompiledFriction& one = friction(f);
    span_in_force(evaluator_->system(t, q, v));
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row + k;
        double left = values_[at(one.first_value + k)];
        if (span_.express(evaluator_->slip_row(row)).remainder > dynamics::kDependentRow) {
            return false;
        }
        for (int i = 0; i < span_.kept(); ++i) {
            left -= span_.coefficient(i) * slip_of_row(span_.id(i));
        }
        if (std::abs(left) > no_slip(f)) {
            return false;
        }
    }
    return true;
}

/// Slip begins against the friction that held it.
void FrictionWatch::let_go(int f) {
    const compile::CompiledFriction& one = friction(f);
    std::array<double, 2> direction{0.0, 0.0};
    double size = 0.0;
    for (int k = 0; k < one.components; ++k) {
        direction[at(k)] = -dynamics_->lambda()[one.first_row + k];
        size = std::hypot(size, direction[at(k)]);
    }
    for (double& part : direction) {
        part /= size;
    }
    slip_along(f, direction);
    released_[at(f)] = 1;
}

/// Frictions that share a force give way together: all that are loaded as much as the worst one.
void FrictionWatch::let_go_with_sharers(int worst) {
    const double ratio = 1.0 - margin(worst) / limit(worst);
    for (int f = 0; f < count() && shares_; ++f) {
        const bool as_much = margin(f) <= limit(f) * (1.0 - (1.0 - kSameRatio) * ratio);
        if (f != worst && evaluator_->sticks(f) && as_much) {
            let_go(f);
        }
    }
    let_go(worst);
}

/// The friction that holds and exceeds its limit by the largest part.
std::optional<int> FrictionWatch::worst_overloaded() const {
    std::optional<int> worst;
    double largest = 0.0;
    for (int f = 0; f < count(); ++f) {
        if (!evaluator_->sticks(f)) {
            continue;
        }
        const double excess = -margin(f);
        const double part = excess / (limit(f) + excess);
        if (excess > limit_rounding() * (limit(f) + excess) && part > largest) {
            largest = part;
            worst = f;
        }
    }
    return worst;
}

/// d slip/dt = (d slip/dv) a - b
std::array<double, 2> FrictionWatch::slip_acceleration(int f) const {
    const compile::CompiledFriction& one = friction(f);
    std::array<double, 2> result{0.0, 0.0};
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row + k;
        const std::span<const double> entries = evaluator_->slip_row(row);
        double sum = -evaluator_->slip_b(row);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            sum += entries[i] * dynamics_->a()[static_cast<Eigen::Index>(i)];
        }
        result[at(k)] = sum;
    }
    return result;
}

/// Whether a friction may hold much more than where its pull was measured.
bool FrictionWatch::pulls_have_grown() const {
    for (int f = 0; f < count(); ++f) {
        if (friction(f).dry && limit(f) > kMuchMore * measured_limits_[at(f)]) {
            return true;
        }
    }
    return false;
}

/// Accelerations by each friction alone, of the coordinates and of all slips: with it less without.
/// Sums of magnitudes, as forces of several frictions may cancel.
void FrictionWatch::measure_pulls(double t, const double* q, const double* v) {
    if (!pulls_have_grown()) {
        return;
    }
    std::vector<Held> held(modes_.size());
    const std::array<double, 2> none{0.0, 0.0};
    for (int f = 0; f < count(); ++f) {
        const std::span<const double> direction = evaluator_->direction(f);
        held[at(f)].sticks = evaluator_->sticks(f);
        std::copy(direction.begin(), direction.end(), held[at(f)].direction.begin());
        measured_limits_[at(f)] = std::max(measured_limits_[at(f)], limit(f));
    }
    for (int f = 0; f < count(); ++f) {
        evaluator_->set_slip(f, std::span(none).first(at(friction(f).components)));
    }
    if (dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk) {
        const Eigen::VectorXd free = dynamics_->a();
        for (int f = 0; f < count(); ++f) {
            with_[at(f)] = slip_acceleration(f);
        }
        std::vector<double> slips(pulls_.size());
        std::vector<double> accelerations(unit_.size());
        for (int f = 0; f < count(); ++f) {
            add_pull(f, t, q, v, free, slips, accelerations);
        }
        for (int f = 0; f < count(); ++f) {
            pulls_[at(f)] = std::max(pulls_[at(f)], slips[at(f)]);
        }
        evaluator_->scales().pull(accelerations);
    }
    for (int f = 0; f < count(); ++f) {
        const Held& was = held[at(f)];
        if (was.sticks) {
            evaluator_->set_stick(f);
        } else {
            evaluator_->set_slip(f, std::span(was.direction).first(at(friction(f).components)));
        }
    }
    accelerate(t, q, v);
}

/// Adds what one friction alone changes, in each of its directions. with_: slip accelerations
/// without any friction.
void FrictionWatch::add_pull(int f, double t, const double* q, const double* v,
                             const Eigen::VectorXd& free, std::span<double> slips,
                             std::span<double> accelerations) {
    const compile::CompiledFriction& one = friction(f);
    const std::array<double, 2> none{0.0, 0.0};
    for (int k = 0; k < one.components && one.dry; ++k) {
        std::array<double, 2> along{0.0, 0.0};
        along[at(k)] = 1.0;
        evaluator_->set_slip(f, std::span(along).first(at(one.components)));
        const bool solved = dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk;
        for (int g = 0; g < count() && solved; ++g) {
            const std::array<double, 2> now = slip_acceleration(g);
            slips[at(g)] += std::hypot(now[0] - with_[at(g)][0], now[1] - with_[at(g)][1]);
        }
        for (std::size_t i = 0; i < accelerations.size() && solved; ++i) {
            const auto j = static_cast<Eigen::Index>(i);
            accelerations[i] += std::abs(dynamics_->a()[j] - free[j]);
        }
    }
    evaluator_->set_slip(f, std::span(none).first(at(one.components)));
}

/// One let go that would move against the direction it was let go in. Its acceleration is measured
/// by the one it would have without friction, of which it may be the rounding.
std::optional<int> FrictionWatch::wrongly_released(double t, const double* q, const double* v) {
    for (int f = 0; f < count(); ++f) {
        with_[at(f)] = slip_acceleration(f);
    }
    for (int f = 0; f < count(); ++f) {
        if (released_[at(f)] == 0 || evaluator_->sticks(f)) {
            continue;
        }
        const std::array<double, 2> with = with_[at(f)];
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
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] != 0 && !evaluator_->sticks(f) && released_[at(f)] == 0) {
            hold(f, t, q, v);
        }
    }
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] == 0 && friction(f).dry && stops_with_others(f, t, q, v)) {
            candidate_[at(f)] = 1;
            hold(f, t, q, v);
        }
    }
    const int most_trials = 10 + 10 * count();
    for (int trial = 0; trial < most_trials; ++trial) {
        if (accelerate(t, q, v) != solve::SolveStatus::kOk) {
            Error why = dynamics_->explain(t, q, v);
            return Error{why.code, fmt::format("at t = {}: {}", to_short_text(t, 9), why.message)};
        }
        if (const std::optional<int> f = worst_overloaded()) {
            let_go_with_sharers(*f);
        } else if (const std::optional<int> wrong = wrongly_released(t, q, v)) {
            hold(*wrong, t, q, v);
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

}  // namespace ananke::simulate

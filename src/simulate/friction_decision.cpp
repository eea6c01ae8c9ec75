// What the frictions do from a state on: which stick, which slip and where to.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/stick_share.h"
#include "simulate/friction_decision.h"

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
/// So many of them in a row are no motion.
constexpr int kMostPiled = 40;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

/// What has changed since the decision before.
std::vector<FrictionChange> FrictionDecision::changes() {
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

Result<void> FrictionDecision::count_progress(double t, int f) {
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

Result<std::vector<FrictionChange>> FrictionDecision::settle(double t, const double* q,
                                                             const double* v) {
    measure(t, q, v);
    read(t, q, v);
    std::fill(released_.begin(), released_.end(), 0);
    for (int f = 0; f < count(); ++f) {
        const bool stops = friction(f).dry && slip_size(f) <= kNoSlip * speeds_[at(f)];
        candidate_[at(f)] = stops ? 1 : 0;
        slip_along(f, stops ? Direction{0.0, 0.0} : slip_direction(f));
    }
    const Result<void> resolved = resolve(t, q, v);
    if (!resolved) {
        return resolved.error();
    }
    measure_pulls(t, q, v);
    return changes();
}

void FrictionDecision::release() {
    for (int f = 0; f < count(); ++f) {
        slip_along(f, {0.0, 0.0});
    }
}

Result<std::vector<FrictionChange>> FrictionDecision::change(const FrictionEvent& event,
                                                             const double* q, const double* v) {
    const Result<void> progress = count_progress(event.t, event.which);
    if (!progress) {
        return progress.error();
    }
    measure(event.t, q, v);
    read(event.t, q, v);
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
std::optional<int> FrictionDecision::still_slides(int but_for) const {
    for (int f = 0; f < count(); ++f) {
        if (f != but_for && candidate_[at(f)] != 0 && !evaluator_->sticks(f) && idle_[at(f)] == 0 &&
            signal(f) < -slip_rounding(f)) {
            return f;
        }
    }
    return std::nullopt;
}

void FrictionDecision::slide_on(int f) {
    slip_along(f, slip_direction(f));
    candidate_[at(f)] = released_[at(f)] = 0;
}

/// All zero: without friction.
void FrictionDecision::slip_along(int f, const Direction& direction) {
    idle_[at(f)] = 0;
    set_slip(f, direction);
}

/// Motion and forces at a state, with the loads and limits that belong to them.
solve::SolveStatus FrictionDecision::accelerate(double t, const double* q, const double* v) {
    const solve::SolveStatus status = dynamics_->accelerate(t, q, v);
    read_forces(t, q, v, status);
    read(t, q, v);
    return status;
}

/// Holds a friction without slip, if it can be held. Directions e in which its rows depend on rows
/// in force, e . slip row = sum of c_k row_k, have the slip acceleration sum of c_k b_k - e . b,
/// whatever the forces.
void FrictionDecision::hold(int f, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    const compile::CompiledFriction& one = friction(f);
    slip_along(f, {0.0, 0.0});
    released_[at(f)] = 0;
    in_force_->look(t, q, v);
    const std::vector<double> free = accelerations_by_forces(t, q, v);
    Eigen::MatrixXd remainders(model.n(), one.components);
    Eigen::VectorXd prescribed(one.components);
    double size = 0.0;
    double given = 0.0;  // slip acceleration by the forces alone, sum of magnitudes
    bool by_constraints_alone = true;
    for (int k = 0; k < one.components; ++k) {
        const int row = one.first_row + k;
        const dynamics::RowByOthers by_others = in_force_->express(row);
        remainders.col(k) = by_others.remainder;
        prescribed[k] = by_others.b - evaluator_->b(row);
        size += by_others.magnitude + std::abs(evaluator_->b(row));
        const std::span<const double> slip_row = evaluator_->row(row);
        for (std::size_t i = 0; i < free.size(); ++i) {
            given += std::abs(slip_row[i]) * free[i];
        }
        for (std::size_t i = 0; i < by_others.rows.size(); ++i) {
            by_constraints_alone =
                by_constraints_alone &&
                (by_others.rows[i] < model.constraint_rows || std::abs(by_others.c[i]) < kNoPart);
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
        Direction direction{0.0, 0.0};
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

/// |Q_j / M_jj| per coordinate, 0 without mass.
std::vector<double> FrictionDecision::accelerations_by_forces(double t, const double* q,
                                                              const double* v) {
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    std::vector<double> free(values.Q.size(), 0.0);
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        const compile::Place& place = evaluator_->model().mass_entries[i];
        if (place.row == place.column && values.M[i] > 0.0) {
            free[at(place.row)] = std::abs(values.Q[at(place.row)]) / values.M[i];
        }
    }
    return free;
}

/// Holds all candidates at once where their rows depend neither on the constraints nor on each
/// other: one after the other would be held likewise.
void FrictionDecision::hold_independent(double t, const double* q, const double* v) {
    std::vector<int> held;
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] != 0 && !evaluator_->sticks(f) && released_[at(f)] == 0) {
            slip_along(f, {0.0, 0.0});
            evaluator_->set_stick(f);
            held.push_back(f);
        }
    }
    if (held.size() < 2) {
        for (const int f : held) {
            slip_along(f, {0.0, 0.0});
        }
        return;
    }
    in_force_->look(t, q, v);
    if (!in_force_->are_independent()) {
        for (const int f : held) {
            slip_along(f, {0.0, 0.0});
        }
    }
}

/// The slip of a stick row at the last state read, 0 for a constraint.
double FrictionDecision::slip_of_row(int row) const {
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
bool FrictionDecision::stops_with_others(int f) {
    const compile::CompiledFriction& one = friction(f);
    for (int k = 0; k < one.components; ++k) {
        double left = values_[at(one.first_value + k)];
        const dynamics::RowByOthers by_others = in_force_->express(one.first_row + k);
        if (by_others.remainder.norm() > dynamics::kDependentRow) {
            return false;
        }
        for (std::size_t i = 0; i < by_others.rows.size(); ++i) {
            left -= by_others.c[i] * slip_of_row(by_others.rows[i]);
        }
        if (std::abs(left) > no_slip(f)) {
            return false;
        }
    }
    return true;
}

/// Slip begins against the friction that held it.
void FrictionDecision::let_go(int f) {
    const compile::CompiledFriction& one = friction(f);
    Direction direction{0.0, 0.0};
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
void FrictionDecision::let_go_with_sharers(int worst) {
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
std::optional<int> FrictionDecision::worst_overloaded() const {
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

/// One let go that would move against the direction it was let go in. Its acceleration is measured
/// by the one it would have without friction, of which it may be the rounding.
std::optional<int> FrictionDecision::wrongly_released(double t, const double* q, const double* v) {
    for (int f = 0; f < count(); ++f) {
        accelerations_[at(f)] = slip_acceleration(f);
    }
    for (int f = 0; f < count(); ++f) {
        if (released_[at(f)] == 0 || evaluator_->sticks(f)) {
            continue;
        }
        const Direction with = accelerations_[at(f)];
        const Direction released = direction(f);
        const double along = released[0] * with[0] + released[1] * with[1];
        if (along >= 0.0) {
            continue;
        }
        set_slip(f, {0.0, 0.0});
        const bool solved = dynamics_->accelerate(t, q, v) == solve::SolveStatus::kOk;
        const Direction without = slip_acceleration(f);
        set_slip(f, released);
        if (solved && along < -kNoAcceleration * std::hypot(without[0], without[1])) {
            return f;
        }
    }
    return std::nullopt;
}

/// Tries combinations, one change at a time, until all that stick can and all let go move.
Result<void> FrictionDecision::resolve(double t, const double* q, const double* v) {
    if (!in_force_) {
        in_force_.emplace(*evaluator_);
    }
    hold_independent(t, q, v);
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] != 0 && !evaluator_->sticks(f) && released_[at(f)] == 0) {
            hold(f, t, q, v);
        }
    }
    in_force_->look(t, q, v);
    for (int f = 0; f < count(); ++f) {
        if (candidate_[at(f)] == 0 && friction(f).dry && stops_with_others(f)) {
            candidate_[at(f)] = 1;
            hold(f, t, q, v);
            in_force_->look(t, q, v);
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

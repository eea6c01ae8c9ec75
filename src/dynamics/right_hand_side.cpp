#include "dynamics/right_hand_side.h"

#include <algorithm>

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

}  // namespace

RightHandSide::RightHandSide(Evaluator& evaluator, const DynamicsOptions& options)
    : evaluator_(&evaluator),
      options_(options),
      dynamics_(evaluator, options, solve::Wanted::kMotion),
      watch_(evaluator),
      wanted_(evaluator.model().frictions.empty() ? solve::Wanted::kMotion : solve::Wanted::kAll) {
    if (options.form == solve::Form::kAuto && options.drift != Drift::kBaumgarte) {
        compiled_.emplace(evaluator);
    }
    const compile::CompiledModel& model = evaluator.model();
    idle_ = model.controls.empty() && !model.has_nonideal &&
            std::all_of(model.rows.begin(), model.rows.end(),
                        [](const mech::Row& row) { return row.homogeneous; });
    pushes_.assign(model.rows.size(), 0);
    for (const compile::Place& place : model.row_entries) {
        const auto row = static_cast<std::size_t>(place.row);
        pushes_[row] = model.rows[row].actuated ? 0 : 1;
    }
}

SolveStatus RightHandSide::on_constraints(double t, const double* q, const double* v) {
    SolveStatus status = look_on_constraints(t, q, v);
    if (status == SolveStatus::kNotFinite && evaluator_->take_own_law(t, q, v)) {
        status = look_on_constraints(t, q, v);
        evaluator_->resume_hold();
    }
    return status;
}

SolveStatus RightHandSide::look_on_constraints(double t, const double* q, const double* v) {
    by_aside_ = false;
    looked_ = look_ || !compiled_ || !compiled_->ready() || !controls_.empty() ||
              (redundant_ && ++since_look_ > kLongestTrust) || !run_program(t, q, v) || look_ ||
              watch_.falls(t, q, v);
    if (!looked_) {
        compiled_->start_from_last();
        if (health_ == PivotHealth::kTired) {
            choose_order(t, q, v);
        }
        return SolveStatus::kOk;
    }
    look_ = false;
    since_look_ = 0;
    by_program_ = false;
    const SolveStatus status = solve_on_constraints(t, q, v);
    if (status == SolveStatus::kOk && compiled_) {
        take_rows(t, q, v);
    }
    return status;
}

/// Several look at the same state, one after the other: the answer is that of the first. Frictions
/// and multipliers are no part of such a state.
SolveStatus RightHandSide::solve_on_constraints(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    if (!compiled_ || !model.frictions.empty() || !model.feedback.empty() ||
        !model.controls.empty()) {
        return dynamics_.accelerate(t, q, v);
    }
    const compile::InputLayout& layout = model.layout;
    const std::span<const double> inputs = evaluator_->system_inputs(t, q, v);
    const std::span<const double> state = inputs.first(layout.a());
    const std::span<const double> rest = inputs.subspan(layout.p());
    if (solved_ == dynamics_.evaluations() && solved_at_.size() == state.size() + rest.size() &&
        std::equal(state.begin(), state.end(), solved_at_.begin()) &&
        std::equal(rest.begin(), rest.end(), solved_at_.end() - std::ssize(rest))) {
        return SolveStatus::kOk;
    }
    solved_at_.assign(state.begin(), state.end());
    solved_at_.insert(solved_at_.end(), rest.begin(), rest.end());
    const SolveStatus status = dynamics_.accelerate(t, q, v);
    solved_ = dynamics_.evaluations();
    if (status != SolveStatus::kOk) {
        solved_at_.clear();
    }
    return status;
}

/// The rows of a close look, and an order for them.
void RightHandSide::take_rows(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    rows_ = dynamics_.rows().kept_rows();
    controls_ = dynamics_.rows().control_pivots();
    int pushing = 0;
    int in_force = 0;
    for (int row = 0; row < model.m(); ++row) {
        const bool counts = row < model.constraint_rows || evaluator_->row_sticks(row);
        pushing += counts ? pushes_[static_cast<std::size_t>(row)] : 0;
        in_force += counts ? 1 : 0;
    }
    redundant_ = dynamics_.rank() < in_force;
    unique_ = static_cast<int>(rows_.size()) == pushing && !dynamics_.rank_warning();
    if (!unique_ && (!model.feedback.empty() || evaluator_->any_sticks())) {
        compiled_->drop();  // the motion, or its integrals, depend on which multipliers are taken
        return;
    }
    if (!model.feedback.empty()) {
        compiled_->start_from(dynamics_.lambda().data());
    }
    if (!choose_order(t, q, v)) {
        return;
    }
    rows_ = compiled_->order().rows;
    all_rows_ = rows_;
    if (!controls_.empty()) {
        for (const solve::Pivot& one : controls_) {
            all_rows_.push_back(one.row);
        }
        std::sort(all_rows_.begin(), all_rows_.end());
    }
    const KktSolver* by = dynamics_.deciding();
    const bool known = has_sparse_rows(model) && by != nullptr && by->row_rank() != nullptr;
    watch_.choose(all_rows_, t, q, v,
                  known ? std::optional(dynamics_.weakest_pivot()) : std::nullopt);
}

bool RightHandSide::give_forces(double t, const double* q, const double* v, Dynamics& to) {
    if (!compiled_ || !compiled_->ready() || !unique_ || look_) {
        return false;
    }
    const std::optional<MotionForces> forces = compiled_->forces(t, q, v);
    if (forces) {
        to.take(*forces);
    }
    return forces.has_value();
}

bool RightHandSide::choose_order(double t, const double* q, const double* v) {
    const compile::SparseValues at = evaluator_->sparse_system(t, q, v);
    return compiled_->choose(EntryValues{at.M, at.A}, rows_, controls_);
}

/// Where the program gives no answer.
SolveStatus RightHandSide::solve_in_step(double t, const double* q, const double* v) {
    SolveStatus status = solve_by_law(t, q, v);
    if (status == SolveStatus::kNotFinite && evaluator_->take_own_law(t, q, v)) {
        status = compiled_ && compiled_->ready() && run_program(t, q, v) ? SolveStatus::kOk
                                                                         : solve_by_law(t, q, v);
        evaluator_->resume_hold();
    }
    return status;
}

SolveStatus RightHandSide::solve_by_law(double t, const double* q, const double* v) {
    by_program_ = false;
    if (!aside_ || !compiled_) {
        return dynamics_.accelerate_in_step(t, q, v, wanted_);
    }
    if (!aside_dynamics_) {
        aside_dynamics_.emplace(*evaluator_, options_);
    }
    by_aside_ = true;
    return aside_dynamics_->accelerate(t, q, v);
}

bool RightHandSide::derivatives(double t, const double* q, const double* v, std::span<double> J) {
    if (!compiled_ || !compiled_->ready()) {
        return false;
    }
    compiled_->derivatives(t, q, v, J);
    if (!are_finite_fresh(J.data(), J.size()) && evaluator_->take_own_law(t, q, v)) {
        compiled_->derivatives(t, q, v, J);
        evaluator_->resume_hold();
    }
    return true;
}

double RightHandSide::solved_energy_rate(const double* v) const {
    double rate = evaluator_->power();
    if (idle_) {
        return rate;
    }
    const Dynamics::Vector Qc = solver().Qc();
    for (Eigen::Index i = 0; i < Qc.size(); ++i) {
        rate += Qc[i] * v[i];
    }
    return rate;
}

void RightHandSide::solved_rates(const double* v, std::span<double> into) const {
    const Dynamics::Vector a = solver().a();
    auto rest = std::copy(a.begin(), a.end(), std::copy(v, v + a.size(), into.begin()));
    *rest++ = solved_energy_rate(v);
    const compile::CompiledModel& model = evaluator_->model();
    for (int row = model.constraint_rows; row < model.m(); ++row) {
        *rest++ = solver().lambda()[row];
    }
}

}  // namespace ananke::dynamics

#include "dynamics/acceleration.h"

#include <algorithm>

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

}  // namespace

Acceleration::Acceleration(Evaluator& evaluator, const MethodOptions& options)
    : evaluator_(&evaluator),
      options_(options),
      solver_(evaluator, options, solve::Wanted::kMotion),
      watch_(evaluator),
      wanted_(evaluator.model().frictions.empty() ? solve::Wanted::kMotion : solve::Wanted::kAll) {
    if (options.form == solve::Form::kAuto && options.drift != Drift::kBaumgarte) {
        program_.emplace(evaluator);
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

SolveStatus Acceleration::on_constraints(double t, const double* q, const double* v) {
    SolveStatus status = accelerate_on_constraints(t, q, v);
    if (status == SolveStatus::kNotFinite && evaluator_->take_own_law(t, q, v)) {
        status = accelerate_on_constraints(t, q, v);
        evaluator_->resume_hold();
    }
    return status;
}

SolveStatus Acceleration::accelerate_on_constraints(double t, const double* q, const double* v) {
    by_scratch_ = false;
    rank_checked_ = check_rank_ || !program_ || !program_->ready() || !controls_.empty() ||
                    (redundant_ && ++states_since_check_ > kStatesBetweenChecks) ||
                    !run_program(t, q, v) || check_rank_ || watch_.falls(t, q, v);
    if (!rank_checked_) {
        program_->start_from_last();
        if (health_ == PivotHealth::kTired) {
            choose_order(t, q, v);
        }
        return SolveStatus::kOk;
    }
    check_rank_ = false;
    states_since_check_ = 0;
    by_program_ = false;
    const SolveStatus status = solve_on_constraints(t, q, v);
    if (status == SolveStatus::kOk && program_) {
        choose_rows(t, q, v);
    }
    return status;
}

/// A repeated rank check at the same state returns the result of the first. Frictions and
/// multipliers are no part of the key, so models that have them solve again.
SolveStatus Acceleration::solve_on_constraints(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    if (!program_ || !model.frictions.empty() || !model.feedback.empty() ||
        !model.controls.empty()) {
        return solver_.accelerate(t, q, v);
    }
    const compile::InputLayout& layout = model.layout;
    const std::span<const double> inputs = evaluator_->system_inputs(t, q, v);
    const std::span<const double> state = inputs.first(layout.a());
    const std::span<const double> rest = inputs.subspan(layout.p());
    if (solved_ == solver_.evaluations() && solved_at_.size() == state.size() + rest.size() &&
        std::equal(state.begin(), state.end(), solved_at_.begin()) &&
        std::equal(rest.begin(), rest.end(), solved_at_.end() - std::ssize(rest))) {
        return SolveStatus::kOk;
    }
    solved_at_.assign(state.begin(), state.end());
    solved_at_.insert(solved_at_.end(), rest.begin(), rest.end());
    const SolveStatus status = solver_.accelerate(t, q, v);
    solved_ = solver_.evaluations();
    if (status != SolveStatus::kOk) {
        solved_at_.clear();
    }
    return status;
}

/// Takes the rows of the rank check and chooses an order of elimination for them.
void Acceleration::choose_rows(double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator_->model();
    const RowRank* decided = solver_.rows().row_rank();
    if (decided != nullptr) {
        rows_ = decided->kept();  // into memory that is there
    } else {
        rows_ = solver_.rows().kept_rows();
    }
    controls_ = solver_.rows().control_pivots();
    int pushing = 0;
    int in_force = 0;
    for (int row = 0; row < model.m(); ++row) {
        const bool counts = row < model.constraint_rows || evaluator_->row_sticks(row);
        pushing += counts ? pushes_[static_cast<std::size_t>(row)] : 0;
        in_force += counts ? 1 : 0;
    }
    redundant_ = solver_.rank() < in_force;
    unique_ = static_cast<int>(rows_.size()) == pushing && !solver_.rank_warning();
    if (!unique_ && (!model.feedback.empty() || evaluator_->any_sticks())) {
        program_->drop();  // the motion, or its integrals, depend on which multipliers are taken
        return;
    }
    if (!model.feedback.empty()) {
        program_->start_from(solver_.lambda().data());
    }
    if (!choose_order(t, q, v)) {
        return;
    }
    rows_ = program_->order().rows;
    all_rows_ = rows_;
    if (!controls_.empty()) {
        for (const solve::Pivot& one : controls_) {
            all_rows_.push_back(one.row);
        }
        std::sort(all_rows_.begin(), all_rows_.end());
    }
    const KktSolver* by = solver_.deciding();
    const bool known = has_sparse_rows(model) && by != nullptr && by->row_rank() != nullptr;
    watch_.choose(all_rows_, t, q, v,
                  known ? std::optional(solver_.weakest_pivot()) : std::nullopt);
}

bool Acceleration::forces_by_program(double t, const double* q, const double* v, MotionSolver& to) {
    if (!program_ || !program_->ready() || !unique_ || check_rank_) {
        return false;
    }
    const std::optional<MotionForces> forces = program_->forces(t, q, v);
    if (forces) {
        to.take(*forces);
    }
    return forces.has_value();
}

bool Acceleration::choose_order(double t, const double* q, const double* v) {
    const compile::SparseValues at = evaluator_->sparse_system(t, q, v);
    return program_->choose(EntryValues{at.M, at.A}, rows_, controls_);
}

/// Where the program gives no answer.
SolveStatus Acceleration::solve_in_step(double t, const double* q, const double* v) {
    SolveStatus status = solve_by_law(t, q, v);
    if (status == SolveStatus::kNotFinite && evaluator_->take_own_law(t, q, v)) {
        status = program_ && program_->ready() && run_program(t, q, v) ? SolveStatus::kOk
                                                                       : solve_by_law(t, q, v);
        evaluator_->resume_hold();
    }
    return status;
}

SolveStatus Acceleration::solve_by_law(double t, const double* q, const double* v) {
    by_program_ = false;
    if (!in_scratch_ || !program_) {
        return solver_.accelerate_in_step(t, q, v, wanted_);
    }
    if (!scratch_solver_) {
        scratch_solver_.emplace(*evaluator_, options_);
    }
    by_scratch_ = true;
    return scratch_solver_->accelerate(t, q, v);
}

bool Acceleration::derivatives(double t, const double* q, const double* v, std::span<double> J) {
    if (!program_ || !program_->ready()) {
        return false;
    }
    program_->derivatives(t, q, v, J);
    if (!are_finite_fresh(J.data(), J.size()) && evaluator_->take_own_law(t, q, v)) {
        program_->derivatives(t, q, v, J);
        evaluator_->resume_hold();
    }
    return true;
}

double Acceleration::solved_energy_rate(const double* v) const {
    double rate = evaluator_->power();
    if (idle_) {
        return rate;
    }
    const MotionSolver::Vector Qc = last_solver().Qc();
    for (Eigen::Index i = 0; i < Qc.size(); ++i) {
        rate += Qc[i] * v[i];
    }
    return rate;
}

void Acceleration::solved_rates(const double* v, std::span<double> into) const {
    const MotionSolver::Vector a = last_solver().a();
    auto rest = std::copy(a.begin(), a.end(), std::copy(v, v + a.size(), into.begin()));
    *rest++ = solved_energy_rate(v);
    const compile::CompiledModel& model = evaluator_->model();
    for (int row = model.constraint_rows; row < model.m(); ++row) {
        *rest++ = last_solver().lambda()[row];
    }
}

}  // namespace ananke::dynamics

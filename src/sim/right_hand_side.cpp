#include "sim/right_hand_side.h"

#include <algorithm>

namespace ananke::sim {
namespace {

using solve::SolveStatus;

}  // namespace

RightHandSide::RightHandSide(Evaluator& evaluator, const DynamicsOptions& options)
    : evaluator_(&evaluator),
      options_(options),
      dynamics_(evaluator, options, solve::Wanted::kMotion),
      watch_(evaluator),
      watches_(is_foreseen(evaluator.model())),
      wanted_(evaluator.model().frictions.empty() ? solve::Wanted::kMotion : solve::Wanted::kAll) {
    if (options.form == solve::Form::kAuto && options.drift != Drift::kBaumgarte &&
        CompiledAcceleration::applies_to(evaluator.model())) {
        compiled_.emplace(evaluator);
    }
    const CompiledModel& model = evaluator.model();
    idle_ = CompiledAcceleration::applies_to(model) && !model.has_nonideal &&
            std::all_of(model.rows.begin(), model.rows.end(),
                        [](const mech::Row& row) { return row.homogeneous; });
}

SolveStatus RightHandSide::on_constraints(double t, const double* q, const double* v) {
    by_aside_ = false;
    looked_ = look_ || !compiled_ || !compiled_->ready() ||
              (redundant_ && ++since_look_ > kLongestTrust) || !run_program(t, q, v) || look_ ||
              (watches_ && watch_.falls(t, q, v));
    if (!looked_) {
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
        dynamics_.kept_rows(rows_);
        redundant_ = dynamics_.rank() < evaluator_->model().m();
        if (choose_order(t, q, v) && watches_) {
            rows_ = compiled_->order().rows;
            watch_.choose(rows_, dynamics_.weakest_pivot());
        }
    }
    return status;
}

/// Several look at the same state, one after the other: the answer is that of the first.
SolveStatus RightHandSide::solve_on_constraints(double t, const double* q, const double* v) {
    if (!compiled_) {
        return dynamics_.accelerate(t, q, v);
    }
    const InputLayout& layout = evaluator_->model().layout;
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

bool RightHandSide::choose_order(double t, const double* q, const double* v) {
    ++choices_;
    if (!has_sparse_rows(evaluator_->model())) {
        return compiled_->choose(evaluator_->system_in_step(t, q, v), rows_);
    }
    const SparseValues at = evaluator_->sparse_system(t, q, v);
    return compiled_->choose(EntryValues{at.M, at.A}, rows_);
}

/// Where the program gives no answer.
SolveStatus RightHandSide::solve_in_step(double t, const double* q, const double* v) {
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
    *std::copy(a.begin(), a.end(), std::copy(v, v + a.size(), into.begin())) =
        solved_energy_rate(v);
}

}  // namespace ananke::sim

#include "sim/right_hand_side.h"

#include <cmath>

namespace ananke::sim {
namespace {

using solve::SolveStatus;

/// States on the constraints between two close looks where rows are redundant: they may become
/// independent without a pivot that tells.
constexpr int kLongestTrust = 32;

bool all_finite(std::span<const double> values) {
    double zeros = 0.0;
    for (const double value : values) {
        zeros += 0.0 * value;
    }
    return zeros == 0.0;
}

}  // namespace

RightHandSide::RightHandSide(Evaluator& evaluator, const DynamicsOptions& options)
    : evaluator_(&evaluator),
      options_(options),
      dynamics_(evaluator, options),
      watch_(evaluator),
      wanted_(evaluator.model().frictions.empty() ? solve::Wanted::kMotion : solve::Wanted::kAll) {
    if (options.form == solve::Form::kAuto && options.drift != Drift::kBaumgarte &&
        CompiledAcceleration::applies_to(evaluator.model())) {
        compiled_.emplace(evaluator);
    }
}

SolveStatus RightHandSide::on_constraints(double t, const double* q, const double* v) {
    by_aside_ = false;
    looked_ = look_ || !compiled_ || !compiled_->ready() ||
              (redundant_ && ++since_look_ > kLongestTrust) || !run_program(t, q, v) || look_ ||
              (!evaluator_->model().is_large() && watch_.falls(t, q, v));
    if (!looked_) {
        if (health_ == PivotHealth::kTired) {
            choose_order(t, q, v);
        }
        return SolveStatus::kOk;
    }
    look_ = false;
    since_look_ = 0;
    by_program_ = false;
    const SolveStatus status = dynamics_.accelerate(t, q, v);
    if (status == SolveStatus::kOk && compiled_) {
        dynamics_.kept_rows(rows_);
        redundant_ = dynamics_.rank() < evaluator_->model().m();
        if (evaluator_->model().is_large()) {
            choose_order(t, q, v);
            return status;
        }
        const solve::System at = evaluator_->system_in_step(t, q, v);
        if (compiled_->choose(at, rows_)) {
            rows_ = compiled_->order().rows;
            watch_.choose(at, rows_);
        }
    }
    return status;
}

bool RightHandSide::choose_order(double t, const double* q, const double* v) {
    if (!evaluator_->model().is_large()) {
        return compiled_->choose(evaluator_->system_in_step(t, q, v), rows_);
    }
    const SparseValues at = evaluator_->sparse_system(t, q, v);
    return compiled_->choose(EntryValues{at.M, at.A}, rows_);
}

SolveStatus RightHandSide::in_step(double t, const double* q, const double* v) {
    by_aside_ = false;
    if (compiled_ && compiled_->ready() && run_program(t, q, v)) {
        return SolveStatus::kOk;
    }
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

/// False if the program cannot be trusted here.
bool RightHandSide::run_program(double t, const double* q, const double* v) {
    health_ = compiled_->run(t, q, v);
    look_ = look_ || (!aside_ && health_ >= PivotHealth::kDoubtful);
    by_program_ = health_ != PivotHealth::kAlarm && all_finite(compiled_->a());
    return by_program_;
}

double RightHandSide::energy_rate(const double* v) const {
    if (by_program_) {
        return compiled_->energy_rate();
    }
    double rate = evaluator_->power();
    const Dynamics::Vector Qc = solver().Qc();
    for (Eigen::Index i = 0; i < Qc.size(); ++i) {
        rate += Qc[i] * v[i];
    }
    return rate;
}

}  // namespace ananke::sim

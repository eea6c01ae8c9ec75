#include "dynamics/motion_solver.h"

#include <algorithm>

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

/// Off the constraints redundant rows disagree by what they are off: that is not an error.
Mismatch mismatch_of(Drift drift) {
    return drift == Drift::kBaumgarte || drift == Drift::kNone ? Mismatch::kIsDrift
                                                               : Mismatch::kIsAnError;
}

}  // namespace

std::vector<std::string> row_names(const compile::CompiledModel& model) {
    std::vector<std::string> names;
    for (const mech::Row& row : model.rows) {
        names.push_back(row.name);
    }
    return names;
}

MotionSolver::MotionSolver(Evaluator& evaluator, const MethodOptions& options, solve::Wanted wanted)
    : evaluator_(&evaluator),
      options_(options),
      wanted_(wanted),
      feedback_(evaluator.model()),
      needs_multipliers_(
          !evaluator.model().feedback.empty() ||
          (!evaluator.model().frictions.empty() && evaluator.model().controls.empty())),
      motion_(evaluator.model()),
      ideal_(evaluator.model()) {
    if (options.form != solve::Form::kAuto) {
        form_.emplace(evaluator, options.form);
    }
    if (options.drift == Drift::kBaumgarte) {
        for (std::vector<double>* vector : {&rate_, &scale_, &b_}) {
            vector->assign(motion_.lambda.size(), 0.0);
        }
    }
}

KktSolver& MotionSolver::solver() const {
    if (!solver_) {
        const Mismatch mismatch = mismatch_of(options_.drift);
        solver_ = form_ ? make_full_kkt_solver(*evaluator_, mismatch)
                        : make_kkt_solver(*evaluator_, mismatch, wanted_);
    }
    return *solver_;
}

/// The system with Baumgarte's terms in b where they are asked for:
/// b <- b - 2 g phi' - g^2 phi for holonomic rows, b - g psi for the others; THEORY section 6.
compile::SparseValues MotionSolver::stabilized(double t, const double* q, const double* v) {
    if (!feedback_.empty()) {
        if (!feedback_.has_start()) {
            start_feedback(evaluator_->sparse_system(t, q, v));
        }
        evaluator_->set_multipliers(feedback_.multipliers());
    }
    if (b_.empty()) {
        return evaluator_->sparse_system(t, q, v);
    }
    const double g = options_.baumgarte_rate;
    evaluator_->residuals(solve::Level::kVelocities, t, q, v, rate_.data(), scale_.data());
    const std::span<const double> residual = evaluator_->raw_residuals(t, q, v);
    for (std::size_t i = 0; i < rate_.size(); ++i) {
        const bool holonomic = evaluator_->model().rows[i].holonomic;
        b_[i] = holonomic ? -2.0 * g * rate_[i] - g * g * residual[i] : -g * residual[i];
    }
    compile::SparseValues at = evaluator_->sparse_system(t, q, v);
    for (std::size_t i = 0; i < b_.size(); ++i) {
        b_[i] += at.b[i];
    }
    at.b = b_;
    return at;
}

/// A law of reactions need not be a number where these are zero, so the first trial is what the
/// other forces ask for.
void MotionSolver::start_feedback(const compile::SparseValues& at) {
    compile::SparseValues free = at;
    free.Q = evaluator_->free_force();
    free.C = {};
    if (solver().solve(free, motion_) == SolveStatus::kOk) {
        feedback_.start_from(motion_.lambda.data());
    }
}

/// Goes on to the forces that depend on the multipliers.
SolveStatus MotionSolver::close(SolveStatus status, const compile::SparseValues& at) {
    no_feedback_ = false;
    if (feedback_.empty() || status != SolveStatus::kOk) {
        return status;
    }
    status = feedback_.close(*evaluator_, solver(), at, motion_);
    no_feedback_ = status == SolveStatus::kNoFeedback;
    return status;
}

/// There is a choice only where rows depend on each other.
bool MotionSolver::share_sticking(double t, const double* q, const double* v) {
    return evaluator_->any_sticks() && rank_ < evaluator_->rows_in_force() &&
           stick_share_.share(*evaluator_, t, q, v, motion_.lambda);
}

void MotionSolver::take(const MotionForces& forces) {
    no_feedback_ = false;
    rank_ = forces.rank;
    rank_warning_ = false;
    const auto put = [](std::span<const double> from, std::vector<double>& into) {
        std::copy(from.begin(), from.end(), into.begin());
    };
    put(forces.a, motion_.a);
    put(forces.Qc, motion_.Qc);
    put(forces.Qc_ideal.empty() ? forces.Qc : forces.Qc_ideal, motion_.Qc_ideal);
    for (std::size_t i = 0; i < motion_.Qc.size(); ++i) {
        motion_.Qc_nonideal[i] = motion_.Qc[i] - motion_.Qc_ideal[i];
    }
    put(forces.lambda, motion_.lambda);
    put(forces.u, motion_.u);
}

SolveStatus MotionSolver::attribute(double t, const double* q, const double* v, const double* a,
                                    double weakest) {
    ++evaluations_;
    return solver().attribute(evaluator_->sparse_system(t, q, v), a, weakest, motion_);
}

SolveStatus MotionSolver::accelerate(double t, const double* q, const double* v) {
    SolveStatus status = accelerate_by_law(t, q, v);
    const int count = evaluator_->model().layout.switches;
    for (int k = 0; k < count && evaluator_->model().switches_by_reactions() &&
                    status == SolveStatus::kOk && evaluator_->follow_reactions(lambda().data());
         ++k) {
        status = accelerate_by_law(t, q, v);
    }
    return status;
}

SolveStatus MotionSolver::accelerate_by_law(double t, const double* q, const double* v) {
    ++evaluations_;
    const compile::SparseValues at = stabilized(t, q, v);
    SolveStatus status = SolveStatus::kOk;
    if (!form_ || needs_multipliers_ || !evaluator_->model().controls.empty()) {
        status = solver().solve(at, motion_);
        rank_ = solver().rank();
        rank_warning_ = solver().rank_warning();
        weakest_pivot_ = solver().weakest_pivot();
        status = close(status, at);
    }
    if (form_ && status == SolveStatus::kOk) {
        status = evaluate_form(at);
    }
    if (status == SolveStatus::kOk && evaluator_->any_sticks()) {
        find_ideal_part(at);
    }
    return status;
}

/// A named form, which decides on the rows itself where no actuators take part.
SolveStatus MotionSolver::evaluate_form(const compile::SparseValues& at) {
    if (!evaluator_->model().controls.empty()) {
        const SolveStatus status = form_->solve_actuated(at, solver(), motion_);
        solver().share(motion_.lambda);
        return status;
    }
    const std::vector<double> lambda = motion_.lambda;
    const SolveStatus status = form_->solve(at, motion_);
    rank_ = form_->rank();
    rank_warning_ = form_->rank_warning();
    weakest_pivot_ = form_->weakest_pivot();
    if (needs_multipliers_) {
        motion_.lambda = lambda;
    }
    return status;
}

SolveStatus MotionSolver::accelerate_in_step(double t, const double* q, const double* v,
                                             solve::Wanted wanted) {
    ++evaluations_;
    const compile::SparseValues at = stabilized(t, q, v);
    SolveStatus status = SolveStatus::kOk;
    if (!form_ || needs_multipliers_) {
        status = close(
            solver().solve_again(at, needs_multipliers_ ? solve::Wanted::kAll : wanted, motion_),
            at);
    }
    return form_ && status == SolveStatus::kOk ? evaluate_form_again(at) : status;
}

SolveStatus MotionSolver::evaluate_form_again(const compile::SparseValues& at) {
    if (!evaluator_->model().controls.empty()) {
        return form_->solve_actuated(at, solver(), motion_);
    }
    const std::vector<double> lambda = motion_.lambda;
    const SolveStatus status = form_->solve_again(at, motion_);
    if (needs_multipliers_) {
        motion_.lambda = lambda;
    }
    return status;
}

/// Qc of the constraints alone, without stick rows and C: the ideal part          UK02 (7)
void MotionSolver::find_ideal_part(const compile::SparseValues& at) {
    if (!ideal_solver_) {
        ideal_solver_ = make_kkt_solver(*evaluator_, Mismatch::kIsAnError, solve::Wanted::kMotion);
    }
    compile::SparseValues constraints = at;
    constraints.C = {};
    constraints.in_force =
        at.in_force.first(static_cast<std::size_t>(evaluator_->model().constraint_rows));
    if (ideal_solver_->solve(constraints, ideal_) != SolveStatus::kOk) {
        return;
    }
    motion_.Qc_ideal = ideal_.Qc;
    for (std::size_t i = 0; i < motion_.Qc.size(); ++i) {
        motion_.Qc_nonideal[i] = motion_.Qc[i] - motion_.Qc_ideal[i];
    }
}

void find_reactions(Evaluator& evaluator, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    if (!model.feedback.empty() || model.switches_by_reactions()) {
        MotionSolver(evaluator, {}).accelerate(t, q, v);
    }
}

Error MotionSolver::explain(double t, const double* q, const double* v) {
    if (no_feedback_) {
        return describe_feedback(*evaluator_, solver(), motion_, feedback_, t, q, v);
    }
    const std::optional<Error> of_form = form_ ? form_->own_failure(t, q, v) : std::nullopt;
    return of_form ? *of_form : solver().explain(t, q, v);
}

}  // namespace ananke::dynamics

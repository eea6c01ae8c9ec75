// The constrained acceleration along a run.
//
// Which rows of A count is decided where the state lies on the constraints: at the start, after
// each accepted and projected step, at output times. Inside a step the stages leave the constraints
// by the size of the local error, and redundant rows look independent and contradictory there; so
// the stages keep the rows chosen at the beginning of the step.
#pragma once

#include <cstdint>
#include <vector>

#include "ananke/method.h"
#include "base/result.h"
#include "dynamics/compiled_acceleration.h"
#include "dynamics/evaluator.h"
#include "dynamics/feedback.h"
#include "dynamics/sparse_dynamics.h"
#include "dynamics/stick_share.h"
#include "solve/acceleration.h"
#include "solve/actuated.h"
#include "solve/forms.h"
#include "solve/system.h"

namespace ananke::dynamics {

struct DynamicsOptions {
    solve::Form form = solve::Form::kAuto;
    Drift drift = Drift::kProject;
    double baumgarte_rate = 10.0;  ///< g, 1/s
};

class Dynamics {
  public:
    /// For models with many coordinates: see SparseDynamics.
    Dynamics(Evaluator& evaluator, const DynamicsOptions& options,
             solve::Wanted wanted = solve::Wanted::kAll);

    /// Acceleration at a state on the constraints; the rank is decided here, and so are the sides
    /// of switches on reactions, unless they are held.
    solve::SolveStatus accelerate(double t, const double* q, const double* v);
    /// Acceleration inside a step, with the rows chosen by the last accelerate().
    solve::SolveStatus accelerate_in_step(double t, const double* q, const double* v,
                                          solve::Wanted wanted = solve::Wanted::kAll);

    /// Takes the acceleration as given and finds the forces that belong to it; see
    /// AccelerationSolver::attribute.
    solve::SolveStatus attribute(double t, const double* q, const double* v, const double* a,
                                 double weakest);

    /// Takes the motion and its forces as given: by a program, at this very state.
    void take(const MotionForces& forces);

    /// Shares the forces of frictions at rest that the last evaluation left open; lambda() is then
    /// that share. True if there was something to share.
    bool share_sticking(double t, const double* q, const double* v);

    // Of the last evaluation.
    using Vector = Eigen::Map<const Eigen::VectorXd>;
    Vector a() const { return pick(&Solver::a, &Actuated::a, a_); }
    Vector Qc() const { return pick(&Solver::Qc, &Actuated::Qc, Qc_); }
    /// The force of constraint without friction and other non-ideal parts; where a friction sticks
    /// only accelerate() finds it.
    Vector Qc_ideal() const {
        return sticks_ ? view(stick_ideal_)
                       : pick(&Solver::Qc_ideal, &Actuated::Qc_ideal, Qc_ideal_);
    }
    Vector Qc_nonideal() const {
        return sticks_ ? view(stick_nonideal_)
                       : pick(&Solver::Qc_nonideal, &Actuated::Qc_nonideal, Qc_nonideal_);
    }
    Vector lambda() const {
        return shared_ ? view(shared_lambda_) : pick(&Solver::lambda, &Actuated::lambda, lambda_);
    }
    /// Controls of the actuators; requires a model that has some.
    Vector u() const { return by_solver() ? actuated_->u() : view(u_); }
    /// How well the actuators enforce their servos, 0..1.
    double regularity() const { return actuated_ ? actuated_->regularity() : 1.0; }
    int rank() const { return rank_; }
    bool rank_warning() const { return rank_warning_; }
    /// Smallest pivot of a kept row at the last accelerate().
    double weakest_pivot() const { return weakest_pivot_; }
    /// The row it belongs to, and what it has besides the others (n); -1 if that is not known.
    int weakest_row(double* remainder) const;

    /// Independent rows chosen by the last accelerate(), where the solver did it (no named form),
    /// without those that controls enforce.
    void kept_rows(std::vector<int>& rows) const;
    /// Controls and the servo rows that they were found by.
    void control_pivots(std::vector<solve::Pivot>& controls) const;

    /// Evaluations so far: nothing has changed while they are as many.
    std::size_t evaluations() const { return evaluations_; }
    /// What decided which rows count at the last accelerate(), if that was the solver or sparse
    /// rows, else null.
    const solve::AccelerationSolver* deciding_solver() const {
        return sparse_ || options_.form != solve::Form::kAuto || actuated_ ? nullptr : &solver();
    }
    const SparseRows* deciding_rows() const { return sparse_ ? &sparse_->choice() : nullptr; }

    /// Why the state has no acceleration, in words, with the names of coordinates and constraints.
    Error explain(double t, const double* q, const double* v);

  private:
    using Solver = solve::AccelerationSolver;
    using Actuated = solve::ActuatedSolver;
    static Vector view(const std::vector<double>& values) {
        return {values.data(), static_cast<Eigen::Index>(values.size())};
    }
    Vector pick(Vector (Solver::*free)() const, Vector (Actuated::*driven)() const,
                const std::vector<double>& by_form) const {
        if (!by_solver()) {
            return view(by_form);
        }
        return actuated_ && !attributed_ ? ((*actuated_).*driven)() : (solver().*free)();
    }
    /// Off the constraints redundant rows disagree by what they are off: that is not an error.
    bool allows_drift() const {
        return options_.drift == Drift::kBaumgarte || options_.drift == Drift::kNone;
    }
    bool by_solver() const {
        return !sparse_ && !taken_ && (options_.form == solve::Form::kAuto || attributed_);
    }
    /// Made when it is first needed: what only takes the answers of programs does without.
    Solver& solver() const { return solver_ ? *solver_ : make_solver(); }
    Solver& make_solver() const;
    solve::SolveStatus accelerate_by_law(double t, const double* q, const double* v);
    solve::SolveStatus take_sparse(solve::SolveStatus status);
    void start_feedback(double t, const double* q, const double* v);
    solve::System stabilized(double t, const double* q, const double* v, bool in_step);
    solve::SolveStatus accelerate_actuated(const solve::System& at);
    solve::SolveStatus actuated_in_step(double t, const double* q, const double* v,
                                        solve::Wanted wanted);
    solve::SolveStatus close_actuated(solve::SolveStatus status, const solve::System& at);
    solve::SolveStatus evaluate_actuated_form(const solve::System& at);
    solve::SolveStatus evaluate_form(const solve::System& at, solve::Gauge gauge);
    void take(const solve::Motion& motion);  ///< all but lambda
    void find_ideal_part(const solve::System& at);
    solve::SolveStatus noted(solve::SolveStatus status);

    Evaluator* evaluator_;
    DynamicsOptions options_;
    std::optional<SparseDynamics> sparse_;           ///< does it for models with many coordinates
    mutable std::optional<Solver> solver_;           ///< see solver()
    std::optional<solve::ActuatedSolver> actuated_;  ///< stands in where there are actuators
    Feedback feedback_;
    std::optional<solve::AccelerationSolver> ideal_solver_;  ///< without stick rows
    std::optional<solve::ActuatedSolver> ideal_actuated_;    ///< instead, where there are actuators
    std::vector<double> stick_ideal_, stick_nonideal_;       ///< n, where a friction sticks
    solve::RowMatrix ideal_A_;
    Eigen::VectorXd ideal_b_;
    bool sticks_ = false;
    std::optional<StickShare> stick_share_;  ///< absent without frictions
    std::vector<double> shared_lambda_;      ///< m
    bool shared_ = false;
    bool no_feedback_ = false;
    /// The solver goes along with a named form where forces need the multipliers: those of
    /// frictions at rest are open, and only the solver makes the same choice at every state of a
    /// step.
    bool solver_too_ = false;
    int n_, m_;
    std::vector<int> kept_;  ///< rows that count inside the step, for named forms
    std::vector<double> a_, Qc_, Qc_ideal_, Qc_nonideal_, lambda_;  ///< by a named form
    std::vector<int> kept_servo_;  ///< the same among actuated rows
    std::vector<double> u_;
    std::vector<double> rate_, jacobian_, scale_, b_;  ///< for Baumgarte's terms
    int rank_ = 0;
    double weakest_pivot_ = 1.0;
    std::size_t evaluations_ = 0;
    bool attributed_ = false;  ///< the last evaluation was by attribute()
    bool taken_ = false;       ///< the last evaluation was by take()
    bool rank_warning_ = false;
    std::optional<Error> form_error_;
};

/// Gives the evaluator the reactions of a state, for forces that depend on them: they need not be
/// numbers for any others. Nothing is changed where no force does.
void find_reactions(Evaluator& evaluator, double t, const double* q, const double* v);

/// "the constraints rod and wire contradict each other ..." or the like, for a system at (t, q, v).
Error explain_failure(Evaluator& evaluator, double t, const double* q, const double* v);

/// Names of the rows of a model, in order.
std::vector<std::string> row_names(const compile::CompiledModel& model);
/// Lines that tell where the constraints of these rows are written, each after a line end.
std::string places_text(const compile::CompiledModel& model, std::span<const int> rows);

}  // namespace ananke::dynamics

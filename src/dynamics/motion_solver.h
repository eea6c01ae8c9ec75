// The constrained acceleration along a run.
//
// Which rows of A count is decided where the state lies on the constraints: at the start, after
// each accepted and projected step, at output times. Inside a step the stages leave the constraints
// by the size of the local error, and redundant rows look independent and contradictory there; so
// the stages keep the rows chosen at the beginning of the step.
//
// Stages: the values of the equations (Evaluator, with Baumgarte's terms); the solver (KktSolver);
// forces that depend on multipliers (Feedback); a formula that the user asks for (NamedForm); the
// ideal part where frictions hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ananke/method.h"
#include "base/result.h"
#include "dynamics/acceleration_program.h"
#include "dynamics/evaluator.h"
#include "dynamics/feedback.h"
#include "dynamics/kkt_solver.h"
#include "dynamics/named_form.h"
#include "dynamics/sparse_rows.h"
#include "dynamics/stick_share.h"

namespace ananke::dynamics {

struct MethodOptions {
    solve::Form form = solve::Form::kAuto;
    Drift drift = Drift::kProject;
    double baumgarte_rate = 10.0;  ///< g, 1/s
};

class MotionSolver {
  public:
    MotionSolver(Evaluator& evaluator, const MethodOptions& options,
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
    Vector a() const { return view(motion_.a); }
    Vector Qc() const { return view(motion_.Qc); }
    /// The force of constraint without friction and other non-ideal parts; where a friction sticks
    /// only accelerate() finds it.
    Vector Qc_ideal() const { return view(motion_.Qc_ideal); }
    Vector Qc_nonideal() const { return view(motion_.Qc_nonideal); }
    Vector lambda() const { return view(motion_.lambda); }
    /// Controls of the actuators.
    Vector u() const { return view(motion_.u); }
    int rank() const { return rank_; }
    bool rank_warning() const { return rank_warning_; }
    /// Smallest pivot of a kept row at the last accelerate().
    double weakest_pivot() const { return weakest_pivot_; }

    /// What chose the rows at the last accelerate().
    const KktSolver& rows() const { return solver(); }
    /// Null where a form did.
    const KktSolver* deciding() const { return form_ ? nullptr : &solver(); }

    /// Evaluations so far: nothing has changed while they are as many.
    std::size_t evaluations() const { return evaluations_; }

    /// Why the state has no acceleration, in words, with the names of coordinates and constraints.
    Error explain(double t, const double* q, const double* v);

  private:
    static Vector view(const std::vector<double>& values) {
        return {values.data(), static_cast<Eigen::Index>(values.size())};
    }
    /// Made when it is first needed: what only takes the answers of programs does without.
    KktSolver& solver() const;
    solve::SolveStatus accelerate_by_law(double t, const double* q, const double* v);
    void start_feedback(const compile::SparseValues& at);
    compile::SparseValues stabilized(double t, const double* q, const double* v);
    solve::SolveStatus close(solve::SolveStatus status, const compile::SparseValues& at);
    solve::SolveStatus evaluate_form(const compile::SparseValues& at);
    solve::SolveStatus evaluate_form_again(const compile::SparseValues& at);
    void find_ideal_part(const compile::SparseValues& at);

    Evaluator* evaluator_;
    MethodOptions options_;
    solve::Wanted wanted_;
    mutable std::unique_ptr<KktSolver> solver_;  ///< see solver()
    std::unique_ptr<KktSolver> ideal_solver_;    ///< without stick rows, where frictions hold
    std::optional<NamedForm> form_;              ///< where one is asked for
    Feedback feedback_;
    StickShare stick_share_;
    /// Where forces need the multipliers the solver goes along with a named form: those of
    /// frictions at rest are open, and only the solver makes the same choice at every state of a
    /// step.
    bool needs_multipliers_;
    Motion motion_, ideal_;
    std::vector<double> rate_, scale_, b_;  ///< m: for Baumgarte's terms
    int rank_ = 0;
    double weakest_pivot_ = 1.0;
    bool rank_warning_ = false;
    bool no_feedback_ = false;
    std::size_t evaluations_ = 0;
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

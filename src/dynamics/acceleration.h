// The acceleration that the integrator asks for: by the program (AccelerationProgram) while its
// pivots are sound, else by the solver (MotionSolver).
//
// At a state on the constraints a rank check may be due: the solver decides anew which rows count,
// and an order of elimination is chosen for them. It is due at the start, when a pivot of the
// program has changed its sign, when rows approach dependence (RankWatch), and, where rows are
// redundant, every kStatesBetweenChecks states. Models with actuators, whose singular
// configurations do not all show in the rows, and models that the program does not cover are
// checked at every such state.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/fresh_numbers.h"
#include "dynamics/acceleration_program.h"
#include "dynamics/motion_solver.h"
#include "dynamics/rank_watch.h"

namespace ananke::dynamics {

class Acceleration {
  public:
    Acceleration(Evaluator& evaluator, const MethodOptions& options);

    // Where the law held for a step is not a number, that of the state itself is asked for both:
    // see compile/switches.h.
    /// At a state on the constraints.
    solve::SolveStatus on_constraints(double t, const double* q, const double* v);
    /// Inside a step, with the rows of the last rank check.
    solve::SolveStatus in_step(double t, const double* q, const double* v) {
        by_scratch_ = false;
        return program_ && program_->ready() && run_program(t, q, v) ? solve::SolveStatus::kOk
                                                                     : solve_in_step(t, q, v);
    }

    /// At a state next to a singular configuration, by the program alone; false if it cannot be
    /// trusted.
    bool across(double t, const double* q, const double* v) {
        by_scratch_ = false;
        if (!program_ || !program_->ready() || !controls_.empty()) {
            return false;
        }
        program_->run(t, q, v);
        const std::span<const double> a = program_->a();
        by_program_ = program_->serves_across() && are_finite_fresh(a.data(), a.size());
        return by_program_;
    }

    /// AccelerationProgram::pivots() at a state; none if there is no program.
    std::span<const double> pivots(double t, const double* q, const double* v) {
        if (!program_ || !program_->ready() || !controls_.empty()) {
            return {};
        }
        program_->run(t, q, v);
        return program_->pivots();
    }

    /// Motion and forces at a state, by the program of forces, into `to`. False, and nothing in
    /// `to`, where its pivots are not sound or the multipliers are statically indeterminate. Later
    /// evaluations do not depend on it.
    bool forces_by_program(double t, const double* q, const double* v, MotionSolver& to);

    /// While one lives, evaluations inside a step change nothing that later steps use: rows of
    /// output must not influence the steps.
    class ScratchScope {
      public:
        explicit ScratchScope(Acceleration& owner) : owner_(owner) { owner_.in_scratch_ = true; }
        ~ScratchScope() { owner_.in_scratch_ = false; }
        ScratchScope(const ScratchScope&) = delete;
        ScratchScope& operator=(const ScratchScope&) = delete;

      private:
        Acceleration& owner_;
    };

    // Of the last evaluation.
    const double* a() const {
        return by_program_ ? program_->a().data() : last_solver().a().data();
    }
    /// h' = power of the forces without potential + Qc.v
    double energy_rate(const double* v) const {
        return by_program_ ? program_->energy_rate() : solved_energy_rate(v);
    }
    /// v, a, h' and the multipliers of stick rows of the last evaluation, that was at velocities v.
    void rates(const double* v, std::span<double> into) const {
        if (by_program_) {
            const std::span<const double> all = program_->rates();
            copy_few_fresh(all.data(), all.size(), into.data());
        } else {
            solved_rates(v, into);
        }
    }

    /// The program, null if there is none or if it is in segments.
    const code::StateKernel* program() const {
        return program_ && program_->ready() ? program_->program() : nullptr;
    }
    /// Instructions of the program, 0 if there is none.
    std::size_t program_size() const {
        return program_ && program_->ready() ? program_->program_size() : 0;
    }

    /// Derivatives of a and of the energy rate, see AccelerationProgram::derivatives; false where
    /// there is no program.
    bool derivatives(double t, const double* q, const double* v, std::span<double> J);

    /// Independent rows since the last rank check, those that controls enforce left out.
    std::span<const int> rows() const { return rows_; }

    /// By the program, not by the solver.
    bool by_program() const { return by_program_; }

    /// The next on_constraints() checks the rank.
    void request_rank_check() { check_rank_ = true; }
    /// The last on_constraints() checked it: motion_solver() knows the pivots there.
    bool rank_was_checked() const { return rank_checked_; }
    /// The order of elimination, if the last evaluation was by a program with sound pivots, else
    /// null.
    const RowOrder* trusted_order() const {
        return by_program_ && !check_rank_ ? order() : nullptr;
    }
    /// The order of the program, null if there is none or if controls enforce rows that it lacks.
    const RowOrder* order() const {
        return program_ && program_->ready() && controls_.empty() ? &program_->order() : nullptr;
    }
    const MotionSolver& motion_solver() const { return solver_; }
    MotionSolver& motion_solver() { return solver_; }

  private:
    /// States on the constraints between two rank checks where rows are redundant: redundant rows
    /// may become independent, and no pivot of the program shows it.
    static constexpr int kStatesBetweenChecks = 32;

    /// False if the program cannot be trusted here.
    bool run_program(double t, const double* q, const double* v) {
        health_ = program_->run(t, q, v);
        check_rank_ = check_rank_ || (!in_scratch_ && health_ >= PivotHealth::kDoubtful);
        if (!in_scratch_ && program_->follows() && health_ != PivotHealth::kAlarm) {
            program_->start_from_last();
        }
        const std::span<const double> a = program_->a();
        by_program_ = health_ != PivotHealth::kAlarm && are_finite_fresh(a.data(), a.size());
        return by_program_;
    }
    solve::SolveStatus accelerate_on_constraints(double t, const double* q, const double* v);
    solve::SolveStatus solve_in_step(double t, const double* q, const double* v);
    solve::SolveStatus solve_by_law(double t, const double* q, const double* v);
    double solved_energy_rate(const double* v) const;
    void solved_rates(const double* v, std::span<double> into) const;
    void choose_rows(double t, const double* q, const double* v);
    bool choose_order(double t, const double* q, const double* v);
    solve::SolveStatus solve_on_constraints(double t, const double* q, const double* v);
    const MotionSolver& last_solver() const { return by_scratch_ ? *scratch_solver_ : solver_; }

    Evaluator* evaluator_;
    MethodOptions options_;
    MotionSolver solver_;
    std::optional<MotionSolver> scratch_solver_;  ///< made when it is first needed
    std::optional<AccelerationProgram> program_;
    RankWatch watch_;
    std::vector<int> rows_;               ///< chosen at the last rank check
    std::vector<solve::Pivot> controls_;  ///< likewise, see RowOrder
    std::vector<int> all_rows_;           ///< both
    std::vector<double> solved_at_;       ///< inputs of that check, where the solver had an answer
    std::size_t solved_ = 0;              ///< evaluations of the solver then
    std::vector<char> pushes_;            ///< m: has entries, and multipliers
    int states_since_check_ = 0;          ///< states on the constraints
    bool redundant_ = false;
    bool unique_ = true;  ///< the multipliers are
    /// Every row does no work, and no other force of constraint is there: what Qc.v leaves off the
    /// constraints is an error.
    bool idle_ = false;
    bool check_rank_ = true;
    bool rank_checked_ = false;
    bool by_program_ = false;
    PivotHealth health_ = PivotHealth::kSound;  ///< of the program at its last run
    bool in_scratch_ = false;                   ///< a ScratchScope lives
    bool by_scratch_ = false;                   ///< the last evaluation was by scratch_solver_
    solve::Wanted wanted_;
};

}  // namespace ananke::dynamics

// The acceleration that the integrator asks for: by the compiled program wherever it is trusted, by
// the solver wherever the rank is in question.
//
// A state on the constraints gets a close look, a choice of rows by their pivots and of the order
// of elimination, at the start, when a pivot of the program has changed its sign or rows are on the
// way to become dependent, and where rows are redundant every so many steps. Models with actuators,
// whose singular configurations are not all told by the rows, and those that the program does not
// cover get one at every such state.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/fresh_numbers.h"
#include "dynamics/compiled_acceleration.h"
#include "dynamics/dynamics.h"
#include "dynamics/rank_watch.h"

namespace ananke::dynamics {

class RightHandSide {
  public:
    RightHandSide(Evaluator& evaluator, const DynamicsOptions& options);

    // Where the law held for a step is not a number, that of the state itself is asked for both:
    // see compile/switches.h.
    /// At a state on the constraints.
    solve::SolveStatus on_constraints(double t, const double* q, const double* v);
    /// Inside a step, with the rows chosen at the last close look.
    solve::SolveStatus in_step(double t, const double* q, const double* v) {
        by_aside_ = false;
        return compiled_ && compiled_->ready() && run_program(t, q, v) ? solve::SolveStatus::kOk
                                                                       : solve_in_step(t, q, v);
    }

    /// At a state next to a singular configuration, by the program alone; false if it cannot be
    /// trusted.
    bool across(double t, const double* q, const double* v) {
        by_aside_ = false;
        if (!compiled_ || !compiled_->ready() || !controls_.empty()) {
            return false;
        }
        compiled_->run(t, q, v);
        const std::span<const double> a = compiled_->a();
        by_program_ = compiled_->serves_across() && are_finite_fresh(a.data(), a.size());
        return by_program_;
    }

    /// CompiledAcceleration::pivots() at a state; none if there is no program.
    std::span<const double> pivots(double t, const double* q, const double* v) {
        if (!compiled_ || !compiled_->ready() || !controls_.empty()) {
            return {};
        }
        compiled_->run(t, q, v);
        return compiled_->pivots();
    }

    /// Motion and forces at a state, by the program of forces, into `to`; false, and nothing in
    /// `to`, where it cannot be trusted or multipliers are one choice of many. Leaves no trace.
    bool give_forces(double t, const double* q, const double* v, Dynamics& to);

    /// As long as one lives, evaluations inside a step leave no trace: what is asked for besides
    /// the steps must not change them.
    class Aside {
      public:
        explicit Aside(RightHandSide& owner) : owner_(owner) { owner_.aside_ = true; }
        ~Aside() { owner_.aside_ = false; }
        Aside(const Aside&) = delete;
        Aside& operator=(const Aside&) = delete;

      private:
        RightHandSide& owner_;
    };

    // Of the last evaluation.
    const double* a() const { return by_program_ ? compiled_->a().data() : solver().a().data(); }
    /// h' = power of the forces without potential + Qc.v
    double energy_rate(const double* v) const {
        return by_program_ ? compiled_->energy_rate() : solved_energy_rate(v);
    }
    /// v, a, h' and the multipliers of stick rows of the last evaluation, that was at velocities v.
    void rates(const double* v, std::span<double> into) const {
        if (by_program_) {
            const std::span<const double> all = compiled_->rates();
            copy_few_fresh(all.data(), all.size(), into.data());
        } else {
            solved_rates(v, into);
        }
    }

    /// The program, null if there is none or if it is in segments.
    const code::StateKernel* program() const {
        return compiled_ && compiled_->ready() ? compiled_->program() : nullptr;
    }
    /// Instructions of the program, 0 if there is none.
    std::size_t program_size() const {
        return compiled_ && compiled_->ready() ? compiled_->program_size() : 0;
    }

    /// Derivatives of a and of the energy rate, see CompiledAcceleration::derivatives; false where
    /// there is no program.
    bool derivatives(double t, const double* q, const double* v, std::span<double> J);

    /// Independent rows that count since the last close look, those that controls enforce left out.
    std::span<const int> rows() const { return rows_; }

    /// By the program, not by the solver.
    bool by_program() const { return by_program_; }

    /// The next on_constraints() is to take a close look.
    void look_closely() { look_ = true; }
    /// The last on_constraints() took a close look: dynamics() knows the pivots there.
    bool looked_closely() const { return looked_; }
    /// The order of elimination, if the last evaluation was by a program with sound pivots, else
    /// null.
    const RowOrder* trusted_order() const { return by_program_ && !look_ ? order() : nullptr; }
    /// The order of the program, null if there is none or if controls enforce rows that it lacks.
    const RowOrder* order() const {
        return compiled_ && compiled_->ready() && controls_.empty() ? &compiled_->order() : nullptr;
    }
    const Dynamics& dynamics() const { return dynamics_; }
    Dynamics& dynamics() { return dynamics_; }

  private:
    /// States on the constraints between two close looks where rows are redundant: they may become
    /// independent without a pivot that tells.
    static constexpr int kLongestTrust = 32;

    /// False if the program cannot be trusted here.
    bool run_program(double t, const double* q, const double* v) {
        health_ = compiled_->run(t, q, v);
        look_ = look_ || (!aside_ && health_ >= PivotHealth::kDoubtful);
        if (!aside_ && compiled_->follows() && health_ != PivotHealth::kAlarm) {
            compiled_->start_from_last();
        }
        const std::span<const double> a = compiled_->a();
        by_program_ = health_ != PivotHealth::kAlarm && are_finite_fresh(a.data(), a.size());
        return by_program_;
    }
    solve::SolveStatus look_on_constraints(double t, const double* q, const double* v);
    solve::SolveStatus solve_in_step(double t, const double* q, const double* v);
    solve::SolveStatus solve_by_law(double t, const double* q, const double* v);
    double solved_energy_rate(const double* v) const;
    void solved_rates(const double* v, std::span<double> into) const;
    void take_rows(double t, const double* q, const double* v);
    bool choose_order(double t, const double* q, const double* v);
    solve::SolveStatus solve_on_constraints(double t, const double* q, const double* v);
    const Dynamics& solver() const { return by_aside_ ? *aside_dynamics_ : dynamics_; }

    Evaluator* evaluator_;
    DynamicsOptions options_;
    Dynamics dynamics_;
    std::optional<Dynamics> aside_dynamics_;  ///< made when it is first needed
    std::optional<CompiledAcceleration> compiled_;
    RankWatch watch_;
    std::vector<int> rows_;               ///< chosen at the last close look
    std::vector<solve::Pivot> controls_;  ///< likewise, see RowOrder
    std::vector<int> all_rows_;           ///< both
    std::vector<double> solved_at_;       ///< inputs of that look, where the solver had an answer
    std::size_t solved_ = 0;              ///< evaluations of the solver then
    std::vector<char> pushes_;            ///< m: has entries, and multipliers
    int since_look_ = 0;                  ///< states on the constraints
    bool redundant_ = false;
    bool unique_ = true;  ///< the multipliers are
    /// Every row does no work, and no other force of constraint is there: what Qc.v leaves off the
    /// constraints is an error.
    bool idle_ = false;
    bool look_ = true;
    bool looked_ = false;
    bool by_program_ = false;
    PivotHealth health_ = PivotHealth::kSound;  ///< of the program at its last run
    bool aside_ = false;                        ///< an Aside lives
    bool by_aside_ = false;                     ///< the last evaluation was by aside_dynamics_
    solve::Wanted wanted_;
};

}  // namespace ananke::dynamics

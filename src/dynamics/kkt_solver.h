// The equations of motion at one state, solved by full matrices or by sparse systems.
//
//   [ M    -A_p^T  -D ] [ a      ]   [ Q + C ]     A_p: passive rows, constraints and frictions at
//   rest [ A_p   0       0 ] [ lambda ] = [ b_p   ]     A_s: servo rows, which the controls u
//   enforce [ A_s   0       0 ] [ u      ]   [ b_s   ]
//
// THEORY section 2 and 3. Which solver a model gets is decided by predicted cost (compile/roads.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "compile/sparse_values.h"
#include "dynamics/evaluator.h"
#include "dynamics/row_rank.h"
#include "solve/acceleration.h"
#include "solve/control_matrix.h"
#include "solve/elimination.h"

namespace ananke::dynamics {

/// A motion and its forces.
struct Motion {
    std::vector<double> a;                          ///< n
    std::vector<double> Qc, Qc_ideal, Qc_nonideal;  ///< n: force of constraint and its parts
    std::vector<double> lambda;                     ///< m
    std::vector<double> u;                          ///< per control

    explicit Motion(const compile::CompiledModel& model);
};

class KktSolver {
  public:
    KktSolver() = default;
    virtual ~KktSolver() = default;
    KktSolver(const KktSolver&) = delete;
    KktSolver& operator=(const KktSolver&) = delete;

    // All but the first work with the rows chosen by the last solve().
    /// Decides which rows count. The values are those of the last state of the evaluator.
    virtual solve::SolveStatus solve(const compile::SparseValues& at, Motion& motion) = 0;
    /// Inside a step, where stages leave the constraints and redundant rows look independent.
    virtual solve::SolveStatus solve_again(const compile::SparseValues& at, solve::Wanted wanted,
                                           Motion& motion) = 0;
    /// The same M, A, b and D as at the last solve with other forces Q and C: by its factors.
    virtual solve::SolveStatus solve_forces(const compile::SparseValues& at, Motion& motion) = 0;
    /// What a generalised force F (n) adds to the multipliers (m): by the factors of the last
    /// solve.
    virtual void response(std::span<const double> F, std::span<double> change) = 0;

    // Forces that depend on multipliers: J = d lambda / d x is the change of the multipliers by the
    // forces Q + C when these take the multipliers that feed back to be x.
    /// J is that at the slopes of the evaluator as they now are.
    virtual void take_slopes() = 0;
    /// r <- (1 - J)^-1 r, per CompiledModel::feedback; false if 1 - J is singular.
    virtual bool feedback_step(std::span<double> r) = 0;
    /// The spectral radius of J.
    virtual double feedback_radius() = 0;

    /// The forces of a motion a that is given, by the rows whose pivots exceed `weakest`; see
    /// solve::AccelerationSolver::attribute.
    virtual solve::SolveStatus attribute(const compile::SparseValues& at, const double* a,
                                         double weakest, Motion& motion) = 0;
    /// Multipliers (m) that a form has found become the share among dependent rows.
    virtual void share(std::span<double> /*lambda*/) {}

    /// Why the last solve, which was at this state, failed; with names of coordinates and
    /// constraints.
    virtual Error explain(double t, const double* q, const double* v) = 0;

    // Of the last solve().
    virtual int rank() const = 0;
    virtual bool rank_warning() const = 0;
    /// Smallest pivot of a row that counts.
    virtual double weakest_pivot() const = 0;
    /// The row it belongs to, and its component orthogonal to the others (n); -1: not known.
    virtual int weakest_row(std::span<double> remainder) const = 0;
    /// Independent passive rows.
    virtual std::vector<int> kept_rows() const = 0;
    /// Controls and the servo rows that they are found by.
    virtual std::vector<solve::Pivot> control_pivots() const { return {}; }
    // See solve/control_matrix.h; control_gap() requires controls.
    /// How well the actuators enforce their servos, 0..1.
    virtual double regularity() const { return 1.0; }
    virtual int orientation() const { return 0; }
    virtual solve::ControlGap control_gap(double tolerance) const;
    /// What decided which rows count; null where controls take part.
    virtual const RowRank* row_rank() const { return nullptr; }
};

enum class Mismatch : std::uint8_t {
    kIsAnError,  ///< dependent rows that disagree contradict each other
    kIsDrift,    ///< off the constraints they disagree by what they are off
};

/// The solver that costs less for this model.
std::unique_ptr<KktSolver> make_kkt_solver(Evaluator& evaluator, Mismatch mismatch,
                                           solve::Wanted wanted);
/// By full matrices, whatever it costs.
std::unique_ptr<KktSolver> make_full_kkt_solver(Evaluator& evaluator, Mismatch mismatch);

}  // namespace ananke::dynamics

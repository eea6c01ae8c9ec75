// Forces that depend on the multipliers which they change: friction on the load it is pressed by.
//
// With the factors of the system the multipliers are affine in the forces, lambda = G(lambda) in
// the rows that feed back. Newton's method finds the fixed point, from the multipliers of the last
// one or of the forces that do not feed back, in steps that stay where the forces are numbers. The
// slope J = dG/d lambda decides whether it is the only one: where the spectral radius of J reaches
// 1 the answer no longer contracts, and for dry friction there are then none or two (Painleve). No
// memory is taken after construction.                                           THEORY section 5
#pragma once

#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/kkt_solver.h"

namespace ananke::dynamics {

class Feedback {
  public:
    explicit Feedback(const compile::CompiledModel& model);

    bool empty() const { return rows_.empty(); }
    /// What the next answer starts from: the multipliers of the last one, if there was any.
    const double* multipliers() const { return x_.data(); }
    bool has_start() const { return has_start_; }
    /// The multipliers to start from.
    void start_from(const double* lambda);

    /// Goes on from a solve of `at`, evaluated with multipliers(), to the fixed point. The views of
    /// `at` and the motion then hold the forces there.
    solve::SolveStatus close(Evaluator& evaluator, KktSolver& solver,
                             const compile::SparseValues& at, Motion& motion);

    /// Spectral radius of the slope at the last answer.
    double slope() const { return slope_; }

  private:
    void forget();

    bool has_start_ = false;
    std::vector<int> rows_;         ///< u rows that feed back
    std::vector<double> x_;         ///< per constraint row
    std::vector<double> change_;    ///< per row: response of the multipliers
    std::vector<double> residual_;  ///< u
    double slope_ = 0.0;
};

/// The friction whose feedback is the strongest, its coefficient and the critical one, in words.
/// Requires the evaluator, the solver and the motion as close() left them.
Error describe_feedback(Evaluator& evaluator, KktSolver& solver, const Motion& motion,
                        const Feedback& feedback, double t, const double* q, const double* v);

}  // namespace ananke::dynamics

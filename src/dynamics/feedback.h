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
#include "solve/acceleration.h"
#include "solve/actuated.h"

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
    /// `at` and the solver then hold the forces and the motion there. `Solver` is an
    /// AccelerationSolver or an ActuatedSolver.
    template <class Solver>
    solve::SolveStatus close(Evaluator& evaluator, Solver& solver, const solve::System& at);

    /// Spectral radius of the slope at the last answer.
    double slope() const { return slope_; }

  private:
    template <class Solver>
    void find_slope(Evaluator& evaluator, Solver& solver);
    void find_radius();
    bool newton_step();
    void forget();

    int n_;
    bool has_start_ = false;
    std::vector<int> rows_;         ///< u rows that feed back
    std::vector<double> x_;         ///< per constraint row
    std::vector<double> change_;    ///< per row: response of the multipliers
    std::vector<double> J_;         ///< u x u
    std::vector<double> power_;     ///< u x u: J^2, J^4, ...
    std::vector<double> work_;      ///< u x u
    std::vector<double> residual_;  ///< u
    double slope_ = 0.0;
};

/// The friction whose feedback is the strongest, its coefficient and the critical one, in words.
/// Requires the evaluator and the solver as close() left them.
template <class Solver>
Error describe_feedback(Evaluator& evaluator, Solver& solver, const Feedback& feedback, double t,
                        const double* q, const double* v);

}  // namespace ananke::dynamics

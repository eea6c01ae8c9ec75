// The columns of a run and their values at one state: the contract of the result files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ananke/record.h"
#include "compile/reactions.h"
#include "dense/dense.h"
#include "dynamics/actuation.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"

namespace ananke::simulate {

/// t; x; x'; x''; Qc[x], Qc_ideal[x], Qc_nonideal[x]; lambda[c] (not of rows that actuators
/// enforce); control[c:1], control[c:x]; residual[c]; residual_rate[c]; force[c:P].x,
/// torque[c:B].x, the same in body axes, power[c]; friction[c]; kinetic, potential, energy,
/// energy_balance; outputs and speeds; with `principle` also a0[x], deviation[x], e[c].
std::vector<Column> columns_of(const compile::CompiledModel& model, bool principle = false);

/// Scaled violation of one constraint row at one instant.
struct Violation {
    double residual;  ///< of the equation as written, over its summed magnitudes (at least 1)
    double rate;      ///< of its time derivative, likewise
};

class RowWriter {
  public:
    RowWriter(dynamics::Evaluator& evaluator, dynamics::MotionSolver& dynamics,
              bool principle = false);

    std::vector<Column> columns() const { return columns_of(evaluator_->model(), principle_); }

    /// The row at a state on the constraints, `work` being the integral of power + Qc.v so far.
    /// Requires that the dynamics was evaluated at this very state.
    std::span<const double> fill(double t, const double* q, const double* v, double work);

    /// RunOptions::principle was set and M was singular at the last row, which holds NaN instead.
    bool lacks_principle() const { return lacks_principle_; }

    std::span<const Violation> violations() const { return violations_; }
    double energy_balance() const { return energy_balance_; }
    /// h at the start of the run: what the balance is counted from.
    void set_start_h(double h) { start_h_ = h; }

  private:
    void find_violations(double t, const double* q, const double* v);
    void push_reactions(double t, const double* q, const double* v);
    void fill_frictions(double t, const double* q, const double* v);
    void fill_principle(double t, const double* q, const double* v);
    void push(std::span<const double> values) {
        row_.insert(row_.end(), values.begin(), values.end());
    }

    dynamics::Evaluator* evaluator_;
    dynamics::MotionSolver* dynamics_;
    std::vector<double> row_;
    std::vector<Violation> violations_;
    std::vector<double> rate_, scale_;
    std::vector<double> largest_;  ///< per row: sum of |A| and the sizes of accelerations
    compile::Reactions reactions_;
    dynamics::ControlColumns controls_;
    bool principle_;
    bool lacks_principle_ = false;
    Eigen::LLT<Eigen::MatrixXd> mass_;
    Eigen::VectorXd a0_, deviation_, e_;  ///< n, n, m
    double start_h_ = 0.0;
    double energy_balance_ = 0.0;
};

}  // namespace ananke::simulate

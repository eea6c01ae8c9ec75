// The differential equation y' = f(t, y) that a run integrates.
//
// State y: q (n), v (n), the integral of power + Qc.v, and per stick row the integral of its
// multiplier, so that steps follow the friction force also where nothing moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/acceleration.h"
#include "dynamics/evaluator.h"
#include "dynamics/start.h"
#include "dynamics/ties.h"
#include "ode/problem.h"

namespace ananke::dynamics {

class StateEquation {
  public:
    StateEquation(Evaluator& evaluator, const MethodOptions& options);

    /// Components of y.
    std::size_t size() const { return 2 * n_ + 1 + stick_rows_; }
    std::vector<double> state(const StartState& start) const;
    /// Absolute tolerances of a step, a tenth of `tolerance` of the sizes of all but the integral
    /// that balances the energy. Sizes are at least those of the state that the step begins at.
    void set_tolerances(double tolerance, const ode::StepAhead& step, std::span<double> atol);

    /// Frictions at rest may hold with forces of this size: what their impulses are measured by.
    void expect_hold(double force) { largest_hold_ = std::max(largest_hold_, force); }

    /// f inside a step, with the rows chosen at its beginning.
    ode::Evaluation rhs(double t, std::span<const double> y, std::span<double> dydt);
    /// What an implicit integrator may know about f; see ode::Structure.
    std::size_t positions() const { return n_; }
    std::size_t integrals() const { return 1 + stick_rows_; }
    /// Derivatives of f; false where differences must do.
    bool jacobian(double t, std::span<const double> y, std::span<double> J) {
        return acceleration_.derivatives(t, y.data(), y.data() + n_, J);
    }
    /// The next rhs() is at a state on the constraints, and may choose the rows anew.
    void choose_rows() { choose_rows_ = true; }
    /// f at a state on the constraints, without consequences for the steps that go on.
    ode::Evaluation rhs_on_surface(double t, std::span<const double> y, std::span<double> dydt);
    /// The same next to a singular configuration, by the program with the order of the last choice
    /// where it serves.
    ode::Evaluation rhs_across(double t, std::span<const double> y, std::span<double> dydt);
    /// See Acceleration::pivots.
    std::span<const double> pivots(double t, std::span<const double> y) {
        return acceleration_.pivots(t, y.data(), y.data() + n_);
    }
    /// At the last evaluation on the constraints; `direction` (n): the component of the row
    /// orthogonal to the others. Not known where that was by a program.
    WeakestRow weakest(std::span<double> direction) const;

    /// The acceleration at a state where the run starts anew; where there is none, the next step
    /// says so.
    const double* restart_acceleration(double t, std::span<const double> y);
    /// Why the last rhs() without a result had none.
    Error explain_failure();

    const Acceleration& acceleration() const { return acceleration_; }
    Acceleration& acceleration() { return acceleration_; }

  private:
    Evaluator* evaluator_;
    std::size_t n_;
    std::size_t stick_rows_;
    Acceleration acceleration_;
    Ties ties_;
    bool choose_rows_ = true;
    double failed_t_ = 0.0;
    std::vector<double> failed_y_;
    std::vector<double> reach_;  ///< n  velocities that a step may lead to
    double tied_step_ = 0.0;     ///< length of steps that ties_ were measured for
    double largest_hold_ = 0.0;  ///< of frictions at rest: see expect_hold()
};

}  // namespace ananke::dynamics

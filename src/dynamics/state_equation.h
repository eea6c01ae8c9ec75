// The differential equation y' = f(t, y) that a run integrates.
//
// State y: q (n), v (n), the integral of power + Qc.v, and per stick row the integral of its
// multiplier, so that steps follow the friction force also where nothing moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "ode/problem.h"
#include "dynamics/evaluator.h"
#include "dynamics/right_hand_side.h"
#include "dynamics/start.h"
#include "dynamics/ties.h"

namespace ananke::dynamics {

class StateEquation {
  public:
    StateEquation(Evaluator& evaluator, const DynamicsOptions& options);

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
    /// It is to do so.
    void look_closely() { acceleration_.look_closely(); }
    /// The last rhs() on the constraints did so.
    bool looked_closely() const { return acceleration_.looked_closely(); }
    /// The order of elimination, if the last rhs() was by a program with sound pivots, else null.
    const RowOrder* trusted_order() const { return acceleration_.trusted_order(); }
    /// f at a state on the constraints, without consequences for the steps that go on.
    ode::Evaluation rhs_on_surface(double t, std::span<const double> y, std::span<double> dydt);
    /// The same next to a singular configuration, by the program with the order of the last choice
    /// where it serves.
    ode::Evaluation rhs_across(double t, std::span<const double> y, std::span<double> dydt);
    /// See RightHandSide::pivots.
    std::span<const double> pivots(double t, std::span<const double> y) {
        return acceleration_.pivots(t, y.data(), y.data() + n_);
    }
    /// The order of the program, null if there is none.
    const RowOrder* order() const { return acceleration_.order(); }
    /// At the last evaluation on the constraints; `direction` (n): what the row has besides the
    /// others. Not known where that was by a program.
    WeakestRow weakest(std::span<double> direction) const;

    /// The acceleration at a state where the run starts anew; where there is none, the next step
    /// says so.
    const double* acceleration(double t, std::span<const double> y);
    /// See RightHandSide::give_forces.
    bool give_forces(double t, const double* q, const double* v, Dynamics& to) {
        return acceleration_.give_forces(t, q, v, to);
    }
    /// Why the last rhs() without a result had none.
    Error explain_failure();

    /// Instructions of the program of the acceleration, 0 if there is none.
    std::size_t program_size() const { return acceleration_.program_size(); }
    /// See RightHandSide::Aside.
    RightHandSide::Aside aside() { return RightHandSide::Aside(acceleration_); }

    const RightHandSide& right_hand_side() const { return acceleration_; }
    Dynamics& dynamics() { return acceleration_.dynamics(); }

  private:
    Evaluator* evaluator_;
    std::size_t n_;
    std::size_t stick_rows_;
    RightHandSide acceleration_;
    Ties ties_;
    bool choose_rows_ = true;
    double failed_t_ = 0.0;
    std::vector<double> failed_y_;
    std::vector<double> reach_;  ///< n  velocities that a step may lead to
    double tied_step_ = 0.0;     ///< length of steps that ties_ were measured for
    double largest_hold_ = 0.0;  ///< of frictions at rest: see expect_hold()
};

}  // namespace ananke::dynamics

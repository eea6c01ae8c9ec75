// Controls of a run: their columns, the watch over their regularity, and what is said where they
// fail. docs/theory.md, section 3.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ananke/record.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "ode/stepper.h"
#include "solve/control_matrix.h"

namespace ananke::dynamics {

/// control[c:1] of actuators, control[c:x] of an ideal servo (its generalised force); and the
/// vectors force[c:P], torque[c:B] of actuators with power[c] of servos that have no other force
/// columns.
class ControlColumns {
  public:
    explicit ControlColumns(const compile::CompiledModel& model);

    std::vector<Column> controls() const;
    std::vector<Column> forces() const;  ///< and powers

    /// Requires that the dynamics was evaluated at this very state.
    void fill(Evaluator& evaluator, const MotionSolver& dynamics, double t, const double* q,
              const double* v);
    std::span<const double> control_values() const { return control_values_; }
    std::span<const double> force_values() const { return force_values_; }

  private:
    struct Ideal {
        int constraint, coordinate;
    };
    struct Push {
        int constraint;
        mech::Actuator::Kind kind;
        std::string target;  ///< point or body
    };
    const compile::CompiledModel* model_;
    std::vector<Ideal> ideal_;
    std::vector<Push> pushes_;  ///< constraint and point or body that actuators join
    std::vector<int> powers_;   ///< constraints
    std::vector<double> control_values_, force_values_;
};

/// Looks after each step whether the actuators have lost their hold within it.
class ControlWatch {
  public:
    void start(Evaluator& evaluator, double t, std::span<const double> y);
    /// The time within the step just accepted where they have.
    std::optional<double> after_step(Evaluator& evaluator, ode::Stepper& stepper);

  private:
    int orientation(Evaluator& evaluator, double t, std::span<const double> y);

    std::unique_ptr<KktSolver> solver_;
    std::optional<Motion> motion_;
    std::vector<double> y_;
    int last_ = 0;
};

/// Names the servo and the direction of its motion that no control influences, or the controls that
/// are not unique, at a state. `tolerance`: cosines below which an influence counts as none.
Error explain_controls(Evaluator& evaluator, double t, const double* q, const double* v,
                       double tolerance = 10.0 * solve::kIrregular);

/// "near there the actuators ...", or nothing if they have a firm hold.
std::string controls_nearly_lost(Evaluator& evaluator, double t, const double* q, const double* v);

}  // namespace ananke::dynamics

// Something that changes the motion inside a step: a switch of a force law, a friction, an event.
//
// The run asks every watch for its first change in the step just made, writes the rows before the
// earliest of them, cuts the step there, lets that watch change state and laws, and starts anew.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "simulate/singular_stepper.h"

namespace ananke::simulate {

class StepWatch {
  public:
    virtual ~StepWatch() = default;

    /// The time of the first change inside the step just made, if it goes before another one at
    /// `until`, or before the end of the step. `row_times`: of the rows up to there, where the
    /// motion is looked at, too. An error ends the run at the beginning of the step.
    virtual Result<std::optional<double>> after_step(SingularStepper& stepper, double until,
                                                     std::span<const double> row_times) = 0;
    /// Rows later than this show the motion behind a change at t.
    virtual double last_row_before(double t) const { return t; }
    /// Carries out the change found last at its time t and the state y there, which it may move.
    /// Returns the first step to try from there, at most `next_step`; 0 is the integrator's choice.
    /// An error ends the run at t.
    virtual Result<double> change(double t, std::span<double> y, double next_step) = 0;

  protected:
    StepWatch() = default;
    StepWatch(const StepWatch&) = default;
    StepWatch& operator=(const StepWatch&) = default;
};

}  // namespace ananke::simulate

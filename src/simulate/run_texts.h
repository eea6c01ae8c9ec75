// What a run says about where it stopped, and about what it passed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ananke/record.h"
#include "base/result.h"
#include "dynamics/evaluator.h"
#include "dynamics/start.h"
#include "ode/stepper.h"
#include "simulate/row_watch.h"
#include "simulate/run.h"
#include "simulate/singular_stepper.h"
#include "simulate/stagnation.h"

namespace ananke::simulate {

/// The integrator's reason, and the constraints that are nearly dependent where it gave up. `rank`
/// is that of the constraints before.
Error describe_stop(dynamics::Evaluator& evaluator, ode::Status status,
                    const SingularStepper& stepper, int rank);

/// A time and the state y then: q, v and whatever else.
struct TimedState {
    double t;
    const double* y;
    int rank;  ///< of the constraints
};
/// The failure if constraints that are dependent at the start are so nowhere near it.
std::optional<Error> describe_singular_start(dynamics::Evaluator& evaluator,
                                             const TimedState& start, const TimedState& beside);
/// The same where the start is a rounding beside such a configuration, because guesses led into it.
/// `pivot`: of the weakest row there.
std::optional<Error> describe_start_near_singular(dynamics::Evaluator& evaluator, double t,
                                                  const dynamics::StartState& start, double pivot);

/// Constraints in the velocities whose derivative by these is zero at the start, if there are any.
std::optional<Error> describe_vanished_start(dynamics::Evaluator& evaluator, double t,
                                             const dynamics::StartState& start);
Error describe_vanished_row(const compile::CompiledModel& model, const VanishedRow& row);
Error describe_lost_control(dynamics::Evaluator& evaluator, double t, std::span<const double> y);
Error describe_stagnation(dynamics::Evaluator& evaluator, const ode::Stepper& stepper,
                          const Stagnation& measured, const RunOptions& options);
Error describe_too_many_steps(double t, std::size_t steps, std::size_t events);

/// The entry of a singular configuration that was passed.
Event describe_passage(const compile::CompiledModel& model, const SingularPoint& point);

}  // namespace ananke::simulate

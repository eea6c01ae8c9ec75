// Recognises a run that would never end, because its steps have become too short.
//
// Dry friction written as -mu N v/|v| is a smooth law until v = 0, where it has no value: the steps
// shrink with what is left of v, and never end. The strength of such a law tells it: it stays as it
// is when v is made smaller, and changes its sign with v, so that both directions end.
#pragma once

#include <cstddef>
#include <optional>

#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "ode/stepper.h"

namespace ananke::simulate {

/// Whether velocities, all of them or those that are small beside the others, vanish at this state
/// under such forces. For a run that makes no progress; allocates.
bool is_dry_stop(dynamics::Evaluator& evaluator, double t, const double* q, const double* v);

/// A run whose steps have become so short, on average, that it would need `ahead` more of them.
struct Stagnation {
    double pace;   ///< average length of the last steps
    double ahead;  ///< steps that would be needed
    bool dry;      ///< forces bring the motion to rest as dry friction does
};

/// Measures now and then how fast a run gets on.
class Pace {
  public:
    /// Asked after a step of the run, the `attempts`-th one, accepted or not.
    std::optional<Stagnation> measure(dynamics::Evaluator& evaluator, const ode::Stepper& stepper,
                                      std::size_t attempts, double until, std::size_t max_steps);

  private:
    std::size_t counted_ = 0;  ///< attempts when the pace was last measured
    double counted_at_ = 0.0;  ///< the time then
    int slow_ = 0;             ///< measurements in succession that would lead beyond the limit
    int dry_ = 0;              ///< of these, where dry forces bring the motion to rest
};

}  // namespace ananke::simulate

// Finds where a force changes its law inside a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ode/stepper.h"
#include "sim/evaluator.h"

namespace ananke::sim {

struct Switching {
    double t;   ///< just behind the change
    int which;  ///< index into CompiledModel::switches
    bool now;   ///< its truth from here on
};

class SwitchWatch {
  public:
    /// The first change in the step just accepted. Requires that the evaluator's truths are those
    /// the step was made with.
    std::optional<Switching> after_step(Evaluator& evaluator, ode::Stepper& stepper);

    /// Notes a change. Fails when changes pile up at one time: the motion sticks to the place.
    Result<void> note(const Switching& change, const CompiledModel& model);

  private:
    double old_law_begins(Evaluator& evaluator, ode::Stepper& stepper, int which);
    double difference(Evaluator& evaluator, ode::Stepper& stepper, int which, double t);

    std::vector<double> y_;
    double last_ = 0.0;  ///< time of the last change
    int piled_ = 0;      ///< changes since then without progress
};

}  // namespace ananke::sim

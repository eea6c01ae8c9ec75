// The forces along a crossing of a singular configuration: whether the rest of it still counts
// after a switch, an event or a parameter has changed the law in the middle.
#pragma once

#include <array>
#include <vector>

#include "dynamics/evaluator.h"
#include "ode/gauss_step.h"

namespace ananke::simulate {

class CrossingForces {
  public:
    /// Evaluates Q + C along a step from t0 to t1, under the law that it was made with.
    void record(dynamics::Evaluator& evaluator, const ode::GaussStep& step, double t0, double t1);
    /// Whether the law of now moves nothing between t and t1 that the recorded one would not, up to
    /// a part of the tolerance: |dQ| (t1 - t) / M against the velocities.
    bool hold_from(dynamics::Evaluator& evaluator, double t, double t1, double rtol);

  private:
    struct Sample {
        double t = 0.0;
        std::vector<double> y, sum;  ///< sum: Q + C, n
    };
    std::array<Sample, 6> samples_;  ///< evenly spaced, the last one at the end
    std::vector<double> mass_;       ///< n  diagonal of M
};

}  // namespace ananke::simulate

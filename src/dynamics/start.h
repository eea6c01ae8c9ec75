// The state a run starts from: initial values assembled onto the constraints.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "mech/values.h"

namespace ananke::dynamics {

/// A value that assembly moved.
struct Moved {
    std::string name;  ///< x or x'
    double from = 0.0;
    double to = 0.0;
    bool exact = false;  ///< it was given as exact and lay within 1e-9 of the constraints
};

struct StartState {
    double t = 0.0;
    std::vector<double> q, v;
    std::vector<Moved> moved;
    GivenScales scales = {};  ///< that the model gives
};

/// Positions, then velocities; exact values stay, guesses move least; THEORY section 6. The error
/// lists the residual of every constraint that is not met, the values that could be freed, and the
/// constraints that contradict each other, by name.
Result<StartState> assemble(Evaluator& evaluator, const mech::InitialState& initial,
                            double t = 0.0);

}  // namespace ananke::dynamics

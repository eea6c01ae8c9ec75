// The motion of a mechanism by an extrapolation method of its own (Gragg's midpoint rule with
// polynomial extrapolation, Hairer, Norsett & Wanner I, II.9), projected after every step.
// Switches, events, stick and slip are located by steps of other lengths.
//
// Mechanisms are described in units where their sizes are about 1, so errors are measured against
// max(1, |y|).
#pragma once

#include <string>

#include "equations.h"

namespace mechanisms {

struct Sample {
    double t = 0.0;
    VectorXd q, v, a;  ///< in the order of positions
    VectorXd Qc;       ///< in the order of speeds
    double kinetic = 0.0;
    double potential = 0.0;
};

struct Motion {
    std::vector<Sample> samples;   ///< as many of the requested times as were reached
    std::string end;               ///< why it ended before the last one; empty if it did not
    std::vector<double> instants;  ///< of switches, events, stick and slip
};

/// The motion from the start of the mechanism at these times. Each step keeps `tolerance`.
Motion integrate(const Mechanism& mechanism, const std::vector<double>& times, double tolerance);

/// The same from a state beside the start: moved by `offset` in a direction drawn by `seed` and put
/// onto the constraints. What a motion makes of it shows how it magnifies errors.
Motion integrate_beside(const Mechanism& mechanism, const std::vector<double>& times,
                        double tolerance, double offset, unsigned seed);

/// Modes at a state by the conditions that hold there.
Modes modes_at(const Mechanism& mechanism, const State& state);

}  // namespace mechanisms

// Where the time of one of our runs goes: its evaluations and projections are recorded once and
// then repeated part by part.
#pragma once

#include <cstddef>
#include <vector>

#include "models.h"
#include "simulate/run.h"

namespace ananke::bench {

constexpr double kTolerance = 1e-12;

/// One run: time, and how well it ended.
struct RunTime {
    double seconds = 0.0;
    std::size_t steps = 0;
    std::size_t evaluations = 0;
    double error = 0.0;
};

/// simulate::run as `ananke run` calls it, one row at the end; not timed.
RunTime our_run(const BenchModel& model, Drift drift, double tolerance);
RunTime time_our_run(const BenchModel& model, Drift drift);
/// The loop of hand_dop853.h, with accelerations in closed form or by a solve of fixed size.
enum class ByHand { kClosedForm, kSolved };
RunTime hand_run(const BenchModel& model, ByHand how, bool with_projection, double tolerance);
RunTime time_hand_run(const BenchModel& model, ByHand how, bool with_projection);
/// The hand-written acceleration under our ode::Dop853.
RunTime time_hand_run_in_our_integrator(const BenchModel& model, bool with_projection);

/// Seconds per right-hand side, averaged over the states of the run.
struct Acceleration {
    double ours = 0.0;           ///< as in a run: acceleration, rate of energy, pivots
    double program = 0.0;        ///< the program of these alone, and the look at its pivots
    double code = 0.0;           ///< the emitted function of the program by itself
    double hand = 0.0;           ///< the acceleration in closed form
    double solved = 0.0;         ///< by a solve of fixed size
    double kernels = 0.0;        ///< M, Q, A, b alone, put into matrices
    std::size_t operations = 0;  ///< of the program of the acceleration
};

/// Seconds of a whole run with projection.
struct RunParts {
    double total = 0.0;
    double right_hand_sides = 0.0;
    double projection = 0.0;
    double integrator = 0.0;  ///< what ode::Dop853 needs besides
    double rest = 0.0;        ///< set-up, the row at the end
    std::size_t projections = 0;
};

struct Breakdown {
    Acceleration rhs;
    RunParts run;
};
Breakdown break_down(const BenchModel& model);

}  // namespace ananke::bench

// The models of the benchmark as a person would write them for speed: parameters as constants,
// arrays of fixed size. The accelerations are written twice: with M, Q, A and b and a solve of
// fixed size, and in closed form, where the structure of each mechanism is used to eliminate by
// hand.
//
// Compiled with -O3 -march=native. The program checks the accelerations against ours before it
// times anything.
#pragma once

#include <cstddef>

namespace ananke::bench {

struct HandRun {
    std::size_t steps = 0;
    std::size_t evaluations = 0;  ///< of the acceleration
};

struct HandWritten {
    const char* name;  ///< of the model and of its reference motion
    int n;
    double until;  ///< end of the runs; the reference has a sample there

    /// The constrained acceleration at (t, q, v), in closed form, and by a solve of fixed size.
    void (*acceleration)(double t, const double* q, const double* v, double* a);
    void (*solved)(double t, const double* q, const double* v, double* a);
    /// Positions, then velocities, back onto the constraints with the least change in the metric of
    /// the masses.
    void (*project)(double t, double* q, double* v);
    /// From 0 to t_end by a DOP853 loop of its own, inlined with the acceleration: relative
    /// tolerance as given, absolute a tenth of it. q and v are moved to the end.
    HandRun (*run)(double t_end, double tolerance, bool with_projection, double* q, double* v);
    HandRun (*run_solved)(double t_end, double tolerance, bool with_projection, double* q,
                          double* v);
};

extern const HandWritten kDuffing;
extern const HandWritten kTwoLinkPendulum;
extern const HandWritten kPerpendicular;
extern const HandWritten kAndrews;

}  // namespace ananke::bench

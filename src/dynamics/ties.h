// Sizes that kinds of coordinates give each other through the equations.
//
// A row sum of A_i v_i = 0 ties a kind K to the others in it: a velocity of K is as large as
//   (sum over other kinds L of |A_L| V_L) / |A_K|,      |A_K| the largest entry of K in the row,
// Elimination spreads rounding over all coordinates: the whole energy gives K the velocity
// sqrt(2 T / M_K), and all forces the acceleration |M^-1/2 Q| / sqrt(M_K). Rounding of these is
// rounding of K, also where K itself does not move. What has no mass takes the rounding of what it
// is tied to.
//
// A start has no length of a step. All energy E, the kinetic one and the work of the forces over
// the sizes X of the positions, then gives one rate for the whole model,
//   r^2 = 2 E / (sum of M_i X_i^2),      V_K = r X_K <= sqrt(2 E / M_K).
// It does not grow with the ratio of masses: a satellite's attitude is not tied to the energy of
// its planet. The size of an angle and of a quaternion is at least 1.
#pragma once

#include <vector>

#include "dynamics/evaluator.h"

namespace ananke::dynamics {

class Ties {
  public:
    explicit Ties(Evaluator& evaluator);

    /// Tells the evaluator's scales, at a state and for steps of length h.
    void measure(double t, const double* q, const double* v, double h);
    /// The same of velocities at a start.
    void measure_start(double t, const double* q, const double* v);

  private:
    void pass_on(const compile::SparseValues& values, std::vector<double>& sizes,
                 std::vector<double>& tied);

    Evaluator* evaluator_;
    std::vector<double> positions_, velocities_;  ///< per kind: sizes
    std::vector<double> tied_positions_, tied_velocities_, tied_accelerations_;  ///< per kind
    std::vector<double> passed_;   ///< per kind: rounding taken from others
    std::vector<double> largest_;  ///< per kind: entry of a row
    std::vector<int> in_row_;      ///< kinds of a row
};

}  // namespace ananke::dynamics

// Searches for values of one level, positions or velocities, that meet the constraints.
#pragma once

#include <span>
#include <vector>

#include "solve/damped_steps.h"
#include "solve/projection.h"

namespace ananke::solve {

class LevelSearch {
  public:
    /// Of positions (q is unused), or of velocities at the positions q (n). Values are
    /// measured in the units found at `guess` (n). `surface` must outlive the search.
    LevelSearch(ConstraintSurface& surface, Level level, double t, std::span<const double> q,
                std::span<const double> guess, double tolerance);

    // Of each: x (n) is changed in place, to where the search ended. Exact values stay. True if the
    // level is met.

    /// The solution nearest to x, along the constraints from the first that is found.
    bool nearest(std::span<double> x, const std::vector<bool>& exact);
    /// Any solution, from x and from places around it.
    bool search_with_restarts(std::span<double> x, const std::vector<bool>& exact);
    /// Any solution, from x: Levenberg and Marquardt's method, then Newton's.
    bool damped_search(std::span<double> x, const std::vector<bool>& exact);

    /// Residuals at x; false if they, or their derivatives, are not finite.
    bool evaluate(std::span<double> x);
    /// As evaluated last.
    const ConstraintLevel& level() { return projector_.level(); }

  private:
    LevelState state(std::span<double> x);
    NewtonResult newton(std::span<double> x, const std::vector<bool>& exact, Aim aim);
    void damped_steps(std::span<double> x, DampedSteps& steps, double goal, double& mu);
    void move_to_nearest(std::span<const double> guess, std::span<double> x,
                         const std::vector<bool>& exact);
    double squared_distance(std::span<const double> x, std::span<const double> guess) const;

    ConstraintSurface& surface_;
    Projector projector_;
    Level which_;
    double t_;
    double tolerance_;
    std::size_t n_;
    std::vector<double> q_, mass_;
    double work_ = 0.0;  ///< numbers in the factors of all steps so far
};

}  // namespace ananke::solve

// States of models with many coordinates put onto the constraints, without matrices: Newton's
// method with the least change in the metric of M, by sparse factorisations.
#pragma once

#include <span>
#include <vector>

#include "sim/evaluator.h"
#include "solve/projection.h"

namespace ananke::sim {

class SparseProjection {
  public:
    explicit SparseProjection(Evaluator& evaluator);

    /// As solve::Projector::project; rows of which the others leave less than RankPolicy::drop do
    /// not count, nor those that solve::independent_rows drops.
    solve::ProjectionReport project(double t, std::span<double> q, std::span<double> v,
                                    const solve::ProjectionOptions& options = {});
    /// Largest scaled residual of a position constraint.
    double position_violation(double t, std::span<const double> q);

    /// Coordinates (or velocities) that satisfy their level, nearest to those given; those that are
    /// exact stay. True if they do, to `tolerance` of their scales.
    bool assemble(bool velocity, double t, std::span<double> q, std::span<double> v,
                  const std::vector<bool>& exact, double tolerance);
    // Of the last level.
    double residual() const { return residual_; }
    int worst_row() const { return worst_; }

  private:
    /// Residuals, entries and scales at a state; false if they are not finite.
    bool evaluate(bool velocity, double t, std::span<const double> q, std::span<const double> v);
    bool find_step(bool velocity, double t, std::span<const double> q, std::span<const double> x,
                   std::span<const double> guess, const std::vector<bool>& exact, double dependent);
    bool descend(bool velocity, double t, std::span<double> q, std::span<double> v,
                 const std::vector<bool>& exact, bool to_guess,
                 const solve::ProjectionOptions& options);

    Evaluator* evaluator_;
    std::size_t n_;
    std::vector<double> f_, scale_, floor_, entries_, mass_, step_;
    std::vector<bool> none_exact_;
    double residual_ = 0.0;
    int worst_ = -1;
};

}  // namespace ananke::sim

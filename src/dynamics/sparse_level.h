// What the constraints ask of positions, or of velocities, without matrices.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "dynamics/evaluator.h"

namespace ananke::dynamics {

class SparseLevel {
  public:
    explicit SparseLevel(Evaluator& evaluator) : evaluator_(&evaluator) {}

    /// At a state; false if a residual is not finite.
    bool evaluate(bool velocity, double t, std::span<const double> q, std::span<const double> v);

    bool velocity() const { return velocity_; }
    /// Residuals are measured at least by what they change by when the unknowns change by these
    /// (n); none: by their own scales alone.
    void set_units(std::vector<double> units) { units_ = std::move(units); }
    std::span<const double> units() const { return units_; }
    int rows() const { return static_cast<int>(f_.size()); }
    std::span<const double> residuals() const { return f_; }
    /// What each is measured against.
    std::span<const double> scales() const { return scale_; }
    /// Entries of the gradients, and where they stand. Those of rows from rows() on do not count.
    std::span<const double> entries() const { return entries_; }
    const std::vector<compile::Place>& places() const;
    /// The largest scaled residual, and its row; -1: all are zero.
    double residual() const { return residual_; }
    int worst_row() const { return worst_; }
    /// Of all residuals over these scales.
    double norm(std::span<const double> scales) const;

  private:
    Evaluator* evaluator_;
    bool velocity_ = false;
    std::vector<double> f_, scale_, entries_, units_, change_;
    double residual_ = 0.0;
    int worst_ = -1;
};

}  // namespace ananke::dynamics

// What the constraints on positions, or on velocities, ask of one state.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "solve/constraint_surface.h"

namespace ananke::solve {

/// One level of a state: the values x of it may move.
struct LevelState {
    Level level;
    double t;
    std::span<double> q, v;
    std::span<double> x() const { return level == Level::kVelocities ? v : q; }
};

/// No memory is taken by evaluate() after construction.
class ConstraintLevel {
  public:
    /// `surface` must outlive the level.
    explicit ConstraintLevel(ConstraintSurface& surface);

    /// At a state; false if a residual is not finite.
    bool evaluate(Level level, double t, std::span<const double> q, std::span<const double> v);

    Level level() const { return level_; }
    int rows() const { return static_cast<int>(f_.size()); }
    std::span<const double> residuals() const { return f_; }
    /// What each is measured against, a divisor.
    std::span<const double> scales() const { return scale_; }
    /// Entries of J, and where they stand. Those of rows from rows() on do not count.
    std::span<const double> entries() const { return entries_; }
    std::span<const SparsePlace> places() const { return surface_->places(level_); }
    /// The largest scaled residual, and its row; -1: all are zero.
    double residual() const { return residual_; }
    int worst_row() const { return worst_; }
    /// Whether all residuals and their derivatives are finite.
    bool is_finite() const;
    /// The norm, and the largest, of all residuals over these scales.
    double norm(std::span<const double> scales) const;
    double largest(std::span<const double> scales) const;

    /// Residuals are measured at least by what they change by when the values change by these
    /// units (n); none: by their own scales alone.
    void set_units(std::vector<double> units) { units_ = std::move(units); }
    std::span<const double> units() const { return units_; }

  private:
    ConstraintSurface* surface_;
    Level level_ = Level::kPositions;
    std::vector<double> f_, scale_, entries_, units_, change_;
    double residual_ = 0.0;
    int worst_ = -1;
};

}  // namespace ananke::solve

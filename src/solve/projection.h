// Onto the constraints: Newton's method on positions, then on velocities, THEORY section 6.
//
//   least |dq|_M with phi(q + dq) = 0,   then   least |dv|_M with psi(q, v + dv) = 0
//
// No memory is taken after construction where the factors are dense.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solve/constraint_level.h"
#include "solve/least_change.h"

namespace ananke::solve {

struct ProjectionOptions {
    /// A largest scaled residual up to this is left alone.
    double skip = 2e-15;
    /// A largest scaled residual up to this, when it no longer falls, is done.
    double accept = 1e-12;
    RankPolicy rank = {};
};

enum class ProjectionStatus : std::uint8_t {
    kOk,
    kNotFinite,
    kPositionNotConverged,
    kVelocityNotConverged,
};

struct ProjectionReport {
    ProjectionStatus status = ProjectionStatus::kOk;
    bool position_changed = false;
    bool velocity_changed = false;
    double position_correction = 0.0;  ///< largest change of a coordinate
    double velocity_correction = 0.0;  ///< largest change of a velocity
    double position_residual = 0.0;    ///< largest scaled residual left
    double velocity_residual = 0.0;
    int worst_position_row = -1;
    int worst_velocity_row = -1;
    int iterations = 0;
};

/// Where Newton's method goes.
enum class Aim : std::uint8_t {
    kLeastSteps,      ///< each step moves least
    kNearestToStart,  ///< each step leads to the place nearest to the start, in the metric there
};

struct NewtonResult {
    bool met = false;
    double residual = 0.0;  ///< largest scaled, at the end
    int worst_row = -1;
    int iterations = 0;
};

class Projector {
  public:
    /// `surface` must outlive the projector.
    explicit Projector(ConstraintSurface& surface);

    /// Requires q and v of n entries; they are changed in place (left as they were on failure).
    ProjectionReport project(double t, std::span<double> q, std::span<double> v,
                             const ProjectionOptions& options = {});

    /// Largest residual of a level over its scale; infinite if one is not finite.
    double violation(Level level, double t, std::span<const double> q, std::span<const double> v);

    /// Newton's method with line search over the values of one level that are not exact, changed in
    /// place. Given up where the residual falls too slowly.
    NewtonResult newton(const LevelState& state, const std::vector<bool>& exact, Aim aim,
                        const ProjectionOptions& options = {});
    /// The change dx of x with f + J dx = 0 for which x + dx is nearest to `target` in the metric
    /// there; f and J as the level was evaluated last. Empty: there is none.
    std::span<const double> step_towards(std::span<const double> target, const LevelState& state,
                                         const std::vector<bool>& exact);
    ConstraintLevel& level() { return level_; }
    const ConstraintLevel& level() const { return level_; }
    /// Numbers in the factors of a step: what it costs.
    double fill() const { return change_->fill(); }

  private:
    bool load(const LevelState& state, std::span<const double> metric_at,
              const std::vector<bool>& exact, const RankPolicy& rank, bool is_near_last);
    void step(const LevelState& state, std::span<const double> target);

    ConstraintSurface& surface_;
    std::size_t n_;
    ConstraintLevel level_;
    std::unique_ptr<LeastChange> change_;
    std::vector<bool> none_exact_;
    std::vector<double> mass_, scales_, step_, gap_, start_, before_, shifted_;
    std::vector<double> kept_q_, kept_v_;
};

}  // namespace ananke::solve

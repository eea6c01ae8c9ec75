// Back onto the constraint surface: positions, then velocities, THEORY section 6.
//
//   least |dq|_M with phi(q + dq) = 0,   then   least |dv|_M with psi(q, v + dv) = 0
//
// Where M is singular, directions without mass that the rows leave open move least in the plain
// norm, in balanced units. No memory is taken after construction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/row_factor.h"
#include "solve/system.h"

namespace ananke::solve {

/// The constraints and the metric as functions. Matrices are row-major and contiguous.
class ConstraintSurface {
  public:
    virtual ~ConstraintSurface() = default;
    virtual int coordinates() const = 0;    ///< n
    virtual int position_rows() const = 0;  ///< holonomic rows
    virtual int velocity_rows()
        const = 0;  ///< d/dt of the holonomic rows and the nonholonomic ones

    /// phi, J = dphi/dq (position_rows×n) and scale, what each phi is measured against: of its
    /// unit, at least |phi|. J may be null: not wanted.
    virtual void position(double t, const double* q, double* phi, double* J, double* scale) = 0;
    /// psi, J = dpsi/dv (velocity_rows×n) and scale, of all rows on the level of velocities.
    /// J may be null: not wanted.
    virtual void velocity(double t, const double* q, const double* v, double* psi, double* J,
                          double* scale) = 0;
    /// M (n×n)
    virtual void mass(double t, const double* q, double* M) = 0;
    virtual std::span<const CoordinateGroup> groups() const { return {}; }
    /// Typical sizes of positions, or velocities, that are x (n) now; 0 where nothing is known,
    /// empty if of none. Valid until the next call.
    virtual std::span<const double> sizes(bool /*velocities*/, const double* /*x*/) { return {}; }
};

struct ProjectionOptions {
    /// A largest scaled residual up to this is left alone.
    double skip = 2e-15;
    /// A largest scaled residual up to this, when it no longer falls, is done.
    double accept = 1e-12;
    int most_iterations = 20;
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

/// Smaller sizes are none: their squares, 2^-1000, are about to underflow. A road 0.1 exp(-x^2) far
/// from its bump is 3e-206 high, which no norm can tell from 0.
inline constexpr double kLeastSize = 0x1p-500;

/// A scale to divide by: one that is 0 belongs to a residual that is 0.
inline double divisor(double scale) {
    return scale > kLeastSize ? scale : scale > 0.0 ? kLeastSize : 1.0;
}

/// The least change dx with J dx = -f, in the metric of M.
class LeastChange {
  public:
    LeastChange(int n, int max_rows);

    /// Take M and the rows of J (m×n) listed in `rows` (null: all). False if not finite.
    bool load(int m, const double* M, const double* J, const RankPolicy& policy,
              std::span<const CoordinateGroup> groups = {});
    /// dx for residuals f (m), by the rows and the factor of the last load().
    void step(const double* f, double* dx);
    int rank() const { return factor_.rank(); }

  private:
    int n_;
    RowFactor factor_;
    std::vector<int> active_;
    std::vector<double> d_, row_scale_, rho_, L_, metric_, square_, work_, beta_, head_;
    int active_count_ = 0;
};

class Projector {
  public:
    /// `surface` must outlive the projector.
    explicit Projector(ConstraintSurface& surface, ProjectionOptions options = {});

    /// Requires q and v of n entries; they are changed in place (left as they were on failure).
    ProjectionReport project(double t, std::span<double> q, std::span<double> v);

    /// Largest residual over its scale, without a change of q or v.
    double position_violation(double t, std::span<const double> q);
    double velocity_violation(double t, std::span<const double> q, std::span<const double> v);

  private:
    struct Level;
    bool evaluate(const Level& level, double& violation, int& worst);
    bool descend(const Level& level, ProjectionReport& report, double& residual, int& worst);

    ConstraintSurface& surface_;
    ProjectionOptions options_;
    int n_;
    LeastChange change_;
    std::vector<double> f_, J_, scale_, M_, step_, start_;
    std::vector<double> kept_q_, kept_v_;
};

}  // namespace ananke::solve

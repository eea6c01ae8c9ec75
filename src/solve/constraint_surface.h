// The constraints on positions and on velocities, and the metric, as functions of the state.
//
//   positions    f = phi(t, q)       J = dphi/dq    holonomic rows
//   velocities   f = psi(t, q, v)    J = dpsi/dv    all rows: d/dt of the holonomic ones too
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/sparse_factor.h"
#include "solve/system.h"

namespace ananke::solve {

enum class Level : std::uint8_t { kPositions, kVelocities };

/// Smaller sizes are none: their squares, 2^-1000, are about to underflow. A road 0.1 exp(-x^2) far
/// from its bump is 3e-206 high, which no norm can tell from 0.
inline constexpr double kLeastSize = 0x1p-500;

/// A scale to divide by: one that is 0 belongs to a residual that is 0.
inline double divisor(double scale) {
    return scale > kLeastSize ? scale : scale > 0.0 ? kLeastSize : 1.0;
}

/// What a coordinate says of a body, if of one.
enum class CoordinateKind : std::uint8_t { kOther, kPosition, kTurning };

/// Factors that take fewer operations for the patterns of M and J.
enum class Factors : std::uint8_t { kDense, kSparse };

class ConstraintSurface {
  public:
    virtual ~ConstraintSurface() = default;
    virtual int coordinates() const = 0;      ///< n
    virtual int rows(Level level) const = 0;  ///< m
    /// Where the entries of J stand. Rows from rows(level) on do not count.
    virtual std::span<const SparsePlace> places(Level level) const = 0;
    /// Where the entries of the upper triangle of M stand.
    virtual std::span<const SparsePlace> mass_places() const = 0;

    /// f (m) and scale (m), what each f is measured against: of its unit, at least |f|. Returns the
    /// entries of J, valid until the next call of any method. Positions do not depend on v.
    virtual std::span<const double> residuals(Level level, double t, const double* q,
                                              const double* v, double* f, double* scale) = 0;
    /// The entries of M, valid likewise.
    virtual std::span<const double> mass(double t, const double* q) = 0;

    /// Typical sizes of positions, or velocities, that are x (n) now; 0 where nothing is known,
    /// empty if of none. Valid until the next call.
    virtual std::span<const double> sizes(Level /*level*/, const double* /*x*/) { return {}; }
    /// Coordinates that have a unit in common: quaternions.
    virtual std::span<const CoordinateGroup> groups() const { return {}; }
    /// The body, or another block, that each coordinate (n) belongs to; empty: all are one each.
    virtual std::vector<int> blocks() const { return {}; }
    virtual std::vector<CoordinateKind> kinds() const {
        return std::vector<CoordinateKind>(static_cast<std::size_t>(coordinates()),
                                           CoordinateKind::kOther);
    }
    virtual Factors factors() const { return Factors::kDense; }
};

/// M as a full matrix.
inline RowMatrix full_mass(ConstraintSurface& surface, double t, const double* q) {
    RowMatrix M = RowMatrix::Zero(surface.coordinates(), surface.coordinates());
    const std::span<const double> entries = surface.mass(t, q);
    const std::span<const SparsePlace> places = surface.mass_places();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [row, column] = places[i];
        M(row, column) = entries[i];
        M(column, row) = entries[i];
    }
    return M;
}

}  // namespace ananke::solve

// The least change of positions or velocities that meets the linearised constraints:
//
//   least |dx|_M  with  J dx = -f        over the values that are not exact
//
// By dense factors, with the rank policy of RowFactor, or by sparse ones of
//
//   [ M  A^T ] [dx]   [ 0 ]
//   [ A   0  ] [ y] = [-f ]              A: the independent rows of J
//
// Where M is singular, directions without mass that the rows leave open move least in the plain
// norm.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solve/constraint_level.h"
#include "solve/row_factor.h"

namespace ananke::solve {

/// A linearised level and the metric.
struct Linearised {
    const ConstraintLevel& level;    ///< J as evaluated last
    std::span<const double> mass;    ///< entries of M
    std::span<const double> sizes;   ///< n  typical sizes of the values, 0: unknown; or none
    const std::vector<bool>& exact;  ///< n  values that stay
    RankPolicy rank = {};
    /// The state is near that of the last load(), of the same level.
    bool is_near_last = false;
};

class LeastChange {
  public:
    virtual ~LeastChange() = default;
    /// Factors. False if a number is not finite, or M and J leave a direction open.
    virtual bool load(const Linearised& at) = 0;
    /// dx (n, zero where exact) for residuals f of all rows, by the factors of the last load().
    virtual void step(std::span<const double> f, std::span<double> dx) = 0;
    /// Numbers in the factors: what a step costs.
    virtual double fill() const = 0;
};

/// Dense or sparse as the surface has fewer operations. Dense factors take memory only where
/// other values become exact.
std::unique_ptr<LeastChange> make_least_change(ConstraintSurface& surface);

}  // namespace ananke::solve

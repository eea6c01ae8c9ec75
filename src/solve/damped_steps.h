// Damped steps towards the constraints, by sparse factorisations:
//
//   least |S (f + J dx)|^2 + mu |D dx|^2
//
// over the values that are not exact. S are the inverse scales of the residuals. D is one number
// for the positions of bodies, one for their turning and one for all other coordinates: the root
// mean square of the columns of S J, the largest so far, so that the unit of length does not
// matter, and positions, in which joints are linear, at a thirtieth of it. (In the metric of M
// light bodies would turn, and their quaternions stretch, where they should move.) With S (f + J
// dx) = mu y:
//
//   [ D^2    (S J)^T ] [dx]   [  0  ]
//   [ S J     -mu    ] [ y] = [-S f ]
//
// which is regular for every mu > 0, whichever rows depend on each other.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solve/constraint_level.h"
#include "solve/symmetric_factor.h"

namespace ananke::solve {

class DampedSteps {
  public:
    /// For states of this level, which has been evaluated, with these values exact (n). S stays as
    /// it is here: scales that follow the state would reward states far away.
    DampedSteps(const ConstraintSurface& surface, const ConstraintLevel& level,
                const std::vector<bool>& exact);

    /// |S f| as the level was evaluated last.
    double norm(const ConstraintLevel& level) const { return level.norm(scales_); }
    /// f and J are those of the level as evaluated last.
    void load(const ConstraintLevel& level);
    /// dx (n, zero where exact). False if it is not found for this mu.
    bool find(double mu, std::span<double> dx);
    /// Numbers in the factors: what a step costs.
    double fill() const { return static_cast<double>(factor_->fill()); }

  private:
    std::vector<int> place_;  ///< n  among the unknowns, -1
    int free_ = 0, rows_ = 0;
    std::vector<SparsePlace> places_;           ///< of J
    std::vector<std::size_t> entries_;          ///< that count
    std::vector<double> scales_, scaled_;       ///< per row
    std::vector<CoordinateKind> kind_;          ///< per unknown
    std::array<double, 3> count_{}, square_{};  ///< per kind: of unknowns, of D
    std::vector<double> values_, right_;        ///< of the system
    std::optional<SymmetricFactor> factor_;
};

}  // namespace ananke::solve

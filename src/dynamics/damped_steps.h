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

#include "dynamics/sparse_level.h"
#include "solve/symmetric_factor.h"

namespace ananke::dynamics {

class DampedSteps {
  public:
    /// For states of this level, which has been evaluated, with these values exact (n). S stays as
    /// it is here: scales that follow the state would reward states far away.
    DampedSteps(const compile::CompiledModel& model, const SparseLevel& level,
                const std::vector<bool>& exact);

    /// |S f| as the level was evaluated last.
    double norm(const SparseLevel& level) const { return level.norm(scales_); }
    /// Takes f and J as the level was evaluated last.
    void load(const SparseLevel& level);
    /// dx (n, zero where exact). False if it is not found for this mu.
    bool find(double mu, std::span<double> dx);

  private:
    std::vector<int> place_;  ///< n  among the unknowns, -1
    int free_ = 0, rows_ = 0;
    const std::vector<compile::Place>* places_;
    std::vector<std::size_t> entries_;          ///< that count
    std::vector<double> scales_, scaled_;       ///< per row
    std::vector<std::size_t> kind_;             ///< per unknown
    std::array<double, 3> count_{}, square_{};  ///< per kind: of unknowns, of D
    std::vector<double> values_, right_;        ///< of the system
    std::optional<solve::SymmetricFactor> factor_;
};

}  // namespace ananke::dynamics

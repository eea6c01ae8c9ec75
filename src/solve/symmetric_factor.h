// Symmetric indefinite sparse systems K x = r by a general sparse factorisation.
//
// For [M A^T; A 0] with independent rows: the road that shares nothing with the elimination by
// bodies, and works for any structure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "solve/sparse_factor.h"

namespace ananke::solve {

/// K_ik = K_ki.
struct SymmetricPlace {
    int i, k;
};

class SymmetricFactor {
  public:
    /// Places may be repeated; their values are summed.
    SymmetricFactor(int size, std::span<const SymmetricPlace> places);

    /// One value per place. False if K is singular to working precision.
    bool factor(std::span<const double> values);
    /// The same with the pivots of the last factor() as long as they are about as good as there.
    bool factor_again(std::span<const double> values);
    /// How far the last factor() was from singular: about 1 / condition, 0 if it was.
    double regularity() const { return factor_.regularity(); }
    /// x in place of r, with one refinement. Requires a factor.
    void solve(std::span<double> r);
    /// The same without it.
    void solve_roughly(std::span<double> r);
    /// Numbers in the factors: what they cost.
    std::size_t fill() const { return factor_.fill(); }

  private:
    void load(std::span<const double> values);
    void multiply(std::span<const double> x, std::span<double> y) const;

    std::shared_ptr<const SparsePattern> pattern_;
    SparseFactor<double> factor_;
    std::vector<int> upper_, lower_;  ///< where each place stands; lower: -1 on the diagonal
    std::vector<double> residual_, right_;
};

}  // namespace ananke::solve

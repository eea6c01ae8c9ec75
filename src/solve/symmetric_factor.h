// Symmetric indefinite sparse systems K x = r by a general sparse factorisation (KLU).
//
// For [M A^T; A 0] with independent rows: the road that shares nothing with the elimination by
// bodies, and works for any structure.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace ananke::solve {

/// K_ik = K_ki.
struct SymmetricPlace {
    int i, k;
};

class SymmetricFactor {
  public:
    /// Places may be repeated; their values are summed.
    SymmetricFactor(int size, std::span<const SymmetricPlace> places);
    ~SymmetricFactor();
    SymmetricFactor(SymmetricFactor&&) noexcept;
    SymmetricFactor& operator=(SymmetricFactor&&) noexcept;
    SymmetricFactor(const SymmetricFactor&) = delete;
    SymmetricFactor& operator=(const SymmetricFactor&) = delete;

    /// One value per place. False if K is singular to working precision.
    bool factor(std::span<const double> values);
    /// The same with the pivots of the last factor() as long as they are about as good as there.
    bool factor_again(std::span<const double> values);
    /// How far the last factor() was from singular: about 1 / condition, 0 if it was.
    double regularity() const { return chosen_; }
    /// x in place of r, with one refinement. Requires a factor.
    void solve(std::span<double> r);
    /// The same without it.
    void solve_roughly(std::span<double> r);
    /// Numbers in the factors: what they cost.
    std::size_t fill() const;

  private:
    void load(std::span<const double> values);
    bool factor_loaded();
    bool is_regular();
    void multiply(std::span<const double> x, std::span<double> y) const;
    void back_solve(std::span<double> r);

    struct Klu;
    int size_;
    std::vector<int> column_begin_, rows_;  ///< compressed columns
    std::vector<double> values_;
    std::vector<int> upper_, lower_;  ///< where each place stands; equal on the diagonal
    std::vector<double> residual_, right_;
    double chosen_ = 0.0;  ///< reciprocal condition at the last factor()
    std::unique_ptr<Klu> klu_;
};

}  // namespace ananke::solve

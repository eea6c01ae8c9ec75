// The mass matrix factored, whether singular or not.
//
// M > 0:        M = L L^T; rows and forces stay as they are (rho = 1, D = 1).
// M singular:   L of M' + A'^T A' with M' = D M D and A' = rho A D of unit rows, and Q' + A'^T b'
//               stands in for the force: A'^T (A' a' - b') = 0 is added.     UW13 (3.19), (3.20)
//
// No memory is taken after construction.
#pragma once

#include <span>
#include <vector>

#include "solve/system.h"

namespace ananke::solve {

/// Pivots of the mass matrix, relative to its diagonal, below which it counts as singular, and of
/// the auxiliary mass matrix, below which the motion counts as not determined.
constexpr double kSingularMass = 1e-12;
constexpr double kNotDetermined = 1e-13;

class MassFactor {
  public:
    MassFactor(int n, int max_rows);

    /// `rows` of A are those that count; none of them is zero. False if they leave a massless
    /// direction free.
    bool factor(const System& at, std::span<const int> rows);

    // Of the last factor(), whose system and rows are meant by `at` and `rows`.
    /// True if M was singular and the auxiliary mass matrix stood in.
    bool auxiliary() const { return auxiliary_; }
    const double* L() const { return L_.data(); }
    /// Scale of a coordinate.
    double d(int i) const { return auxiliary_ ? d_[static_cast<std::size_t>(i)] : 1.0; }
    /// Scale of the row at place k of `rows`.
    double rho(int k) const { return auxiliary_ ? rho_[static_cast<std::size_t>(k)] : 1.0; }
    /// The row at place k of `rows` in these scales, n entries.
    void load_row(const System& at, std::span<const int> rows, int k, double* row) const;
    /// The force in these scales, n entries.
    void load_force(const System& at, std::span<const int> rows, double* force) const;

  private:
    bool factor_auxiliary(const System& at, std::span<const int> rows);

    int n_;
    bool auxiliary_ = false;
    std::vector<double> d_;                   // n
    std::vector<double> rho_;                 // m
    std::vector<double> row_scale_, work_;    // m, n + m
    std::vector<double> L_, M_aux_, square_;  // n x n
    std::vector<double> A_aux_;               // m x n
};

}  // namespace ananke::solve

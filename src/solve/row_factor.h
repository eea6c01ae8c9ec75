// Rank of a set of rows, decided once and for all: the rank policy.
//
// Rows w_k of unit length are triangularised by Householder reflections with pivoting,
//   [w_1 ... w_m] P = Z [R11 R12; 0 R22],   Z orthogonal,
// and a row is kept while its pivot |R_kk| is above `keep`, dropped below `drop`; in between the
// largest gap between successive pivots decides and a warning is raised. The dropped rows are
// the combinations R11^-1 R12 of the kept ones.
//
// All memory is taken at construction.
#pragma once

#include <vector>

namespace ananke::solve {

struct RankPolicy {
    double keep = 1e-6;
    double drop = 1e-11;
};

/// A row is gone when its length is below this part of the summed magnitudes of its terms.
constexpr double kVanished = 1e-11;

/// Coefficients of combinations, and weights in a null space, below this are round-off.
constexpr double kNoWeight = 1e-8;

class RowFactor {
  public:
    RowFactor(int n, int max_rows);

    /// Start with m rows; the caller fills row(k), k < m.
    void begin(int m);
    double* row(int k) { return rows_.data() + k * n_; }

    /// Scale every row to unit length; unit(k) is the factor. A zero row stays, with unit(k) = 0.
    void normalize();
    double unit(int k) const { return unit_[k]; }

    /// Triangularise and decide the rank.
    void factor(const RankPolicy& policy);
    /// Triangularise in the order of the last factor() with the rank found there, whatever the
    /// pivots now are. Requires the same number of rows. Returns the smallest ratio of a pivot to
    /// its value in that factor().
    double factor_again();

    int rows() const { return m_; }
    int rank() const { return rank_; }
    bool warning() const { return warning_; }
    double smallest_kept() const;
    double largest_dropped() const { return largest_dropped_; }
    /// The row at place k of the order; the first rank() places are the kept rows.
    int order(int k) const { return order_[k]; }

    void apply_Zt(double* x) const;  ///< x <- Z^T x, n entries
    void apply_Z(double* x) const;   ///< x <- Z x

    /// head = R11^-T beta(kept): the first rank() coordinates, seen by Z^T, of every y with w_k . y
    /// = beta_k. `beta` is indexed by row.
    void solve_kept(const double* beta, double* head) const;
    /// w_k . y for the dropped row at place k >= rank(), from the head of y.
    double value_of_dropped(int k, const double* head) const;
    /// Coefficients of the kept rows (by place) that make up the row at place k >= rank().
    void combination(int k, double* coefficients) const;
    /// What the row at place k < rank() has besides the rows before it, in n entries: its length is
    /// the pivot, and it reverses where the pivot passes through zero.
    void remainder(int k, double* x) const;
    /// lambda (by row) of the kept rows with sum lambda_k w_k = Z [h; 0]; 0 for the others.
    void multipliers(const double* h, double* lambda) const;

  private:
    double reflect(int k);
    void decide(const RankPolicy& policy, int steps);

    int n_;
    int m_ = 0;
    int rank_ = 0;
    bool warning_ = false;
    double largest_dropped_ = 0.0;
    std::vector<double> rows_;   // max_rows×n: heads hold R, tails of kept rows the reflectors
    std::vector<double> unit_;   // max_rows
    std::vector<int> order_;     // max_rows
    std::vector<double> tail_;   // max_rows: squared length of what is left of each row
    std::vector<double> diag_;   // R_kk
    std::vector<double> beta_;   // reflector scale: I - beta v v^T
    std::vector<double> pivot_;  // |R_kk| of the last factor()
};

}  // namespace ananke::solve

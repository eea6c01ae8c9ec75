// Which rows depend on others, and how: orthonormalisation row by row.
//
//   row = sum of c_k row_k + remainder,     A a = b  =>  row . a = sum of c_k b_k without remainder
#pragma once

#include <span>
#include <vector>

#include "dense/dense.h"

namespace ananke::dynamics {

/// Rows whose remainder is not larger than this part of them depend on the others. States inside a
/// step are on the constraints to its tolerance only, and so are dependences.
constexpr double kDependentRow = 1e-7;

class RowSpan {
  public:
    /// Memory is taken by the first clear().
    RowSpan(int coordinates, int most_rows) : most_rows_(most_rows), unit_(coordinates) {}

    /// Starts anew. `unit` (n): the sizes in which the coordinates are measured.
    void clear(std::span<const double> unit);
    /// Adds a row if it depends on none of those before; else it stays as expressed().
    bool add(std::span<const double> row, double b, int id);

    /// A row by those kept: see the members of Expression.
    struct Expression {
        double remainder;  ///< its size as a part of the row; 0 for a row of zeros
        double b;          ///< sum of c_k b_k
        double magnitude;  ///< sum of |c_k b_k|
    };
    Expression express(std::span<const double> row);
    // Of the row last expressed.
    int kept() const { return static_cast<int>(ids_.size()); }
    int id(int k) const { return ids_[static_cast<std::size_t>(k)]; }
    double coefficient(int k) const { return c_[k]; }
    /// n entries in the units of the coordinates, of a row scaled to length 1.
    Eigen::VectorXd remainder() const { return x_; }

  private:
    int most_rows_;
    Eigen::MatrixXd E_;  ///< n x rows: orthonormal
    Eigen::MatrixXd R_;  ///< rows x rows: row_k / length_k = sum of R_jk E_j
    Eigen::VectorXd unit_, x_, h_, c_;
    std::vector<double> length_, b_;
    std::vector<int> ids_;
    double row_length_ = 0.0;
};

}  // namespace ananke::dynamics

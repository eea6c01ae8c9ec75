// How controls act on the servo rows that they enforce, where the passive rows leave freedom.
//
//   S_jk: the cosine between servo row j and the force of the unit control k, both in the metric of
//   M^-1 and without their components along the passive rows;      S u = g       THEORY section 3
//
// No memory is taken after construction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>
#include "dense/dense.h"

#include "solve/control_gap.h"
#include "solve/elimination.h"

namespace ananke::solve {

/// Cosines between what a servo row asks for and what the actuators do, below which the actuators
/// cannot enforce it.
constexpr double kIrregular = 1e-9;

class ControlMatrix {
  public:
    explicit ControlMatrix(int controls);

    double& entry(int j, int k) { return S_[index(j, k)]; }
    /// With full pivoting; false if S is singular.
    bool factor();
    /// There is no square S: rows and controls differ in number.
    void clear();
    /// x <- S^-1 x
    void solve(double* x);

    // Of the last factor().
    /// Smallest pivot; 0 where S is not square.
    double regularity() const { return regularity_; }
    /// Sign of det S: it changes only where regularity is lost.
    int orientation() const { return orientation_; }
    /// Row and control of the i-th pivot.
    int row(int i) const { return row_[static_cast<std::size_t>(i)]; }
    int control(int i) const { return column_[static_cast<std::size_t>(i)]; }

  private:
    std::size_t index(int j, int k) const { return static_cast<std::size_t>(j * size_ + k); }
    double& pivoted(int i, int j) { return S_[index(row(i), control(j))]; }

    int size_;
    std::vector<double> S_;  ///< size x size, then its factors
    std::vector<int> row_, column_;
    std::vector<double> turned_;
    double regularity_ = 0.0;
    int orientation_ = 0;
};

/// What is missing between servo rows and actuators: S of all independent servo rows, whose numbers
/// among the m rows are `rows`; a unit row is row_unit times the row, a unit force drive_unit times
/// that of the control. Cosines below `tolerance` count as none. Allocates.
ControlGap control_gap(const Eigen::MatrixXd& S, std::span<const int> rows,
                       const Eigen::VectorXd& row_unit, const Eigen::VectorXd& drive_unit, int m,
                       double tolerance);

}  // namespace ananke::solve

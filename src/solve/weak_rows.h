// How near the rows of a sparse A are to dependent, without matrices.
//
// B holds the rows in units of the coordinates, each of length 1. In
//   [ 1  B^T ] [ x ]   [  0  ]
//   [ B   0  ] [ y ] = [ e_r ]
// x is orthogonal to every row but r: x / (x . x) is what row r has besides all others, and its
// length 1 / |x| = 1 / sqrt(-y_r) the pivot of r where it comes last. With y in place of e_r, again
// and again, y tends to the combination of rows that leaves least.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solve/symmetric_factor.h"

namespace ananke::solve {

struct RowPlace {
    int row, column;
};

class WeakRows {
  public:
    /// Rows 0..m-1 over n coordinates; each place at most once.
    WeakRows(int n, int m, std::span<const RowPlace> places);

    /// One value per place, and the size of a unit of each coordinate. False if the rows are
    /// dependent to working precision, or one of them is nothing.
    bool factor(std::span<const double> values, std::span<const double> units);
    /// The same by SymmetricFactor::factor_again.
    bool factor_again(std::span<const double> values, std::span<const double> units);

    /// The row that has least besides the others; `last` again while that is nearly true of it.
    /// Requires rows and a factor.
    int weakest(int last = -1);
    /// What a row has besides all others (n); returns its length.
    double remainder(int row, std::span<double> x);
    /// Coefficients (m) of the combination of rows nearest to `x` (n, in units of the coordinates);
    /// returns the distance.
    double nearest(std::span<const double> x, std::span<double> coefficients);

    int rows() const { return m_; }
    // Of the last factor: an entry of B, and the length of a row before it was scaled to 1.
    double unit_entry(std::size_t place) const {
        return values_[static_cast<std::size_t>(n_) + place];
    }
    double length(int row) const { return lengths_[static_cast<std::size_t>(row)]; }

  private:
    bool load(std::span<const double> values, std::span<const double> units);

    int n_, m_;
    std::vector<RowPlace> places_;
    SymmetricFactor factor_;
    std::vector<double> values_;   ///< ones, then B
    std::vector<double> lengths_;  ///< m
    std::vector<double> work_, y_;
};

}  // namespace ananke::solve

// How much the multipliers that feed back change each other, as a full matrix:
//
//   J = d lambda / d x,   lambda(x): the multipliers for forces that take them to be x
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ananke::dynamics {

class FeedbackMatrix {
  public:
    explicit FeedbackMatrix(std::size_t size);

    /// Entries J_ik, row by row.
    std::span<double> entries() { return J_; }
    /// r <- (1 - J)^-1 r; false if 1 - J is singular.
    bool solve(std::span<double> r);
    /// lim |J^k|^(1/k).
    double radius();

  private:
    std::size_t size_;
    std::vector<double> J_, power_, work_;  ///< size x size
};

}  // namespace ananke::dynamics

// The Moore-Penrose inverse of a matrix of known rank.
#pragma once

#include <Eigen/Dense>

namespace ananke::solve {

/// X+ from the `rank` largest singular values of X. The rank is a decision of the analysis, never a
/// default threshold.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& X, int rank);

}  // namespace ananke::solve

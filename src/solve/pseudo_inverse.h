// The Moore-Penrose inverse of a matrix of known rank, and rows in the metric of a mass matrix.
#pragma once

#include "dense/dense.h"

namespace ananke::solve {

/// X+ from the `rank` largest singular values of X. The rank is a decision of the analysis, never a
/// default threshold.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& X, int rank);

/// The rows of A in the metric of a mass matrix L L^T: A L^-T, which stands in for A M^-1/2. A may
/// have no rows.
Eigen::MatrixXd rows_in_metric(const Eigen::LLT<Eigen::MatrixXd>& mass, const Eigen::MatrixXd& A);

}  // namespace ananke::solve

// The system as the forms see it: M equilibrated, rows of unit length, vanished rows gone.
//
//   M' = D M D,  Q' = D Q,  C' = D C,  A' = R A D,  b' = R b,  a = D a',  Qc = D^-1 Qc',
//   lambda = R lambda'
#pragma once

#include "solve/analysis.h"
#include "solve/system.h"

namespace ananke::solve {

struct Normalized {
    Eigen::MatrixXd M;  ///< n×n, unit diagonal where there is mass
    Eigen::VectorXd Q;  ///< n
    Eigen::VectorXd C;  ///< n, zero if none
    Eigen::MatrixXd A;  ///< m'×n, rows that have not vanished; dropped rows made exact combinations
    Eigen::VectorXd b;  ///< m'
    int rank = 0;
    bool mass_positive_definite = true;

    double alpha = 1.0;
    Eigen::MatrixXd G;  ///< m'×m'
    Eigen::VectorXd z;  ///< m'

    Eigen::Index n() const { return M.rows(); }
    Eigen::Index m() const { return A.rows(); }
};

/// What one form answers, in normalised units. C = 0 inside gives the ideal part.
struct Answer {
    Eigen::VectorXd a;       ///< n
    Eigen::VectorXd Qc;      ///< n
    Eigen::VectorXd lambda;  ///< m', least norm
};

/// Requires an analysis without failure, of this system.
Normalized normalize(const System& at, const Gauge& gauge, const Analysis& analysis);

}  // namespace ananke::solve

#include "solve/pseudo_inverse.h"

namespace ananke::solve {

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& X, int rank) {
    if (rank == 0) {
        return Eigen::MatrixXd::Zero(X.cols(), X.rows());
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return svd.matrixV().leftCols(rank) *
           svd.singularValues().head(rank).cwiseInverse().asDiagonal() *
           svd.matrixU().leftCols(rank).transpose();
}

}  // namespace ananke::solve

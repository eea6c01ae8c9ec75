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

Eigen::MatrixXd rows_in_metric(const Eigen::LLT<Eigen::MatrixXd>& mass, const Eigen::MatrixXd& A) {
    if (A.rows() == 0) {
        return A;  // Eigen's solver would touch the memory of an empty matrix
    }
    return mass.matrixL().solve(A.transpose()).transpose();
}

}  // namespace ananke::solve

// Lagrange's equations with multipliers. M >= 0, rank [M; A] = n.
//
//   [ M -A^T ; A 0 ] [ a ; lambda ] = [ Q + C ; b ],   Qc = C + A^T lambda
//
// The matrix has rank n + rank A; a is unique, so the solution of least norm has lambda of least
// norm.
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> multipliers(const Normalized& at) {
    const Eigen::Index n = at.n();
    const Eigen::Index m = at.m();
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = at.M;
    K.topRightCorner(n, m) = -at.A.transpose();
    K.bottomLeftCorner(m, n) = at.A;
    VectorXd right(n + m);
    right << at.Q + at.C, at.b;

    const VectorXd x = pseudo_inverse(K, static_cast<int>(n) + at.rank) * right;
    Answer answer;
    answer.a = x.head(n);
    const VectorXd force = at.A.transpose() * x.tail(m);
    answer.Qc = at.C + force;
    // What rounding put into the null space of A^T is taken out again.
    answer.lambda = pseudo_inverse(at.A, at.rank).transpose() * force;
    return answer;
}

}  // namespace ananke::solve

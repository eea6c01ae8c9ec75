// Gauss's principle, P21 (39): among the accelerations that the constraints allow, the actual one
// minimises (a - a0)^T M (a - a0). M > 0, C = 0.
//
// With A^T P = [Y Z] [R; 0], every allowed acceleration is a = a_p + Z s, and the minimum of
// |L^T (a_p + Z s - a0)| over s is a least-squares problem: no multiplier, no pseudo-inverse of B.
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> gauss(const Normalized& at) {
    if (!at.mass_positive_definite) {
        return Error{
            ErrorCode::kNotApplicable,
            "Gauss's principle needs a positive definite mass matrix; here it is singular"};
    }
    if ((at.C.array() != 0.0).any()) {
        return Error{ErrorCode::kNotApplicable,
                     "Gauss's principle needs ideal constraints (C = 0)"};
    }
    const Eigen::Index n = at.n();
    const Eigen::Index r = at.rank;
    const Eigen::LLT<MatrixXd> mass(at.M);
    const VectorXd a0 = mass.solve(at.Q);

    MatrixXd Z = MatrixXd::Identity(n, n);
    VectorXd a_p = VectorXd::Zero(n);
    if (r > 0) {
        const Eigen::ColPivHouseholderQR<MatrixXd> qr(at.A.transpose());
        const MatrixXd basis = qr.householderQ();
        const VectorXd b = qr.colsPermutation().transpose() * at.b;
        const auto R = qr.matrixR().topLeftCorner(r, r).template triangularView<Eigen::Upper>();
        a_p = basis.leftCols(r) * R.transpose().solve(b.head(r));
        Z = basis.rightCols(n - r);
    }
    Answer answer;
    answer.a = a_p;
    if (Z.cols() > 0) {
        const MatrixXd J = mass.matrixU() * Z;
        const VectorXd gap = mass.matrixU() * VectorXd(a0 - a_p);
        answer.a += Z * J.householderQr().solve(gap);
    }
    answer.Qc = at.M * (answer.a - a0);
    answer.lambda = pseudo_inverse(at.A, at.rank).transpose() * answer.Qc;
    return answer;
}

}  // namespace ananke::solve

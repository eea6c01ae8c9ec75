// The equation of Udwadia and Phohomsiri, UW13 (2.9). M >= 0, rank [M; A] = n.
//
//   a = [ (I - A+ A) M ; A ]+ [ Q + C ; b ]
//
// The pseudo-inverse sees only (I - A+ A) (Q + C). The rest is taken off before it: left in, it is
// the residual of a least-squares problem and squares the condition number.
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> phohomsiri(const Normalized& at) {
    const Eigen::Index n = at.n();
    const Eigen::Index m = at.m();
    const MatrixXd A_plus = pseudo_inverse(at.A, at.rank);

    MatrixXd M_bar(n + m, n);
    M_bar << at.M - A_plus * (at.A * at.M), at.A;
    VectorXd right(n + m);
    const VectorXd force = at.Q + at.C;
    right << force - A_plus * (at.A * force), at.b;

    Answer answer;
    answer.a = pseudo_inverse(M_bar, static_cast<int>(n)) * right;
    answer.Qc = at.M * answer.a - at.Q;  // UW13 (2.5)
    answer.lambda = A_plus.transpose() * (answer.Qc - at.C);
    return answer;
}

}  // namespace ananke::solve

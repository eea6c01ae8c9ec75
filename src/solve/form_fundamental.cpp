// The fundamental equation, UK02 (6), (32); UW13 (2.8). M > 0.
//
//   a = a0 + M^-1/2 B+ (b - A a0) + M^-1/2 (I - B+ B) M^-1/2 C,   a0 = M^-1 Q,   B = A M^-1/2
//
// with M = L L^T and B = A L^-T: L^-T differs from M^-1/2 by a rotation, which B+ undoes.
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> fundamental(const Normalized& at) {
    if (!at.mass_positive_definite) {
        return Error{ErrorCode::kNotApplicable,
                     "the fundamental equation needs a positive definite mass matrix; here it is "
                     "singular"};
    }
    const Eigen::LLT<MatrixXd> mass(at.M);
    const auto L = mass.matrixL();
    const auto U = mass.matrixU();

    const MatrixXd B = rows_in_metric(mass, at.A);
    const MatrixXd B_plus = pseudo_inverse(B, at.rank);
    const VectorXd a0 = mass.solve(at.Q);
    const VectorXd e = at.b - at.A * a0;  // UK02 (13)
    const VectorXd c = L.solve(at.C);     // UK02 (9)
    const VectorXd nonideal = c - B_plus * (B * c);

    Answer answer;
    answer.a = a0 + U.solve(B_plus * e) + U.solve(nonideal);  // UK02 (15), UW13 (2.8)
    answer.Qc = L * VectorXd(B_plus * e + nonideal);          // UK02 (14), (32)
    answer.lambda = B_plus.transpose() * (B_plus * e + nonideal - c);
    return answer;
}

}  // namespace ananke::solve

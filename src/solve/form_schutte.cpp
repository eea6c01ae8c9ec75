// The auxiliary system with the pseudo-inverse, US10 (49), (65), (71). M >= 0, rank [M; A] = n.
//
//   M_A = M + alpha^2 A+ A,   Q_z = Q + A+ z,   a_z = M_A^-1 Q_z,   B = A M_A^-1/2
//   a = a_z + M_A^-1/2 B+ (b - A a_z) + M_A^-1/2 (I - B+ B) M_A^-1/2 C
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> schutte(const Normalized& at) {
    const double alpha2 = at.alpha * at.alpha;
    const MatrixXd A_plus = pseudo_inverse(at.A, at.rank);
    const Eigen::LLT<MatrixXd> mass(at.M + alpha2 * A_plus * at.A);  // US10 (46)
    if (mass.info() != Eigen::Success) {
        return Error{ErrorCode::kNotUnique,
                     "the auxiliary mass matrix M + alpha^2 A+ A is singular"};
    }
    const auto L = mass.matrixL();
    const auto U = mass.matrixU();

    const MatrixXd B = rows_in_metric(mass, at.A);
    const MatrixXd B_plus = pseudo_inverse(B, at.rank);
    const VectorXd Q_z = at.Q + A_plus * at.z;  // US10 (45)
    const VectorXd a_z = mass.solve(Q_z);
    const VectorXd c = L.solve(at.C);
    const VectorXd push = B_plus * (at.b - at.A * a_z) + c - B_plus * (B * c);

    Answer answer;
    answer.a = a_z + U.solve(push);                                   // US10 (49)
    answer.Qc = L * push + A_plus * at.z - alpha2 * (A_plus * at.b);  // US10 (65), (71)
    answer.lambda = A_plus.transpose() * (answer.Qc - at.C);
    return answer;
}

}  // namespace ananke::solve

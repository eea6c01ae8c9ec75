// The auxiliary system with the transpose, UW13 (3.18)-(3.22), (3.28), (3.39). M >= 0, rank [M; A]
// = n.
//
//   M_ATG = M + alpha^2 A^T G A,   Q_z = Q + A^T G z,   a_z = M_ATG^-1 Q_z,   B = A M_ATG^-1/2
//   a = a_z + M_ATG^-1/2 B+ (b - A a_z) + M_ATG^-1/2 (I - B+ B) M_ATG^-1/2 C
#include "solve/forms.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Answer> wanichanon(const Normalized& at) {
    const double alpha2 = at.alpha * at.alpha;
    const MatrixXd AtG = at.A.transpose() * at.G;
    const Eigen::LLT<MatrixXd> mass(at.M + alpha2 * AtG * at.A);  // UW13 (3.19)
    if (mass.info() != Eigen::Success) {
        return Error{ErrorCode::kNotUnique,
                     "the auxiliary mass matrix M + alpha^2 A^T G A is singular"};
    }
    const auto L = mass.matrixL();
    const auto U = mass.matrixU();

    const MatrixXd B = rows_in_metric(mass, at.A);  // UW13 (3.22)
    const MatrixXd B_plus = pseudo_inverse(B, at.rank);
    const VectorXd a_z = mass.solve(VectorXd(at.Q + AtG * at.z));  // UW13 (3.20), (3.21)
    const VectorXd c = L.solve(at.C);
    const VectorXd push = B_plus * (at.b - at.A * a_z) + (c - B_plus * (B * c));

    Answer answer;
    answer.a = a_z + U.solve(push);                       // UW13 (3.18)
    answer.Qc = L * push + AtG * (at.z - alpha2 * at.b);  // UW13 (3.28), (3.39)
    answer.lambda = pseudo_inverse(at.A, at.rank).transpose() * (answer.Qc - at.C);
    return answer;
}

}  // namespace ananke::solve

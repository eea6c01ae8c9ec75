// The constrained motion from the multiplier equations of the independent rows in long double, and
// the condition numbers that bound what a form may lose; for tests.
#pragma once

#include <algorithm>

#include "dense/dense.h"
#include "solve/normalized.h"
#include "solve/pseudo_inverse.h"

namespace ananke::solve {

struct ReferenceMotion {
    Eigen::VectorXd a;      ///< n  all in normalised units
    Eigen::VectorXd force;  ///< n  A^T lambda
    Eigen::VectorXd Qc;     ///< n  C + A^T lambda
};

/// `kept`: independent rows of at.A, rank of them.
inline ReferenceMotion reference_motion(const Normalized& at, const std::vector<int>& kept) {
    using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const Eigen::Index n = at.n();
    const auto r = static_cast<Eigen::Index>(kept.size());
    const Matrix A = Eigen::MatrixXd(at.A(kept, Eigen::all)).cast<long double>();
    Matrix K = Matrix::Zero(n + r, n + r);
    K.topLeftCorner(n, n) = at.M.cast<long double>();
    K.topRightCorner(n, r) = -A.transpose();
    K.bottomLeftCorner(r, n) = A;
    Vector right(n + r);
    right.head(n) = at.Q.cast<long double>() + at.C.cast<long double>();
    right.tail(r) = Eigen::VectorXd(at.b(kept)).cast<long double>();
    const Eigen::FullPivLU<Matrix> lu(K);
    Vector x = lu.solve(right);
    x += lu.solve(Vector(right - K * x));
    ReferenceMotion motion;
    motion.a = x.head(n).cast<double>();
    const Vector force = A.transpose() * x.tail(r);
    motion.force = force.cast<double>();
    motion.Qc = (force + at.C.cast<long double>()).cast<double>();
    return motion;
}

/// Largest over smallest of the `rank` nonzero singular values.
inline double condition_number(const Eigen::MatrixXd& X, Eigen::Index rank) {
    if (rank == 0) {
        return 1.0;
    }
    const Eigen::VectorXd sigma = Eigen::JacobiSVD<Eigen::MatrixXd>(X).singularValues();
    return sigma[0] / sigma[rank - 1];
}

/// Of [ M -A^T ; A 0 ]: how much the problem itself magnifies, whatever the form.
inline double problem_condition(const Normalized& at) {
    const Eigen::Index n = at.n();
    const Eigen::Index m = at.m();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = at.M;
    K.topRightCorner(n, m) = -at.A.transpose();
    K.bottomLeftCorner(m, n) = at.A;
    return condition_number(K, n + at.rank);
}

/// Of the mass matrix a form divides by, M itself or an auxiliary one, beside the unit masses of
/// the normalised system: where alpha^2 A^T G A is large its rounding covers M and Q, where it is
/// small (and M vanishes) the unconstrained acceleration covers a.
inline double mass_condition(const Eigen::MatrixXd& mass) {
    const Eigen::VectorXd lambda =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(mass).eigenvalues();
    return std::max(1.0, lambda.maxCoeff()) / std::min(1.0, lambda.minCoeff());
}

/// What 1e-14 is multiplied with to bound the error of a form.
inline double form_condition(Form form, const Normalized& at) {
    const double alpha2 = at.alpha * at.alpha;
    const Eigen::MatrixXd rows = at.A.transpose() * at.A;
    const double problem = problem_condition(at);
    switch (form) {
        case Form::kFundamental:
        case Form::kGauss:
            return problem * mass_condition(at.M);
        case Form::kSchutte:
            return problem * mass_condition(at.M + alpha2 * pseudo_inverse(at.A, at.rank) * at.A);
        case Form::kWanichanon:
            return problem * mass_condition(at.M + alpha2 * at.A.transpose() * at.G * at.A);
        case Form::kAuto:  // alpha = 1, G = 1 where M is singular
            return problem * mass_condition(at.mass_positive_definite ? at.M : at.M + rows);
        case Form::kPhohomsiri:
        case Form::kMultipliers:
        case Form::kMinimal:
            break;
    }
    return problem;
}

}  // namespace ananke::solve

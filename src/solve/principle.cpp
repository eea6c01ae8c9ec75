#include "solve/principle.h"

#include <cmath>

#include "base/check.h"
#include "dense/dense.h"
#include "solve/acceleration.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Eigenvalues of M below this, relative to the largest, are negative beyond round-off.
constexpr double kNegative = -1e-10;

Result<Motion> motion_of(const System& at, const Analysis& analysis) {
    if (analysis.failure) {
        return Error{analysis.failure->code, analysis.failure->message};
    }
    AccelerationSolver solver(at.n(), at.m());
    if (solver.solve(at) != SolveStatus::kOk) {
        return Error{ErrorCode::kNotUnique, "the acceleration is not determined"};
    }
    return Motion{solver.a(),           solver.Qc(),     solver.Qc_ideal(),
                  solver.Qc_nonideal(), solver.lambda(), solver.rank()};
}

}  // namespace

Result<Principle> principle(const System& at, const Analysis& analysis) {
    const Result<Motion> motion = motion_of(at, analysis);
    if (!motion) {
        return motion.error();
    }
    if (!analysis.mass_positive_definite) {
        return Error{ErrorCode::kNotApplicable,
                     "the mass matrix is singular: there is no unconstrained acceleration"};
    }
    Principle result;
    result.a0 = MatrixXd(at.M).llt().solve(VectorXd(at.Q));
    result.e = at.b - at.A * result.a0;
    result.deviation = motion.value().a - result.a0;
    return result;
}

Result<NonidealShare> nonideal_share(const System& at, const Analysis& analysis) {
    const Result<Motion> motion = motion_of(at, analysis);
    if (!motion) {
        return motion.error();
    }
    NonidealShare share;
    share.acting = motion.value().Qc_nonideal;
    share.absorbed = (at.C.size() > 0 ? VectorXd(at.C) : VectorXd::Zero(at.n())) - share.acting;
    if (!at.has_nonideal()) {
        return share;
    }
    // |x| of a force x: L^-1 x, or D x where M has no inverse.
    const auto length = [&](const VectorXd& x) {
        if (!analysis.mass_positive_definite) {
            return analysis.coordinate_scale.cwiseProduct(x).norm();
        }
        const Eigen::LLT<MatrixXd> mass{MatrixXd(at.M)};
        return mass.matrixL().solve(x).norm();
    };
    const double whole = length(at.C);
    share.acting_part = length(share.acting) / whole;
    share.absorbed_part = length(share.absorbed) / whole;
    return share;
}

Result<VectorXd> nonideal_from_z(const System& at, const VectorXd& z) {
    ANANKE_REQUIRE(z.size() == at.n());
    if (!at.M.allFinite() || !z.allFinite()) {
        return Error{ErrorCode::kNotFinite, "a NaN or an infinity in the mass matrix or in z"};
    }
    const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum{MatrixXd(at.M)};
    const VectorXd& lambda = spectrum.eigenvalues();
    if (lambda[0] < kNegative * lambda.cwiseAbs().maxCoeff()) {
        return Error{ErrorCode::kInvalidInput, "the mass matrix has a negative direction"};
    }
    const VectorXd root = lambda.cwiseMax(0.0).cwiseSqrt();
    const MatrixXd& V = spectrum.eigenvectors();
    return VectorXd(V * root.cwiseProduct(VectorXd(V.transpose() * z)));
}

double virtual_work(const System& at, const VectorXd& w) {
    ANANKE_REQUIRE(w.size() == at.n());
    return at.C.size() > 0 ? w.dot(at.C) : 0.0;
}

}  // namespace ananke::solve

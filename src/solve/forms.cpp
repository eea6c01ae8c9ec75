#include "solve/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "solve/acceleration.h"

namespace ananke::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// An answer with fewer digits than this is refused, not returned.
constexpr double kWorstError = 1e-7;
constexpr double kSmallest = 1e-300;
// An acceleration below this part of what the forces would give without constraints is none: the
// system is held, and what is left is rounding, which kWorstError must leave room for: some 1e-15
// of the free acceleration times the size of the system.
constexpr double kAtRest = 1e-6;
// Smallest over largest singular value of the multiplier equations below which no residual tells
// how large the error is.
constexpr double kNoDigits = 1e-13;

Result<Motion> evaluate_auto(const System& at) {
    AccelerationSolver solver(at.n(), at.m());
    switch (solver.solve(at)) {
        case SolveStatus::kNotFinite:
            return Error{ErrorCode::kNotFinite, "the acceleration is not finite"};
        case SolveStatus::kNotUnique:
            return Error{ErrorCode::kNotUnique, "the constraints leave a massless direction free"};
        case SolveStatus::kInconsistent:
            return Error{ErrorCode::kInconsistent, "the constraints contradict each other"};
        case SolveStatus::kNotControlled:  // only where there are actuators
        case SolveStatus::kNoFeedback:  // needs forces of multipliers, which a system does not have
        case SolveStatus::kOk:
            break;
    }
    return Motion{solver.a(),           solver.Qc(),     solver.Qc_ideal(),
                  solver.Qc_nonideal(), solver.lambda(), solver.rank()};
}

Result<Answer> dispatch(Form form, const Normalized& at) {
    switch (form) {
        case Form::kFundamental:
            return fundamental(at);
        case Form::kPhohomsiri:
            return phohomsiri(at);
        case Form::kSchutte:
            return schutte(at);
        case Form::kWanichanon:
            return wanichanon(at);
        case Form::kMultipliers:
            return multipliers(at);
        case Form::kMinimal:
            return minimal(at);
        case Form::kGauss:
            return gauss(at);
        case Form::kAuto:
            break;
    }
    return Error{ErrorCode::kInvalidInput, "no such form"};
}

Result<void> check_gauge(const Normalized& at) {
    if (!std::isfinite(at.alpha) || at.alpha == 0.0) {
        return Error{ErrorCode::kInvalidInput, "the gauge alpha must be finite and not zero"};
    }
    if (!at.G.allFinite() || !at.z.allFinite()) {
        return Error{ErrorCode::kNotFinite, "the gauge G or z is not finite"};
    }
    const double asymmetry =
        at.G.size() > 0 ? (at.G - at.G.transpose()).cwiseAbs().maxCoeff() : 0.0;
    if (asymmetry > 1e-12 * at.G.norm() || at.G.llt().info() != Eigen::Success) {
        return Error{ErrorCode::kInvalidInput,
                     "the gauge G must be symmetric and positive definite"};
    }
    return {};
}

// Estimate of the error of an answer: one step of refinement on the multiplier equations, which
// judge every form alike. Relative, in normalised units; the larger of acceleration and force.
double estimated_error(const Normalized& at, const Answer& answer) {
    const Eigen::Index n = at.n();
    const Eigen::Index m = at.m();
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = at.M;
    K.topRightCorner(n, m) = -at.A.transpose();
    K.bottomLeftCorner(m, n) = at.A;
    VectorXd right(n + m);
    right << at.Q + at.C, at.b;
    VectorXd x(n + m);
    x << answer.a, answer.lambda;
    // In long double: a residual in double may vanish by luck.
    const VectorXd left =
        (right.cast<long double>() - K.cast<long double>() * x.cast<long double>()).cast<double>();
    const Eigen::Index rank = n + at.rank;
    const Eigen::BDCSVD<MatrixXd> svd(K, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorXd sigma = svd.singularValues().head(rank);
    if (!(sigma[rank - 1] > kNoDigits * sigma[0])) {
        return std::numeric_limits<double>::infinity();
    }
    const VectorXd along = svd.matrixU().leftCols(rank).transpose() * left;
    const VectorXd step = svd.matrixV().leftCols(rank) * along.cwiseQuotient(sigma);
    const double force = (at.A.transpose() * step.tail(m)).norm();
    const double free = at.M.norm() > 0.0 ? at.Q.norm() / at.M.norm() : 0.0;
    const double acceleration_size = std::max({answer.a.norm(), kAtRest * free, kSmallest});
    const double force_size = std::max({at.Q.norm(), answer.Qc.norm(), kSmallest});
    return std::max(step.head(n).norm() / acceleration_size, force / force_size);
}

Error too_ill_conditioned(Form form) {
    return {ErrorCode::kNotConverged,
            fmt::format("the system is too ill-conditioned for the {} form: its estimated relative "
                        "error is above {}",
                        form_name(form), to_short_text(kWorstError))};
}

Motion restore(const Answer& whole, const Answer& ideal, const Analysis& analysis,
               const System& at) {
    const int m = at.m();
    const VectorXd& d = analysis.coordinate_scale;
    Motion motion;
    motion.a = d.asDiagonal() * whole.a;
    motion.Qc = whole.Qc.cwiseQuotient(d);
    motion.Qc_ideal = ideal.Qc.cwiseQuotient(d);
    motion.Qc_nonideal = motion.Qc - motion.Qc_ideal;
    motion.lambda = VectorXd::Zero(m);
    Eigen::Index next = 0;
    for (int k = 0; k < m; ++k) {
        if (analysis.row_scale[k] > 0.0) {
            motion.lambda[k] = analysis.row_scale[k] * whole.lambda[next++];
        }
    }
    LoadShare share;
    share.load(at, analysis);
    share.share(motion.lambda.data());
    motion.rank = analysis.rank;
    return motion;
}

}  // namespace

Result<Motion> evaluate(Form form, const System& at, const Gauge& gauge) {
    return evaluate(form, at, gauge, analyse(at));
}

Result<Motion> evaluate(Form form, const System& at, const Gauge& gauge, const Analysis& analysis) {
    if (analysis.failure) {
        return Error{analysis.failure->code, analysis.failure->message};
    }
    Normalized system = normalize(at, gauge, analysis);
    if (form == Form::kAuto) {
        Result<Motion> motion = evaluate_auto(at);
        if (!motion) {
            return motion;
        }
        const VectorXd& d = analysis.coordinate_scale;
        Answer scaled{motion.value().a.cwiseQuotient(d), motion.value().Qc.cwiseProduct(d),
                      VectorXd::Zero(system.m())};
        Eigen::Index next = 0;
        for (int k = 0; k < at.m(); ++k) {
            if (analysis.row_scale[k] > 0.0) {
                scaled.lambda[next++] = motion.value().lambda[k] / analysis.row_scale[k];
            }
        }
        return estimated_error(system, scaled) <= kWorstError ? motion : too_ill_conditioned(form);
    }
    if (Result<void> sound = check_gauge(system); !sound) {
        return sound.error();
    }
    Result<Answer> whole = dispatch(form, system);
    if (!whole) {
        return whole.error();
    }
    if (!(estimated_error(system, whole.value()) <= kWorstError)) {
        return too_ill_conditioned(form);
    }
    if (!at.has_nonideal()) {
        return restore(whole.value(), whole.value(), analysis, at);
    }
    system.C.setZero();  // UK02 (7): the ideal part is the force with C = 0
    Result<Answer> ideal = dispatch(form, system);
    if (!ideal) {
        return ideal.error();
    }
    if (!(estimated_error(system, ideal.value()) <= kWorstError)) {
        return too_ill_conditioned(form);
    }
    return restore(whole.value(), ideal.value(), analysis, at);
}

}  // namespace ananke::solve

#include "solve/forms.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/acceleration.h"

namespace ananke::solve {
namespace {

using Eigen::VectorXd;

Result<Motion> evaluate_auto(const System& at) {
    AccelerationSolver solver(at.n(), at.m());
    switch (solver.solve(at)) {
        case SolveStatus::kNotFinite:
            return Error{ErrorCode::kNotFinite, "the acceleration is not finite"};
        case SolveStatus::kNotUnique:
            return Error{ErrorCode::kNotUnique, "the constraints leave a massless direction free"};
        case SolveStatus::kInconsistent:
            return Error{ErrorCode::kInconsistent, "the constraints contradict each other"};
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

Motion restore(const Answer& whole, const Answer& ideal, const Analysis& analysis, int m) {
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
    if (form == Form::kAuto) {
        return evaluate_auto(at);
    }
    Normalized system = normalize(at, gauge, analysis);
    if (Result<void> sound = check_gauge(system); !sound) {
        return sound.error();
    }
    Result<Answer> whole = dispatch(form, system);
    if (!whole) {
        return whole.error();
    }
    if (!at.has_nonideal()) {
        return restore(whole.value(), whole.value(), analysis, at.m());
    }
    system.C.setZero();  // UK02 (7): the ideal part is the force with C = 0
    Result<Answer> ideal = dispatch(form, system);
    if (!ideal) {
        return ideal.error();
    }
    return restore(whole.value(), ideal.value(), analysis, at.m());
}

}  // namespace ananke::solve

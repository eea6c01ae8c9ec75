#include "dynamics/named_form.h"

#include <algorithm>
#include <cmath>

#include "dynamics/not_finite.h"
#include "solve/analysis.h"
#include "solve/control_gap.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

SolveStatus status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kNotUnique:
            return SolveStatus::kNotUnique;
        case ErrorCode::kInconsistent:
            return SolveStatus::kInconsistent;
        case ErrorCode::kNotControlled:
            return SolveStatus::kNotControlled;
        default:
            return SolveStatus::kNotFinite;
    }
}

void copy(const Eigen::VectorXd& from, std::vector<double>& into) {
    std::copy(from.data(), from.data() + from.size(), into.begin());
}

}  // namespace

NamedForm::NamedForm(Evaluator& evaluator, solve::Form form)
    : evaluator_(&evaluator), form_(form), matrices_(evaluator.model()) {}

/// Everything but lambda, which is known for these rows alone.
SolveStatus NamedForm::take(const Result<solve::Motion>& found, std::span<const int> rows,
                            Motion& motion) {
    if (!found) {
        error_ = found.error();
        return status_of(found.error().code);
    }
    error_.reset();
    copy(found.value().a, motion.a);
    copy(found.value().Qc, motion.Qc);
    copy(found.value().Qc_ideal, motion.Qc_ideal);
    copy(found.value().Qc_nonideal, motion.Qc_nonideal);
    std::fill(motion.lambda.begin(), motion.lambda.end(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        motion.lambda[static_cast<std::size_t>(rows[k])] =
            found.value().lambda[static_cast<Eigen::Index>(k)];
    }
    return SolveStatus::kOk;
}

SolveStatus NamedForm::solve(const compile::SparseValues& values, Motion& motion) {
    const solve::System at = matrices_.of(values, evaluator_->magnitudes());
    const solve::Analysis analysis = solve::analyse(at);
    kept_ = analysis.kept;
    rank_warning_ = analysis.warning;
    weakest_pivot_ = analysis.smallest_kept_pivot;
    std::vector<int> all(motion.lambda.size());
    for (std::size_t row = 0; row < all.size(); ++row) {
        all[row] = static_cast<int>(row);
    }
    return take(solve::evaluate(form_, at, evaluator_->gauge(), analysis), all, motion);
}

SolveStatus NamedForm::solve_again(const compile::SparseValues& values, Motion& motion) {
    const solve::System at = matrices_.of(values, evaluator_->magnitudes());
    const solve::RowMatrix A = at.A(kept_, Eigen::all);
    const Eigen::VectorXd b = at.b(kept_);
    const Eigen::VectorXd magnitude = at.row_magnitude(kept_);
    solve::Gauge gauge = evaluator_->gauge();
    if (gauge.G.size() > 0) {
        gauge.G = gauge.G(kept_, kept_).eval();
    }
    if (gauge.z.size() > 0) {
        gauge.z = gauge.z(kept_).eval();
    }
    const Eigen::VectorXd none;
    return take(solve::evaluate(form_, {at.M, at.Q, at.C, A, b, magnitude, none, at.groups}, gauge),
                kept_, motion);
}

SolveStatus NamedForm::solve_actuated(const compile::SparseValues& values, const KktSolver& rows,
                                      Motion& motion) {
    kept_ = rows.kept_rows();
    std::vector<int> all = kept_;
    for (const solve::Pivot& one : rows.control_pivots()) {
        all.push_back(one.row);
    }
    std::sort(all.begin() + std::ssize(kept_), all.end());
    std::vector<int> servo(all.size() - kept_.size());
    for (std::size_t k = 0; k < servo.size(); ++k) {
        servo[k] = static_cast<int>(kept_.size() + k);
    }
    const solve::System at = matrices_.of(values);
    const solve::RowMatrix A = at.A(all, Eigen::all);
    const Eigen::VectorXd b = at.b(all);
    const Eigen::VectorXd none;
    const Result<solve::ActuatedMotion> found = solve::evaluate_actuated(
        form_, {at.M, at.Q, at.C, A, b, none, none, at.groups}, servo, matrices_.actuation());
    if (!found) {
        error_ = found.error();
        return status_of(found.error().code);
    }
    copy(found.value().u, motion.u);
    return take(found.value().motion, kept_, motion);
}

std::optional<Error> NamedForm::own_failure(double t, const double* q, const double* v) const {
    if (!error_) {
        return std::nullopt;
    }
    if (error_->code == ErrorCode::kInvalidInput && !std::isfinite(evaluator_->gauge().alpha)) {
        return Error{ErrorCode::kNotFinite,
                     "the gauge alpha is not a number" +
                         why_not_finite(*evaluator_, {t, q, v}, {Quantity::Of::kAcceleration})};
    }
    const bool own =
        error_->code == ErrorCode::kNotApplicable || error_->code == ErrorCode::kInvalidInput;
    return own ? error_ : std::nullopt;
}

}  // namespace ananke::dynamics

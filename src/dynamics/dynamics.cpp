#include "dynamics/dynamics.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/actuation.h"
#include "dynamics/not_finite.h"
#include "solve/analysis.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

/// Pivots that fall below this part of their value at the start of the step ask for a new choice.
constexpr double kPivotAlarm = 1e-3;

SolveStatus status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kNotUnique:
            return SolveStatus::kNotUnique;
        case ErrorCode::kInconsistent:
            return SolveStatus::kInconsistent;
        default:
            return SolveStatus::kNotFinite;
    }
}

bool is_sparse(const compile::CompiledModel& model, const DynamicsOptions& options) {
    return has_sparse_rows(model) && options.form == solve::Form::kAuto &&
           options.drift != Drift::kBaumgarte;
}

void copy(const Eigen::Ref<const Eigen::VectorXd>& from, std::vector<double>& into) {
    std::copy(from.data(), from.data() + from.size(), into.begin());
}

}  // namespace

std::vector<std::string> row_names(const compile::CompiledModel& model) {
    std::vector<std::string> names;
    for (const mech::Row& row : model.rows) {
        names.push_back(row.name);
    }
    return names;
}

Dynamics::Dynamics(Evaluator& evaluator, const DynamicsOptions& options, solve::Wanted wanted)
    : evaluator_(&evaluator),
      options_(options),
      feedback_(evaluator.model()),
      n_(evaluator.model().n()),
      m_(evaluator.model().m()) {
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(m_);
    for (std::vector<double>* vector : {&a_, &Qc_, &Qc_ideal_, &Qc_nonideal_}) {
        vector->assign(n, 0.0);
    }
    lambda_.assign(m, 0.0);
    if (is_sparse(evaluator.model(), options)) {
        sparse_.emplace(evaluator, wanted);
        return;
    }
    if (options.drift == Drift::kBaumgarte) {
        rate_.assign(m, 0.0);
        scale_.assign(m, 0.0);
        b_.assign(m, 0.0);
        jacobian_.assign(m * n, 0.0);
    }
    if (!evaluator.model().controls.empty()) {
        actuated_.emplace(solver_for(evaluator.model()));
        u_.assign(evaluator.model().controls.size(), 0.0);
    }
    solver_too_ = !actuated_ && (!feedback_.empty() || (!evaluator.model().frictions.empty() &&
                                                        options_.form != solve::Form::kAuto));
    if (!evaluator.model().frictions.empty()) {
        if (actuated_) {
            ideal_actuated_.emplace(solver_for(evaluator.model()));
        } else {
            ideal_solver_.emplace(n_, m_);
        }
        stick_share_.emplace(evaluator.model());
        shared_lambda_.assign(m, 0.0);
        stick_ideal_.assign(n, 0.0);
        stick_nonideal_.assign(n, 0.0);
        ideal_A_ = solve::RowMatrix::Zero(m_, n_);
        ideal_b_ = Eigen::VectorXd::Zero(m_);
    }
    if (allows_drift() && actuated_) {
        actuated_->set_tolerance(std::numeric_limits<double>::infinity());
    }
}

Dynamics::Solver& Dynamics::make_solver() const {
    Solver& made = sparse_ ? solver_.emplace(0, 0) : solver_.emplace(n_, m_);
    if (allows_drift() && !sparse_) {
        made.set_tolerance(std::numeric_limits<double>::infinity());
    }
    return made;
}

/// The system with Baumgarte's terms in b where they are asked for:
/// b <- b - 2 g phi' - g^2 phi for holonomic rows, b - g psi for the others; THEORY section 6.
solve::System Dynamics::stabilized(double t, const double* q, const double* v, bool in_step) {
    if (!feedback_.empty()) {
        if (!feedback_.has_start()) {
            start_feedback(t, q, v);
        }
        evaluator_->set_multipliers(feedback_.multipliers());
    }
    const auto system = [&] {
        return in_step ? evaluator_->system_in_step(t, q, v) : evaluator_->system(t, q, v);
    };
    if (options_.drift != Drift::kBaumgarte || m_ == 0) {
        return system();
    }
    const double g = options_.baumgarte_rate;
    evaluator_->velocity(t, q, v, rate_.data(), jacobian_.data(), scale_.data());
    const std::span<const double> residual = evaluator_->raw_residuals(t, q, v);
    for (std::size_t i = 0; i < rate_.size(); ++i) {
        const bool holonomic = evaluator_->model().rows[i].holonomic;
        b_[i] = holonomic ? -2.0 * g * rate_[i] - g * g * residual[i] : -g * residual[i];
    }
    const solve::System at = system();
    for (std::size_t i = 0; i < b_.size(); ++i) {
        b_[i] += at.b[static_cast<Eigen::Index>(i)];
    }
    return {at.M,
            at.Q,
            at.C,
            at.A,
            Eigen::Map<const Eigen::VectorXd>(b_.data(), m_),
            at.row_magnitude,
            at.b_magnitude,
            at.groups,
            at.owners,
            at.compliances};
}

/// A law of reactions need not be a number where these are zero, so the first trial is what the
/// other forces ask for.
void Dynamics::start_feedback(double t, const double* q, const double* v) {
    const solve::System at = evaluator_->system(t, q, v);
    const Eigen::VectorXd none;
    const solve::System ideal{at.M,           evaluator_->free_force(),
                              none,           at.A,
                              at.b,           at.row_magnitude,
                              at.b_magnitude, at.groups,
                              at.owners,      at.compliances};
    const SolveStatus status =
        actuated_ ? actuated_->solve(ideal, evaluator_->actuation()) : solver().solve(ideal);
    if (status == SolveStatus::kOk) {
        feedback_.start_from(actuated_ ? actuated_->lambda().data() : solver().lambda().data());
    }
}

bool Dynamics::share_sticking(double t, const double* q, const double* v) {
    shared_ = false;
    if (!stick_share_ || !evaluator_->any_sticks()) {
        return false;
    }
    const Vector now = lambda();
    std::copy(now.data(), now.data() + now.size(), shared_lambda_.begin());
    shared_ = stick_share_->share(*evaluator_, t, q, v, shared_lambda_);
    return shared_;
}

SolveStatus Dynamics::take_sparse(SolveStatus status) {
    rank_ = static_cast<int>(sparse_->rows().size());
    rank_warning_ = sparse_->warning();
    weakest_pivot_ = sparse_->weakest_pivot();
    const auto take = [](std::span<const double> from, std::vector<double>& into) {
        std::copy(from.begin(), from.end(), into.begin());
    };
    take(sparse_->a(), a_);
    take(sparse_->Qc(), Qc_);
    take(sparse_->Qc_ideal(), Qc_ideal_);
    take(sparse_->Qc_nonideal(), Qc_nonideal_);
    take(sparse_->lambda(), lambda_);
    return status;
}

int Dynamics::weakest_row(double* remainder) const {
    if (sparse_) {
        return sparse_->weakest_row(remainder);
    }
    if (options_.form != solve::Form::kAuto || actuated_ || solver().rank() == 0) {
        return -1;
    }
    solver().weakest_remainder(remainder);
    return solver().weakest_row();
}

void Dynamics::control_pivots(std::vector<solve::Pivot>& controls) const {
    controls.clear();
    if (actuated_) {
        actuated_->control_pivots(controls);
    }
}

void Dynamics::kept_rows(std::vector<int>& rows) const {
    rows.clear();
    if (sparse_) {
        rows = sparse_->rows();
        return;
    }
    if (actuated_) {
        std::vector<int> servo;
        actuated_->kept_rows(rows, servo);
        return;
    }
    for (int k = 0; k < solver().rank(); ++k) {
        rows.push_back(solver().kept_row(k));
    }
}

void Dynamics::take(const MotionForces& forces) {
    attributed_ = false;
    taken_ = true;
    shared_ = false;
    sticks_ = false;
    no_feedback_ = false;
    rank_ = forces.rank;
    rank_warning_ = false;
    const auto put = [](std::span<const double> from, std::vector<double>& into) {
        std::copy(from.begin(), from.end(), into.begin());
    };
    put(forces.a, a_);
    put(forces.Qc, Qc_);
    put(forces.Qc_ideal.empty() ? forces.Qc : forces.Qc_ideal, Qc_ideal_);
    for (std::size_t i = 0; i < Qc_.size(); ++i) {
        Qc_nonideal_[i] = Qc_[i] - Qc_ideal_[i];
    }
    put(forces.lambda, lambda_);
    put(forces.u, u_);
}

SolveStatus Dynamics::attribute(double t, const double* q, const double* v, const double* a,
                                double weakest) {
    attributed_ = true;
    ++evaluations_;
    taken_ = false;
    shared_ = false;
    if (sparse_) {
        return take_sparse(sparse_->attribute(t, q, v, a, weakest));
    }
    return solver().attribute(evaluator_->system(t, q, v), a, weakest);
}

SolveStatus Dynamics::accelerate(double t, const double* q, const double* v) {
    SolveStatus status = accelerate_by_law(t, q, v);
    const int count = evaluator_->model().layout.switches;
    for (int k = 0; k < count && evaluator_->model().switches_by_reactions() &&
                    status == SolveStatus::kOk && evaluator_->follow_reactions(lambda().data());
         ++k) {
        status = accelerate_by_law(t, q, v);
    }
    return status;
}

SolveStatus Dynamics::accelerate_by_law(double t, const double* q, const double* v) {
    attributed_ = false;
    ++evaluations_;
    taken_ = false;
    shared_ = false;
    if (sparse_) {
        return take_sparse(sparse_->solve(t, q, v));
    }
    const solve::System at = stabilized(t, q, v, false);
    if (actuated_) {
        return accelerate_actuated(at);
    }
    sticks_ = false;
    if (by_solver() || solver_too_) {
        SolveStatus status = solver().solve(at);
        rank_ = solver().rank();
        rank_warning_ = solver().rank_warning();
        weakest_pivot_ = solver().weakest_pivot();
        if (status == SolveStatus::kOk && !feedback_.empty()) {
            status = feedback_.close(*evaluator_, solver(), at);
        }
        if (by_solver() || status != SolveStatus::kOk) {
            if (evaluator_->any_sticks()) {
                find_ideal_part(at);
            }
            return noted(status);
        }
    }
    no_feedback_ = false;
    const solve::Analysis analysis = solve::analyse(at);
    kept_ = analysis.kept;
    rank_ = analysis.rank;
    rank_warning_ = analysis.warning;
    weakest_pivot_ = analysis.smallest_kept_pivot;
    Result<solve::Motion> motion =
        solve::evaluate(options_.form, at, evaluator_->gauge(t, q, v), analysis);
    if (!motion) {
        form_error_ = motion.error();
        return status_of(motion.error().code);
    }
    form_error_.reset();
    take(motion.value());
    copy(solver_too_ ? solver().lambda() : motion.value().lambda, lambda_);
    if (evaluator_->any_sticks()) {
        find_ideal_part(at);
    }
    return SolveStatus::kOk;
}

SolveStatus Dynamics::accelerate_actuated(const solve::System& at) {
    sticks_ = false;
    SolveStatus status = close_actuated(actuated_->solve(at, evaluator_->actuation()), at);
    rank_ = actuated_->rank();
    rank_warning_ = actuated_->rank_warning();
    if (status == SolveStatus::kOk && !by_solver()) {
        actuated_->kept_rows(kept_, kept_servo_);
        status = evaluate_actuated_form(at);
        actuated_->share(lambda_.data());
    }
    if (status == SolveStatus::kOk && evaluator_->any_sticks()) {
        find_ideal_part(at);
    }
    return status;
}

/// Goes on to the forces that depend on the multipliers.
SolveStatus Dynamics::close_actuated(SolveStatus status, const solve::System& at) {
    return feedback_.empty() || status != SolveStatus::kOk
               ? status
               : noted(feedback_.close(*evaluator_, *actuated_, at));
}

SolveStatus Dynamics::actuated_in_step(double t, const double* q, const double* v,
                                       solve::Wanted wanted) {
    sticks_ = false;
    if (!by_solver()) {
        const solve::System at = stabilized(t, q, v, false);
        if (!feedback_.empty()) {
            const SolveStatus status =
                close_actuated(actuated_->solve_again(at, evaluator_->actuation()), at);
            if (status != SolveStatus::kOk) {
                return status;
            }
        }
        return evaluate_actuated_form(at);
    }
    const solve::System at = stabilized(t, q, v, true);
    const SolveStatus status = actuated_->solve_again(
        at, evaluator_->actuation(), feedback_.empty() ? wanted : solve::Wanted::kAll);
    if (status == SolveStatus::kOk && actuated_->pivot_ratio() >= kPivotAlarm) {
        return close_actuated(status, at);
    }
    const solve::System again = stabilized(t, q, v, false);
    return close_actuated(actuated_->solve(again, evaluator_->actuation()), again);
}

/// A named form on the rows chosen for this step, passive ones first.
SolveStatus Dynamics::evaluate_actuated_form(const solve::System& at) {
    std::vector<int> rows = kept_;
    rows.insert(rows.end(), kept_servo_.begin(), kept_servo_.end());
    std::vector<int> servo;
    for (std::size_t k = kept_.size(); k < rows.size(); ++k) {
        servo.push_back(static_cast<int>(k));
    }
    const solve::RowMatrix A = at.A(rows, Eigen::all);
    const Eigen::VectorXd b = at.b(rows);
    const Eigen::VectorXd none;
    const Result<solve::ActuatedMotion> result =
        solve::evaluate_actuated(options_.form, {at.M, at.Q, at.C, A, b, none, none, at.groups},
                                 servo, evaluator_->actuation());
    if (!result) {
        form_error_ = result.error();
        return result.error().code == ErrorCode::kNotControlled ? SolveStatus::kNotControlled
                                                                : status_of(result.error().code);
    }
    form_error_.reset();
    take(result.value().motion);
    copy(result.value().u, u_);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        lambda_[static_cast<std::size_t>(kept_[k])] =
            result.value().motion.lambda[static_cast<Eigen::Index>(k)];
    }
    return SolveStatus::kOk;
}

SolveStatus Dynamics::noted(SolveStatus status) {
    no_feedback_ = status == SolveStatus::kNoFeedback;
    return status;
}

/// Qc of the constraints alone, without stick rows and C: the ideal part          UK02 (7)
void Dynamics::find_ideal_part(const solve::System& at) {
    const int constraints = evaluator_->model().constraint_rows;
    ideal_A_.topRows(constraints) = at.A.topRows(constraints);
    ideal_b_.head(constraints) = at.b.head(constraints);
    const Eigen::VectorXd none;
    const solve::System ideal{
        at.M,           at.Q,      none,      ideal_A_,      ideal_b_, at.row_magnitude,
        at.b_magnitude, at.groups, at.owners, at.compliances};
    const SolveStatus status = actuated_ ? ideal_actuated_->solve(ideal, evaluator_->actuation())
                                         : ideal_solver_->solve(ideal);
    if (status != SolveStatus::kOk) {
        return;
    }
    copy(actuated_ ? ideal_actuated_->Qc() : ideal_solver_->Qc(), stick_ideal_);
    const Vector total = Qc();
    for (std::size_t i = 0; i < stick_ideal_.size(); ++i) {
        stick_nonideal_[i] = total[static_cast<Eigen::Index>(i)] - stick_ideal_[i];
    }
    sticks_ = true;
}

void Dynamics::take(const solve::Motion& motion) {
    copy(motion.a, a_);
    copy(motion.Qc, Qc_);
    copy(motion.Qc_ideal, Qc_ideal_);
    copy(motion.Qc_nonideal, Qc_nonideal_);
}

SolveStatus Dynamics::accelerate_in_step(double t, const double* q, const double* v,
                                         solve::Wanted wanted) {
    attributed_ = false;
    ++evaluations_;
    taken_ = false;
    shared_ = false;
    if (sparse_) {
        return take_sparse(sparse_->solve_again(t, q, v));
    }
    if (actuated_) {
        return actuated_in_step(t, q, v, wanted);
    }
    sticks_ = false;
    if (solver_too_) {
        const solve::System at = stabilized(t, q, v, by_solver());
        SolveStatus status = solver().solve_again(at);
        if (status != SolveStatus::kOk || solver().pivot_ratio() < kPivotAlarm) {
            status = solver().solve(stabilized(t, q, v, false));
        }
        if (status == SolveStatus::kOk && !feedback_.empty()) {
            status = feedback_.close(*evaluator_, solver(), at);
        }
        if (by_solver() || status != SolveStatus::kOk) {
            return noted(status);
        }
        no_feedback_ = false;
        return evaluate_form(at, evaluator_->gauge(t, q, v));
    }
    if (!by_solver()) {
        const solve::System at = stabilized(t, q, v, false);
        solve::Gauge gauge = evaluator_->gauge(t, q, v);
        return evaluate_form(at, std::move(gauge));
    }
    const SolveStatus status = solver().solve_again(stabilized(t, q, v, true), wanted);
    if (status != SolveStatus::kOk || solver().pivot_ratio() < kPivotAlarm) {
        return solver().solve(stabilized(t, q, v, false));
    }
    return status;
}

/// A named form on the rows chosen for this step.
SolveStatus Dynamics::evaluate_form(const solve::System& at, solve::Gauge gauge) {
    const auto kept = static_cast<Eigen::Index>(kept_.size());
    solve::RowMatrix A(kept, n_);
    Eigen::VectorXd b(kept);
    Eigen::VectorXd magnitude(kept);
    for (Eigen::Index k = 0; k < kept; ++k) {
        const int row = kept_[static_cast<std::size_t>(k)];
        A.row(k) = at.A.row(row);
        b[k] = at.b[row];
        magnitude[k] = at.row_magnitude[row];
    }
    if (gauge.G.size() > 0) {
        gauge.G = gauge.G(kept_, kept_).eval();
    }
    if (gauge.z.size() > 0) {
        gauge.z = gauge.z(kept_).eval();
    }
    const Eigen::VectorXd none;
    const Result<solve::Motion> motion =
        solve::evaluate(options_.form, {at.M, at.Q, at.C, A, b, magnitude, none, at.groups}, gauge);
    if (!motion) {
        form_error_ = motion.error();
        return status_of(motion.error().code);
    }
    take(motion.value());
    if (solver_too_) {
        copy(solver().lambda(), lambda_);
        return SolveStatus::kOk;
    }
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (Eigen::Index k = 0; k < kept; ++k) {
        lambda_[static_cast<std::size_t>(kept_[static_cast<std::size_t>(k)])] =
            motion.value().lambda[k];
    }
    return SolveStatus::kOk;
}

void find_reactions(Evaluator& evaluator, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    if (!model.feedback.empty() || model.switches_by_reactions()) {
        Dynamics(evaluator, {}).accelerate(t, q, v);
    }
}

Error Dynamics::explain(double t, const double* q, const double* v) {
    if (evaluator_->model().is_large() && sparse_) {
        return sparse_->explain(t, q, v);
    }
    if (no_feedback_) {
        return actuated_ ? describe_feedback(*evaluator_, *actuated_, feedback_, t, q, v)
                         : describe_feedback(*evaluator_, solver(), feedback_, t, q, v);
    }
    if (form_error_ && form_error_->code == ErrorCode::kInvalidInput &&
        !std::isfinite(evaluator_->gauge(t, q, v).alpha)) {
        return {ErrorCode::kNotFinite,
                "the gauge alpha is not a number" +
                    why_not_finite(*evaluator_, {t, q, v}, {Quantity::Of::kAcceleration})};
    }
    if (form_error_ && (form_error_->code == ErrorCode::kNotApplicable ||
                        form_error_->code == ErrorCode::kInvalidInput)) {
        return *form_error_;
    }
    if (actuated_ && actuated_->solve(evaluator_->system(t, q, v), evaluator_->actuation()) ==
                         SolveStatus::kNotControlled) {
        return explain_controls(*evaluator_, t, q, v);
    }
    return explain_failure(*evaluator_, t, q, v);
}

}  // namespace ananke::dynamics

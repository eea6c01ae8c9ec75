#include "inspect/check.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "base/text.h"
#include "compile/load_owners.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/sparse_rows.h"
#include "inspect/sparse_analysis.h"
#include "simulate/friction_watch.h"
#include "solve/forms.h"
#include "solve/principle.h"

namespace ananke::inspect {
namespace {

constexpr int kRandomStates = 5;
/// Models with more coordinates are compared at one random state.
constexpr int kManyCoordinates = 40;
/// Beyond this many the dense pseudo-inverses of the forms take minutes.
constexpr int kTooManyCoordinates = 150;
/// Random states differ from the start by up to this part of each value (at least of 1).
constexpr double kSpread = 0.2;

double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    const double scale = std::max({1.0, a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>()});
    return a.size() == 0 ? 0.0 : (a - b).lpNorm<Eigen::Infinity>() / scale;
}

/// The same for a model with actuators, by the dynamics of each form.
std::vector<FormAgreement> compare_actuated_forms(dynamics::Evaluator& evaluator, double t,
                                                  const double* q, const double* v) {
    std::vector<FormAgreement> agreements;
    dynamics::MotionSolver reference(evaluator, {});
    if (reference.accelerate(t, q, v) != solve::SolveStatus::kOk) {
        return agreements;
    }
    for (const solve::Form form : solve::all_forms()) {
        if (form == solve::Form::kAuto) {
            continue;
        }
        FormAgreement agreement{form, true, "", 0.0};
        dynamics::MethodOptions options;
        options.form = form;
        dynamics::MotionSolver dynamics(evaluator, options);
        if (dynamics.accelerate(t, q, v) == solve::SolveStatus::kOk) {
            agreement.difference = std::max(relative_difference(dynamics.a(), reference.a()),
                                            relative_difference(dynamics.Qc(), reference.Qc()));
        } else {
            agreement.applies = false;
            agreement.reason = dynamics.explain(t, q, v).message;
        }
        agreements.push_back(std::move(agreement));
    }
    return agreements;
}

/// Forces as they are at a state: what the frictions do there, and the multipliers that forces
/// depend on. While it lives the evaluator's system is that of this state.
class Settled {
  public:
    Settled(dynamics::Evaluator& evaluator, double t, const double* q, const double* v) {
        const compile::CompiledModel& model = evaluator.model();
        if (!model.frictions.empty() || !model.feedback.empty()) {
            decision_.emplace(evaluator, dynamics::MethodOptions{});
            result_ = decision_->settle(t, q, v);
        }
    }
    ~Settled() {
        if (decision_) {
            decision_->release();
        }
    }
    Settled(const Settled&) = delete;
    Settled& operator=(const Settled&) = delete;

    bool ok() const { return result_.has_value(); }
    const Error& error() const { return result_.error(); }

  private:
    std::optional<simulate::FrictionDecision> decision_;
    Result<std::vector<simulate::FrictionChange>> result_ = std::vector<simulate::FrictionChange>{};
};

/// Every form against the automatic one at one state.
std::vector<FormAgreement> compare_forms(dynamics::Evaluator& evaluator, double t, const double* q,
                                         const double* v) {
    if (!evaluator.model().controls.empty()) {
        return compare_actuated_forms(evaluator, t, q, v);
    }
    const Settled settled(evaluator, t, q, v);
    if (!settled.ok()) {
        return {};
    }
    const solve::System at = evaluator.system(t, q, v);
    const solve::Gauge gauge = evaluator.gauge();
    const Result<solve::Motion> reference = solve::evaluate(solve::Form::kAuto, at);
    std::vector<FormAgreement> agreements;
    if (!reference) {
        return agreements;
    }
    for (const solve::Form form : solve::all_forms()) {
        if (form == solve::Form::kAuto) {
            continue;
        }
        FormAgreement agreement{form, true, "", 0.0};
        const Result<solve::Motion> motion = solve::evaluate(form, at, gauge);
        if (motion) {
            agreement.difference =
                std::max(relative_difference(motion.value().a, reference.value().a),
                         relative_difference(motion.value().Qc, reference.value().Qc));
        } else {
            agreement.applies = false;
            agreement.reason = motion.error().message;
        }
        agreements.push_back(std::move(agreement));
    }
    return agreements;
}

void keep_worst(std::vector<FormAgreement>& worst, const std::vector<FormAgreement>& next) {
    if (worst.empty()) {
        worst = next;
        return;
    }
    for (std::size_t i = 0; i < worst.size() && i < next.size(); ++i) {
        worst[i].difference = std::max(worst[i].difference, next[i].difference);
        if (!next[i].applies) {
            worst[i].applies = false;
            worst[i].reason = next[i].reason;
        }
    }
}

/// What stops a model at its start; of what is no number also the time.
Error at_start(Error why, double t) {
    return why.code == ErrorCode::kNotFinite
               ? Error{why.code, fmt::format("at t = {}: {}", to_short_text(t, 9), why.message)}
               : why;
}

/// Admissible states near the start: moved at random, then assembled onto the constraints again.
void visit_random_states(const compile::Prepared& prepared, dynamics::Evaluator& evaluator,
                         CheckReport& report) {
    std::mt19937 random(20130001);
    std::uniform_real_distribution<double> spread(-kSpread, kSpread);
    const auto n = report.start.q.size();
    const int wanted = report.coordinates > kManyCoordinates ? 1 : kRandomStates;
    for (int trial = 0; trial < 4 * wanted && report.random_states < wanted; ++trial) {
        mech::InitialState initial = prepared.initial;
        initial.q = report.start.q;
        initial.v = report.start.v;
        initial.q_exact.assign(n, false);
        initial.v_exact.assign(n, false);
        initial.v_follows.assign(n, false);
        for (std::size_t i = 0; i < n; ++i) {
            initial.q[i] += spread(random) * std::max(1.0, std::abs(initial.q[i]));
            initial.v[i] += spread(random) * std::max(1.0, std::abs(initial.v[i]));
        }
        const Result<dynamics::StartState> state = assemble(evaluator, initial, report.start.t);
        if (!state) {
            continue;
        }
        const std::vector<FormAgreement> agreements = compare_forms(
            evaluator, report.start.t, state.value().q.data(), state.value().v.data());
        if (!agreements.empty()) {
            keep_worst(report.forms_at_random, agreements);
            ++report.random_states;
        }
    }
}

/// Of large models: a reaction that a dependence touches counts as shared as a whole.
void find_shared_reactions(const compile::CompiledModel& model, CheckReport& report) {
    const compile::ReactionMap& map = model.reactions;
    const solve::Analysis& analysis = report.analysis;
    std::vector<bool> touched(map.owners.size(), false);
    for (int row = 0; row < model.m(); ++row) {
        const auto k = static_cast<std::size_t>(row);
        const bool is_shared =
            !analysis.lambda_unique[k] &&
            !std::binary_search(analysis.vanished.begin(), analysis.vanished.end(), row);
        for (int owner = is_shared ? map.row_owner[k] : -1; owner >= 0;
             owner = map.owners[static_cast<std::size_t>(owner)].within) {
            touched[static_cast<std::size_t>(owner)] = true;
        }
    }
    for (const compile::ReactionMap::Target& target : map.targets) {
        const bool unique = !touched[static_cast<std::size_t>(target.owner)];
        report.reactions.push_back({{unique, unique, unique}, {unique, unique, unique}, {}});
    }
}

void find_residuals(dynamics::Evaluator& evaluator, CheckReport& report) {
    report.degrees_of_freedom = report.coordinates - report.analysis.rank;
    const dynamics::StartState& start = report.start;
    const std::span<const double> residuals =
        evaluator.scaled_residuals(start.t, start.q.data(), start.v.data());
    report.residuals.assign(residuals.begin(), residuals.end());
}

/// Of large models: rank, degrees of freedom, dependent rows and residuals.
Result<CheckReport> check_large(dynamics::Evaluator& evaluator, CheckReport report) {
    const double t = report.start.t;
    const double* q = report.start.q.data();
    const double* v = report.start.v.data();
    std::optional<solve::Analysis> analysis =
        analyse_sparse(evaluator, t, q, v, Dependences::kListed);
    if (!analysis) {
        dynamics::MotionSolver dynamics(evaluator, {});
        dynamics.accelerate(t, q, v);
        return at_start(dynamics.explain(t, q, v), t);
    }
    report.analysis = std::move(*analysis);
    find_shared_reactions(evaluator.model(), report);
    find_residuals(evaluator, report);
    return report;
}

}  // namespace

Result<CheckReport> check(const compile::Prepared& prepared, Agreement agreement) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    CheckReport report;
    report.title = prepared.model.title;
    report.coordinates = prepared.compiled->n();

    const Result<dynamics::StartState> start = assemble(evaluator, prepared.initial);
    if (!start) {
        return start.error();
    }
    report.start = start.value();
    const double t = report.start.t;
    const double* q = report.start.q.data();
    const double* v = report.start.v.data();

    if (prepared.compiled->is_large()) {
        return check_large(evaluator, std::move(report));
    }
    dynamics::find_reactions(evaluator, t, q, v);
    std::optional<solve::Analysis> sparse;
    if (dynamics::has_sparse_rows(*prepared.compiled) && !prepared.compiled->has_nonideal) {
        sparse = analyse_sparse(evaluator, t, q, v, Dependences::kExpressed);
    }
    report.analysis = sparse ? std::move(*sparse)
                             : solve::analyse(evaluator.system(t, q, v), {},
                                              dynamics::row_names(*prepared.compiled));
    if (report.analysis.failure) {
        return at_start(dynamics::explain_failure(evaluator, t, q, v), t);
    }
    if (!prepared.compiled->controls.empty()) {
        dynamics::MotionSolver dynamics(evaluator, {});
        if (dynamics.accelerate(t, q, v) != solve::SolveStatus::kOk) {
            return at_start(dynamics.explain(t, q, v), t);
        }
        report.regularity = dynamics.rows().regularity();
    }
    report.reactions = compile::reaction_shares(prepared.compiled->reactions,
                                                evaluator.reactions(t, q, v), report.analysis);
    find_residuals(evaluator, report);
    for (const simulate::SharedLoad& one :
         simulate::shared_loads(*prepared.compiled, report.analysis)) {
        report.warnings.push_back(one.text);
    }
    for (const std::string& warning :
         compile::partly_rigid(*prepared.compiled, report.analysis.dependent_sets)) {
        report.warnings.push_back(warning);
    }
    const Settled settled(evaluator, t, q, v);
    if (!settled.ok()) {
        report.warnings.push_back(settled.error().message);
        return report;
    }
    if (prepared.compiled->has_nonideal && !evaluator.any_sticks() &&
        prepared.compiled->controls.empty()) {
        const Result<solve::NonidealShare> share =
            solve::nonideal_share(evaluator.system(t, q, v), report.analysis);
        if (share) {
            report.nonideal = {share.value().acting_part, share.value().absorbed_part};
        }
    }
    if (agreement == Agreement::kCompare && report.coordinates > kTooManyCoordinates) {
        report.warnings.push_back(
            fmt::format("the forms are not compared: the model has more than {} coordinates",
                        kTooManyCoordinates));
    } else if (agreement == Agreement::kCompare) {
        report.forms_at_start = compare_forms(evaluator, t, q, v);
        visit_random_states(prepared, evaluator, report);
    }
    return report;
}

}  // namespace ananke::inspect

#include "simulate/friction_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "compile/load_owners.h"
#include "ode/root.h"

namespace ananke::simulate {
namespace {

/// Parts of a step at whose ends the signals are evaluated.
constexpr int kParts = 8;
/// First step of a slip in two directions, by the last step of rest: near zero the direction turns
/// faster than a longer step would notice.
constexpr double kFirstOfSlip = 1e-5;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<SharedLoad> shared_loads(const compile::CompiledModel& model,
                                     const solve::Analysis& analysis) {
    const std::vector<bool> gives_way = compile::rows_that_give_way(model);
    std::vector<SharedLoad> shared;
    for (std::size_t f = 0; f < model.frictions.size(); ++f) {
        const std::vector<int>& own = model.frictions[f].load_rows;
        std::vector<std::string> others;
        bool is_choice = false;
        for (const std::vector<int>& set : analysis.dependent_sets) {
            const bool touches = std::any_of(own.begin(), own.end(), [&](int row) {
                return std::find(set.begin(), set.end(), row) != set.end();
            });
            const bool open =
                std::any_of(set.begin(), set.end(), [&](int row) { return !gives_way[at(row)]; });
            for (std::size_t i = 0; i < set.size() && touches && open; ++i) {
                is_choice = true;
                if (std::find(own.begin(), own.end(), set[i]) == own.end()) {
                    others.push_back(model.rows[at(set[i])].name);
                }
            }
        }
        if (is_choice) {
            shared.push_back(
                {static_cast<int>(f),
                 fmt::format(
                     "friction on {} depends on how dependent constraints share a force{}: "
                     "it is statically indeterminate, so the share is a choice, and so is the "
                     "friction; `compliance on` makes it physical",
                     model.frictions[f].name,
                     others.empty() ? "" : ", with " + join_names(others))});
        }
    }
    return shared;
}

FrictionWatch::FrictionWatch(dynamics::Evaluator& evaluator, const dynamics::MethodOptions& options,
                             double tolerance, dynamics::StateEquation& equation,
                             dynamics::Surface& surface, Journal& journal)
    : evaluator_(&evaluator),
      equation_(&equation),
      surface_(&surface),
      journal_(&journal),
      decision_(evaluator, options, tolerance),
      y_(equation.size()) {
    const std::size_t count = evaluator.model().frictions.size();
    for (std::vector<double>* each : {&signals_, &signals_before_, &rounding_, &begin_sizes_}) {
        each->assign(count, 0.0);
    }
}

void FrictionWatch::report(double t, int f, const std::string& kind, const std::string& detail) {
    journal_->event({t, decision_.friction(f).name, kind, detail});
}

void FrictionWatch::report_shared_loads(double t, std::span<const double> y) {
    if (empty()) {
        return;
    }
    const double* q = y.data();
    const solve::Analysis analysis =
        solve::analyse(evaluator_->system(t, q, q + evaluator_->model().n()));
    for (const SharedLoad& one : shared_loads(evaluator_->model(), analysis)) {
        report(t, one.which, "shared load", one.text);
    }
}

Result<void> FrictionWatch::settle(double t, std::span<double> y) {
    if (empty()) {
        return {};
    }
    return adopt(t, y, decision_.settle(t, y.data(), y.data() + evaluator_->model().n()));
}

/// Reports the changes, and removes what is left of slips where a friction holds from now on.
Result<void> FrictionWatch::adopt(double t, std::span<double> y,
                                  const Result<std::vector<FrictionChange>>& changes) {
    if (!changes) {
        return changes.error();
    }
    for (const FrictionChange& one : changes.value()) {
        report(t, one.which, one.kind, one.detail);
    }
    equation_->expect_hold(decision_.largest_limit());
    if (!surface_->project(t, y)) {
        return Error{
            ErrorCode::kNotConverged,
            fmt::format("the state at t = {} could not be brought to rest where friction holds it",
                        to_text(t))};
    }
    equation_->choose_rows();
    return {};
}

Result<double> FrictionWatch::change(double t, std::span<double> y, double next_step) {
    const Result<std::vector<FrictionChange>> changes =
        decision_.change(event_, y.data(), y.data() + evaluator_->model().n());
    if (const Result<void> adopted = adopt(t, y, changes); !adopted) {
        return adopted.error();
    }
    const bool slides_in_a_plane =
        std::any_of(changes.value().begin(), changes.value().end(), [&](const FrictionChange& one) {
            return one.kind == "slip" && decision_.friction(one.which).components > 1;
        });
    return changes.value().empty() ? next_step : slides_in_a_plane ? kFirstOfSlip * next_step : 0.0;
}

/// Motion and forces at a state of the step, by the program where it serves. The solver chooses its
/// rows where the step begins, when it is first needed.
solve::SolveStatus FrictionWatch::find_forces(ode::Stepper& stepper, double t, const double* q,
                                              const double* v) {
    dynamics::MotionSolver& dynamics = decision_.dynamics();
    if (equation_->acceleration().forces_by_program(t, q, v, dynamics)) {
        return solve::SolveStatus::kOk;
    }
    if (!rows_chosen_) {
        rows_chosen_ = true;
        const double* begin = stepper.y_previous().data();
        const solve::SolveStatus status =
            dynamics.accelerate(stepper.t_previous(), begin, begin + evaluator_->model().n());
        if (t == stepper.t_previous() || status != solve::SolveStatus::kOk) {
            return status;
        }
    }
    return dynamics.accelerate_in_step(t, q, v);
}

/// Multipliers are needed only where a friction sticks.
void FrictionWatch::find_signals(ode::Stepper& stepper, double t, std::span<const double> y) {
    const double* q = y.data();
    const double* v = q + evaluator_->model().n();
    solve::SolveStatus status = solve::SolveStatus::kOk;
    if (evaluator_->any_sticks()) {
        status = find_forces(stepper, t, q, v);
        decision_.read_forces(t, q, v, status);
    }
    decision_.read(t, q, v);
    for (int f = 0; f < decision_.count(); ++f) {
        const bool known = status == solve::SolveStatus::kOk || !evaluator_->sticks(f);
        signals_[at(f)] = known ? decision_.signal(f) : std::nan("");
        rounding_[at(f)] = decision_.signal_rounding(f);
    }
}

Result<std::optional<double>> FrictionWatch::after_step(SingularStepper& stepper, double until,
                                                        std::span<const double> /*row_times*/) {
    const std::optional<FrictionEvent> found = empty() ? std::nullopt : first_event(stepper);
    if (!found || (found->t >= until && until < stepper.t())) {
        return std::optional<double>();
    }
    event_ = *found;
    return std::optional(found->t);
}

std::optional<FrictionEvent> FrictionWatch::first_event(ode::Stepper& stepper) {
    const double begin = stepper.t_previous();
    const double end = stepper.t();
    const double* const state = stepper.y().data();
    rows_chosen_ = false;
    decision_.measure(end, state, state + evaluator_->model().n(), end - begin);
    find_signals(stepper, begin, stepper.y_previous());
    for (int f = 0; f < decision_.count(); ++f) {
        begin_sizes_[at(f)] = decision_.slip_size(f);
    }
    double before = begin;
    for (int part = 1; part <= kParts; ++part) {
        const double now = part == kParts ? end : begin + (end - begin) * part / kParts;
        if (stepper.dense(now, y_) != ode::Status::kOk) {
            return std::nullopt;
        }
        signals_before_.swap(signals_);
        find_signals(stepper, now, y_);
        signals_now_ = signals_;  // locate() evaluates them elsewhere
        rounding_now_ = rounding_;
        std::optional<FrictionEvent> first;
        for (int f = 0; f < decision_.count(); ++f) {
            if (!decision_.friction(f).dry || !(signals_now_[at(f)] < -rounding_now_[at(f)])) {
                continue;
            }
            const std::optional<FrictionEvent> one =
                signals_before_[at(f)] > 0.0 ? locate(stepper, f, before, now)
                                             : FrictionEvent{before, f, evaluator_->sticks(f)};
            if (one && (!first || one->t < first->t)) {
                first = one;
            }
        }
        if (first) {
            return first;
        }
        signals_ = signals_now_;
        before = now;
    }
    for (int f = 0; f < decision_.count(); ++f) {
        if (decision_.slip_size(f) < begin_sizes_[at(f)] && decision_.has_lost_direction(f)) {
            return FrictionEvent{end, f, false};
        }
        decision_.turn_with_slip(f);
    }
    return std::nullopt;
}

/// Where the signal of one friction passes zero between two times.
std::optional<FrictionEvent> FrictionWatch::locate(ode::Stepper& stepper, int f, double before,
                                                   double after) {
    const auto signal_at = [&](double t) {
        if (stepper.dense(t, y_) != ode::Status::kOk) {
            return std::nan("");
        }
        find_signals(stepper, t, y_);
        return signals_[at(f)];
    };
    const Result<ode::Root> root = ode::find_root(signal_at, before, after, 0.0);
    if (!root) {
        return std::nullopt;
    }
    const bool sticks = evaluator_->sticks(f);
    return FrictionEvent{sticks ? root.value().after : root.value().t, f, sticks};
}

}  // namespace ananke::simulate

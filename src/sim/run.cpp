#include "sim/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "ode/dop853.h"
#include "sim/evaluator.h"
#include "sim/event_actions.h"
#include "sim/event_watch.h"
#include "sim/friction_watch.h"
#include "sim/row_watch.h"
#include "sim/row_writer.h"
#include "sim/singular_stepper.h"
#include "sim/switch_watch.h"
#include "solve/analysis.h"
#include "solve/projection.h"

namespace ananke::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// The integral that balances the energy is carried along but never limits the step.
constexpr double kNoErrorControl = 1e100;
/// A step that passed the error test lies near the constraints; one that projection must move by
/// more than this many times its tolerance does not, and is rejected: it has left its branch.
constexpr double kLargestCorrection = 1e4;
/// Scaled residual left alone near a singular configuration, where what is left is magnified.
constexpr double kLastDigit = 2e-16;
/// Error of one evaluation of a constraint, in its scale.
constexpr double kRounding = 1e-16;
/// Scaled residual that is as good as none.
constexpr double kAcceptedResidual = 1e-12;
/// Rows that are this near to dependent are named when a run cannot go on.
constexpr solve::RankPolicy kNearlyDependent{1e-3, 1e-3};
/// A row whose time differs from an event's by this part of 1 + |t| is a row of the event's time.
constexpr double kSameTime = 4.0 * std::numeric_limits<double>::epsilon();
/// Seconds of wall time between two calls of RunOptions::progress.
constexpr double kProgressInterval = 0.1;

/// Projection that leaves alone what rows with smaller pivots than `pivot` ask for. Rounding moves
/// a velocity by kRounding / pivot^2, the motion is known to the tolerance anyhow.
struct NearSurface {
    NearSurface(Evaluator& evaluator, double tolerance)
        : pivot(std::sqrt(kRounding / tolerance)),
          projector(evaluator, {.skip = kLastDigit,
                                .accept = std::max(kAcceptedResidual, tolerance),
                                .rank = {pivot, pivot}}) {}

    double pivot;
    solve::Projector projector;
};

/// One run. State y: q (n), v (n), the integral of power + Qc.v, and per stick row the integral of
/// its multiplier, so that steps follow the friction force also where nothing moves.
class Runner {
  public:
    Runner(std::shared_ptr<const CompiledModel> model, std::span<const double> parameters,
           const RunOptions& options, Recorder& recorder)
        : options_(options),
          recorder_(recorder),
          n_(static_cast<std::size_t>(model->n())),
          evaluator_(std::move(model), parameters),
          dynamics_(evaluator_, options.dynamics),
          output_dynamics_(evaluator_, options.dynamics),
          friction_(evaluator_, options.dynamics),
          projector_(evaluator_),
          closest_(evaluator_, {.skip = kLastDigit}),
          near_surface_(evaluator_, options.tolerance),
          writer_(evaluator_, output_dynamics_, options.principle),
          event_watch_(evaluator_, 2 * n_ + 1 + friction_.rows()),
          began_(Clock::now()) {}

    RunSummary run(const StartState& start);

  private:
    ode::Evaluation rhs(double t, std::span<const double> y, std::span<double> dydt);
    ode::Acceptance accepted(double t, std::span<double> y);
    void output(double t, std::span<const double> y, SingularStepper& stepper);
    void write_row(double t, std::span<const double> y, SingularStepper& stepper);
    bool move_onto_surface(double t, std::span<double> y, double pivot);
    solve::SolveStatus accelerate_output(double t, double pivot, const SingularStepper& stepper);
    ode::Status step_through(SingularStepper& stepper);
    ode::Status write_rows(SingularStepper& stepper, double until);
    ode::Status change_law(const Switching& change, SingularStepper& stepper);
    std::optional<double> first_event(ode::Stepper& stepper, double until);
    ode::Status pass_events(double t, SingularStepper& stepper);
    bool started_singular(const SingularStepper& stepper);
    ode::Status stop_at_vanished_row(const VanishedRow& row, SingularStepper& stepper);
    void restart(double t, ode::Stepper& stepper, double longest_step = 0.0,
                 const std::optional<Switching>& change = std::nullopt);
    const double* acceleration(double t, std::span<const double> y);
    void record_event(const Event& event);
    ode::Status change_friction(const FrictionEvent& event, SingularStepper& stepper);
    bool settle_friction(double t);
    void note_shared_loads(double t);
    void note_changes(double t, const Result<std::vector<FrictionChange>>& changes);
    void add_statistics(const ode::Statistics& part);
    bool stop_requested();

    /// False if the state cannot be projected, or only by moving a value by more than `largest`.
    bool project(double t, std::span<double> y,
                 double largest = std::numeric_limits<double>::infinity());
    Error describe_stop(ode::Status status, const ode::Stepper& stepper);
    void note_rank(double t);
    void note_singular(const SingularPoint& point);
    void note_not_finite(double t, std::span<const double> row);
    void summarize_row(std::span<const double> y);
    void fail(Error error) {
        if (!failure_) {
            failure_ = std::move(error);
        }
    }
    void integrate(const StartState& start);
    void finish();

    const RunOptions& options_;
    Recorder& recorder_;
    std::size_t n_;
    Evaluator evaluator_;
    Dynamics dynamics_;         ///< of the steps
    Dynamics output_dynamics_;  ///< of the rows: outputs must not influence the steps
    FrictionWatch friction_;
    solve::Projector projector_;
    solve::Projector closest_;  ///< to the last digit, for states near a singular configuration
    NearSurface near_surface_;
    RowWriter writer_;
    RowWatch watch_;
    SwitchWatch switch_watch_;
    EventWatch event_watch_;
    std::optional<double> ended_at_;  ///< inside the last step
    Clock::time_point began_;
    Clock::time_point last_progress_ = began_;

    RunSummary summary_;
    std::optional<Error> failure_;
    std::vector<double> y_, dense_y_, output_y_, failed_y_, slope_;
    std::size_t next_row_ = 0;
    double failed_t_ = 0.0;
    bool choose_rows_ = true;  ///< the next evaluation is at a state on the constraints
    int last_rank_ = -1;
    bool first_step_done_ = false;
};

ode::Evaluation Runner::rhs(double t, std::span<const double> y, std::span<double> dydt) {
    const double* position = y.data();
    const double* velocity = y.data() + n_;
    const solve::SolveStatus status =
        choose_rows_ ? dynamics_.accelerate(t, position, velocity)
                     : dynamics_.accelerate_in_step(
                           t, position, velocity,
                           friction_.empty() ? solve::Wanted::kMotion : solve::Wanted::kAll);
    if (status != solve::SolveStatus::kOk) {
        failed_t_ = t;
        std::copy(y.begin(), y.end(), failed_y_.begin());
        return choose_rows_ && status != solve::SolveStatus::kNotFinite
                   ? ode::Evaluation::fatal(static_cast<int>(status))
                   : ode::Evaluation::retry(static_cast<int>(status));
    }
    choose_rows_ = false;
    double qc_power = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
        dydt[i] = velocity[i];
        dydt[n_ + i] = dynamics_.a()[static_cast<Eigen::Index>(i)];
        qc_power += dynamics_.Qc()[static_cast<Eigen::Index>(i)] * velocity[i];
    }
    dydt[2 * n_] = evaluator_.power() + qc_power;
    for (std::size_t k = 0; k < friction_.rows(); ++k) {
        const int row = evaluator_.model().constraint_rows + static_cast<int>(k);
        dydt[2 * n_ + 1 + k] = dynamics_.lambda()[row];
    }
    return ode::Evaluation::ok();
}

bool Runner::project(double t, std::span<double> y, double largest) {
    ++summary_.projection.calls;
    const solve::ProjectionReport report =
        projector_.project(t, y.subspan(0, n_), y.subspan(n_, n_));
    if (report.status != solve::ProjectionStatus::kOk ||
        std::max(report.position_correction, report.velocity_correction) > largest) {
        return false;
    }
    summary_.projection.corrections += report.position_changed || report.velocity_changed ? 1 : 0;
    summary_.projection.largest_position =
        std::max(summary_.projection.largest_position, report.position_correction);
    summary_.projection.largest_velocity =
        std::max(summary_.projection.largest_velocity, report.velocity_correction);
    return true;
}

ode::Acceptance Runner::accepted(double t, std::span<double> y) {
    if (options_.dynamics.drift != Drift::kProject) {
        return ode::Acceptance::kUnchanged;
    }
    choose_rows_ = true;
    const std::size_t before = summary_.projection.corrections;
    double size = 1.0;
    for (const double value : y.first(2 * n_)) {
        size = std::max(size, std::abs(value));
    }
    if (!project(t, y, kLargestCorrection * options_.tolerance * size)) {
        return ode::Acceptance::kFailed;
    }
    return summary_.projection.corrections > before ? ode::Acceptance::kChanged
                                                    : ode::Acceptance::kUnchanged;
}

void Runner::note_rank(double t) {
    summary_.rank_warning = summary_.rank_warning || output_dynamics_.rank_warning();
    if (last_rank_ >= 0 && output_dynamics_.rank() != last_rank_) {
        record_event(
            {t, "rank", "rank change",
             fmt::format("rank of the constraints {} -> {}", last_rank_, output_dynamics_.rank())});
    }
    last_rank_ = output_dynamics_.rank();
}

void Runner::note_singular(const SingularPoint& point) {
    std::vector<std::string> rows;
    for (const int row : point.rows) {
        rows.push_back(evaluator_.model().rows[static_cast<std::size_t>(row)].name);
    }
    record_event({point.t, "rank", "singular",
                  fmt::format("rank of the constraints {} -> {} -> {}: {} become dependent; passed "
                              "on the smooth branch",
                              point.rank_before, point.rank, point.rank_before, join_names(rows))});
}

void Runner::note_not_finite(double t, std::span<const double> row) {
    for (std::size_t i = 0; i < row.size() && summary_.not_finite.empty(); ++i) {
        if (!std::isfinite(row[i])) {
            summary_.not_finite =
                fmt::format("{} at t = {}", writer_.columns()[i].name, to_short_text(t, 9));
        }
    }
}

void Runner::summarize_row(std::span<const double> y) {
    ++summary_.rows;
    const std::span<const Violation> violations = writer_.violations();
    for (std::size_t i = 0; i < violations.size(); ++i) {
        RowSummary& row = summary_.constraints[i];
        row.residual = std::max(row.residual, std::abs(violations[i].residual));
        row.rate = std::max(row.rate, std::abs(violations[i].rate));
    }
    const double imbalance = std::abs(writer_.energy_balance());
    if (!(imbalance <= summary_.largest_energy_imbalance)) {  // also when it is not a number
        summary_.largest_energy_imbalance = imbalance;
    }
    const Energy energy = evaluator_.energy(summary_.reached, y.data(), y.data() + n_);
    summary_.energy_scale =
        std::max(summary_.energy_scale, std::abs(energy.kinetic) + std::abs(energy.potential));
}

void Runner::output(double t, std::span<const double> y, SingularStepper& stepper) {
    evaluator_.suspend_hold();
    write_row(t, y, stepper);
    evaluator_.resume_hold();
}

/// Where a pivot is so small that projection would add more error than it removes, the rows it
/// belongs to are left as they are, unless they are off by more than round-off.
bool Runner::move_onto_surface(double t, std::span<double> y, double pivot) {
    if (pivot > near_surface_.pivot) {
        return project(t, y);
    }
    const auto reached_by = [&](solve::Projector& projector) {
        return projector.project(t, y.subspan(0, n_), y.subspan(n_, n_)).status ==
               solve::ProjectionStatus::kOk;
    };
    return reached_by(near_surface_.projector) || reached_by(closest_);
}

/// The acceleration of output_y_; next to a singular configuration that of the motion which passes
/// it.
solve::SolveStatus Runner::accelerate_output(double t, double pivot,
                                             const SingularStepper& stepper) {
    const double* position = output_y_.data();
    const double* velocity = output_y_.data() + n_;
    if (pivot < std::cbrt(kRounding / options_.tolerance)) {
        stepper.slope(t, slope_);
        return output_dynamics_.attribute(t, position, velocity, slope_.data() + n_,
                                          near_surface_.pivot);
    }
    // Without projection the state drifts off the constraints: the rows chosen at the start stay.
    const bool on_constraints = options_.dynamics.drift == Drift::kProject || summary_.rows == 0;
    return on_constraints ? output_dynamics_.accelerate(t, position, velocity)
                          : output_dynamics_.accelerate_in_step(t, position, velocity);
}

/// A row under the law of its own state, which need not be the one held for the step.
void Runner::write_row(double t, std::span<const double> y, SingularStepper& stepper) {
    std::copy(y.begin(), y.end(), output_y_.begin());
    const double pivot = stepper.collocated() ? stepper.pivot_at(t, y) : 1.0;
    if (options_.dynamics.drift == Drift::kProject && !move_onto_surface(t, output_y_, pivot)) {
        fail({ErrorCode::kNotConverged,
              fmt::format("the output at t = {} could not be put back onto the constraints",
                          to_text(t))});
        return;
    }
    const double* position = output_y_.data();
    const double* velocity = output_y_.data() + n_;
    const solve::SolveStatus status = accelerate_output(t, pivot, stepper);
    if (status != solve::SolveStatus::kOk) {
        Error why = output_dynamics_.explain(t, position, velocity);
        fail({why.code, fmt::format("at t = {}: {}", to_text(t), why.message)});
        return;
    }
    summary_.reached = t;
    note_rank(t);
    const std::span<const double> row = writer_.fill(t, position, velocity, output_y_[2 * n_]);
    if (writer_.lacks_principle()) {
        fail({ErrorCode::kNotApplicable,
              fmt::format(
                  "at t = {}: the mass matrix is singular, so that there is no unconstrained "
                  "acceleration for --principle",
                  to_text(t))});
        return;
    }
    note_not_finite(t, row);
    const Result<void> recorded = recorder_.row(row);
    summarize_row(output_y_);
    if (!recorded) {
        fail(recorded.error());
    }
}

bool Runner::stop_requested() {
    return options_.stop_requested && options_.stop_requested();
}

void Runner::integrate(const StartState& start) {
    const std::size_t size = 2 * n_ + 1 + friction_.rows();
    y_.resize(size, 0.0);
    std::copy(start.q.begin(), start.q.end(), y_.begin());
    std::copy(start.v.begin(), start.v.end(), y_.begin() + static_cast<std::ptrdiff_t>(n_));
    dense_y_ = y_;
    output_y_ = y_;
    failed_y_ = y_;
    slope_ = y_;
    note_shared_loads(options_.start);
    if (!settle_friction(options_.start)) {
        return;
    }

    auto call_rhs = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return rhs(t, y, dydt);
    };
    auto call_accepted = [this](double t, std::span<double> y) {
        const Clock::time_point now = Clock::now();
        if (options_.progress &&
            std::chrono::duration<double>(now - last_progress_).count() > kProgressInterval) {
            last_progress_ = now;
            options_.progress(t);
        }
        return accepted(t, y);
    };
    auto call_stop = [this] { return stop_requested(); };

    ode::Options options;
    options.rtol = options_.tolerance;
    options.atol = 0.1 * options_.tolerance;
    options.atol_each.assign(size, options.atol);
    options.atol_each[2 * n_] = kNoErrorControl;
    options.max_steps = options_.max_steps;
    const ode::Problem problem{size, call_rhs, call_accepted, call_stop};
    Result<ode::Dop853> steps = ode::Dop853::create(problem, options);
    if (!steps) {
        fail(steps.error());
        return;
    }
    auto rhs_on_surface = [this](double t, std::span<const double> y, std::span<double> dydt) {
        const bool choose = std::exchange(choose_rows_, true);
        const ode::Evaluation evaluation = rhs(t, y, dydt);
        choose_rows_ = choose;
        return evaluation;
    };
    auto onto_surface = [this](double t, std::span<double> y) {
        return closest_.project(t, y.subspan(0, n_), y.subspan(n_, n_)).status ==
               solve::ProjectionStatus::kOk;
    };
    auto violation = [this](double t, std::span<const double> y) {
        return projector_.position_violation(t, y.first(n_));
    };
    auto weakest = [this](std::span<double> direction) {
        return WeakestRow{dynamics_.weakest_pivot(), dynamics_.weakest_row(direction.data())};
    };
    SurfaceHooks hooks;
    if (options_.dynamics.drift == Drift::kProject && evaluator_.model().m() > 0) {
        hooks = {rhs_on_surface, onto_surface, violation, weakest};
    }
    SingularStepper stepper(std::move(steps.value()), evaluator_, options, hooks);
    stepper.start(options_.start, y_);
    const ode::Status status = step_through(stepper);
    add_statistics(stepper.statistics());
    summary_.reached = ended_at_.value_or(stepper.t());
    if (failure_ || status == ode::Status::kOk) {
        return;
    }
    if (status == ode::Status::kRhsFailed || status == ode::Status::kRhsRetry) {
        Error why = dynamics_.explain(failed_t_, failed_y_.data(), failed_y_.data() + n_);
        fail({why.code, fmt::format("at t = {}: {}", to_short_text(failed_t_, 9), why.message)});
    } else {
        fail(describe_stop(status, stepper));
    }
}

/// The integrator's reason, and the constraints that are nearly dependent where it gave up.
Error Runner::describe_stop(ode::Status status, const ode::Stepper& stepper) {
    Error error = ode::describe_failure(status, stepper);
    const bool stuck =
        status == ode::Status::kStepTooSmall || status == ode::Status::kProjectionFailed;
    if (!stuck) {
        return error;
    }
    const double* position = stepper.y().data();
    const solve::Analysis near =
        solve::analyse(evaluator_.system(stepper.t(), position, position + n_), kNearlyDependent);
    if (near.rank < last_rank_ && !near.dependent_sets.empty()) {
        const std::vector<std::string> names = row_names(evaluator_.model());
        std::vector<std::string> rows;
        for (const int row : near.dependent_sets.front()) {
            rows.push_back(names[static_cast<std::size_t>(row)]);
        }
        error.message += fmt::format(
            "; the constraints {} become dependent there (a singular configuration, or a motion "
            "that they cannot continue)",
            join_names(rows));
    }
    return error;
}

/// Step by step to the end; rows at the output times inside each step.
ode::Status Runner::step_through(SingularStepper& stepper) {
    writer_.set_start_h(
        evaluator_.energy(stepper.t(), stepper.y().data(), stepper.y().data() + n_).h);
    watch_.start(evaluator_, stepper.t(), stepper.y());
    evaluator_.hold_switches(stepper.t(), stepper.y().data(), stepper.y().data() + n_);
    ode::Status status = write_rows(stepper, stepper.t());
    event_watch_.start(stepper.t(), stepper.y().data(), stepper.y().data() + n_,
                       acceleration(stepper.t(), stepper.y()));
    while (status == ode::Status::kOk && !failure_ && summary_.stopped.empty() &&
           stepper.t() < options_.until) {
        status = stepper.step(options_.until);
        if (status != ode::Status::kOk || started_singular(stepper)) {
            break;
        }
        const std::optional<Switching> change = switch_watch_.after_step(evaluator_, stepper);
        const std::optional<FrictionEvent> friction =
            friction_.empty() ? std::nullopt : friction_.after_step(stepper);
        const bool rubs = friction && (!change || friction->t < change->t);
        const double until = rubs ? friction->t : change ? change->t : stepper.t();
        const std::optional<double> event = first_event(stepper, until);
        if (stepper.singular() && stepper.singular()->t <= event.value_or(until)) {
            note_singular(*stepper.singular());
        }
        if (event) {
            status = pass_events(*event, stepper);
            // The integrator counts from the last start only.
            if (summary_.steps.steps >= options_.max_steps) {
                fail({ErrorCode::kTooManySteps,
                      fmt::format("the limit on steps is reached at t = {} after {} steps and {} "
                                  "events",
                                  to_text(*event), summary_.steps.steps, summary_.events)});
            }
        }
        if (event || failure_) {
            continue;
        }
        if (rubs) {
            status = write_rows(stepper, friction->t);
            if (status == ode::Status::kOk && !failure_) {
                status = change_friction(*friction, stepper);
            }
            continue;
        }
        const std::optional<VanishedRow> vanished =
            change ? std::nullopt : watch_.after_step(evaluator_, stepper);
        if (vanished) {
            return stop_at_vanished_row(*vanished, stepper);
        }
        status = write_rows(stepper, until);
        if (change && status == ode::Status::kOk && !failure_) {
            status = change_law(*change, stepper);
        }
    }
    return status;
}

/// True, with a failure, if constraints that are dependent at the start are so nowhere near it.
bool Runner::started_singular(const SingularStepper& stepper) {
    if (first_step_done_) {
        return false;
    }
    first_step_done_ = true;
    if (options_.dynamics.drift != Drift::kProject || dynamics_.rank() <= summary_.rank) {
        return false;
    }
    const auto analysis_at = [this](double t, const double* q) {
        return solve::analyse(evaluator_.system(t, q, q + n_));
    };
    const solve::Analysis at_start = analysis_at(options_.start, y_.data());
    const solve::Analysis behind = analysis_at(stepper.t(), stepper.y().data());
    std::vector<std::string> rows;
    for (const std::vector<int>& set : at_start.dependent_sets) {
        for (const int row : set) {
            if (behind.lambda_unique[static_cast<std::size_t>(row)]) {
                rows.push_back(evaluator_.model().rows[static_cast<std::size_t>(row)].name);
            }
        }
    }
    if (rows.empty()) {
        return false;
    }
    fail({ErrorCode::kNotUnique,
          fmt::format("at the start: the constraints {} are dependent, but no longer beside it "
                      "(rank {}, then {}); from such a singular configuration several motions "
                      "branch off and the model does not choose between them; start before or "
                      "behind it",
                      join_names(rows), summary_.rank, dynamics_.rank())});
    ended_at_ = options_.start;
    return true;
}

/// The rows that are due up to a time inside the last step.
ode::Status Runner::write_rows(SingularStepper& stepper, double until) {
    const std::vector<double>& times = options_.output_times;
    for (; next_row_ < times.size() && times[next_row_] <= until && !failure_; ++next_row_) {
        const ode::Status status = stepper.dense(times[next_row_], dense_y_);
        if (status != ode::Status::kOk) {
            return status;
        }
        output(times[next_row_], dense_y_, stepper);
    }
    return ode::Status::kOk;
}

/// Cuts the step where a force changed its law, and starts anew there under the other law.
ode::Status Runner::change_law(const Switching& change, SingularStepper& stepper) {
    const ode::Status status = stepper.dense(change.t, y_);
    if (status != ode::Status::kOk) {
        return status;
    }
    if (options_.dynamics.drift == Drift::kProject && !project(change.t, y_)) {
        return ode::Status::kProjectionFailed;
    }
    const CompiledModel& model = evaluator_.model();
    record_event({change.t, model.switches[static_cast<std::size_t>(change.which)].text, "switch",
                  change.now ? "true from here on" : "false from here on"});
    const Result<void> noted = switch_watch_.note(change, model);
    if (!noted) {
        fail(noted.error());
    }
    if (failure_) {
        ended_at_ = change.t;
        return ode::Status::kOk;
    }
    restart(change.t, stepper, 0.0, change);
    return ode::Status::kOk;
}

/// Goes on from y_ at a time inside the last step; a longest step of 0 is any.
void Runner::restart(double t, ode::Stepper& stepper, double longest_step,
                     const std::optional<Switching>& change) {
    evaluator_.hold_switches(t, y_.data(), y_.data() + n_);
    if (change) {
        evaluator_.set_truth(change->which, change->now);
    }
    if (!settle_friction(t)) {
        ended_at_ = t;
        return;
    }
    choose_rows_ = true;
    add_statistics(stepper.statistics());
    const double step = stepper.next_step();
    stepper.start(t, y_, longest_step > 0.0 ? std::min(step, longest_step) : step);
    watch_.start(evaluator_, stepper.t(), stepper.y());
}

void Runner::record_event(const Event& event) {
    ++summary_.events;
    const Result<void> recorded = recorder_.event(event);
    if (!recorded) {
        fail(recorded.error());
    }
}

/// Where the first events of the last step happen, up to a time inside it.
std::optional<double> Runner::first_event(ode::Stepper& stepper, double until) {
    if (event_watch_.empty()) {
        return std::nullopt;
    }
    const Result<std::optional<double>> found = event_watch_.after_step(stepper, until);
    if (!found) {
        fail(found.error());
        ended_at_ = stepper.t_previous();
        return std::nullopt;
    }
    return found.value();
}

/// The acceleration at a state where the run starts anew; where there is none, the next step says
/// so.
const double* Runner::acceleration(double t, std::span<const double> y) {
    dynamics_.accelerate(t, y.data(), y.data() + n_);
    return dynamics_.a().data();
}

/// Rows before the events, what the events do, and the rows of their very time.
ode::Status Runner::pass_events(double t, SingularStepper& stepper) {
    ode::Status status = write_rows(stepper, t - kSameTime * (1.0 + std::abs(t)));
    if (status == ode::Status::kOk && !failure_) {
        status = stepper.dense(t, y_);
    }
    if (status != ode::Status::kOk || failure_) {
        return status;
    }
    const double pivot = stepper.collocated() ? stepper.pivot_at(t, y_) : 1.0;
    if (options_.dynamics.drift == Drift::kProject && !move_onto_surface(t, y_, pivot)) {
        return ode::Status::kProjectionFailed;
    }
    friction_.release();  // an event may set in motion what sticks
    const Result<EventOutcome> outcome =
        carry_out_events(event_watch_, evaluator_, projector_, t, y_);
    if (!outcome) {
        fail(outcome.error());
        ended_at_ = t;
        return ode::Status::kOk;
    }
    for (const Event& entry : outcome.value().entries) {
        record_event(entry);
    }
    evaluator_.hold_switches(t, y_.data(), y_.data() + n_);
    event_watch_.resume(t, y_.data(), y_.data() + n_, acceleration(t, y_));
    restart(t, stepper, event_watch_.longest_step());
    const std::vector<double>& times = options_.output_times;
    for (; next_row_ < times.size() && times[next_row_] <= t && !failure_; ++next_row_) {
        output(times[next_row_], y_, stepper);
    }
    if (!outcome.value().stopped_by.empty()) {
        summary_.stopped = fmt::format("stopped at t = {} by the event {}", to_text(t),
                                       outcome.value().stopped_by);
    }
    return ode::Status::kOk;
}

/// Cuts the step where a friction comes to rest or breaks away, and starts anew there.
ode::Status Runner::change_friction(const FrictionEvent& event, SingularStepper& stepper) {
    const ode::Status status = stepper.dense(event.t, y_);
    if (status != ode::Status::kOk) {
        return status;
    }
    const Result<std::vector<FrictionChange>> changes =
        friction_.change(event, y_.data(), y_.data() + n_);
    note_changes(event.t, changes);
    if (failure_) {
        ended_at_ = event.t;
        return ode::Status::kOk;
    }
    if (options_.dynamics.drift == Drift::kProject && !project(event.t, y_)) {
        return ode::Status::kProjectionFailed;
    }
    choose_rows_ = true;
    last_rank_ = -1;
    add_statistics(stepper.statistics());
    stepper.start(event.t, y_, changes.value().empty() ? stepper.next_step() : 0.0);
    watch_.start(evaluator_, stepper.t(), stepper.y());
    return ode::Status::kOk;
}

void Runner::note_shared_loads(double t) {
    if (friction_.empty()) {
        return;
    }
    const solve::Analysis analysis =
        solve::analyse(evaluator_.system(t, y_.data(), y_.data() + n_));
    for (const SharedLoad& one : shared_loads(evaluator_.model(), analysis)) {
        record_event({t, evaluator_.model().frictions[static_cast<std::size_t>(one.which)].name,
                      "shared load", one.text});
    }
}

/// What the frictions do at a state that no step has led to: y_.
bool Runner::settle_friction(double t) {
    if (friction_.empty()) {
        return true;
    }
    note_changes(t, friction_.settle(t, y_.data(), y_.data() + n_));
    if (!failure_ && options_.dynamics.drift == Drift::kProject && !project(t, y_)) {
        fail(
            {ErrorCode::kNotConverged,
             fmt::format("the state at t = {} could not be brought to rest where friction holds it",
                         to_text(t))});
    }
    choose_rows_ = true;
    last_rank_ = -1;
    return !failure_;
}

void Runner::note_changes(double t, const Result<std::vector<FrictionChange>>& changes) {
    if (!changes) {
        fail(changes.error());
        return;
    }
    for (const FrictionChange& one : changes.value()) {
        record_event({t, evaluator_.model().frictions[static_cast<std::size_t>(one.which)].name,
                      one.kind, one.detail});
    }
}

void Runner::add_statistics(const ode::Statistics& part) {
    ode::Statistics& sum = summary_.steps;
    const bool first = sum.steps == 0;
    sum.steps += part.steps;
    sum.rejected += part.rejected;
    sum.rhs_evaluations += part.rhs_evaluations;
    sum.smallest_step =
        first ? part.smallest_step : std::min(sum.smallest_step, part.smallest_step);
    sum.largest_step = std::max(sum.largest_step, part.largest_step);
    sum.last_error = part.last_error;
}

/// Rows up to where a gradient vanished are kept; beyond, the constraint says nothing.
ode::Status Runner::stop_at_vanished_row(const VanishedRow& row, SingularStepper& stepper) {
    const ode::Status status = write_rows(stepper, row.t);
    if (status != ode::Status::kOk) {
        return status;
    }
    ended_at_ = row.t;
    const std::string& name = evaluator_.model().rows[static_cast<std::size_t>(row.row)].name;
    fail({ErrorCode::kNotUnique,
          fmt::format("at t = {}: the gradient of the constraint {} vanishes, so that it no longer "
                      "determines the motion; end the run before, or state the constraint in a "
                      "form that stays regular there",
                      to_short_text(row.t, 9), name)});
    return ode::Status::kOk;
}

RunSummary Runner::run(const StartState& start) {
    const CompiledModel& model = evaluator_.model();
    summary_.coordinates = model.n();
    summary_.constraint_rows = model.constraint_rows;
    for (const mech::Row& row : model.constraints()) {
        summary_.constraints.push_back({row.name, 0.0, 0.0});
    }
    evaluator_.hold_integrals(options_.start, start.q.data());
    const solve::SolveStatus status =
        dynamics_.accelerate(options_.start, start.q.data(), start.v.data());
    summary_.reached = options_.start;
    summary_.rank = dynamics_.rank();
    summary_.degrees_of_freedom = model.n() - summary_.rank;
    if (status != solve::SolveStatus::kOk) {
        Error why = dynamics_.explain(options_.start, start.q.data(), start.v.data());
        fail({why.code, fmt::format("at the start: {}", why.message)});
    } else {
        integrate(start);
    }
    finish();
    return summary_;
}

void Runner::finish() {
    const Result<void> finished = recorder_.finish(failure_                   ? failure_->message
                                                   : summary_.stopped.empty() ? "done"
                                                                              : summary_.stopped);
    if (!finished) {
        fail(finished.error());
    }
    summary_.error = failure_;
    summary_.wall_seconds = std::chrono::duration<double>(Clock::now() - began_).count();
}

}  // namespace

RunSummary run(std::shared_ptr<const CompiledModel> model, std::span<const double> parameters,
               const StartState& start, const RunOptions& options, Recorder& recorder) {
    return Runner(std::move(model), parameters, options, recorder).run(start);
}

Result<std::vector<double>> regular_times(double until, double every) {
    constexpr double kMostTimes = 1e8;
    if (!(every > 0.0) || !std::isfinite(every)) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("the output interval must be positive, not {}", to_text(every))};
    }
    if (!(until >= 0.0) || !std::isfinite(until)) {
        return Error{
            ErrorCode::kInvalidInput,
            fmt::format("the end of the simulation must not lie before t = 0: {}", to_text(until))};
    }
    if (until / every > kMostTimes) {
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("{} outputs are asked for; at most 1e8 are possible",
                                 to_short_text(until / every))};
    }
    // A last interval shorter than this part of the others is a rounding of until/every.
    constexpr double kRounding = 1e-9;
    const auto whole = static_cast<std::size_t>(until / every + kRounding);
    std::vector<double> times;
    times.reserve(whole + 2);
    for (std::size_t i = 0; i <= whole; ++i) {
        times.push_back(std::min(until, static_cast<double>(i) * every));
    }
    if (until - times.back() > kRounding * every) {
        times.push_back(until);
    } else {
        times.back() = until;
    }
    return times;
}

}  // namespace ananke::sim

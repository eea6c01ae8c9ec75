#include "simulate/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/flush_tiny.h"
#include "base/text.h"
#include "dynamics/implicit_systems.h"
#include "ode/dop853.h"
#include "ode/radau.h"
#include "simulate/run_loop.h"
#include "simulate/run_texts.h"

namespace ananke::simulate {
namespace {

/// Sizes and integrals of the state where a run starts.
void start_evaluator(dynamics::Evaluator& evaluator, double t, const dynamics::StartState& start) {
    evaluator.scales().start(start.scales);
    evaluator.scales().see(start.q.data(), start.v.data());
    evaluator.hold_integrals(t, start.q.data());
}

template <class Integrator>
Result<std::unique_ptr<ode::Stepper>> on_heap(Result<Integrator> made) {
    if (!made) {
        return made.error();
    }
    return std::unique_ptr<ode::Stepper>(std::make_unique<Integrator>(std::move(made).value()));
}

}  // namespace

RunLoop::RunLoop(std::shared_ptr<const compile::CompiledModel> model,
                 std::span<const double> parameters, const RunOptions& options, Recorder& recorder)
    : options_(options),
      journal_(recorder),
      evaluator_(std::move(model), parameters),
      n_(static_cast<std::size_t>(evaluator_.model().n())),
      equation_(evaluator_, options.dynamics),
      surface_(evaluator_, options.dynamics.drift, options.tolerance),
      rows_(evaluator_, equation_, surface_, journal_, options),
      switches_(evaluator_, options.dynamics, options.tolerance, equation_, journal_),
      frictions_(evaluator_, options.dynamics, options.tolerance, equation_, surface_, journal_),
      events_(evaluator_, equation_, surface_, frictions_, journal_),
      began_(Clock::now()),
      last_progress_(began_) {}

RunSummary RunLoop::run(const dynamics::StartState& start) {
    std::optional<FlushTiny> flush;
    if (!evaluator_.model().extreme_numbers) {
        flush.emplace();
    }
    if (std::optional<Error> error = check_start(start)) {
        journal_.fail(std::move(*error));
    } else {
        integrate(start);
    }
    journal_.finish();
    RunSummary& summary = journal_.summary();
    summary.projection = surface_.summary();
    summary.wall_seconds = seconds_since(began_);
    return summary;
}

/// Evaluates the start. An error where the motion does not begin, or not in one way.
std::optional<Error> RunLoop::check_start(const dynamics::StartState& start) {
    const compile::CompiledModel& model = evaluator_.model();
    const double t = options_.start;
    dynamics::MotionSolver& dynamics = equation_.acceleration().motion_solver();
    start_evaluator(evaluator_, t, start);
    const solve::SolveStatus status = dynamics.accelerate(t, start.q.data(), start.v.data());
    RunSummary& summary = journal_.summary();
    summary.reached = t;
    summary.coordinates = model.n();
    summary.constraint_rows = model.constraint_rows;
    for (const mech::Row& row : model.constraints()) {
        summary.constraints.push_back({row.name, 0.0, 0.0});
    }
    summary.rank = dynamics.rank();
    summary.degrees_of_freedom = model.n() - summary.rank;
    if (std::optional<Error> vanished = describe_vanished_start(evaluator_, t, start)) {
        return vanished;
    }
    if (status != solve::SolveStatus::kOk) {
        const Error why = dynamics.explain(t, start.q.data(), start.v.data());
        return Error{why.code, fmt::format("at the start: {}", why.message)};
    }
    return describe_start_near_singular(evaluator_, t, start, dynamics.weakest_pivot());
}

/// Starts an integrator on the state equation, lets it step and says why it ended.
void RunLoop::integrate(const dynamics::StartState& start) {
    y_ = equation_.state(start);
    frictions_.report_shared_loads(options_.start, y_);
    if (const Result<void> settled = frictions_.settle(options_.start, y_); !settled) {
        journal_.fail(settled.error());
        return;
    }
    const auto rhs = [this](double t, std::span<const double> y, std::span<double> dydt) {
        return equation_.rhs(t, y, dydt);
    };
    const auto jacobian = [this](double t, std::span<const double> y, std::span<double> J) {
        return equation_.jacobian(t, y, J);
    };
    const auto accepted = [this](double t, std::span<double> y) { return accept(t, y); };
    const auto stop = [this] { return options_.stop_requested && options_.stop_requested(); };
    const auto tolerances = [this](const ode::StepAhead& step, std::span<double> atol) {
        step_tried_ = std::abs(step.h);
        equation_.set_tolerances(options_.tolerance, step, atol);
    };
    const ode::Problem problem{equation_.size(), rhs, accepted, stop, tolerances};
    ode::Options options;
    options.rtol = options_.tolerance;
    options.max_steps = options_.max_steps;
    options.max_step = options_.max_step;
    const compile::CompiledModel& model = evaluator_.model();
    std::unique_ptr<dynamics::ImplicitSystems> systems;
    if (options_.stiff && dynamics::may_be_sparse(model, options_.dynamics)) {
        systems = dynamics::ImplicitSystems::make(evaluator_, equation_.acceleration(),
                                                  ode::Radau::kStages / 2, options_.sparse_steps);
    }
    if (const std::optional<Error> obstacle = dynamics::obstacle_to_full_steps(model.n());
        options_.stiff && !systems && obstacle) {
        journal_.fail(*obstacle);
        return;
    }
    const ode::Structure structure{equation_.positions(), equation_.integrals(), jacobian,
                                   systems.get()};
    Result<std::unique_ptr<ode::Stepper>> integrator =
        options_.stiff ? on_heap(ode::Radau::create(problem, options, structure))
                       : on_heap(ode::Dop853::create(problem, options));
    if (!integrator) {
        journal_.fail(integrator.error());
        return;
    }
    SingularStepper stepper(std::move(integrator.value()), evaluator_, equation_, surface_,
                            options.rtol);
    surface_.start_energy(options_.start, y_);
    stepper.start(options_.start, y_);
    const ode::Status status = step_through(stepper);
    journal_.add(stepper.statistics());
    if (journal_.failed()) {
        return;
    }
    journal_.summary().reached = stepper.t();
    if (status == ode::Status::kOk) {
        return;
    }
    const bool no_derivative =
        status == ode::Status::kRhsFailed || status == ode::Status::kRhsRetry;
    journal_.fail(no_derivative ? equation_.explain_failure()
                                : describe_stop(evaluator_, status, stepper, rows_.rank()));
}

RunSummary run(std::shared_ptr<const compile::CompiledModel> model,
               std::span<const double> parameters, const dynamics::StartState& start,
               const RunOptions& options, Recorder& recorder) {
    return RunLoop(std::move(model), parameters, options, recorder).run(start);
}

void record_programs(std::shared_ptr<const compile::CompiledModel> model,
                     std::span<const double> parameters, const dynamics::StartState& start,
                     const RunOptions& options) {
    dynamics::Evaluator evaluator(std::move(model), parameters);
    start_evaluator(evaluator, options.start, start);
    dynamics::StateEquation equation(evaluator, options.dynamics);
    std::vector<double> y = equation.state(start);
    std::vector<double> slope(y.size());
    if (equation.rhs(options.start, y, slope).kind != ode::Evaluation::Kind::kOk) {
        return;
    }
    dynamics::Surface(evaluator, options.dynamics.drift, options.tolerance)
        .accept(options.start, 0.0, y, equation.acceleration().order());
    if (options.stiff && dynamics::may_be_sparse(evaluator.model(), options.dynamics)) {
        dynamics::ImplicitSystems::make(evaluator, equation.acceleration(), 0,
                                        options.sparse_steps);
    }
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

}  // namespace ananke::simulate

#include "replay.h"

#include <algorithm>
#include <optional>
#include <span>

#include "code/kernel.h"
#include "dynamics/state_equation.h"
#include "dynamics/surface.h"
#include "last_row.h"
#include "ode/dop853.h"
#include "ode/integrate.h"
#include "simulate/run.h"
#include "timer.h"

namespace ananke::bench {
namespace {

std::vector<double> part(std::span<const double> values, std::size_t first, std::size_t count) {
    const std::span<const double> some = values.subspan(first, count);
    return {some.begin(), some.end()};
}

ode::Options step_options() {
    ode::Options options;
    options.rtol = kTolerance;
    options.atol = 0.1 * kTolerance;
    return options;
}

/// The parts of simulate::run put together here, so that each can be timed by itself.
class Parts {
  public:
    explicit Parts(const BenchModel& model)
        : model_(model),
          n_(static_cast<std::size_t>(model.hand->n)),
          evaluator_(model.prepared->compiled, model.prepared->parameters),
          equation_(evaluator_, {}),
          surface_(evaluator_, Drift::kProject, kTolerance),
          scratch_(2 * n_ + 1),
          slope_(2 * n_ + 1) {}

    struct Call {
        double t;
        bool choose_rows;
        std::vector<double> y;
    };
    struct Projection {
        double t, h;  ///< its time, and the length of the step that led there
        std::vector<double> y;
        std::optional<dynamics::RowOrder> order;
    };

    /// One run with projection; what it calls is kept if `recording`.
    void integrate(bool recording) {
        auto rhs = [&](double t, std::span<const double> y, std::span<double> dydt) {
            if (recording) {
                calls_.push_back({t, choose_rows_, {y.begin(), y.end()}});
            }
            const ode::Evaluation evaluation = evaluate(t, choose_rows_, y, dydt);
            choose_rows_ = false;
            return evaluation;
        };
        double reached = 0.0;
        auto accepted = [&](double t, std::span<double> y) {
            const dynamics::RowOrder* order = equation_.acceleration().trusted_order();
            const double h = t - std::exchange(reached, t);
            if (recording) {
                projections_.push_back(
                    {t, h, {y.begin(), y.end()}, order ? std::optional(*order) : std::nullopt});
            }
            choose_rows_ = true;
            return surface_.accept(t, h, y, order);
        };
        ode::Options options = step_options();
        options.atol_each.assign(2 * n_ + 1, options.atol);
        options.atol_each.back() = 1e300;  // the work is not controlled, as in simulate::run
        std::vector<double> y(2 * n_ + 1, 0.0);
        std::copy(model_.start.q.begin(), model_.start.q.end(), y.begin());
        std::copy(model_.start.v.begin(), model_.start.v.end(),
                  y.begin() + static_cast<std::ptrdiff_t>(n_));
        choose_rows_ = true;
        auto sink = [](double, std::span<const double>) { return ode::Flow::kContinue; };
        const ode::Problem problem{2 * n_ + 1, rhs, accepted, {}};
        const ode::Outcome outcome =
            ode::integrate(problem, options, 0.0, model_.until, y, {}, sink);
        ANANKE_REQUIRE(outcome.status == ode::Status::kOk);
    }

    ode::Evaluation evaluate(double t, bool choose_rows, std::span<const double> y,
                             std::span<double> dydt) {
        if (choose_rows) {
            equation_.choose_rows();
        }
        return equation_.rhs(t, y, dydt);
    }

    const std::vector<Call>& calls() const { return calls_; }
    std::size_t projections() const { return projections_.size(); }
    std::size_t program_size() const { return equation_.acceleration().program_size(); }

    /// Seconds per call of `work`, over all recorded calls.
    template <class Work>
    double per_call(Work&& work) {
        return seconds_per_call([&] {
                   for (const Call& call : calls_) {
                       work(call);
                   }
               }) /
               static_cast<double>(calls_.size());
    }
    double per_right_hand_side() {
        return per_call([this](const Call& call) {
            evaluate(call.t, call.choose_rows, call.y, slope_);
            keep(slope_);
        });
    }
    double per_program() {
        return per_call([this](const Call& call) {
            const std::span<const double> pivots =
                equation_.acceleration().pivots(call.t, call.y.data(), call.y.data() + n_);
            keep(pivots);
        });
    }
    double per_code() {
        const code::StateKernel* program = equation_.acceleration().program();
        ANANKE_REQUIRE(program != nullptr);
        code::Kernel kernel(program->shared_program());
        std::vector<std::vector<double>> inputs;
        for (const Call& call : calls_) {
            const double* y = call.y.data();
            const std::span<const double> at = evaluator_.system_inputs(call.t, y, y + n_);
            inputs.emplace_back(at.begin(), at.end());
        }
        std::vector<double> outputs(kernel.output_count());
        auto next = inputs.begin();
        return per_call([&](const Call&) {
            kernel.run(next->data(), outputs.data());
            keep(outputs);
            next = next + 1 == inputs.end() ? inputs.begin() : next + 1;
        });
    }
    double per_system() {
        return per_call([this](const Call& call) {
            const double* y = call.y.data();
            const solve::System at = evaluator_.system(call.t, y, y + n_);
            keep(at);
        });
    }
    double per_hand_acceleration(void (*by_hand)(double, const double*, const double*, double*)) {
        return per_call([this, by_hand](const Call& call) {
            by_hand(call.t, call.y.data(), call.y.data() + n_, slope_.data());
            keep(slope_);
        });
    }
    double all_projections() {
        return seconds_per_call([this] {
            for (const Projection& projection : projections_) {
                std::copy(projection.y.begin(), projection.y.end(), scratch_.begin());
                surface_.accept(projection.t, projection.h, scratch_,
                                projection.order ? &*projection.order : nullptr);
                keep(scratch_);
            }
        });
    }

  private:
    const BenchModel& model_;
    std::size_t n_;
    dynamics::Evaluator evaluator_;
    dynamics::StateEquation equation_;
    dynamics::Surface surface_;
    bool choose_rows_ = true;
    std::vector<Call> calls_;
    std::vector<Projection> projections_;
    std::vector<double> scratch_, slope_;
};

}  // namespace

RunTime our_run(const BenchModel& model, Drift drift, double tolerance) {
    simulate::RunOptions options;
    options.until = model.until;
    options.output_times = {model.until};
    options.tolerance = tolerance;
    options.dynamics.drift = drift;
    LastRow recorder;
    const simulate::RunSummary summary = simulate::run(
        model.prepared->compiled, model.prepared->parameters, model.start, options, recorder);
    ANANKE_REQUIRE(!summary.error);
    const auto n = static_cast<std::size_t>(model.hand->n);
    return {.steps = summary.steps.steps,
            .evaluations = summary.steps.rhs_evaluations,
            .error = error_at_end(model, part(recorder.values(), 1, n),
                                  part(recorder.values(), 1 + n, n))};
}

RunTime time_our_run(const BenchModel& model, Drift drift) {
    RunTime time;
    const double seconds = seconds_per_call([&] { time = our_run(model, drift, kTolerance); });
    time.seconds = seconds;
    return time;
}

RunTime hand_run(const BenchModel& model, ByHand how, bool with_projection, double tolerance) {
    std::vector<double> q = model.start.q;
    std::vector<double> v = model.start.v;
    const auto run_by_hand = how == ByHand::kSolved ? model.hand->run_solved : model.hand->run;
    const HandRun run = run_by_hand(model.until, tolerance, with_projection, q.data(), v.data());
    return {.steps = run.steps, .evaluations = run.evaluations, .error = error_at_end(model, q, v)};
}

RunTime time_hand_run(const BenchModel& model, ByHand how, bool with_projection) {
    RunTime time;
    const double seconds =
        seconds_per_call([&] { time = hand_run(model, how, with_projection, kTolerance); });
    time.seconds = seconds;
    return time;
}

RunTime time_hand_run_in_our_integrator(const BenchModel& model, bool with_projection) {
    const auto n = static_cast<std::size_t>(model.hand->n);
    auto rhs = [&](double t, std::span<const double> y, std::span<double> dydt) {
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), n, dydt.begin());
        model.hand->acceleration(t, y.data(), y.data() + n, dydt.data() + n);
        return ode::Evaluation::ok();
    };
    auto accepted = [&](double t, std::span<double> y) {
        if (!with_projection) {
            return ode::Acceptance::kUnchanged;
        }
        model.hand->project(t, y.data(), y.data() + n);
        return ode::Acceptance::kChanged;
    };
    auto sink = [](double, std::span<const double>) { return ode::Flow::kContinue; };
    const ode::Problem problem{2 * n, rhs, accepted, {}};
    RunTime time;
    std::vector<double> y(2 * n);
    time.seconds = seconds_per_call([&] {
        std::copy(model.start.q.begin(), model.start.q.end(), y.begin());
        std::copy(model.start.v.begin(), model.start.v.end(),
                  y.begin() + static_cast<std::ptrdiff_t>(n));
        const ode::Outcome outcome =
            ode::integrate(problem, step_options(), 0.0, model.until, y, {}, sink);
        time.steps = outcome.statistics.steps;
        time.evaluations = outcome.statistics.rhs_evaluations;
    });
    time.error = error_at_end(model, part(y, 0, n), part(y, n, n));
    return time;
}

Breakdown break_down(const BenchModel& model) {
    Parts parts(model);
    parts.integrate(true);
    Breakdown found;
    Acceleration& rhs = found.rhs;
    rhs.ours = parts.per_right_hand_side();
    rhs.program = parts.per_program();
    rhs.code = parts.per_code();
    rhs.hand = parts.per_hand_acceleration(model.hand->acceleration);
    rhs.solved = parts.per_hand_acceleration(model.hand->solved);
    rhs.kernels = parts.per_system();
    rhs.operations = parts.program_size();

    RunParts& run = found.run;
    run.total = time_our_run(model, Drift::kProject).seconds;
    const double loop = seconds_per_call([&] { parts.integrate(false); });
    run.right_hand_sides = rhs.ours * static_cast<double>(parts.calls().size());
    run.projection = parts.all_projections();
    run.projections = parts.projections();
    run.integrator = loop - run.right_hand_sides - run.projection;
    run.rest = run.total - loop;
    return found;
}

}  // namespace ananke::bench

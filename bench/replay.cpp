#include "replay.h"

#include <algorithm>
#include <span>

#include "ode/dop853.h"
#include "ode/integrate.h"
#include "sim/run.h"
#include "solve/projection.h"
#include "timer.h"

namespace ananke::bench {
namespace {

/// Keeps the last row: t, q, v, ...
class LastRow final : public sim::Recorder {
  public:
    Result<void> begin(const sim::Header& /*header*/) override { return {}; }
    Result<void> row(std::span<const double> values) override {
        row_.assign(values.begin(), values.end());
        return {};
    }
    Result<void> event(const sim::Event& /*event*/) override { return {}; }
    Result<void> finish(const std::string& /*ending*/) override { return {}; }
    const std::vector<double>& values() const { return row_; }

  private:
    std::vector<double> row_;
};

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

/// The parts of sim::run put together here, so that each can be timed by itself.
class Parts {
  public:
    explicit Parts(const BenchModel& model)
        : model_(model),
          n_(static_cast<std::size_t>(model.hand->n)),
          evaluator_(model.prepared->compiled, model.prepared->parameters),
          dynamics_(evaluator_, {}),
          projector_(evaluator_),
          scratch_(2 * n_),
          slope_(2 * n_ + 1) {}

    struct Call {
        double t;
        bool choose_rows;
        std::vector<double> y;
    };
    struct Projection {
        double t;
        std::vector<double> y;
    };

    /// One run with projection; what it calls is kept if `recording`.
    void integrate(bool recording) {
        auto rhs = [&](double t, std::span<const double> y, std::span<double> dydt) {
            if (recording) {
                calls_.push_back({t, choose_rows_, {y.begin(), y.end()}});
            }
            evaluate(t, choose_rows_, y.data(), dydt.data());
            choose_rows_ = false;
            return ode::Evaluation::ok();
        };
        auto accepted = [&](double t, std::span<double> y) {
            if (recording) {
                projections_.push_back({t, {y.begin(), y.end()}});
            }
            choose_rows_ = true;
            const solve::ProjectionReport report =
                projector_.project(t, y.subspan(0, n_), y.subspan(n_, n_));
            return report.position_changed || report.velocity_changed ? ode::Acceptance::kChanged
                                                                      : ode::Acceptance::kUnchanged;
        };
        ode::Options options = step_options();
        options.atol_each.assign(2 * n_ + 1, options.atol);
        options.atol_each.back() = 1e300;  // the work is not controlled, as in sim::run
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

    void evaluate(double t, bool choose_rows, const double* y, double* dydt) {
        if (choose_rows) {
            dynamics_.accelerate(t, y, y + n_);
        } else {
            dynamics_.accelerate_in_step(t, y, y + n_, solve::Wanted::kMotion);
        }
        double qc_power = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            dydt[i] = y[n_ + i];
            dydt[n_ + i] = dynamics_.a()[static_cast<Eigen::Index>(i)];
            qc_power += dynamics_.Qc()[static_cast<Eigen::Index>(i)] * y[n_ + i];
        }
        dydt[2 * n_] = evaluator_.power() + qc_power;
    }

    const std::vector<Call>& calls() const { return calls_; }
    std::size_t projections() const { return projections_.size(); }

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
            evaluate(call.t, call.choose_rows, call.y.data(), slope_.data());
            keep(slope_);
        });
    }
    double per_acceleration() {
        return per_call([this](const Call& call) {
            const double* y = call.y.data();
            const solve::SolveStatus status =
                call.choose_rows
                    ? dynamics_.accelerate(call.t, y, y + n_)
                    : dynamics_.accelerate_in_step(call.t, y, y + n_, solve::Wanted::kMotion);
            keep(status);
        });
    }
    double per_system() {
        return per_call([this](const Call& call) {
            const double* y = call.y.data();
            const solve::System at = call.choose_rows
                                         ? evaluator_.system(call.t, y, y + n_)
                                         : evaluator_.system_in_step(call.t, y, y + n_);
            keep(at);
        });
    }
    double per_hand_acceleration() {
        return per_call([this](const Call& call) {
            model_.hand->acceleration(call.t, call.y.data(), call.y.data() + n_, slope_.data());
            keep(slope_);
        });
    }
    double all_projections() {
        return seconds_per_call([this] {
            for (const Projection& projection : projections_) {
                std::copy_n(projection.y.begin(), 2 * n_, scratch_.begin());
                projector_.project(projection.t, std::span(scratch_).subspan(0, n_),
                                   std::span(scratch_).subspan(n_, n_));
                keep(scratch_);
            }
        });
    }

  private:
    const BenchModel& model_;
    std::size_t n_;
    sim::Evaluator evaluator_;
    sim::Dynamics dynamics_;
    solve::Projector projector_;
    bool choose_rows_ = true;
    std::vector<Call> calls_;
    std::vector<Projection> projections_;
    std::vector<double> scratch_, slope_;
};

}  // namespace

RunTime time_our_run(const BenchModel& model, sim::Drift drift) {
    sim::RunOptions options;
    options.until = model.until;
    options.output_times = {model.until};
    options.tolerance = kTolerance;
    options.dynamics.drift = drift;
    LastRow recorder;
    sim::RunSummary summary;
    RunTime time;
    time.seconds = seconds_per_call([&] {
        summary = sim::run(model.prepared->compiled, model.prepared->parameters, model.start,
                           options, recorder);
    });
    ANANKE_REQUIRE(!summary.error);
    const auto n = static_cast<std::size_t>(model.hand->n);
    time.steps = summary.steps.steps;
    time.evaluations = summary.steps.rhs_evaluations;
    time.error =
        error_at_end(model, part(recorder.values(), 1, n), part(recorder.values(), 1 + n, n));
    return time;
}

RunTime time_hand_run(const BenchModel& model, bool with_projection) {
    RunTime time;
    std::vector<double> q;
    std::vector<double> v;
    time.seconds = seconds_per_call([&] {
        q = model.start.q;
        v = model.start.v;
        const HandRun run =
            model.hand->run(model.until, kTolerance, with_projection, q.data(), v.data());
        time.steps = run.steps;
        time.evaluations = run.evaluations;
    });
    time.error = error_at_end(model, q, v);
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
    RightHandSide& rhs = found.rhs;
    rhs.ours = parts.per_right_hand_side();
    rhs.hand = parts.per_hand_acceleration();
    rhs.kernels = parts.per_system();
    const double acceleration = parts.per_acceleration();
    rhs.solve = acceleration - rhs.kernels;
    rhs.power = rhs.ours - acceleration;
    rhs.operations = model.prepared->compiled->dynamics.program().instructions.size();

    RunParts& run = found.run;
    run.total = time_our_run(model, sim::Drift::kProject).seconds;
    const double loop = seconds_per_call([&] { parts.integrate(false); });
    run.right_hand_sides = rhs.ours * static_cast<double>(parts.calls().size());
    run.projection = parts.all_projections();
    run.projections = parts.projections();
    run.integrator = loop - run.right_hand_sides - run.projection;
    run.rest = run.total - loop;
    return found;
}

}  // namespace ananke::bench

#include "motion.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/parse_model.h"
#include "simulate/row_writer.h"
#include "simulate/run.h"
#include "timer.h"

namespace ananke::bench {
namespace {

constexpr double kLongestRun = 10.0;  // seconds of CPU time

Result<Started> start(const std::function<lang::ParseResult(Sources&)>& parse) {
    Started started;
    const double began = cpu_seconds();
    Sources sources;
    lang::ParseResult parsed = parse(sources);
    if (!parsed.model) {
        return Error{ErrorCode::kInvalidInput, render(parsed.diagnostics, sources)};
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
    if (!preparation.prepared) {
        return Error{ErrorCode::kInvalidInput, render(preparation.diagnostics, sources)};
    }
    started.prepared = std::move(preparation.prepared);
    dynamics::Evaluator evaluator(started.prepared->compiled, started.prepared->parameters);
    Result<dynamics::StartState> state = dynamics::assemble(evaluator, started.prepared->initial);
    if (!state) {
        return state.error();
    }
    started.start = std::move(state).value();
    started.seconds = cpu_seconds() - began;
    return started;
}

struct OneRun {
    simulate::RunSummary summary;
    LastRow end;
    double seconds = 0.0;
};

OneRun run_once(const Started& started, double until, double tolerance, bool stiff,
                double longest) {
    OneRun run;
    simulate::RunOptions options;
    options.until = until;
    options.output_times = {until};
    options.tolerance = tolerance;
    options.stiff = stiff;
    Header header;
    header.columns = simulate::columns_of(*started.prepared->compiled);
    ANANKE_REQUIRE(run.end.begin(header).has_value());
    const double began = cpu_seconds();
    options.stop_requested = [&] { return cpu_seconds() - began > longest; };
    run.summary = simulate::run(started.prepared->compiled, started.prepared->parameters,
                                started.start, options, run.end);
    run.seconds = cpu_seconds() - began;
    return run;
}

void take(MotionTime& time, const Motion& motion, const OneRun& run) {
    time.seconds = run.seconds;
    time.steps = run.summary.steps.steps;
    time.evaluations = run.summary.steps.rhs_evaluations;
    time.reached = run.summary.reached;
    time.energy = run.summary.energy_scale > 0.0
                      ? run.summary.largest_energy_imbalance / run.summary.energy_scale
                      : 0.0;
    if (run.summary.error || run.summary.reached < motion.until) {
        time.stopped = run.seconds > kLongestRun || !run.summary.error
                           ? fmt::format("at t = {:.3g} after {:.0f} s", time.reached, run.seconds)
                           : run.summary.error->message;
        return;
    }
    time.error = motion.error(run.end);
}

}  // namespace

Result<Started> start_text(const std::string& text, const std::vector<std::string>& settings) {
    return start([&](Sources& sources) {
        lang::Options options;
        options.settings = settings;
        return lang::parse_model_text(sources, "bench.ank", text, options);
    });
}

Result<Started> start_model(const std::string& name, const std::vector<std::string>& settings) {
    return start([&](Sources& sources) {
        lang::Options options;
        options.settings = settings;
        return lang::parse_model_file(
            sources, fmt::format("{}/models/{}.ank", ANANKE_SOURCE_DIR, name), options);
    });
}

MotionTime time_motion(const Motion& motion, const Started& started) {
    fmt::print(stderr, "ananke_bench: {}\n", motion.name);
    constexpr double kTogether = 1.0;  // seconds for repetitions
    MotionTime time;
    time.name = motion.name;
    time.until = motion.until;
    time.against = motion.against;
    time.goal = motion.goal;
    time.from_text = started.seconds;
    constexpr int kMostDigits = 13;
    for (int digits = 7; digits <= kMostDigits; ++digits) {
        time.tolerance = std::pow(10.0, -digits);
        take(time, motion,
             run_once(started, motion.until, time.tolerance, motion.stiff, kLongestRun));
        if (!time.stopped.empty()) {
            if (digits == kMostDigits || time.seconds > kLongestRun) {
                return time;
            }
            time.stopped.clear();  // too coarse for this mechanism
            continue;
        }
        if (time.error <= motion.goal && time.energy <= motion.energy_goal) {
            break;
        }
    }
    const double began = cpu_seconds();
    while (cpu_seconds() - began + time.seconds < kTogether) {
        time.seconds = std::min(
            time.seconds,
            run_once(started, motion.until, time.tolerance, motion.stiff, kLongestRun).seconds);
    }
    return time;
}

Result<std::vector<double>> end_of_run(const Started& started, double until, double tolerance,
                                       bool stiff, const std::vector<std::string>& columns) {
    constexpr double kLonger = 10.0 * kLongestRun;
    const OneRun run = run_once(started, until, tolerance, stiff, kLonger);
    if (run.summary.error) {
        return *run.summary.error;
    }
    if (run.summary.reached < until) {
        return Error{ErrorCode::kInconsistent,
                     fmt::format("a run for comparison reached only t = {}", run.summary.reached)};
    }
    std::vector<double> values;
    for (const std::string& column : columns) {
        values.push_back(run.end.value(column));
    }
    return values;
}

}  // namespace ananke::bench

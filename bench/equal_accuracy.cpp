#include "equal_accuracy.h"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "timer.h"
#ifdef ANANKE_BENCH_SUNDIALS
#include "sundials_runs.h"
#endif

namespace ananke::bench {
namespace {

using OneRun = std::function<RunTime(double tolerance)>;

Contender race(const BenchModel& model, std::string integrator, double goal, const OneRun& run) {
    constexpr int kFirst = 8;  // 1e-4, then half a decade at a time
    constexpr int kLast = 30;
    Contender contender{model.name(), std::move(integrator), goal};
    for (int i = kFirst; i <= kLast; ++i) {
        const double tolerance = std::pow(10.0, -0.5 * i);
        contender.run = run(tolerance);
        if (contender.run.error <= goal) {
            contender.tolerance = tolerance;
            contender.run.seconds = seconds_per_call([&] { run(tolerance); });
            break;
        }
    }
    return contender;
}

}  // namespace

std::vector<Contender> race_to(const BenchModel& model, double goal) {
    std::vector<Contender> all;
    all.push_back(race(model, "ours, projected", goal, [&](double tolerance) {
        return our_run(model, Drift::kProject, tolerance);
    }));
    all.push_back(race(model, "hand-written, projected", goal, [&](double tolerance) {
        return hand_run(model, ByHand::kClosedForm, true, tolerance);
    }));
    all.push_back(race(model, "hand-written", goal, [&](double tolerance) {
        return hand_run(model, ByHand::kClosedForm, false, tolerance);
    }));
#ifdef ANANKE_BENCH_SUNDIALS
    for (const SundialsMethod method : {SundialsMethod::kCvodeAdams, SundialsMethod::kCvodeBdf,
                                        SundialsMethod::kArkodeDormandPrince,
                                        SundialsMethod::kArkodeFehlberg, SundialsMethod::kIda}) {
        all.push_back(race(model, name_of(method), goal, [&](double tolerance) {
            return sundials_run(model, method, tolerance);
        }));
    }
#endif
    return all;
}

Table equal_accuracy_table(const std::vector<Contender>& contenders) {
    std::string note =
        "Microseconds of a run whose error at the end is at most the goal, at the loosest "
        "tolerance of 1e-4, 3e-5, 1e-5, ... that gives it. ";
#ifdef ANANKE_BENCH_SUNDIALS
    note += fmt::format(
        "SUNDIALS {} integrates the hand-written accelerations without projection; creation and "
        "release are part of its times.",
        sundials_version());
#else
    note += "SUNDIALS was not found: its rows are missing.";
#endif
    Table table{"Runs at equal accuracy",
                note,
                {{"model", true},
                 {"integrator", true},
                 {"goal"},
                 {"tolerance"},
                 {"error"},
                 {"evaluations"},
                 {"us"},
                 {"ours / this"}}};
    double ours = 0.0;
    for (const Contender& one : contenders) {
        if (one.integrator.rfind("ours", 0) == 0) {
            ours = one.run.seconds;
        }
        const bool met = one.tolerance > 0.0;
        table.rows.push_back({one.model, one.integrator, fmt::format("{:.0e}", one.goal),
                              met ? fmt::format("{:.0e}", one.tolerance) : "not met",
                              fmt::format("{:.1e}", one.run.error),
                              fmt::to_string(one.run.evaluations),
                              met ? fmt::format("{:.1f}", 1e6 * one.run.seconds) : "-",
                              ratio(ours, one.run.seconds)});
    }
    return table;
}

}  // namespace ananke::bench

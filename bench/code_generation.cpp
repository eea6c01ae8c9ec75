#include "code_generation.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "code/native.h"
#include "dynamics/acceleration.h"
#include "motion.h"
#include "random_dag.h"
#include "timer.h"

namespace ananke::bench {
namespace {

constexpr const char* kSpatialChain = R"(parameter L = 0.2
gravity (0, 0, -9.81)
for i in 1..3 {
  body link[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0.3, 1, -0.2)
}
joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))
for i in 2..3 { joint pin[i]: spherical(link[i-1] at (L/2, 0, 0), link[i] at (-L/2, 0, 0)) }
simulate until 1
)";

Result<FirstStep> time_once(const std::string& name, const Result<Started>& started) {
    if (!started) {
        return started.error();
    }
    FirstStep step{.name = name, .prepare = started.value().seconds};
    const compile::Prepared& prepared = *started.value().prepared;
    const double* q = started.value().start.q.data();
    const double* v = started.value().start.v.data();
    const double began = cpu_seconds();
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    dynamics::Acceleration rhs(evaluator, {});
    if (rhs.on_constraints(0.0, q, v) != solve::SolveStatus::kOk) {
        return rhs.motion_solver().explain(0.0, q, v);
    }
    const double looked = cpu_seconds();
    rhs.in_step(0.0, q, v);
    step.first_look = looked - began;
    step.evaluation = cpu_seconds() - looked;
    step.operations = rhs.program_size();
    return step;
}

template <class Start>
Result<FirstStep> time_least(const std::string& name, Start&& start) {
    constexpr int kTimes = 15;
    Result<FirstStep> least = time_once(name, start());
    for (int i = 1; i < kTimes && least; ++i) {
        Result<FirstStep> again = time_once(name, start());
        if (again && again.value().total() < least.value().total()) {
            least = std::move(again);
        }
    }
    return least;
}

Emission time_emission(const code::Program& program, int lanes) {
    const code::NativeOptions options{.lanes = lanes};
    Emission emission{.operations = program.instructions.size(), .lanes = lanes};
    emission.seconds = seconds_per_call([&] { code::NativeCode::emit(program, options); });
    code::Native native(code::NativeCode::emit(program, options));
    const auto width = static_cast<std::size_t>(lanes);
    const std::vector<double> in(program.input_count * width, 0.7);
    std::vector<double> out(program.outputs.size() * width);
    emission.run = seconds_per_call([&] {
        native.run(in.data(), out.data());
        keep(out[0]);
    });
    return emission;
}

}  // namespace

Result<std::vector<FirstStep>> time_first_steps() {
    std::vector<Result<FirstStep>> found;
    found.push_back(
        time_least("spatial chain of 3 bodies", [] { return start_text(kSpatialChain); }));
    for (const char* name : {"duffing", "two_link_pendulum", "andrews", "slider_crank",
                             "stewart_platform", "bricard_square", "bicycle"}) {
        found.push_back(time_least(name, [name] { return start_model(name); }));
    }
    std::vector<FirstStep> steps;
    for (const Result<FirstStep>& one : found) {
        if (!one) {
            return one.error();
        }
        steps.push_back(one.value());
    }
    return steps;
}

Result<std::vector<double>> time_first_looks() {
    std::vector<double> looks;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/models", ANANKE_SOURCE_DIR))) {
        const std::string name = entry.path().stem();
        if (entry.path().extension() != ".ank") {
            continue;
        }
        const Result<FirstStep> step = time_least(name, [&name] { return start_model(name); });
        if (!step) {
            return step.error();
        }
        if (step.value().operations > 0) {
            looks.push_back(step.value().first_look);
        }
    }
    std::sort(looks.begin(), looks.end());
    return looks;
}

std::vector<Emission> time_emission() {
    std::vector<Emission> emissions;
    if (!code::cpu_features().avx2) {
        return emissions;  // there is only the interpreter
    }
    for (const std::size_t operations : {100, 1'000, 10'000, 100'000}) {
        const code::Program program = random_dag(operations);
        for (const int lanes : {1, 8}) {
            emissions.push_back(time_emission(program, lanes));
        }
    }
    return emissions;
}

Table first_step_table(const std::vector<FirstStep>& steps) {
    Table table{"From text to the first step",
                "Milliseconds. The first look chooses rows and order of elimination, records the "
                "program and emits it; per operation, microseconds.",
                {{"model", true},
                 {"text to start"},
                 {"first look"},
                 {"first step"},
                 {"together"},
                 {"operations"},
                 {"look per operation"}}};
    for (const FirstStep& one : steps) {
        table.rows.push_back(
            {one.name, fmt::format("{:.2f}", 1e3 * one.prepare),
             fmt::format("{:.2f}", 1e3 * one.first_look),
             fmt::format("{:.4f}", 1e3 * one.evaluation), fmt::format("{:.2f}", 1e3 * one.total()),
             fmt::to_string(one.operations),
             one.operations > 0
                 ? fmt::format("{:.2f}", 1e6 * one.first_look / static_cast<double>(one.operations))
                 : "-"});
    }
    return table;
}

Table emission_table(const std::vector<Emission>& emissions) {
    Table table{"Code generation",
                "Random straight-line programs: microseconds of emission per operation, "
                "nanoseconds of a run per operation and lane.",
                {{"operations", true}, {"lanes", true}, {"emission, us/op"}, {"run, ns/op"}}};
    for (const Emission& one : emissions) {
        const auto count = static_cast<double>(one.operations);
        table.rows.push_back({fmt::to_string(one.operations), fmt::to_string(one.lanes),
                              fmt::format("{:.3f}", 1e6 * one.seconds / count),
                              fmt::format("{:.3f}", 1e9 * one.run / count / one.lanes)});
    }
    return table;
}

}  // namespace ananke::bench

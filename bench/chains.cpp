#include "chains.h"

#include <cmath>

#include <fmt/format.h>

#include "compile/prepare.h"
#include "dynamics/acceleration.h"
#include "dynamics/start.h"
#include "lang/parse_model.h"
#include "timer.h"

namespace ananke::bench {
namespace {

std::string chain(int bodies, bool closed) {
    return fmt::format(R"(parameter N = {}, L = 0.2
gravity (0, 0, -9.81)
for i in 1..N {{
  body link[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0.3, 1, -0.5*i/N)
}}
joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))
for i in 2..N {{
  joint pin[i]: spherical(link[i-1] at (L/2, 0, 0), link[i] at (-L/2, 0, 0))
}}
{})",
                       bodies,
                       closed ? "joint tip: point_on_plane(ground, link[N] at (L/2, 0, 0))\n" : "");
}

Result<ChainTime> time_chain(int bodies, bool closed) {
    ChainTime time{.bodies = bodies, .closed = closed};
    const double began = cpu_seconds();
    Sources sources;
    lang::ParseResult parsed =
        lang::parse_model_text(sources, "chain.ank", chain(bodies, closed), {});
    if (!parsed.model) {
        return Error{ErrorCode::kInvalidInput, render(parsed.diagnostics, sources)};
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
    if (!preparation.prepared) {
        return Error{ErrorCode::kInvalidInput, render(preparation.diagnostics, sources)};
    }
    const compile::Prepared& prepared = *preparation.prepared;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(evaluator, prepared.initial);
    if (!start) {
        return start.error();
    }
    const double* q = start.value().q.data();
    const double* v = start.value().v.data();
    dynamics::Acceleration program(evaluator, {});
    if (program.on_constraints(0.0, q, v) != solve::SolveStatus::kOk) {
        return program.motion_solver().explain(0.0, q, v);
    }
    const std::vector<double> dense(program.a(), program.a() + start.value().q.size());
    program.in_step(0.0, q, v);
    time.first_step = cpu_seconds() - began;
    double size = 1.0;
    for (std::size_t i = 0; i < dense.size(); ++i) {
        size = std::max(size, std::abs(dense[i]));
        time.disagreement = std::max(time.disagreement, std::abs(dense[i] - program.a()[i]));
    }
    time.disagreement /= size;
    time.operations = program.program_size();
    time.acceleration = seconds_per_call([&] {
        program.in_step(0.0, q, v);
        keep(*program.a());
    });
    return time;
}

}  // namespace

Result<std::vector<ChainTime>> time_chains() {
    std::vector<ChainTime> times;
    for (const bool closed : {false, true}) {
        for (const int bodies : {1, 3, 10, 30, 100, 1000, 10000}) {
            const Result<ChainTime> time = time_chain(bodies, closed);
            if (!time) {
                return time.error();
            }
            times.push_back(time.value());
        }
    }
    return times;
}

}  // namespace ananke::bench

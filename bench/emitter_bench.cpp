// The native tier against the interpreter: what emission costs and what it gains, on random
// straight-line programs and on right-hand sides that are mostly sines and cosines.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "code/builder.h"
#include "code/interpreter.h"
#include "code/kernel.h"
#include "code/native.h"
#include "random_dag.h"
#include "timer.h"

namespace ananke::bench {
namespace {

using code::Builder;
using code::CpuFeatures;
using code::Op;
using code::Program;
using code::Value;

/// Sines and cosines of `angles` inputs, and a few products of each.
Program trigonometric(std::uint32_t angles) {
    Builder builder(angles);
    std::vector<Value> outputs;
    for (std::uint32_t i = 0; i < angles; ++i) {
        const Value sine = builder.apply(Op::kSin, builder.input(i));
        const Value cosine = builder.apply(Op::kCos, builder.input((i + 1) % angles));
        outputs.push_back(
            builder.apply(Op::kAdd, builder.apply(Op::kMul, sine, cosine), builder.input(i)));
    }
    return builder.finish(outputs);
}

template <class Runner>
double time_run(Runner& runner, const Program& program, std::size_t lanes) {
    std::vector<double> in(program.input_count * lanes);
    std::vector<double> out(program.outputs.size() * lanes);
    std::mt19937_64 rng(1);
    std::generate(in.begin(), in.end(),
                  [&] { return std::uniform_real_distribution<double>(0.5, 1.5)(rng); });
    return seconds_per_call([&] {
        runner.run(in.data(), out.data());
        keep(out[0]);
    });
}

template <int lanes>
void report(const char* name, const Program& program) {
    const double operations = static_cast<double>(program.instructions.size());
    const double make_tape =
        seconds_per_call([&] { code::LaneInterpreter<lanes> made(program); }) / operations;
    code::LaneInterpreter<lanes> interpreter(program);
    const double interpreted = time_run(interpreter, program, lanes);
    fmt::print("{:>8} {:>8} {:>5}  interpreter  make {:6.3f} us/op            run {:8.3f} ns/op\n",
               name, program.instructions.size(), lanes, make_tape * 1e6,
               interpreted * 1e9 / operations / lanes);
    const CpuFeatures cpu = code::cpu_features();
    for (const bool avx512 : {false, true}) {
        if (!cpu.avx2 || (avx512 && !cpu.avx512)) {
            continue;
        }
        const code::NativeOptions options{.lanes = lanes, .cpu = {.avx2 = true, .avx512 = avx512}};
        const double emit =
            seconds_per_call([&] { code::NativeCode::emit(program, options); }) / operations;
        const auto native_code = code::NativeCode::emit(program, options);
        code::Native native(native_code);
        const double run = time_run(native, program, lanes);
        fmt::print(
            "{:>8} {:>8} {:>5}  {:<11}  make {:6.3f} us/op ({:4.1f} B/op)  run {:8.3f} "
            "ns/op  {:5.2f}x\n",
            "", "", "", avx512 ? "avx512" : "avx2", emit * 1e6,
            static_cast<double>(native_code->code_size()) / operations,
            run * 1e9 / operations / lanes, interpreted / run);
    }
}

void report_all(const char* name, const Program& program) {
    report<1>(name, program);
    report<4>(name, program);
    report<8>(name, program);
}

}  // namespace
}  // namespace ananke::bench

int main() {
    fmt::print("times per operation and lane; x: how much faster than the interpreter\n");
    fmt::print("{:>8} {:>8} {:>5}\n", "program", "ops", "lanes");
    for (const std::size_t operations : {100, 1'000, 10'000, 100'000}) {
        ananke::bench::report_all("random", ananke::bench::random_dag(operations));
    }
    for (const std::uint32_t angles : {1, 2, 5, 8, 20}) {
        ananke::bench::report_all("sin cos", ananke::bench::trigonometric(angles));
    }
}

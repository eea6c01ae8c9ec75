// Native code of every kind of CPU against the interpreter, bit for bit, in 1, 4 and 8 lanes.
#include "code/native.h"

#include <gtest/gtest.h>

#include "code/interpreter.h"
#include "code/kernel.h"
#include "code/random_program.h"

namespace ananke::code {
namespace {

constexpr CpuFeatures kAvx2{.avx2 = true, .avx512 = false};
constexpr CpuFeatures kAvx512{.avx2 = true, .avx512 = true};

/// Those that this machine can run.
std::vector<CpuFeatures> kinds_of_cpu() {
    std::vector<CpuFeatures> kinds;
    if (cpu_features().avx2) {
        kinds.push_back(kAvx2);
    }
    if (cpu_features().avx512) {
        kinds.push_back(kAvx512);
    }
    return kinds;
}

/// Eight states, value i of state l at [i*8 + l].
std::vector<double> random_inputs(const Program& program, std::mt19937_64& rng) {
    std::vector<double> inputs(std::size_t{program.input_count} * 8);
    std::generate(inputs.begin(), inputs.end(), [&] { return random_number(rng); });
    return inputs;
}

/// The outputs of the 8 states by anything that runs packets of `lanes`.
template <class Runner>
std::vector<double> run_eight(Runner& runner, const Program& program, std::size_t lanes,
                              const std::vector<double>& inputs) {
    std::vector<double> in(program.input_count * lanes);
    std::vector<double> out(program.outputs.size() * lanes);
    std::vector<double> all(program.outputs.size() * 8);
    for (std::size_t first = 0; first < 8; first += lanes) {
        for (std::size_t i = 0; i < program.input_count; ++i) {
            std::copy_n(&inputs[i * 8 + first], lanes, &in[i * lanes]);
        }
        std::fill(out.begin(), out.end(), -7.0);
        runner.run(in.data(), out.data());
        for (std::size_t i = 0; i < program.outputs.size(); ++i) {
            std::copy_n(&out[i * lanes], lanes, &all[i * 8 + first]);
        }
    }
    return all;
}

::testing::AssertionResult same(const std::vector<double>& expected,
                                const std::vector<double>& found, const char* what, int lanes) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!same_bits(expected[i], found[i])) {
            return ::testing::AssertionFailure()
                   << what << ", " << lanes << " lanes: output " << i / 8 << " of state " << i % 8
                   << " is " << found[i] << ", not " << expected[i];
        }
    }
    return ::testing::AssertionSuccess();
}

/// What the outputs were: a test over NaN alone would show nothing.
struct Seen {
    std::size_t outputs = 0;
    std::size_t numbers = 0;
    std::size_t negative_zeros = 0;
    std::size_t denormals = 0;
    std::size_t infinities = 0;

    void count(double x) {
        outputs += 1;
        numbers += std::isnan(x) ? 0 : 1;
        negative_zeros += x == 0.0 && std::signbit(x) ? 1 : 0;
        denormals += std::fpclassify(x) == FP_SUBNORMAL ? 1 : 0;
        infinities += std::isinf(x) ? 1 : 0;
    }
};

struct Comparison {
    std::size_t function_size = 100'000;
    Seen* seen = nullptr;
};

/// Every tier in every number of lanes against the scalar interpreter, on 8 random states.
::testing::AssertionResult all_tiers_agree(const Program& program, std::mt19937_64& rng,
                                           const Comparison& how = {}) {
    const std::vector<double> inputs = random_inputs(program, rng);
    Interpreter oracle(program);
    const std::vector<double> expected = run_eight(oracle, program, 1, inputs);
    if (how.seen != nullptr) {
        std::for_each(expected.begin(), expected.end(), [&](double x) { how.seen->count(x); });
    }
    LaneInterpreter<4> four(program);
    LaneInterpreter<8> eight(program);
    if (auto r = same(expected, run_eight(four, program, 4, inputs), "interpreter", 4); !r) {
        return r;
    }
    if (auto r = same(expected, run_eight(eight, program, 8, inputs), "interpreter", 8); !r) {
        return r;
    }
    for (const CpuFeatures cpu : kinds_of_cpu()) {
        for (const int lanes : {1, 4, 8}) {
            auto code = NativeCode::emit(
                program, {.lanes = lanes, .cpu = cpu, .function_size = how.function_size});
            if (code == nullptr) {
                return ::testing::AssertionFailure() << "not emitted";
            }
            Native native(std::move(code));
            const auto found = run_eight(native, program, static_cast<std::size_t>(lanes), inputs);
            if (auto r = same(expected, found, cpu.avx512 ? "avx512" : "avx2", lanes); !r) {
                return r;
            }
        }
    }
    return ::testing::AssertionSuccess();
}

RandomShape random_shape(std::mt19937_64& rng) {
    const auto up_to = [&](unsigned most) { return static_cast<std::uint32_t>(rng() % most + 1); };
    RandomShape shape;
    shape.inputs = up_to(10);
    shape.constants = up_to(6) - 1;
    shape.temporaries = up_to(60);
    shape.instructions = up_to(120) - 1;
    shape.outputs = up_to(12);
    constexpr std::array kParts{0.0, 0.05, 0.3};
    shape.calls = kParts[rng() % 3];
    shape.choices = kParts[rng() % 3];
    return shape;
}

TEST(Native, RandomProgramsGiveTheSameBitsInEveryTierAndLane) {
    std::mt19937_64 rng(1);
    Seen seen;
    for (int i = 0; i < 10'000; ++i) {
        const Program program = random_program(random_shape(rng), rng);
        ASSERT_TRUE(all_tiers_agree(program, rng, {.seen = &seen})) << "program " << i << "\n"
                                                                    << to_text(program);
    }
    EXPECT_GT(seen.outputs, 100'000U);
    EXPECT_GT(seen.numbers, seen.outputs / 2);
    EXPECT_GT(seen.negative_zeros, 1000U);
    EXPECT_GT(seen.denormals, 1000U);
    EXPECT_GT(seen.infinities, 1000U);
}

}  // namespace
}  // namespace ananke::code

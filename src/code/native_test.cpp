// Native code of every kind of CPU against the interpreter, bit for bit, in 1, 4 and 8 lanes.
#include "code/native.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "code/interpreter.h"
#include "code/kernel.h"
#include "code/random_program.h"
#include "code/state_kernel.h"

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

/// Code that is given its first input by itself, as a runner like the others.
struct WithTimeApart {
    Native native;

    void run(const double* inputs, double* outputs) { native.run(inputs[0], inputs + 1, outputs); }
};

/// Every tier in every number of lanes against the scalar interpreter, on 8 states.
::testing::AssertionResult all_tiers_agree(const Program& program,
                                           const std::vector<double>& inputs,
                                           const Comparison& how = {}) {
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
        WithTimeApart apart{Native(NativeCode::emit(
            program, {.cpu = cpu, .function_size = how.function_size, .time_apart = true}))};
        const auto found = run_eight(apart, program, 1, inputs);
        if (auto r = same(expected, found, "time apart", 1); !r) {
            return r;
        }
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult all_tiers_agree(const Program& program, std::mt19937_64& rng,
                                           const Comparison& how = {}) {
    return all_tiers_agree(program, random_inputs(program, rng), how);
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

// Every operation on every choice of operands that are hard to get right.
TEST(Native, EveryOperationOnSpecialNumbers) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array kNumbers{0.0,       -0.0,       1.0,  -1.0,   2.5,     -0.7,
                                  kInfinity, -kInfinity, kNaN, 5e-324, -2e-310, 1e308};
    std::vector<std::array<double, 3>> triples;
    for (const double a : kNumbers) {
        for (const double b : kNumbers) {
            for (const double c : kNumbers) {
                triples.push_back({a, b, c});
            }
        }
    }
    for (int op = 0; op < kOpCount; ++op) {
        Program program;
        program.input_count = 3;
        program.slot_count = 4;
        program.instructions = {{.op = static_cast<Op>(op), .target = 3, .a = 0, .b = 1, .c = 2}};
        program.outputs = {3};
        for (std::size_t first = 0; first < triples.size(); first += 8) {
            std::vector<double> inputs(24);
            for (std::size_t l = 0; l < 8; ++l) {
                for (std::size_t k = 0; k < 3; ++k) {
                    inputs[k * 8 + l] = triples[first + l][k];
                }
            }
            ASSERT_TRUE(all_tiers_agree(program, inputs)) << name(static_cast<Op>(op));
        }
    }
}

// All values are made before any is read, in the order they were made and against it.
TEST(Native, AnyNumberOfLiveValues) {
    std::mt19937_64 rng(2);
    for (const std::uint32_t live : {1, 12, 13, 14, 15, 16, 17, 29, 30, 31, 32, 33, 64, 5000}) {
        for (const bool reversed : {false, true}) {
            Program program;
            program.input_count = 2;
            const auto slot = [](std::uint32_t i) { return 2 + i; };
            program.slot_count = slot(live) + 1;
            for (std::uint32_t i = 0; i < live; ++i) {
                program.instructions.push_back({.op = i % 2 == 0 ? Op::kFma : Op::kMax,
                                                .target = slot(i),
                                                .a = i % 3 == 0 ? 0 : slot(i) - 1,
                                                .b = 1,
                                                .c = 0});
                program.instructions.back().c = i % 2 == 0 ? 1 : 0;
            }
            for (std::uint32_t i = 0; i < live; ++i) {
                const Slot read = slot(reversed ? live - 1 - i : i);
                program.instructions.push_back({.op = i % 3 == 0 ? Op::kFnma : Op::kSub,
                                                .target = slot(live),
                                                .a = read,
                                                .b = i == 0 ? 0 : slot(live),
                                                .c = 0});
                program.instructions.back().c = i % 3 == 0 ? read : 0;
            }
            program.outputs = {slot(live), slot(0), slot(live - 1)};
            ASSERT_TRUE(is_valid(program));
            ASSERT_TRUE(all_tiers_agree(program, rng)) << live << " values";
        }
    }
}

TEST(Native, LargeProgramsWithThousandsOfLiveValues) {
    std::mt19937_64 rng(3);
    const RandomShape shape{.inputs = 100,
                            .constants = 50,
                            .temporaries = 4000,
                            .instructions = 30'000,
                            .outputs = 500,
                            .calls = 0.02,
                            .choices = 0.1};
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(all_tiers_agree(random_program(shape, rng), rng)) << "program " << i;
    }
}

TEST(Native, ProgramsOfSeveralFunctions) {
    std::mt19937_64 rng(4);
    for (int i = 0; i < 1000; ++i) {
        const Program program = random_program(random_shape(rng), rng);
        ASSERT_TRUE(all_tiers_agree(program, rng, {.function_size = rng() % 20 + 1}))
            << "program " << i << "\n"
            << to_text(program);
    }
    if (!cpu_features().avx2) {
        return;
    }
    const Program large = random_program({.temporaries = 300,
                                          .instructions = 250'000,
                                          .outputs = 300,
                                          .calls = 0.01,
                                          .choices = 0.05},
                                         rng);
    const auto code = NativeCode::emit(large, {});
    ASSERT_NE(code, nullptr);
    EXPECT_GE(code->function_count(), 2U);
    EXPECT_TRUE(all_tiers_agree(large, rng));
}

TEST(Native, CallsAtEveryPosition) {
    std::mt19937_64 rng(5);
    const RandomShape shape{.temporaries = 20, .instructions = 40, .outputs = 10, .calls = 0.0};
    const Program plain = random_program(shape, rng);
    for (std::size_t at = 0; at < plain.instructions.size(); ++at) {
        for (int op = static_cast<int>(Op::kSin); op < kOpCount; ++op) {
            Program program = plain;
            program.instructions[at].op = static_cast<Op>(op);
            program.instructions[at].c = 0;
            ASSERT_TRUE(all_tiers_agree(program, rng)) << "instruction " << at << "\n"
                                                       << to_text(program);
        }
    }
}

// Arguments from registers, from inputs, from constants, and several times the same. Cosines share
// their batches with sines.
TEST(Native, BatchesOfCalls) {
    std::mt19937_64 rng(6);
    for (const Op function : {Op::kSin, Op::kCos, Op::kExp, Op::kAtan2, Op::kPow}) {
        for (std::uint32_t calls = 1; calls <= 20; ++calls) {
            for (int variant = 0; variant < 20; ++variant) {
                Program program;
                program.input_count = 9;
                program.constants = {0.5, -1.5};
                const Slot first = program.first_temporary();
                const std::uint32_t computed = static_cast<std::uint32_t>(rng() % 25);
                program.slot_count = first + computed + calls;
                for (std::uint32_t i = 0; i < computed; ++i) {
                    program.instructions.push_back({.op = Op::kMul,
                                                    .target = first + i,
                                                    .a = static_cast<Slot>(rng() % (first + i)),
                                                    .b = static_cast<Slot>(rng() % 9)});
                }
                for (std::uint32_t i = 0; i < calls; ++i) {
                    const auto argument = [&] {
                        return static_cast<Slot>(rng() % (first + computed));
                    };
                    const Op op = function == Op::kCos && rng() % 2 == 0 ? Op::kSin : function;
                    program.instructions.push_back({.op = op,
                                                    .target = first + computed + i,
                                                    .a = argument(),
                                                    .b = arity(op) == 2 ? argument() : 0});
                }
                for (Slot slot = first; slot < program.slot_count; ++slot) {
                    program.outputs.push_back(slot);
                }
                ASSERT_TRUE(all_tiers_agree(program, rng)) << to_text(program);
            }
        }
    }
}

TEST(Native, InputsAndConstantsAsOutputs) {
    std::mt19937_64 rng(7);
    Program program;
    program.input_count = 3;
    program.constants = {2.0, -0.0};
    program.slot_count = 6;
    program.instructions = {{.op = Op::kAdd, .target = 5, .a = 0, .b = 3}};
    program.outputs = {4, 2, 5, 0, 5, 3, 2, 5};
    EXPECT_TRUE(all_tiers_agree(program, rng));
    program.instructions.clear();
    program.outputs = {4, 2, 0, 3, 2};
    EXPECT_TRUE(all_tiers_agree(program, rng));
    program.outputs.clear();
    EXPECT_TRUE(all_tiers_agree(program, rng));
}

TEST(Native, OnlyWhereTheCpuHasAvx2) {
    std::mt19937_64 rng(8);
    const Program program = random_program({}, rng);
    for (const int lanes : {1, 4, 8}) {
        EXPECT_EQ(NativeCode::emit(program, {.lanes = lanes, .cpu = {}}), nullptr);
    }
    EXPECT_FALSE(Kernel(program, CpuFeatures{}).is_native());
    EXPECT_FALSE(PacketKernel<8>(program, CpuFeatures{}).is_native());
    EXPECT_EQ(Kernel(program, cpu_features()).is_native(), cpu_features().avx2);
}

#if defined(__linux__)
TEST(Native, NoMemoryIsWritableAndExecutableAtOnce) {
    if (kinds_of_cpu().empty()) {
        GTEST_SKIP() << "no native code on this CPU";
    }
    std::mt19937_64 rng(21);
    std::vector<std::shared_ptr<const NativeCode>> emitted;
    for (int i = 0; i < 200; ++i) {
        const std::size_t size = i % 20 == 0 ? 20'000 : 30;
        const Program program = random_program({.instructions = size}, rng);
        emitted.push_back(NativeCode::emit(program, {.lanes = 1}));
        ASSERT_NE(emitted.back(), nullptr);
    }
    // Lines are "BEGIN-END rwxp OFFSET DEVICE INODE NAME", with - for a right that is not given.
    std::ifstream maps("/proc/self/maps");
    const auto* code = reinterpret_cast<const char*>(emitted.back()->only_function());
    bool found = false;
    std::size_t blocks = 0;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::string rights;
        fields >> std::hex >> begin >> dash >> end >> rights;
        ASSERT_EQ(rights.size(), 4U) << line;
        EXPECT_FALSE(rights[1] == 'w' && rights[2] == 'x') << line;
        const auto at = reinterpret_cast<std::uintptr_t>(code);
        if (begin <= at && at < end) {
            EXPECT_EQ(rights.substr(0, 3), "r-x") << line;
            found = true;
        }
        blocks += rights[2] == 'x' ? 1 : 0;
    }
    EXPECT_TRUE(found);
    EXPECT_LT(blocks, emitted.size() / 2);  // small programs share pages
}
#endif

TEST(Native, KernelsOfAnyLanesAgree) {
    std::mt19937_64 rng(9);
    const Program program = random_program({.instructions = 60, .outputs = 8}, rng);
    const std::vector<double> inputs = random_inputs(program, rng);
    Kernel one(program);
    PacketKernel<4> four(program);
    const PacketKernel<8> eight(program);
    PacketKernel<8> copy = eight;  // copies own their workspace
    const std::vector<double> expected = run_eight(one, program, 1, inputs);
    EXPECT_TRUE(same(expected, run_eight(four, program, 4, inputs), "kernel", 4));
    EXPECT_TRUE(same(expected, run_eight(copy, program, 8, inputs), "kernel", 8));
}

/// Whatever runs it reads no input beyond those that the program uses.
TEST(Native, StateKernelsOfEveryTierAgree) {
    std::mt19937_64 rng(21);
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        Program program = random_program(random_shape(rng), rng);
        std::vector<double> inputs(program.input_count);
        std::generate(inputs.begin(), inputs.end(), [&] { return random_number(rng); });
        std::vector<double> expected(program.outputs.size());
        Interpreter(program).run(inputs.data(), expected.data());
        std::vector<double> rest(inputs.begin() + 1, inputs.end());
        rest.resize(std::max<std::size_t>(used_inputs(program), 1) - 1);
        rest.shrink_to_fit();
        for (const CpuFeatures cpu : {CpuFeatures{}, cpu_features()}) {
            StateKernel kernel(program, cpu);
            std::vector<double> found(program.outputs.size());
            kernel.run(inputs[0], rest.data(), found.data());
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_TRUE(same_bits(expected[i], found[i])) << i;
            }
        }
    }
}

TEST(Tier, TheChoiceLimitsTheFeatures) {
    const auto all = allowed_features("native", kAvx512);
    ASSERT_TRUE(all);
    EXPECT_TRUE(all->avx2 && all->avx512);
    EXPECT_TRUE(allowed_features("", kAvx512)->avx512);
    EXPECT_TRUE(allowed_features("avx2", kAvx512)->avx2);
    EXPECT_FALSE(allowed_features("avx2", kAvx512)->avx512);
    EXPECT_FALSE(allowed_features("avx2", {})->avx2);
    EXPECT_FALSE(allowed_features("native", kAvx2)->avx512);
    EXPECT_FALSE(allowed_features("interpreter", kAvx512)->avx2);
    EXPECT_FALSE(allowed_features("fast", kAvx512));
}

/// Inputs that stand in several arrays are read from there, in any order, also as outputs.
TEST(Native, ReadsInputsFromSeveralBases) {
    std::mt19937_64 rng(20);
    for (int round = 0; round < 300; ++round) {
        SCOPED_TRACE(round);
        const RandomShape shape{.inputs = 3 + static_cast<std::uint32_t>(rng() % 40),
                                .temporaries = 60,
                                .instructions = 200,
                                .outputs = 20,
                                .calls = 0.0};
        const Program program = random_program(shape, rng);
        const std::size_t count = 1 + rng() % kMostBases;
        std::vector<std::vector<double>> arrays(count, std::vector<double>(400));
        std::vector<const double*> bases;
        for (const std::vector<double>& array : arrays) {
            bases.push_back(array.data());
        }
        std::vector<double> inputs;
        std::vector<InputPlace> places;
        for (std::uint32_t i = 0; i < program.input_count; ++i) {
            inputs.push_back(random_number(rng));
            places.push_back({static_cast<std::uint32_t>(rng() % count), 9 * i});
            arrays[places.back().base][places.back().offset] = inputs.back();
        }
        std::vector<double> expected(program.outputs.size());
        Interpreter(program).run(inputs.data(), expected.data());
        for (const CpuFeatures cpu : kinds_of_cpu()) {
            Native native(NativeCode::emit(program, {.cpu = cpu, .input_places = places}));
            std::vector<double> found(program.outputs.size());
            native.run(bases.data(), found.data());
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_TRUE(same_bits(expected[i], found[i])) << i;
            }
        }
    }
}

}  // namespace
}  // namespace ananke::code

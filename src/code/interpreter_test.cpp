#include "code/interpreter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "base/allocation_counter.h"
#include "code/builder.h"
#include "code/functions.h"
#include "code/kernel.h"

namespace ananke::code {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value apply_any(Builder& builder, Op op, Value a, Value b, Value c) {
    switch (arity(op)) {
        case 1:
            return builder.apply(op, a);
        case 2:
            return builder.apply(op, a, b);
        default:
            return builder.apply(op, a, b, c);
    }
}

/// op(a, b, c) of values that are known only when the program runs.
double run_op(Op op, double a, double b = 0.0, double c = 0.0) {
    Program program{
        .input_count = 3, .slot_count = 4, .constants = {}, .instructions = {}, .outputs = {3}};
    program.instructions.push_back({.op = op, .target = 3, .a = 0, .b = 1, .c = 2});
    const std::array<double, 3> in{a, b, c};
    double out = 0.0;
    Interpreter(program).run(in.data(), &out);
    return out;
}

bool is_fused(Op op) {
    return op == Op::kFma || op == Op::kFms || op == Op::kFnma;
}

TEST(Interpreter, FoldedConstantsEqualWhatRuns) {
    std::mt19937_64 rng(4);
    std::uniform_real_distribution<double> number(-2.0, 2.0);
    for (int k = 0; k < kOpCount; ++k) {
        const Op op = static_cast<Op>(k);
        for (int i = 0; i < 200 && !is_fused(op); ++i) {
            const std::array<double, 3> v{number(rng), number(rng), number(rng)};
            Builder builder(0);
            const Value folded = apply_any(builder, op, builder.constant(v[0]),
                                           builder.constant(v[1]), builder.constant(v[2]));
            const Program program = builder.finish(std::array{folded});
            ASSERT_TRUE(program.instructions.empty());
            const double ran = run_op(op, v[0], v[1], v[2]);
            ASSERT_EQ(std::isnan(program.constants[0]), std::isnan(ran)) << name(op);
            if (!std::isnan(ran)) {
                ASSERT_EQ(std::bit_cast<std::uint64_t>(program.constants[0]),
                          std::bit_cast<std::uint64_t>(ran))
                    << name(op);
            }
        }
    }
}

TEST(Interpreter, OperationsAtTheEdgesOfTheirDomains) {
    EXPECT_EQ(run_op(Op::kSign, 0.0), 0.0);
    EXPECT_FALSE(std::signbit(run_op(Op::kSign, -0.0)));
    EXPECT_EQ(run_op(Op::kSign, -1e-310), -1.0);
    EXPECT_TRUE(std::isnan(run_op(Op::kSign, kNaN)));

    for (const Op op : {Op::kMin, Op::kMax}) {
        EXPECT_TRUE(std::isnan(run_op(op, kNaN, 1.0)));
        EXPECT_TRUE(std::isnan(run_op(op, 1.0, kNaN)));
    }
    EXPECT_EQ(run_op(Op::kMin, 2.0, -kInfinity), -kInfinity);
    EXPECT_EQ(run_op(Op::kMax, 2.0, -kInfinity), 2.0);
    EXPECT_TRUE(std::signbit(run_op(Op::kMin, 0.0, -0.0)));
    EXPECT_TRUE(std::signbit(run_op(Op::kMin, -0.0, 0.0)));
    EXPECT_FALSE(std::signbit(run_op(Op::kMax, 0.0, -0.0)));
    EXPECT_FALSE(std::signbit(run_op(Op::kMax, -0.0, 0.0)));

    for (const Op op : {Op::kLower, Op::kHigher}) {
        EXPECT_EQ(run_op(op, kNaN, 1.0), 1.0);
        EXPECT_TRUE(std::isnan(run_op(op, 1.0, kNaN)));
        EXPECT_TRUE(std::signbit(run_op(op, 0.0, -0.0)));
        EXPECT_FALSE(std::signbit(run_op(op, -0.0, 0.0)));
    }
    EXPECT_EQ(run_op(Op::kLower, 2.0, -kInfinity), -kInfinity);
    EXPECT_EQ(run_op(Op::kHigher, 2.0, -kInfinity), 2.0);

    for (const Op op : {Op::kLess, Op::kLessEqual, Op::kEqual}) {
        EXPECT_EQ(run_op(op, kNaN, kNaN), 0.0);
    }
    EXPECT_EQ(run_op(Op::kLess, 1.0, 1.0), 0.0);
    EXPECT_EQ(run_op(Op::kLessEqual, 1.0, 1.0), 1.0);
    EXPECT_EQ(run_op(Op::kEqual, 0.0, -0.0), 1.0);
    EXPECT_EQ(run_op(Op::kAnd, 1.0, 0.0), 0.0);
    EXPECT_EQ(run_op(Op::kOr, 1.0, 0.0), 1.0);
    EXPECT_EQ(run_op(Op::kNot, 1.0), 0.0);

    EXPECT_EQ(run_op(Op::kSelect, 1.0, 3.0, kNaN), 3.0);
    EXPECT_EQ(run_op(Op::kSelect, 0.0, kNaN, 4.0), 4.0);
    EXPECT_EQ(run_op(Op::kDiv, 1.0, 0.0), kInfinity);
    EXPECT_TRUE(std::isnan(run_op(Op::kSqrt, -1.0)));
}

// a*b = 1 + 2^-29 + 2^-60 exactly; a product of its own would lose the last bit.
TEST(Interpreter, FusedOperationsRoundOnce) {
    const double a = 1.0 + 0x1p-30;
    const double c = 1.0 + 0x1p-29;
    EXPECT_EQ(run_op(Op::kFma, a, a, -c), 0x1p-60);
    EXPECT_EQ(run_op(Op::kFms, a, a, c), 0x1p-60);
    EXPECT_EQ(run_op(Op::kFnma, a, a, c), -0x1p-60);
}

/// Some of everything: 200 operations on 8 inputs, 4 outputs.
Program mixed_program() {
    std::mt19937_64 rng(5);
    Builder builder(8);
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < 8; ++i) {
        values.push_back(builder.input(i));
    }
    const auto any = [&] { return values[values.size() - 1 - rng() % 8]; };
    while (values.size() < 208) {
        const Op op = static_cast<Op>(rng() % kOpCount);
        if (!is_fused(op)) {
            values.push_back(apply_any(builder, op, any(), any(), any()));
        }
    }
    return builder.finish(std::span(values).last(4));
}

TEST(Kernel, RunsWithoutAllocation) {
    for (const CpuFeatures cpu : {CpuFeatures{}, cpu_features()}) {
        Kernel kernel(mixed_program(), cpu);
        std::vector<double> in(kernel.input_count(), 0.3);
        std::vector<double> out(kernel.output_count());
        const long before = allocations_so_far;
        for (int i = 0; i < 100; ++i) {
            in[0] = 0.01 * i;
            kernel.run(in, out);
        }
        EXPECT_EQ(allocations_so_far, before);
        const Kernel copy = kernel;
        EXPECT_LE(allocations_so_far, before + 1) << "a copy takes its slots and nothing else";
        EXPECT_EQ(&copy.program(), &kernel.program());
    }
}

TEST(Kernel, CopiesOnSeveralThreadsGiveTheSameBits) {
    Builder builder(2);
    Value v = builder.input(0);
    for (int i = 0; i < 300; ++i) {
        v = builder.apply(i % 3 == 0 ? Op::kSin : Op::kExp,
                          builder.apply(Op::kSub, builder.apply(Op::kMul, v, builder.input(1)),
                                        builder.constant(0.1 * i)));
    }
    const Kernel kernel(builder.finish(std::array{v}));
    const auto digest = [&](std::uint64_t* result) {
        Kernel own = kernel;
        *result = 0;
        for (int i = 0; i < 2000; ++i) {
            const std::array<double, 2> in{0.001 * i, 0.9};
            double out = 0.0;
            own.run(in, std::span(&out, 1));
            *result = *result * 31 + std::bit_cast<std::uint64_t>(out);
        }
    };
    std::array<std::uint64_t, 4> digests{};
    std::vector<std::thread> threads;
    for (std::uint64_t& result : digests) {
        threads.emplace_back(digest, &result);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::uint64_t result : digests) {
        EXPECT_EQ(result, digests[0]);
    }
}

TEST(Interpreter, InputsAndOutputsMayOverlap) {
    Builder builder(2);
    const Value x = builder.input(0);
    const Value y = builder.input(1);
    Interpreter interpreter(builder.finish(std::array{y, builder.apply(Op::kAdd, x, y)}));
    std::array<double, 2> state{1.0, 2.0};
    interpreter.run(state.data(), state.data());
    EXPECT_EQ(state, (std::array{2.0, 3.0}));
}

TEST(Kernel, WrongSizesAreAContractViolation) {
    Builder builder(2);
    Kernel kernel(builder.finish(std::array{builder.input(1)}));
    std::array<double, 2> in{};
    std::array<double, 2> out{};
    EXPECT_DEATH(kernel.run(in, out), "contract violated");
    Program broken = kernel.program();
    broken.outputs = {7};
    EXPECT_DEATH(Interpreter{broken}, "contract violated");
}

}  // namespace
}  // namespace ananke::code

#include "code/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "code/builder.h"
#include "code/interpreter.h"
#include "code/kernel.h"
#include "code/replay.h"

namespace ananke::code {
namespace {

/// A chain of parts: each takes two inputs, a weight and what the part before left.
template <class S>
S part(const S& x, const S& y, double weight, const S& before) {
    const S u = x * y + S(weight) * before;
    const S w = u / (S(2.0) + x * x);
    return w - y * S(0.5);
}

struct Chain {
    std::vector<double> weights;
    bool cut = true;
};

SegmentedProgram trace(const Chain& chain) {
    Recorder recorder(static_cast<std::uint32_t>(2 * chain.weights.size()));
    Recorded value(1.0);
    std::vector<Recorded> outputs;
    for (std::uint32_t i = 0; i < chain.weights.size(); ++i) {
        value = part(recorder.input(2 * i), recorder.input(2 * i + 1), chain.weights[i], value);
        outputs.push_back(value);
        if (chain.cut) {
            recorder.cut();
        }
    }
    outputs.emplace_back(7.0);
    outputs.push_back(recorder.input(1));
    return recorder.segments(outputs);
}

std::vector<double> inputs_of(std::size_t parts) {
    std::vector<double> inputs;
    for (std::size_t i = 0; i < 2 * parts; ++i) {
        inputs.push_back(std::sin(1.0 + static_cast<double>(i)));
    }
    return inputs;
}

void expect_values(const Chain& chain) {
    const std::vector<double> inputs = inputs_of(chain.weights.size());
    SegmentedKernel kernel(trace(chain));
    SegmentedKernel copy = kernel;
    std::vector<double> outputs(kernel.output_count());
    std::vector<double> again(kernel.output_count());
    kernel.run(inputs.data(), outputs.data());
    copy.run(inputs.data(), again.data());
    double value = 1.0;
    for (std::size_t i = 0; i < chain.weights.size(); ++i) {
        value = part(inputs[2 * i], inputs[2 * i + 1], chain.weights[i], value);
        EXPECT_NEAR(outputs[i], value, 1e-14);
    }
    EXPECT_EQ(outputs[chain.weights.size()], 7.0);
    EXPECT_EQ(outputs.back(), inputs[1]);
    EXPECT_EQ(outputs, again);
}

// The same record as one program and in segments, by the number of operations alone.
TEST(Recorder, LongRecordsComeInSegments) {
    constexpr std::uint32_t kParts = 30;
    Recorder recorder(2 * kParts);
    Recorded value(1.0);
    for (std::uint32_t i = 0; i < kParts; ++i) {
        value = part(recorder.input(2 * i), recorder.input(2 * i + 1), 0.3, value);
        recorder.cut();
    }
    constexpr std::size_t kOperations = 8 * kParts - 1;  // 0.3 * 1 is a number
    RecordedKernel whole = recorder.kernel({&value, 1}, kOperations);
    RecordedKernel parts = recorder.kernel({&value, 1}, kOperations - 1);
    ASSERT_NE(whole.program(), nullptr);
    ASSERT_NE(parts.segments(), nullptr);
    const std::vector<double> inputs = inputs_of(kParts);
    double x = 0.0;
    double y = 0.0;
    whole.run(inputs.data(), &x);
    parts.run(inputs.data(), &y);
    EXPECT_NEAR(x, y, 1e-14);
}

TEST(Recorder, PartsOfEqualStructureShareOneKernel) {
    const Chain chain{std::vector<double>(50, 0.3)};
    expect_values(chain);
    // The first part meets a number instead of a value.
    EXPECT_EQ(trace(chain).families.size(), 2U);
    EXPECT_EQ(trace(chain).segments.size(), 50U);
}

TEST(Recorder, NumbersThatDifferAreInputs) {
    Chain chain;
    for (int i = 0; i < 50; ++i) {
        chain.weights.push_back(0.3 + 0.01 * i);
    }
    expect_values(chain);
    EXPECT_EQ(trace(chain).families.size(), 2U);
}

TEST(Recorder, NumbersThatFoldMakeAnotherStructure) {
    Chain chain{std::vector<double>(50, 0.3)};
    chain.weights[20] = 1.0;
    chain.weights[30] = 0.0;
    expect_values(chain);
    EXPECT_EQ(trace(chain).families.size(), 4U);
}

std::size_t base_count(const SegmentedProgram& program) {
    std::size_t count = 0;
    for (const SegmentedProgram::Family& family : program.families) {
        count += family.ahead.gather.bases.size() + family.rest.gather.bases.size();
    }
    return count;
}

TEST(Recorder, ListsGrowWithTheNumberOfParts) {
    const SegmentedProgram a = trace({std::vector<double>(100, 0.3)});
    const SegmentedProgram b = trace({std::vector<double>(200, 0.3)});
    const SegmentedProgram c = trace({std::vector<double>(300, 0.3)});
    EXPECT_EQ(base_count(c) - base_count(b), base_count(b) - base_count(a));
    EXPECT_LE(base_count(c) - base_count(b), 100U * 4U);  // inputs and the value before, each part
    EXPECT_EQ(c.value_count - b.value_count, b.value_count - a.value_count);
    EXPECT_EQ(c.families.size(), a.families.size());
}

TEST(Recorder, WhatNoOutputNeedsIsNotComputed) {
    Recorder recorder(2);
    const Recorded x = recorder.input(0) * recorder.input(1);
    const Recorded unused = recorder.input(0) / recorder.input(1);
    recorder.cut();
    const Recorded y = x + recorder.input(0);
    const Recorded unused_too = unused * unused;
    recorder.cut();
    const Recorded last = unused_too - y;
    const SegmentedProgram program = recorder.segments(std::vector<Recorded>{y});
    EXPECT_EQ(program.segments.size(), 2U);
    EXPECT_EQ(program.instruction_count(), 2U);
    EXPECT_FALSE(last.is_number());
}

/// Parts that take nothing from each other, each in two segments: the second needs the first.
SegmentedProgram trace_independent(std::uint32_t parts) {
    Recorder recorder(2 * parts);
    std::vector<Recorded> outputs;
    for (std::uint32_t i = 0; i < parts; ++i) {
        const Recorded x = recorder.input(2 * i);
        const Recorded y = recorder.input(2 * i + 1);
        const Recorded first = part(x, y, 0.3, x);
        recorder.cut();
        outputs.push_back(part(first, y, 0.25 + 0.1 * i, x));
        recorder.cut();
    }
    return recorder.segments(outputs);
}

TEST(Recorder, IndependentPartsRunInPackets) {
    for (const std::uint32_t parts : {1U, 3U, 4U, 7U, 8U, 9U, 16U, 21U, 50U}) {
        SCOPED_TRACE(parts);
        const SegmentedProgram program = trace_independent(parts);
        if (parts >= 4) {
            EXPECT_EQ(program.packet_instruction_count(), program.instruction_count());
            for (const SegmentedProgram::Family& family : program.families) {
                EXPECT_TRUE(family.all_ahead);
            }
        }
        SegmentedKernel kernel(program);
        const std::vector<double> inputs = inputs_of(parts);
        std::vector<double> outputs(parts);
        for (int repeat = 0; repeat < 2; ++repeat) {
            kernel.run(inputs.data(), outputs.data());
            for (std::uint32_t i = 0; i < parts; ++i) {
                const double x = inputs[2 * i];
                const double y = inputs[2 * i + 1];
                EXPECT_NEAR(outputs[i], part(part(x, y, 0.3, x), y, 0.25 + 0.1 * i, x), 1e-14);
            }
        }
    }
}

/// A part whose work depends on its inputs alone, but for the last sum.
template <class S>
S mostly_local(const S& x, const S& y, const S& before) {
    const S u = (x * y + S(2.0)) * (x - y * S(0.25));
    const S w = u * u / (S(3.0) + x * x);
    return w * x + before * S(0.5);
}

TEST(Recorder, WhatDependsOnInputsAloneRunsInPackets) {
    constexpr std::uint32_t kParts = 45;
    Recorder recorder(2 * kParts);
    std::vector<Recorded> outputs;
    Recorded before = recorder.input(0);
    for (std::uint32_t i = 1; i < kParts; ++i) {
        before = mostly_local(recorder.input(2 * i), recorder.input(2 * i + 1), before);
        outputs.push_back(before);
        recorder.cut();
    }
    SegmentedKernel kernel(recorder.segments(outputs));
    ASSERT_EQ(kernel.program().families.size(), 1U);
    const SegmentedProgram::Family& family = kernel.program().families.front();
    EXPECT_FALSE(family.all_ahead);
    EXPECT_EQ(family.ahead.program.outputs.size(), 1U);
    EXPECT_EQ(family.rest.program.instructions.size(), 1U);  // one fused operation
    const std::vector<double> inputs = inputs_of(kParts);
    std::vector<double> found(kParts - 1);
    kernel.run(inputs.data(), found.data());
    double value = inputs[0];
    for (std::uint32_t i = 1; i < kParts; ++i) {
        value = mostly_local(inputs[2 * i], inputs[2 * i + 1], value);
        EXPECT_NEAR(found[i - 1], value, 1e-14);
    }
}

TEST(Replay, EqualPartsOfAProgramLeaveEqualPatterns) {
    constexpr std::uint32_t kParts = 40;
    Builder builder(2 * kParts);
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < kParts; ++i) {
        const Value x = builder.input(2 * i);
        const Value y = builder.input(2 * i + 1);
        const Value sum =
            builder.apply(Op::kAdd, builder.apply(Op::kMul, x, y), builder.apply(Op::kMul, x, x));
        values.push_back(builder.apply(Op::kAdd, sum, builder.apply(Op::kSin, y)));
    }
    const Program program = builder.finish(values);
    Recorder recorder(2 * kParts);
    std::vector<Recorded> inputs;
    std::vector<std::uint32_t> colors;
    for (std::uint32_t i = 0; i < 2 * kParts; ++i) {
        inputs.push_back(recorder.input(i));
        colors.push_back(i % 2);
    }
    Replay replay(recorder, program, inputs, colors);
    std::vector<Recorded> outputs;
    for (std::size_t i = 0; i < kParts; ++i) {
        outputs.push_back(replay.output(i));
        recorder.cut();
    }
    SegmentedKernel kernel(recorder.segments(outputs));
    EXPECT_EQ(kernel.program().families.size(), 1U);
    Kernel whole(program);
    const std::vector<double> at = inputs_of(kParts);
    std::vector<double> wanted(kParts);
    std::vector<double> found(kParts);
    whole.run(at.data(), wanted.data());
    kernel.run(at.data(), found.data());
    for (std::size_t i = 0; i < kParts; ++i) {
        EXPECT_NEAR(found[i], wanted[i], 1e-15 * (1.0 + std::abs(wanted[i])) * 4.0);
    }
}

TEST(Recorded, ComputesWhatWasDone) {
    Recorder recorder(2);
    const Recorded x = recorder.input(0);
    const Recorded y = recorder.input(1);
    const Recorded u = (x + 2.0) * (y - x);
    recorder.cut();  // leaves no mark in a program
    const Recorded z = u / (3.0 - y) - reciprocal(x);
    Interpreter program(recorder.program({&z, 1}));
    const double inputs[2] = {1.25, -0.5};
    double result = 0.0;
    program.run(inputs, &result);
    EXPECT_DOUBLE_EQ(result, 3.25 * -1.75 / 3.5 - 0.8);
}

TEST(Recorded, NeutralNumbersLeaveNoTrace) {
    Recorder recorder(1);
    const Recorded x = recorder.input(0);
    const Recorded same = Recorded(0.0) + (x * 1.0 - 0.0) / 1.0 + x * 0.0;
    EXPECT_TRUE(same.is_same_as(x));
    const Recorded zero = 0.0 / x;
    EXPECT_TRUE(zero.is_number());
    EXPECT_EQ(zero.number(), 0.0);
    const Recorded six = Recorded(2.0) * Recorded(3.0);
    EXPECT_TRUE(six.is_number());
    EXPECT_EQ(six.number(), 6.0);
}

// -(x y) - z - w^2 and its reciprocal, as an elimination makes them: signs come together at the
// end.
TEST(Recorded, SignsAreTakenOut) {
    Recorder recorder(4);
    const Recorded x = recorder.input(0);
    const Recorded y = recorder.input(1);
    const Recorded z = recorder.input(2);
    const Recorded w = recorder.input(3);
    const Recorded sum = Recorded(0.0) - x * y - z - w * w;
    const Recorded ratio = (Recorded(0.0) - x) * reciprocal(sum);
    const std::vector<Recorded> outputs{sum, ratio};
    const Program program = recorder.program(outputs);
    EXPECT_EQ(std::count_if(program.instructions.begin(), program.instructions.end(),
                            [](const Instruction& one) { return one.op == Op::kNeg; }),
              1)
        << to_text(program);
    const double inputs[4] = {1.25, -0.5, 3.0, 0.75};
    double results[2];
    Interpreter(program).run(inputs, results);
    EXPECT_DOUBLE_EQ(results[0], 0.625 - 3.0 - 0.5625);
    EXPECT_DOUBLE_EQ(results[1], -1.25 / (0.625 - 3.0 - 0.5625));

    const Program unsigned_program = recorder.program(outputs, {0, 1});
    EXPECT_EQ(unsigned_program.instructions.size() + 1, program.instructions.size());
    Interpreter(unsigned_program).run(inputs, results);
    EXPECT_DOUBLE_EQ(results[0], -(0.625 - 3.0 - 0.5625));
    EXPECT_DOUBLE_EQ(results[1], -1.25 / (0.625 - 3.0 - 0.5625));
}

// A program replayed with a number for an input is the program of that number.
TEST(Replay, FoldsNumbers) {
    Builder first(3);
    const Value product = first.apply(Op::kMul, first.input(1), first.input(2));
    const Value sum = first.apply(Op::kAdd, product, first.input(0));
    const Value outputs[2] = {first.apply(Op::kSin, first.input(1)),
                              first.apply(Op::kMax, sum, first.apply(Op::kSqrt, first.input(2)))};
    const Program program = first.finish(outputs);

    Recorder recorder(3);
    Replay replay(recorder, program,
                  std::vector<Recorded>{recorder.input(0), 2.0, recorder.input(2)});
    const std::vector<Recorded> replayed = replay.outputs();
    ASSERT_EQ(replayed.size(), 2U);
    EXPECT_TRUE(replayed[0].is_number());
    Interpreter ours(recorder.program(replayed));
    Interpreter theirs(program);
    const double numbers[3] = {0.3, 2.0, 0.7};
    double x[2];
    double y[2];
    ours.run(numbers, x);
    theirs.run(numbers, y);
    EXPECT_EQ(x[0], y[0]);
    EXPECT_EQ(x[1], y[1]);
}

// What does not depend on an input that changes is the same value on record.
TEST(Replay, WithOtherInputsSharesWhatStaysTheSame) {
    Builder builder(3);
    const Value product = builder.apply(Op::kMul, builder.input(0), builder.input(1));
    const Value outputs[2] = {product, builder.apply(Op::kAdd, product, builder.input(2))};
    const Program program = builder.finish(outputs);
    Recorder recorder(3);
    Replay replay(recorder, program,
                  std::vector<Recorded>{recorder.input(0), recorder.input(1), recorder.input(2)});
    const std::vector<Recorded> before = replay.outputs();
    Replay changed =
        replay.with({recorder.input(0), recorder.input(1), recorder.input(2) + recorder.input(0)});
    const std::vector<Recorded> after = changed.outputs();
    EXPECT_TRUE(after[0].is_same_as(before[0]));
    EXPECT_FALSE(after[1].is_same_as(before[1]));
    Interpreter numbers(recorder.program(after));
    const double inputs[3] = {2.0, 3.0, 5.0};
    double results[2];
    numbers.run(inputs, results);
    EXPECT_EQ(results[0], 6.0);
    EXPECT_EQ(results[1], 13.0);
}

}  // namespace
}  // namespace ananke::code

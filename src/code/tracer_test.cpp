#include "code/tracer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "code/builder.h"
#include "code/kernel.h"
#include "code/lazy_replay.h"

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
    Tracer tracer(static_cast<std::uint32_t>(2 * chain.weights.size()));
    Traced value(1.0);
    std::vector<Traced> outputs;
    for (std::uint32_t i = 0; i < chain.weights.size(); ++i) {
        value = part(tracer.input(2 * i), tracer.input(2 * i + 1), chain.weights[i], value);
        outputs.push_back(value);
        if (chain.cut) {
            tracer.cut();
        }
    }
    outputs.emplace_back(7.0);
    outputs.push_back(tracer.input(1));
    return tracer.finish(outputs);
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

TEST(Tracer, PartsOfEqualStructureShareOneKernel) {
    const Chain chain{std::vector<double>(50, 0.3)};
    expect_values(chain);
    // The first part meets a number instead of a value.
    EXPECT_EQ(trace(chain).families.size(), 2U);
    EXPECT_EQ(trace(chain).segments.size(), 50U);
}

TEST(Tracer, NumbersThatDifferAreInputs) {
    Chain chain;
    for (int i = 0; i < 50; ++i) {
        chain.weights.push_back(0.3 + 0.01 * i);
    }
    expect_values(chain);
    EXPECT_EQ(trace(chain).families.size(), 2U);
}

TEST(Tracer, NumbersThatFoldMakeAnotherStructure) {
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

TEST(Tracer, ListsGrowWithTheNumberOfParts) {
    const SegmentedProgram a = trace({std::vector<double>(100, 0.3)});
    const SegmentedProgram b = trace({std::vector<double>(200, 0.3)});
    const SegmentedProgram c = trace({std::vector<double>(300, 0.3)});
    EXPECT_EQ(base_count(c) - base_count(b), base_count(b) - base_count(a));
    EXPECT_LE(base_count(c) - base_count(b), 100U * 4U);  // inputs and the value before, each part
    EXPECT_EQ(c.value_count - b.value_count, b.value_count - a.value_count);
    EXPECT_EQ(c.families.size(), a.families.size());
}

TEST(Tracer, WhatNoOutputNeedsIsNotComputed) {
    Tracer tracer(2);
    const Traced x = tracer.input(0) * tracer.input(1);
    const Traced unused = tracer.input(0) / tracer.input(1);
    tracer.cut();
    const Traced y = x + tracer.input(0);
    const Traced unused_too = unused * unused;
    tracer.cut();
    const Traced last = unused_too - y;
    const SegmentedProgram program = tracer.finish(std::vector<Traced>{y});
    EXPECT_EQ(program.segments.size(), 2U);
    EXPECT_EQ(program.instruction_count(), 2U);
    EXPECT_FALSE(last.is_number());
}

/// Parts that take nothing from each other, each in two segments: the second needs the first.
SegmentedProgram trace_independent(std::uint32_t parts) {
    Tracer tracer(2 * parts);
    std::vector<Traced> outputs;
    for (std::uint32_t i = 0; i < parts; ++i) {
        const Traced x = tracer.input(2 * i);
        const Traced y = tracer.input(2 * i + 1);
        const Traced first = part(x, y, 0.3, x);
        tracer.cut();
        outputs.push_back(part(first, y, 0.25 + 0.1 * i, x));
        tracer.cut();
    }
    return tracer.finish(outputs);
}

TEST(Tracer, IndependentPartsRunInPackets) {
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

TEST(Tracer, WhatDependsOnInputsAloneRunsInPackets) {
    constexpr std::uint32_t kParts = 45;
    Tracer tracer(2 * kParts);
    std::vector<Traced> outputs;
    Traced before = tracer.input(0);
    for (std::uint32_t i = 1; i < kParts; ++i) {
        before = mostly_local(tracer.input(2 * i), tracer.input(2 * i + 1), before);
        outputs.push_back(before);
        tracer.cut();
    }
    SegmentedKernel kernel(tracer.finish(outputs));
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

TEST(LazyReplay, EqualPartsOfAProgramLeaveEqualTapes) {
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
    Tracer tracer(2 * kParts);
    std::vector<Traced> inputs;
    std::vector<std::uint32_t> colors;
    for (std::uint32_t i = 0; i < 2 * kParts; ++i) {
        inputs.push_back(tracer.input(i));
        colors.push_back(i % 2);
    }
    LazyReplay replay(tracer, program, inputs, colors);
    std::vector<Traced> outputs;
    for (std::size_t i = 0; i < kParts; ++i) {
        outputs.push_back(replay.output(i));
        tracer.cut();
    }
    SegmentedKernel kernel(tracer.finish(outputs));
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

}  // namespace
}  // namespace ananke::code

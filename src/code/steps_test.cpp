// The order in which emitted code carries a program out.
#include "code/steps.h"

#include <gtest/gtest.h>

#include "code/builder.h"
#include "code/random_program.h"

namespace ananke::code {
namespace {

std::vector<int> batch_sizes(const Steps& steps, Op op) {
    std::vector<int> sizes;
    for (const Step& step : steps.steps) {
        if (step.op == op && step.batch > 0) {
            sizes.push_back(step.batch);
        }
    }
    return sizes;
}

TEST(Steps, CallsThatDoNotWaitForEachOtherAreMadeTogether) {
    Builder builder(7);
    Value sum = builder.constant(0.25);
    Value last = sum;
    for (std::uint32_t i = 0; i < 7; ++i) {
        const Value angle = builder.apply(Op::kMul, builder.input(i), builder.constant(3.0));
        last = builder.apply(Op::kSin, angle);
        sum = builder.apply(Op::kSub, sum, builder.apply(Op::kMul, last, sum));
    }
    // A second level: this one waits for a call of the first.
    sum = builder.apply(Op::kAdd, sum, builder.apply(Op::kSin, last));
    const Program program = builder.finish(std::array{sum});
    EXPECT_EQ(batch_sizes(make_steps(program, 8), Op::kSin), (std::vector{7, 1}));
    EXPECT_EQ(batch_sizes(make_steps(program, 4), Op::kSin), (std::vector{4, 3, 1}));
    EXPECT_EQ(batch_sizes(make_steps(program, 1), Op::kSin), std::vector<int>(8, 1));
}

TEST(Steps, SinesAndCosinesAreMadeTogether) {
    Builder builder(3);
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < 3; ++i) {
        for (const Op op : {Op::kCos, Op::kExp, Op::kSin}) {
            results.push_back(builder.apply(op, builder.input(i)));
        }
    }
    const Steps steps = make_steps(builder.finish(results), 4);
    EXPECT_EQ(batch_sizes(steps, Op::kSin), std::vector{4});  // with the first cosine
    EXPECT_EQ(batch_sizes(steps, Op::kCos), std::vector{2});
    EXPECT_EQ(batch_sizes(steps, Op::kExp), std::vector{3});
}

TEST(Steps, WithoutCallsTheOrderIsThatOfTheProgram) {
    std::mt19937_64 rng(1);
    const Program program = random_program({.instructions = 200, .outputs = 20, .calls = 0.0}, rng);
    const Steps steps = make_steps(program, 8);
    EXPECT_TRUE(std::is_sorted(steps.steps.begin(), steps.steps.end(),
                               [](const Step& x, const Step& y) { return x.value < y.value; }));
}

TEST(Steps, OperandsComeFirstAndNextUsesAreTrue) {
    std::mt19937_64 rng(2);
    for (int i = 0; i < 200; ++i) {
        const Program program =
            random_program({.temporaries = 20, .instructions = 100, .calls = 0.2}, rng);
        const Steps steps = make_steps(program, 8);
        std::vector<bool> known(steps.value_count, false);
        std::fill_n(known.begin(), program.first_temporary(), true);
        for (std::size_t k = 0; k < steps.steps.size(); ++k) {
            const Step& step = steps.steps[k];
            for (std::size_t j = 0; j < step.arity; ++j) {
                ASSERT_TRUE(known[step.operands[j]]);
                std::uint32_t next = kNever;
                for (std::size_t later = k + 1; later < steps.steps.size() && next == kNever;
                     ++later) {
                    const Step& user = steps.steps[later];
                    for (std::size_t m = 0; m < user.arity; ++m) {
                        if (user.operands[m] == step.operands[j]) {
                            next = static_cast<std::uint32_t>(later);
                        }
                    }
                }
                ASSERT_EQ(step.next_use[j], next);
            }
            known[step.value] = true;
        }
        for (const ValueId output : steps.outputs) {
            ASSERT_TRUE(known[output]);
        }
    }
}

TEST(Steps, WhatNoOutputNeedsIsLeftOut) {
    Program program;
    program.input_count = 1;
    program.slot_count = 3;
    program.instructions = {{.op = Op::kSin, .target = 1, .a = 0},
                            {.op = Op::kCos, .target = 2, .a = 1},
                            {.op = Op::kExp, .target = 1, .a = 0}};
    program.outputs = {1};
    const Steps steps = make_steps(program, 8);
    ASSERT_EQ(steps.steps.size(), 1U);
    EXPECT_EQ(steps.steps[0].op, Op::kExp);
}

}  // namespace
}  // namespace ananke::code

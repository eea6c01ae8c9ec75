#include "code/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/interpreter.h"

namespace ananke::code {
namespace {

TEST(Recorded, ComputesWhatWasDone) {
    Builder builder(2);
    const Recorded x(builder, builder.input(0));
    const Recorded y(builder, builder.input(1));
    const Recorded z = (x + 2.0) * (y - x) / (3.0 - y) - reciprocal(x);
    const Value output = z.value(builder);
    Interpreter program(builder.finish(std::span(&output, 1)));
    const double inputs[2] = {1.25, -0.5};
    double result = 0.0;
    program.run(inputs, &result);
    EXPECT_DOUBLE_EQ(result, 3.25 * -1.75 / 3.5 - 0.8);
}

TEST(Recorded, NeutralNumbersLeaveNoTrace) {
    Builder builder(1);
    const Recorded x(builder, builder.input(0));
    const Recorded same = Recorded(0.0) + (x * 1.0 - 0.0) / 1.0 + x * 0.0;
    EXPECT_EQ(same.value(builder), builder.input(0));
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
    Builder builder(4);
    const Recorded x(builder, builder.input(0));
    const Recorded y(builder, builder.input(1));
    const Recorded z(builder, builder.input(2));
    const Recorded w(builder, builder.input(3));
    const Recorded sum = Recorded(0.0) - x * y - z - w * w;
    const Recorded ratio = (Recorded(0.0) - x) * reciprocal(sum);
    EXPECT_TRUE((Recorded(0.0) - sum).is_same_as(sum.unsigned_part()));
    EXPECT_TRUE(ratio.is_same_as(ratio.unsigned_part()));
    EXPECT_TRUE((Recorded(0.0) - (x - y)).is_same_as(y - x));
    const Value outputs[2] = {sum.value(builder), ratio.value(builder)};
    const Program program = builder.finish(outputs);
    EXPECT_EQ(std::count_if(program.instructions.begin(), program.instructions.end(),
                            [](const Instruction& one) { return one.op == Op::kNeg; }),
              1)
        << to_text(program);
    const double inputs[4] = {1.25, -0.5, 3.0, 0.75};
    double results[2];
    Interpreter(program).run(inputs, results);
    EXPECT_DOUBLE_EQ(results[0], 0.625 - 3.0 - 0.5625);
    EXPECT_DOUBLE_EQ(results[1], -1.25 / (0.625 - 3.0 - 0.5625));
}

// A program replayed with a number for an input is the program of that number.
TEST(Recorded, ReplayFoldsNumbers) {
    Builder first(3);
    const Value product = first.apply(Op::kMul, first.input(1), first.input(2));
    const Value sum = first.apply(Op::kAdd, product, first.input(0));
    const Value outputs[2] = {first.apply(Op::kSin, first.input(1)),
                              first.apply(Op::kMax, sum, first.apply(Op::kSqrt, first.input(2)))};
    const Program program = first.finish(outputs);

    Builder second(3);
    const std::vector<Recorded> inputs = {Recorded(second, second.input(0)), 2.0,
                                          Recorded(second, second.input(2))};
    const std::vector<Recorded> replayed = replay(second, program, inputs);
    ASSERT_EQ(replayed.size(), 2U);
    EXPECT_TRUE(replayed[0].is_number());
    const Value values[2] = {replayed[0].value(second), replayed[1].value(second)};
    Interpreter ours(second.finish(values));
    Interpreter theirs(program);
    const double numbers[3] = {0.3, 2.0, 0.7};
    double x[2];
    double y[2];
    ours.run(numbers, x);
    theirs.run(numbers, y);
    EXPECT_EQ(x[0], y[0]);
    EXPECT_EQ(x[1], y[1]);
}

}  // namespace
}  // namespace ananke::code

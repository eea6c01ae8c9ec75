#include "code/composer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "code/composed.h"
#include "code/kernel.h"
#include "code/random_program.h"

namespace ananke::code {
namespace {

TEST(Composer, ProgramsOneAfterTheOtherGiveTheirBits) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        const Program first = random_program(RandomShape{}, random);
        const Program second = random_program(RandomShape{}, random);
        Composer composer(first.input_count);
        std::vector<Composer::Id> inputs;
        for (std::uint32_t i = 0; i < first.input_count; ++i) {
            inputs.push_back(composer.input(i));
        }
        const std::vector<Composer::Id> middle = composer.append(first, inputs);
        std::vector<Composer::Id> next;
        for (std::uint32_t i = 0; i < second.input_count; ++i) {
            next.push_back(middle[i % middle.size()]);
        }
        Kernel whole(std::move(composer).finish(composer.append(second, next)));

        std::uniform_real_distribution<double> number(-2.0, 2.0);
        std::vector<double> x(first.input_count);
        for (double& one : x) {
            one = number(random);
        }
        std::vector<double> y(first.outputs.size());
        Kernel(first).run(x, y);
        std::vector<double> z(second.input_count);
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] = y[i % y.size()];
        }
        std::vector<double> expected(second.outputs.size());
        std::vector<double> found(second.outputs.size());
        Kernel(second).run(z, expected);
        whole.run(x, found);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!std::isnan(expected[i])) {
                EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]),
                          std::bit_cast<std::uint64_t>(expected[i]));
            } else {
                EXPECT_TRUE(std::isnan(found[i]));
            }
        }
    }
}

TEST(Composer, KeepsEachConstantOnce) {
    Composer composer(1);
    const Composer::Id x = composer.input(0);
    const Composer::Id sum = composer.apply(Op::kAdd, x, composer.constant(0.5));
    const Composer::Id product = composer.apply(Op::kMul, sum, composer.constant(0.5));
    const Program program = std::move(composer).finish(std::vector{product, x});
    EXPECT_EQ(program.constants, std::vector{0.5});
    EXPECT_TRUE(is_valid(program));
    Kernel kernel(program);
    std::vector<double> out(2);
    kernel.run(std::vector{3.0}, out);
    EXPECT_EQ(out, (std::vector{1.75, 3.0}));
}

// The bits of std::max and std::min, whatever the numbers are.
TEST(Composer, ExtremaAreThoseOfTheStandardLibrary) {
    Composer composer(2);
    const Composed a(composer, composer.input(0));
    const Composed b(composer, composer.input(1));
    const std::vector<Composer::Id> outputs{max(a, b).id(), min(a, b).id()};
    Kernel kernel(std::move(composer).finish(outputs));
    std::mt19937_64 rng(5);
    for (int i = 0; i < 2000; ++i) {
        const std::vector<double> in{random_number(rng), random_number(rng)};
        std::vector<double> out(2);
        kernel.run(in, out);
        EXPECT_TRUE(same_bits(out[0], std::max(in[0], in[1]))) << in[0] << " " << in[1];
        EXPECT_TRUE(same_bits(out[1], std::min(in[0], in[1]))) << in[0] << " " << in[1];
    }
}

TEST(Composer, WeightedZerosAddNothing) {
    Composer composer(1);
    const Composed x(composer, composer.input(0));
    const Composed zero(composer, composer.constant(0.0));
    const Composed sum = fma(0.25, zero, fma(-0.5, zero, x));
    EXPECT_EQ(sum.id(), x.id());
}

}  // namespace
}  // namespace ananke::code

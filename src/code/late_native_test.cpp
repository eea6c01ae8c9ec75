#include "code/late_native.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "code/interpreter.h"
#include "code/kernel.h"
#include "code/random_program.h"

namespace ananke::code {
namespace {

std::vector<std::uint64_t> bits(std::span<const double> values) {
    std::vector<std::uint64_t> words;
    for (const double value : values) {
        words.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
    }
    return words;
}

TEST(LateNative, GivesTheBitsOfTheInterpreterBeforeAndAfterEmission) {
    std::mt19937_64 rng(4);
    const Program program = random_program({.inputs = 40,
                                            .temporaries = 3000,
                                            .instructions = LateNative::kLongProgram,
                                            .outputs = 1000},
                                           rng);
    std::vector<double> inputs(program.input_count);
    std::uniform_real_distribution<double> number(-2.0, 2.0);
    std::generate(inputs.begin(), inputs.end(), [&] { return number(rng); });
    std::vector<double> outputs(program.outputs.size());
    Interpreter(program).run(inputs.data(), outputs.data());
    const std::vector<std::uint64_t> expected = bits(outputs);
    EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](auto word) { return word != 0; }),
              100);

    Kernel kernel(program, cpu_features());
    EXPECT_FALSE(kernel.is_native());
    for (int run = 1; run < LateNative::kRunsBefore; ++run) {
        kernel.run(inputs, outputs);
        ASSERT_EQ(bits(outputs), expected) << run;
    }
    EXPECT_FALSE(kernel.is_native());
    Kernel copy = kernel;  // counts with the first, and has the code after a run of its own
    kernel.run(inputs, outputs);
    EXPECT_EQ(bits(outputs), expected);
    EXPECT_EQ(kernel.is_native(), cpu_features().avx2);
    EXPECT_FALSE(copy.is_native());
    for (Kernel* one : {&kernel, &copy, &copy}) {
        std::fill(outputs.begin(), outputs.end(), 0.0);
        one->run(inputs, outputs);
        EXPECT_EQ(bits(outputs), expected);
    }
    EXPECT_EQ(copy.is_native(), cpu_features().avx2);
}

}  // namespace
}  // namespace ananke::code

#include "code/tangent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "code/builder.h"
#include "code/kernel.h"
#include "code/random_program.h"

namespace ananke::code {
namespace {

/// f'(x) dx by the central difference of highest order that rounding allows: Richardson's.
std::vector<double> difference(Kernel& f, const std::vector<double>& x,
                               const std::vector<double>& dx, double h) {
    const auto at = [&](double step) {
        std::vector<double> moved = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            moved[i] += step * dx[i];
        }
        std::vector<double> y(f.output_count());
        f.run(moved, y);
        return y;
    };
    const std::vector<double> p1 = at(h);
    const std::vector<double> m1 = at(-h);
    const std::vector<double> p2 = at(2.0 * h);
    const std::vector<double> m2 = at(-2.0 * h);
    std::vector<double> slope(p1.size());
    for (std::size_t i = 0; i < slope.size(); ++i) {
        slope[i] = (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * h);
    }
    return slope;
}

// Each operation by itself, against its derivative by differences.
TEST(Tangent, EveryOperation) {
    for (int k = 0; k < kOpCount; ++k) {
        const Op op = static_cast<Op>(k);
        if (op == Op::kFma || op == Op::kFms || op == Op::kFnma) {
            continue;  // the builder makes them by itself
        }
        Builder builder(3);
        const Value a = builder.input(0);
        const Value b = builder.input(1);
        const Value c = builder.input(2);
        const Value y = arity(op) == 1   ? builder.apply(op, a)
                        : arity(op) == 2 ? builder.apply(op, a, b)
                                         : builder.apply(op, a, b, c);
        const Program program = builder.finish(std::span(&y, 1));
        const std::vector<std::uint32_t> active{0, 1, 2};
        Kernel f(program);
        Kernel df(tangent(program, active, 1));
        const std::vector<double> x{0.37, 0.81, -0.4};
        const std::vector<double> dx{0.9, -0.6, 0.35};
        std::vector<double> inputs = x;
        inputs.insert(inputs.end(), dx.begin(), dx.end());
        double rate = 0.0;
        df.run(inputs, std::span(&rate, 1));
        EXPECT_NEAR(rate, difference(f, x, dx, 1e-3)[0], 1e-10) << name(op);
    }
}

// Whole programs; those with a value that leaves the ordinary are passed over.
TEST(Tangent, RandomProgramsAgreeWithDifferences) {
    std::mt19937_64 rng(1);
    const RandomShape shape{.instructions = 20, .calls = 0.15, .choices = 0.1};
    const std::vector<std::uint32_t> active{0, 2, 3};
    int compared = 0;
    int undefined = 0;  // sqrt at 0 and the like
    for (int k = 0; k < 3000; ++k) {
        Program program = random_program(shape, rng);
        std::uniform_real_distribution<double> number(-1.5, 1.5);
        for (double& constant : program.constants) {
            constant = number(rng);
        }
        Kernel f(program);
        Kernel df(tangent(program, active, program.outputs.size()));
        std::vector<double> x(4);
        std::vector<double> dx(4, 0.0);
        for (double& value : x) {
            value = number(rng);
        }
        std::vector<double> inputs = x;
        for (const std::uint32_t i : active) {
            dx[i] = number(rng);
            inputs.push_back(dx[i]);
        }
        std::vector<double> rates(program.outputs.size());
        df.run(inputs, rates);
        const std::vector<double> coarse = difference(f, x, dx, 2e-4);
        const std::vector<double> fine = difference(f, x, dx, 1e-4);
        for (std::size_t i = 0; i < rates.size(); ++i) {
            // Where the differences agree among themselves there is a derivative to compare with.
            if (std::isfinite(fine[i]) && std::abs(fine[i]) < 1e3 &&
                std::abs(fine[i] - coarse[i]) < 1e-9 * (1.0 + std::abs(fine[i]))) {
                if (!std::isfinite(rates[i])) {
                    ++undefined;
                    continue;
                }
                EXPECT_NEAR(rates[i], fine[i], 1e-7 * (1.0 + std::abs(fine[i]))) << k;
                compared += fine[i] != 0.0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(compared, 1000);
    EXPECT_LT(undefined, 10);
}

// sin(x y) along (1, 0): only what changes is in the program, at most three times as much.
TEST(Tangent, IsShort) {
    Builder builder(2);
    const Value y =
        builder.apply(Op::kSin, builder.apply(Op::kMul, builder.input(0), builder.input(1)));
    const std::vector<std::uint32_t> active{0};
    const Program program = tangent(builder.finish(std::span(&y, 1)), active, 1);
    EXPECT_EQ(program.input_count, 3U);
    EXPECT_LE(program.instructions.size(), 4U);
    Kernel kernel(program);
    const std::vector<double> inputs{0.5, 3.0, 2.0};
    double rate = 0.0;
    kernel.run(inputs, std::span(&rate, 1));
    EXPECT_NEAR(rate, std::cos(1.5) * 3.0 * 2.0, 1e-15);
}

}  // namespace
}  // namespace ananke::code

#include "code/lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "code/functions.h"
#include "code/kernel.h"
#include "code/lowering.h"

namespace ananke::code {
namespace {

using sym::Expr;
using sym::Graph;
using sym::SymbolKind;

struct Symbols : testing::Test {
    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    Expr z = g.symbol(SymbolKind::kCoordinate, "z");
    std::vector<Expr> inputs{x, y, z};
    std::vector<std::string> names{"x", "y", "z"};

    Program lowered(const std::vector<Expr>& outputs) const { return lower(g, inputs, outputs); }
    std::string text(const std::vector<Expr>& outputs) const {
        return to_text(lowered(outputs), names);
    }
    double value(Expr e, double at_x, double at_y = 0.0, double at_z = 0.0) const {
        Kernel kernel(g, inputs, std::vector{e});
        const std::vector<double> in{at_x, at_y, at_z};
        double out = 0.0;
        kernel.run(in, std::span(&out, 1));
        return out;
    }
};

std::size_t count(const Program& program, Op op) {
    return static_cast<std::size_t>(
        std::count_if(program.instructions.begin(), program.instructions.end(),
                      [&](const Instruction& i) { return i.op == op; }));
}

using Lower = Symbols;

TEST_F(Lower, InputsAndConstantsAreOutputsWithoutInstructions) {
    const Program program = lowered({y, g.literal("0.5"), y});
    EXPECT_TRUE(program.instructions.empty());
    EXPECT_EQ(program.outputs, (std::vector<Slot>{1, 3, 1}));
    EXPECT_EQ(program.constants, std::vector<double>{0.5});
    EXPECT_EQ(program.slot_count, 4U);
}

TEST_F(Lower, CommonSubexpressionsAreComputedOnce) {
    const Expr s = g.apply(sym::Op::kSin, g.mul(x, y));
    const Program program =
        lowered({g.square(s), g.div(z, s), g.apply(sym::Op::kCos, g.mul(y, x))});
    EXPECT_EQ(
        count_operations(program),
        (OperationCounts{.instructions = 5, .flops = 3, .fused = 0, .divisions = 1, .calls = 2}));
}

// x^6 = x^2 * x^4 and x^4 share what lowering itself makes, x^2 and x^4.
TEST_F(Lower, PowersShareTheirProducts) {
    const Program program = lowered({g.pow(x, g.integer(6)), g.pow(x, g.integer(4))});
    EXPECT_EQ(count_operations(program).instructions, 3U);
    EXPECT_EQ(count(program, Op::kMul), 3U);
}

TEST_F(Lower, WhatNoOutputNeedsIsGone) {
    g.apply(sym::Op::kExp, g.add(x, y));
    EXPECT_EQ(text({g.sub(x, z)}), "s3 = x - z\nout0 = s3\n");
}

TEST_F(Lower, ConstantsAreFoldedWithTheFunctionsOfTheTiers) {
    const Expr sine = g.apply(sym::Op::kSin, g.integer(1));
    const Program program = lowered({sine, g.mul(g.integer(2), g.pi())});
    EXPECT_TRUE(program.instructions.empty());
    EXPECT_EQ(program.constants, (std::vector<double>{functions().sin(1.0), 6.283185307179586}));
}

TEST_F(Lower, ProductUsedByOneSumIsFused) {
    const Expr product = g.mul(x, y);
    EXPECT_EQ(count(lowered({g.add(product, z)}), Op::kFma), 1U);
    EXPECT_EQ(count(lowered({g.sub(product, z)}), Op::kFms), 1U);
    EXPECT_EQ(count(lowered({g.sub(z, product)}), Op::kFnma), 1U);
    for (const Expr e : {g.add(product, z), g.sub(product, z), g.sub(z, product)}) {
        EXPECT_EQ(lowered({e}).instructions.size(), 1U);
    }
    // With x = 1 + 2^-30 the product x^2 = 1 + 2^-29 + 2^-60 needs 61 bits: only fma sees the last.
    const double e30 = 0x1p-30;
    EXPECT_EQ(value(g.sub(g.square(x), y), 1.0 + e30, 1.0 + 2.0 * e30), 0x1p-60);
    EXPECT_EQ(value(g.sub(y, g.square(x)), 1.0 + e30, 1.0 + 2.0 * e30), -0x1p-60);
    EXPECT_EQ(value(g.add(g.square(x), y), 1.0 + e30, -1.0 - 2.0 * e30), 0x1p-60);
}

TEST_F(Lower, ProductWithTwoUsesIsNotFused) {
    const Expr product = g.mul(x, y);
    EXPECT_EQ(count_operations(lowered({g.add(product, z), product})).fused, 0U);
    EXPECT_EQ(count_operations(lowered({g.add(product, z), g.sub(z, product)})).fused, 0U);
}

TEST_F(Lower, SumOfTwoProductsFusesExactlyOne) {
    const Program program = lowered({g.add(g.mul(x, y), g.mul(y, z))});
    EXPECT_EQ(count(program, Op::kMul), 1U);
    EXPECT_EQ(count(program, Op::kFma), 1U);
    EXPECT_EQ(program.instructions.size(), 2U);
}

TEST_F(Lower, SineAndCosineOfOneArgumentAreTwoCalls) {
    EXPECT_EQ(
        count_operations(lowered({g.apply(sym::Op::kSin, x), g.apply(sym::Op::kCos, x)})).calls,
        2U);
}

TEST_F(Lower, PowersBecomeProductsRootsOrCalls) {
    EXPECT_EQ(text({g.square(x)}), "s3 = x * x\nout0 = s3\n");
    EXPECT_EQ(text({g.pow(x, g.integer(-2))}), "s4 = x * x\ns4 = 1 / s4\nout0 = s4\n");
    EXPECT_EQ(text({g.pow(x, g.fraction(-1, 2))}), "s4 = sqrt(x)\ns4 = 1 / s4\nout0 = s4\n");
    EXPECT_EQ(count_operations(lowered({g.pow(x, g.fraction(3, 2))})).flops, 2U);
    EXPECT_EQ(count_operations(lowered({g.pow(x, g.integer(31))})).flops, 8U);
    EXPECT_EQ(count_operations(lowered({g.pow(x, g.integer(32))})).flops, 5U);
    EXPECT_EQ(count(lowered({g.pow(x, g.integer(33))}), Op::kPow), 1U);
    EXPECT_EQ(count(lowered({g.pow(x, y)}), Op::kPow), 1U);
    EXPECT_EQ(count(lowered({g.pow(x, g.fraction(1, 3))}), Op::kPow), 1U);
    for (int n = -32; n <= 32; ++n) {
        EXPECT_EQ(value(g.pow(x, g.integer(n)), 2.0), std::ldexp(1.0, n)) << n;
        EXPECT_EQ(value(g.pow(x, g.fraction(n, 2)), 4.0), std::ldexp(1.0, n)) << n;
    }
}

TEST_F(Lower, TemporariesAreUsedAgain) {
    Expr e = x;
    for (int i = 0; i < 1000; ++i) {
        e = g.apply(sym::Op::kSin, g.mul(e, y));
    }
    const Program program = lowered({e});
    EXPECT_EQ(program.instructions.size(), 2000U);
    EXPECT_EQ(program.slot_count, 4U);
}

// Each output is read by the next one; its slot must not be used again all the same.
TEST_F(Lower, OutputsLiveToTheEnd) {
    std::vector<Expr> chain{x};
    std::vector<double> expected{0.5};
    for (int i = 0; i < 20; ++i) {
        const bool is_call = i % 2 == 0;
        chain.push_back(is_call ? g.apply(sym::Op::kSin, chain.back()) : g.sub(chain.back(), y));
        expected.push_back(is_call ? functions().sin(expected.back()) : expected.back() - 0.75);
    }
    std::vector<double> out(chain.size());
    for (int direction = 0; direction < 2; ++direction) {
        Kernel kernel(g, inputs, chain);
        kernel.run(std::vector{0.5, 0.75, 0.0}, out);
        EXPECT_EQ(out, expected);
        std::reverse(chain.begin(), chain.end());
        std::reverse(expected.begin(), expected.end());
    }
}

TEST_F(Lower, DeepChainNeedsNoRecursion) {
    constexpr std::size_t kDepth = 100'000;
    Expr e = x;
    for (std::size_t i = 0; i < kDepth; ++i) {
        e = g.apply(i % 2 == 0 ? sym::Op::kSin : sym::Op::kAtan, e);
    }
    const Program program = lowered({e});
    EXPECT_EQ(program.instructions.size(), kDepth);
    EXPECT_TRUE(is_valid(program));
}

TEST_F(Lower, MissingSymbolIsAContractViolation) {
    EXPECT_DEATH(lower(g, std::vector{x}, std::vector{g.add(x, y)}), "contract violated");
    EXPECT_DEATH(lower(g, std::vector{x, x}, std::vector{x}), "contract violated");
    EXPECT_DEATH(lower(g, std::vector{g.one()}, std::vector{g.one()}), "contract violated");
}

TEST_F(Lower, HashFollowsStructure) {
    const Program program = lowered({g.add(g.mul(x, y), g.integer(2))});
    EXPECT_EQ(hash(program), hash(lowered({g.add(g.integer(2), g.mul(y, x))})));
    EXPECT_NE(hash(program), hash(lowered({g.add(g.mul(x, y), g.integer(3))})));
    EXPECT_NE(hash(program), hash(lowered({g.add(g.mul(x, z), g.integer(2))})));
    EXPECT_NE(hash(program), hash(lowered({g.sub(g.mul(x, y), g.integer(2))})));
    EXPECT_FALSE(program == lowered({g.sub(g.mul(x, y), g.integer(2))}));
}

// Which products are fused, and which slots are free, depends on what the program itself needs.
TEST_F(Lower, ProgramsOfOneLoweringAreThoseMadeAlone) {
    const Expr product = g.mul(x, y);
    const Expr sum = g.add(product, z);
    const Expr sine = g.apply(sym::Op::kSin, sum);
    const std::vector<std::vector<Expr>> programs{
        {sum}, {sine, product}, {sum, sum}, {g.sub(product, sine), g.mul(sum, g.integer(3)), sine},
        {x},   {sum},           {},         {g.add(product, g.mul(y, z)), g.add(product, x)}};
    Lowering lowering(g, inputs);
    for (const std::vector<Expr>& outputs : programs) {
        const Program program = lowering.program(outputs);
        EXPECT_EQ(program, lowered(outputs)) << to_text(program, names);
        EXPECT_TRUE(is_valid(program));
        EXPECT_EQ(program.instructions.size(), program.instructions.capacity());
    }
}

// The same structure over other coordinates is the same program over its own inputs.
TEST_F(Lower, ElementsOfEqualStructureShareAProgram) {
    const Expr w = g.symbol(SymbolKind::kCoordinate, "w");
    const auto element = [&](Expr a, Expr b) {
        const Expr length = g.apply(sym::Op::kSqrt, g.add(g.square(a), g.square(b)));
        return lower(g, std::vector{a, b}, std::vector{g.mul(a, length), g.div(b, length)});
    };
    EXPECT_EQ(element(x, y), element(w, z));
    EXPECT_EQ(element(x, y), element(z, x));
    EXPECT_EQ(hash(element(x, y)), hash(element(w, z)));
}

TEST(IsValid, RejectsReadsOfUnwrittenSlotsAndWritesToConstants) {
    Program program{
        .input_count = 1, .slot_count = 3, .constants = {2.0}, .instructions = {}, .outputs = {0}};
    EXPECT_TRUE(is_valid(program));
    program.outputs = {2};
    EXPECT_FALSE(is_valid(program));
    program.instructions = {{.op = Op::kMul, .target = 2, .a = 0, .b = 1}};
    EXPECT_TRUE(is_valid(program));
    program.instructions[0].target = 1;
    EXPECT_FALSE(is_valid(program));
    program.instructions[0] = {.op = Op::kMul, .target = 2, .a = 0, .b = 2};
    EXPECT_FALSE(is_valid(program));
    program.instructions[0] = {.op = Op::kMul, .target = 3, .a = 0, .b = 1};
    EXPECT_FALSE(is_valid(program));
}

}  // namespace
}  // namespace ananke::code

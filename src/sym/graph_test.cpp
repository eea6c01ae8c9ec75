#include "sym/graph.h"
#include "sym/evaluate.h"

#include <gtest/gtest.h>

namespace ananke::sym {
namespace {

class GraphTest : public ::testing::Test {
  protected:
    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    Expr m = g.symbol(SymbolKind::kParameter, "m");
    Expr two = g.integer(2);
    Expr three = g.integer(3);
};

TEST_F(GraphTest, EqualExpressionsAreOneNode) {
    EXPECT_EQ(g.add(x, y), g.add(y, x));
    EXPECT_EQ(g.mul(x, g.mul(two, y)), g.mul(g.mul(y, two), x));
    EXPECT_EQ(g.symbol(SymbolKind::kCoordinate, "x"), x);
    EXPECT_NE(g.symbol(SymbolKind::kVelocity, "x"), x);
    EXPECT_EQ(g.literal("0.50"), g.fraction(1, 2));
}

TEST_F(GraphTest, ASettledGraphStillKnowsItsNodes) {
    const Expr sum = g.add(g.mul(two, x), g.apply(Op::kSin, y));
    const std::size_t size = g.size();
    g.settle();
    EXPECT_EQ(g.add(g.apply(Op::kSin, y), g.mul(x, two)), sum);
    EXPECT_EQ(g.size(), size);
    g.settle();
    const Expr product = g.mul(sum, m);
    EXPECT_EQ(g.size(), size + 1);
    const Graph copy = g;
    EXPECT_EQ(g.mul(m, sum), product);
    EXPECT_EQ(copy.node(product), g.node(product));
}

TEST_F(GraphTest, SumsAreCanonical) {
    EXPECT_EQ(g.add(x, g.zero()), x);
    EXPECT_EQ(g.sub(x, x), g.zero());
    EXPECT_EQ(g.add(x, x), g.mul(two, x));
    EXPECT_EQ(g.add(g.add(x, g.one()), two), g.add(x, three));
    EXPECT_EQ(g.add(g.one(), x), g.add(x, g.one()));
    EXPECT_EQ(g.add(x, g.neg(y)), g.sub(x, y));
    EXPECT_EQ(g.add(g.neg(x), y), g.sub(y, x));
    EXPECT_EQ(g.sub(g.neg(x), y), g.neg(g.add(x, y)));
    EXPECT_EQ(g.sub(g.add(x, y), y), x);
    EXPECT_EQ(g.sub(g.mul(three, x), g.mul(two, x)), x);
    EXPECT_EQ(g.add(g.sub(g.one(), x), two), g.sub(three, x));
}

TEST_F(GraphTest, ProductsAreCanonical) {
    EXPECT_EQ(g.mul(x, g.one()), x);
    EXPECT_EQ(g.mul(x, g.zero()), g.zero());
    EXPECT_EQ(g.mul(g.neg(x), y), g.neg(g.mul(x, y)));
    EXPECT_EQ(g.mul(x, x), g.square(x));
    EXPECT_EQ(g.mul(g.pow(x, two), g.pow(x, three)), g.pow(x, g.integer(5)));
    EXPECT_EQ(g.div(m, two), g.mul(g.fraction(1, 2), m));
    EXPECT_EQ(g.mul(g.div(m, two), g.mul(two, x)), g.mul(m, x));
    EXPECT_EQ(g.div(g.one(), g.neg(x)), g.neg(g.div(g.one(), x)));
    EXPECT_EQ(g.square(g.mul(three, x)), g.mul(g.integer(9), g.square(x)));
    const Graph::Formal formal(g);
    EXPECT_EQ(g.mul(g.div(x, y), y), x);
    EXPECT_EQ(g.div(g.mul(x, y), x), y);
    EXPECT_EQ(g.div(x, x), g.one());
}

TEST_F(GraphTest, PowersAndFunctionsAreCanonical) {
    EXPECT_EQ(g.pow(x, g.zero()), g.one());
    EXPECT_EQ(g.pow(x, g.integer(-1)), g.div(g.one(), x));
    EXPECT_EQ(g.pow(g.neg(x), two), g.square(x));
    EXPECT_EQ(g.pow(g.neg(x), three), g.neg(g.pow(x, three)));
    EXPECT_EQ(g.pow(x, g.literal("0.5")), g.apply(Op::kSqrt, x));
    EXPECT_EQ(g.square(g.apply(Op::kSqrt, g.square(x))), g.square(x));
    EXPECT_EQ(g.apply(Op::kSin, g.neg(x)), g.neg(g.apply(Op::kSin, x)));
    EXPECT_EQ(g.apply(Op::kCos, g.sub(x, y)), g.apply(Op::kCos, g.sub(x, y)));
    EXPECT_EQ(g.apply(Op::kCos, g.zero()), g.one());
    EXPECT_EQ(g.apply(Op::kSqrt, g.fraction(9, 4)), g.fraction(3, 2));
    EXPECT_EQ(g.select(g.apply(Op::kLess, two, three), x, y), x);
}

// (x + c) + d with a sum of numbers that no fraction of 64 bits holds: one inexact number.
TEST_F(GraphTest, NumbersOfASumThatDoNotFitBecomeOne) {
    const Expr c = g.literal("0.12345678901234567");
    const Expr d = g.div(g.one(), g.integer(1'000'000'007));
    EXPECT_TRUE(g.is_canonical(g.add(g.add(x, c), d)));  // as written they stay two
    const Graph::Formal formal(g);
    const Expr sum = g.add(g.add(x, c), d);
    EXPECT_TRUE(g.is_canonical(sum));
    EXPECT_NEAR(evaluate<double>(g, sum, {{x, 0.0}}), 0.12345678901234567 + 1.0 / 1'000'000'007,
                1e-16);
}

TEST_F(GraphTest, FractionsAreExactUntilTheyDoNotFit) {
    EXPECT_EQ(g.add(g.literal("0.1"), g.literal("0.2")), g.literal("0.3"));
    EXPECT_EQ(g.constant(g.literal("1e-3")).denominator, 1000);
    EXPECT_EQ(g.constant(g.literal("9.81")).text, "9.81");
    EXPECT_EQ(g.constant(g.literal("9.81")).value, 9.81);
    EXPECT_FALSE(g.constant(g.literal("1e-40")).exact());
    EXPECT_EQ(g.constant(g.literal("1e-40")).value, 1e-40);
    EXPECT_EQ(g.constant(g.literal("0.12345678901234567890123")).value, 0.12345678901234567890123);
    const Expr large = g.literal("9007199254740991");
    const Expr apart = g.mul(large, g.mul(large, x));
    EXPECT_TRUE(g.is_canonical(apart));
    EXPECT_EQ(g.node(apart).a, large.id);
    const Graph::Formal formal(g);
    const Expr product = g.mul(large, g.mul(large, x));
    EXPECT_TRUE(g.is_canonical(product));
    EXPECT_EQ(g.constant(Expr{g.node(product).a}).value, 9007199254740991.0 * 9007199254740991.0);
}

}  // namespace
}  // namespace ananke::sym

// The canonical form on random expressions: it holds everywhere, is stable, and changes no value.
#include <cmath>

#include <gtest/gtest.h>

#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/random_expression.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

TEST(Canonical, HoldsForEveryNodeAndRebuildingChangesNothing) {
    for (unsigned seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        const Expr f = random.expression(15, true);
        gradient(g, f, random.symbols());
        const std::size_t size = g.size();
        for (std::uint32_t id = 0; id < size; ++id) {
            const Expr e{id};
            const Node n = g.node(e);
            EXPECT_TRUE(g.is_canonical(e)) << print(g, e);
            if (arity(n.op) > 0) {
                EXPECT_EQ(rebuild(g, n.op, Expr{n.a}, Expr{n.b}, Expr{n.c}), e) << print(g, e);
            }
        }
        EXPECT_EQ(g.size(), size);
    }
}

// Every constructor against plain arithmetic on the values.
TEST(Canonical, SimplificationKeepsTheValue) {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        const Expr a = random.expression(6, false);
        const Expr b = random.expression(6, false);
        const Values<long double> at = random.point<long double>();
        const auto value = [&](Expr e) { return evaluate<long double>(g, e, at); };
        const long double va = value(a);
        const long double vb = value(b);
        EXPECT_TRUE(is_near(value(g.add(a, b)), va + vb, 1e-15L));
        EXPECT_TRUE(is_near(value(g.sub(a, b)), va - vb, 1e-15L));
        EXPECT_TRUE(is_near(value(g.sub(g.add(a, b), a)), vb, 1e-15L));
        EXPECT_TRUE(is_near(value(g.mul(a, b)), va * vb, 1e-15L));
        EXPECT_TRUE(is_near(value(g.mul(g.mul(a, b), a)), va * vb * va, 1e-15L));
        EXPECT_TRUE(is_near(value(g.neg(g.mul(g.neg(a), b))), va * vb, 1e-15L));
        if (std::abs(vb) > 1e-2L) {
            EXPECT_TRUE(is_near(value(g.div(a, b)), va / vb, 1e-15L));
            EXPECT_TRUE(is_near(value(g.mul(g.div(a, b), b)), va, 1e-15L));
            EXPECT_TRUE(is_near(value(g.div(g.mul(a, b), g.square(b))), va / vb, 1e-15L));
            EXPECT_TRUE(is_near(value(g.pow(b, g.integer(-2))), 1 / (vb * vb), 1e-15L));
        }
        EXPECT_TRUE(is_near(value(g.pow(g.neg(a), g.integer(3))), -va * va * va, 1e-15L));
        EXPECT_TRUE(is_near(value(g.apply(Op::kSqrt, g.square(a))), std::abs(va), 1e-15L));
        EXPECT_TRUE(is_near(value(g.apply(Op::kCos, g.neg(a))), std::cos(va), 1e-15L));
    }
}

// Expressions that are written differently but are one node.
TEST(Canonical, Identities) {
    Graph g;
    const Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    const Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    const Expr z = g.symbol(SymbolKind::kCoordinate, "z");
    const Expr two = g.integer(2);
    EXPECT_EQ(g.div(g.mul(two, x), two), x);
    EXPECT_EQ(g.mul(g.div(x, two), g.div(y, g.integer(3))), g.div(g.mul(x, y), g.integer(6)));
    EXPECT_EQ(g.sub(g.sub(x, y), g.sub(x, y)), g.zero());
    EXPECT_EQ(g.neg(g.sub(x, y)), g.sub(y, x));
    EXPECT_EQ(g.neg(g.neg(x)), x);
    EXPECT_EQ(g.apply(Op::kSin, g.neg(x)), g.neg(g.apply(Op::kSin, x)));
    EXPECT_EQ(g.select(g.apply(Op::kLess, g.one(), two), x, y), x);
    EXPECT_EQ(g.apply(Op::kMin, x, y), g.apply(Op::kMin, y, x));
    EXPECT_EQ(g.literal("1e-3"), g.fraction(1, 1000));
    EXPECT_NE(g.mul(x, g.add(y, z)), g.add(g.mul(x, y), g.mul(x, z)));  // nothing is expanded
    const Graph::Formal formal(g);
    EXPECT_EQ(g.div(g.div(x, y), z), g.div(x, g.mul(y, z)));
    EXPECT_EQ(g.div(x, g.div(y, z)), g.div(g.mul(x, z), y));
}

}  // namespace
}  // namespace ananke::sym

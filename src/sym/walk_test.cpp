#include "sym/walk.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sym/differentiate.h"
#include "sym/evaluate.h"
#include "sym/print.h"
#include "sym/random_expression.h"

namespace ananke::sym {
namespace {

class Walk : public ::testing::Test {
  protected:
    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    Expr z = g.symbol(SymbolKind::kCoordinate, "z");
    Expr v = g.symbol(SymbolKind::kVelocity, "x");
    Expr m = g.symbol(SymbolKind::kParameter, "m");
};

TEST_F(Walk, ReachableListsOperandsBeforeUsersAndEachOnce) {
    const Expr s = g.apply(Op::kSin, x);
    const Expr f = g.mul(g.add(s, y), s);
    g.apply(Op::kCos, z);  // elsewhere in the graph
    const std::vector<Expr> nodes = reachable(g, f);
    EXPECT_EQ(nodes, (std::vector<Expr>{x, y, s, g.add(s, y), f}));
}

TEST_F(Walk, SymbolsAndKinds) {
    const Expr f = g.add(g.mul(m, v), g.apply(Op::kSin, x));
    EXPECT_EQ(symbols_of(g, f), (std::vector<Expr>{x, v, m}));
    EXPECT_TRUE(depends_on_kind(g, f, SymbolKind::kVelocity));
    EXPECT_FALSE(depends_on_kind(g, f, SymbolKind::kTime));
}

TEST_F(Walk, SubstituteReplacesAllAtOnce) {
    const Expr f = g.sub(g.square(x), g.mul(x, y));
    const Replacement swap[] = {{x, y}, {y, x}};
    EXPECT_EQ(substitute(g, f, swap), g.sub(g.square(y), g.mul(x, y)));
    const Replacement zero[] = {{x, g.zero()}};
    EXPECT_EQ(substitute(g, f, zero), g.zero());
    EXPECT_EQ(substitute(g, g.square(z), swap), g.square(z));
    EXPECT_EQ(substitute(g, x, swap), y);
}

TEST_F(Walk, SubstituteAgreesWithEvaluation) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Graph graph;
        RandomExpressions random(graph, seed);
        const Expr f = random.expression(12, true);
        const Expr inner = random.expression(4, false);
        const Expr symbol = random.symbols()[0];
        Values<long double> at = random.point<long double>();
        const Replacement replacement[] = {{symbol, inner}};
        const long double replaced =
            evaluate<long double>(graph, substitute(graph, f, replacement), at);
        at[symbol] = evaluate<long double>(graph, inner, at);
        const long double expected = evaluate<long double>(graph, f, at);
        EXPECT_TRUE(is_near(replaced, expected, 1e-14L));
    }
}

TEST_F(Walk, SummandsInReadingOrderWithSigns) {
    const Expr p = g.mul(x, y);
    EXPECT_EQ(summands(g, g.sub(g.add(x, p), z)), (std::vector<Expr>{x, p, g.neg(z)}));
    EXPECT_EQ(summands(g, g.neg(g.add(x, y))), (std::vector<Expr>{g.neg(x), g.neg(y)}));
    EXPECT_EQ(summands(g, g.sub(x, g.sub(y, z))), (std::vector<Expr>{x, g.neg(y), z}));
    EXPECT_EQ(summands(g, p), (std::vector<Expr>{p}));
    EXPECT_EQ(summands(g, g.sub(x, g.integer(3))), (std::vector<Expr>{x, g.integer(-3)}));
}

// s → (s + x) + (s + y) doubles the written terms 40 times over.
TEST_F(Walk, SummandsOfSharedSumsStayFew) {
    Expr s = z;
    for (int i = 0; i < 40; ++i) {
        s = g.add(g.add(s, x), g.sub(s, y));
    }
    const std::vector<Expr> terms = summands(g, s);
    EXPECT_EQ(terms.size(), 3U);
    Expr total = g.zero();
    for (Expr term : terms) {
        total = g.add(total, term);
    }
    const Values<double> at{{x, 0.5}, {y, 2.0}, {z, 4.0}};
    EXPECT_EQ(evaluate<double>(g, total, at), evaluate<double>(g, s, at));
}

TEST_F(Walk, MagnitudeAddsWhatWouldCancel) {
    const auto size = [&](Expr e, double a, double b) {
        return evaluate<double>(g, magnitude(g, e), {{x, a}, {y, b}});
    };
    EXPECT_EQ(size(g.sub(x, y), 2.0, 2.0), 4.0);
    EXPECT_EQ(size(g.neg(g.add(x, y)), 2.0, -2.0), 4.0);
    EXPECT_EQ(size(g.mul(g.sub(x, y), g.add(x, y)), 3.0, 2.0), 25.0);
    EXPECT_EQ(size(g.mul(g.integer(-2), x), -3.0, 0.0), 6.0);
    EXPECT_EQ(size(g.div(g.sub(x, y), g.sub(y, g.integer(7))), 3.0, 5.0), 4.0);
    EXPECT_EQ(size(g.square(g.sub(x, y)), 2.0, 5.0), 9.0);
    EXPECT_EQ(size(g.apply(Op::kSin, g.sub(x, y)), 0.0, 1.0), std::sin(1.0));
}

TEST_F(Walk, MagnitudeBoundsTheValue) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Graph graph;
        RandomExpressions random(graph, seed);
        const Expr f = random.expression(12, true);
        const Values<long double> at = random.point<long double>();
        const long double value = evaluate<long double>(graph, f, at);
        const long double bound = evaluate<long double>(graph, magnitude(graph, f), at);
        EXPECT_GE(bound * (1 + 1e-15L), std::abs(value));
    }
}

// Everything is a loop: depth costs memory for nodes, never stack.
class DeepChain : public ::testing::TestWithParam<int> {
  protected:
    const int depth = GetParam() <= 1 ? 100'000 : 30'000;

    Expr next(Expr e) {
        switch (GetParam()) {
            case 0:
                return g.apply(Op::kSin, e);
            case 1:
                return g.mul(y, g.add(e, x));
            case 2:
                return g.div(y, g.add(e, g.integer(2)));
            case 3:
                return g.add(g.apply(Op::kSin, e), g.mul(y, e));
            case 4:
                return g.sub(x, g.apply(Op::kTanh, e));
            case 5:
                return g.pow(g.apply(Op::kCos, e), y);
            case 6:
                return g.select(g.apply(Op::kLess, e, x), y, g.apply(Op::kSign, e));
            case 7:
                return g.apply(Op::kNot, g.apply(Op::kAnd, e, x));
            default:
                return g.mul(e, g.symbol(SymbolKind::kParameter, "p" + std::to_string(++count)));
        }
    }

    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    int count = 0;
};

TEST_P(DeepChain, BuildsDifferentiatesPrintsAndFrees) {
    Expr e = x;
    for (int i = 0; i < depth; ++i) {
        e = next(e);
    }
    const std::size_t built = reachable(g, e).size();
    EXPECT_GE(built, static_cast<std::size_t>(depth));
    const Expr forward = derivative(g, e, x);
    const Expr symbols[] = {x, y};
    const std::vector<Expr> backward = gradient(g, e, symbols);
    EXPECT_LE(g.size(), 40 * built);
    const auto expect_printed = [&](Expr root, Notation notation) {
        const std::string text = print(g, root, notation);
        EXPECT_FALSE(text.empty());
        EXPECT_LE(text.size(), 300U * static_cast<std::size_t>(depth));
    };
    expect_printed(e, Notation::kText);
    expect_printed(e, Notation::kLatex);
    expect_printed(e, Notation::kC);
    expect_printed(forward, Notation::kText);
    expect_printed(backward[0], Notation::kC);
    const Replacement swap[] = {{x, y}};
    substitute(g, e, swap);
    magnitude(g, e);
    summands(g, e);
}

INSTANTIATE_TEST_SUITE_P(OfEveryShape, DeepChain, ::testing::Range(0, 9));

}  // namespace
}  // namespace ananke::sym

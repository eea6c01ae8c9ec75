#include "sym/evaluate.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "sym/random_expression.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

TEST(Evaluate, EveryOperation) {
    Graph g;
    const Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    const Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    const double a = 0.7;
    const double b = -1.3;
    const Values<double> at{{x, a}, {y, b}};
    const auto one = [&](Op op) { return evaluate<double>(g, g.apply(op, x), at); };
    const auto two = [&](Op op) { return evaluate<double>(g, g.apply(op, x, y), at); };
    EXPECT_EQ(two(Op::kAdd), a + b);
    EXPECT_EQ(two(Op::kSub), a - b);
    EXPECT_EQ(two(Op::kMul), a * b);
    EXPECT_EQ(two(Op::kDiv), a / b);
    EXPECT_DOUBLE_EQ(two(Op::kPow), std::pow(a, b));
    EXPECT_EQ(one(Op::kNeg), -a);
    EXPECT_DOUBLE_EQ(one(Op::kSin), std::sin(a));
    EXPECT_DOUBLE_EQ(one(Op::kCos), std::cos(a));
    EXPECT_DOUBLE_EQ(one(Op::kTan), std::tan(a));
    EXPECT_DOUBLE_EQ(one(Op::kAsin), std::asin(a));
    EXPECT_DOUBLE_EQ(one(Op::kAcos), std::acos(a));
    EXPECT_DOUBLE_EQ(one(Op::kAtan), std::atan(a));
    EXPECT_DOUBLE_EQ(one(Op::kSinh), std::sinh(a));
    EXPECT_DOUBLE_EQ(one(Op::kCosh), std::cosh(a));
    EXPECT_DOUBLE_EQ(one(Op::kTanh), std::tanh(a));
    EXPECT_DOUBLE_EQ(one(Op::kExp), std::exp(a));
    EXPECT_DOUBLE_EQ(one(Op::kLog), std::log(a));
    EXPECT_DOUBLE_EQ(one(Op::kSqrt), std::sqrt(a));
    EXPECT_EQ(evaluate<double>(g, g.apply(Op::kAbs, y), at), 1.3);
    EXPECT_EQ(evaluate<double>(g, g.apply(Op::kSign, y), at), -1.0);
    EXPECT_EQ(evaluate<double>(g, g.apply(Op::kSign, x), {{x, 0.0}}), 0.0);
    EXPECT_DOUBLE_EQ(two(Op::kAtan2), std::atan2(a, b));
    EXPECT_EQ(two(Op::kMin), b);
    EXPECT_EQ(two(Op::kMax), a);
    EXPECT_EQ(two(Op::kLess), 0.0);
    EXPECT_EQ(two(Op::kLessEqual), 0.0);
    EXPECT_EQ(two(Op::kEqual), 0.0);
    EXPECT_EQ(two(Op::kAnd), 1.0);
    EXPECT_EQ(two(Op::kOr), 1.0);
    EXPECT_EQ(one(Op::kNot), 0.0);
    EXPECT_EQ(evaluate<double>(g, g.select(x, y, g.one()), at), b);
    EXPECT_EQ(evaluate<double>(g, g.select(x, y, g.one()), {{x, 0.0}, {y, b}}), 1.0);
}

TEST(Evaluate, LongDoubleUsesTheExactNumber) {
    Graph g;
    EXPECT_EQ(evaluate<long double>(g, g.literal("0.1"), {}), 0.1L);
    EXPECT_EQ(evaluate<long double>(g, g.fraction(1, 3), {}), 1.0L / 3.0L);
    EXPECT_EQ(evaluate<long double>(g, g.pi(), {}), std::numbers::pi_v<long double>);
    EXPECT_EQ(evaluate<long double>(g, g.literal("1.6021766340000000001e-119"), {}),
              1.6021766340000000001e-119L);
    EXPECT_EQ(evaluate<double>(g, g.literal("0.1"), {}), 0.1);
}

TEST(Evaluate, DoubleAgreesWithLongDouble) {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        const Expr f = random.expression(15, false);
        const Values<double> at = random.point<double>();
        const Values<long double> same(at.begin(), at.end());
        const long double precise = evaluate<long double>(g, f, same);
        EXPECT_TRUE(is_near(evaluate<double>(g, f, at), precise, 1e-12L));
    }
}

TEST(Evaluate, ManyRootsAtOnce) {
    Graph g;
    const Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    const Expr roots[] = {g.square(x), x, g.integer(4), g.square(x)};
    EXPECT_EQ(evaluate<double>(g, roots, {{x, 3.0}}), (std::vector<double>{9.0, 3.0, 4.0, 9.0}));
}

}  // namespace
}  // namespace ananke::sym

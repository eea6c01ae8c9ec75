#include "sym/differentiate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sym/evaluate.h"
#include "sym/random_expression.h"

namespace ananke::sym {
namespace {

using Real = long double;

constexpr int kDraws = 2000;
constexpr int kOperations = 12;

/// Central difference of fourth order, (8 (f₁ - f₋₁) - (f₂ - f₋₂)) / 12h.
Real central_difference(const Graph& g, Expr f, Expr symbol, Values<Real> at, Real h) {
    const Real x = at[symbol];
    const auto value = [&](int steps) {
        at[symbol] = x + static_cast<Real>(steps) * h;
        return evaluate<Real>(g, f, at);
    };
    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
}

/// Compares a derivative with differences of two step sizes. Where the two disagree (a kink between
/// the points, a wild function) they prove nothing, and the draw does not count.
class Comparison {
  public:
    void check(const Graph& g, Expr f, Expr df, Expr symbol, const Values<Real>& at) {
        constexpr Real kTolerance = 1e-9L;
        const Real coarse = central_difference(g, f, symbol, at, 1e-3L);
        const Real fine = central_difference(g, f, symbol, at, 5e-4L);
        ++draws_;
        if (is_near(coarse, fine, kTolerance)) {
            ++meaningful_;
            EXPECT_TRUE(is_near(evaluate<Real>(g, df, at), fine, kTolerance));
        }
    }
    double meaningful_share() const { return meaningful_ / draws_; }

  private:
    double draws_ = 0;
    double meaningful_ = 0;
};

TEST(Derivative, FirstAndSecondAgreeWithCentralDifferences) {
    for (const bool kinks : {false, true}) {
        Comparison first;
        Comparison second;
        for (unsigned seed = 0; seed < kDraws; ++seed) {
            SCOPED_TRACE(seed);
            Graph g;
            RandomExpressions random(g, seed);
            const Expr f = random.expression(kOperations, kinks);
            const Values<Real> at = random.point<Real>();
            const Expr x = random.symbols()[seed % 2];
            const Expr y = random.symbols()[(seed / 2) % 2];
            const Expr df = derivative(g, f, x);
            first.check(g, f, df, x, at);
            second.check(g, df, derivative(g, df, y), y, at);
        }
        EXPECT_GT(first.meaningful_share(), 0.95);
        EXPECT_GT(second.meaningful_share(), 0.9);
    }
}

TEST(Gradient, IsThePartialDerivatives) {
    for (unsigned seed = 0; seed < kDraws; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        const Expr f = random.expression(kOperations, true);
        const Values<Real> at = random.point<Real>();
        const std::vector<Expr> backward = gradient(g, f, random.symbols());
        for (std::size_t i = 0; i < backward.size(); ++i) {
            const Expr forward = derivative(g, f, random.symbols()[i]);
            const Real value = evaluate<Real>(g, forward, at);
            EXPECT_TRUE(is_near(evaluate<Real>(g, backward[i], at), value, 1e-13L));
        }
    }
}

TEST(Directional, IsTheSumOfPartialDerivatives) {
    for (unsigned seed = 0; seed < kDraws; ++seed) {
        SCOPED_TRACE(seed);
        Graph g;
        RandomExpressions random(g, seed);
        const Expr f = random.expression(kOperations, true);
        const Values<Real> at = random.point<Real>();
        std::vector<Replacement> seeds;
        Expr sum = g.zero();
        for (Expr s : random.symbols()) {
            seeds.push_back({s, random.expression(3, false)});
            sum = g.add(sum, g.mul(derivative(g, f, s), seeds.back().value));
        }
        const Real expected = evaluate<Real>(g, sum, at);
        EXPECT_TRUE(is_near(evaluate<Real>(g, directional(g, f, seeds), at), expected, 1e-13L));
    }
}

class DerivativeForm : public ::testing::Test {
  protected:
    Graph g;
    Expr x = g.symbol(SymbolKind::kCoordinate, "x");
    Expr y = g.symbol(SymbolKind::kCoordinate, "y");
    Expr v = g.symbol(SymbolKind::kVelocity, "x");
    Expr a = g.symbol(SymbolKind::kAcceleration, "x");
    Expr t = g.symbol(SymbolKind::kTime, "t");
};

// d/dt of x²/2 + t x' along the motion is x x' + x' + t x''.
TEST_F(DerivativeForm, TotalTimeDerivative) {
    const Expr f = g.add(g.mul(g.fraction(1, 2), g.square(x)), g.mul(t, v));
    const Replacement motion[] = {{x, v}, {v, a}, {t, g.one()}};
    const Expr expected = g.add(g.mul(x, v), g.add(g.mul(t, a), v));
    Values<Real> at{{x, 0.3L}, {v, -1.1L}, {a, 2.5L}, {t, 0.7L}};
    EXPECT_TRUE(is_near(evaluate<Real>(g, directional(g, f, motion), at),
                        evaluate<Real>(g, expected, at), 1e-18L));
}

TEST_F(DerivativeForm, IsZeroWhereNothingDepends) {
    EXPECT_EQ(derivative(g, g.apply(Op::kSin, y), x), g.zero());
    EXPECT_EQ(derivative(g, g.pi(), x), g.zero());
    const Expr wanted[] = {x, v};
    EXPECT_EQ(gradient(g, g.square(x), wanted),
              (std::vector<Expr>{g.mul(g.integer(2), x), g.zero()}));
    EXPECT_EQ(gradient(g, g.integer(3), wanted), (std::vector<Expr>{g.zero(), g.zero()}));
    EXPECT_EQ(gradient(g, x, wanted), (std::vector<Expr>{g.one(), g.zero()}));
}

TEST_F(DerivativeForm, OfKinksFollowsTheChosenSide) {
    EXPECT_EQ(derivative(g, g.apply(Op::kAbs, x), x), g.apply(Op::kSign, x));
    EXPECT_EQ(derivative(g, g.apply(Op::kSign, x), x), g.zero());
    EXPECT_EQ(derivative(g, g.apply(Op::kMin, x, y), x),
              g.select(g.apply(Op::kLess, x, y), g.one(), g.zero()));
}

TEST_F(DerivativeForm, FindKinkNamesTheFirstOneThatDepends) {
    const Expr smooth = g.add(g.square(x), g.apply(Op::kSin, y));
    const Expr kink = g.apply(Op::kAbs, g.sub(x, y));
    const Expr other = g.apply(Op::kMax, t, g.one());
    const Expr f = g.add(g.add(smooth, g.square(kink)), other);
    const Expr by_x[] = {x};
    const Expr by_t[] = {t};
    const Expr by_v[] = {v};
    EXPECT_EQ(find_kink(g, smooth, by_x), std::nullopt);
    EXPECT_EQ(find_kink(g, f, by_x), kink);
    EXPECT_EQ(find_kink(g, f, by_t), other);
    EXPECT_EQ(find_kink(g, f, by_v), std::nullopt);

    const Expr later = g.apply(Op::kLess, g.one(), t);
    const Expr choice = g.select(later, x, g.square(x));
    EXPECT_EQ(find_kink(g, choice, by_x), std::nullopt);
    EXPECT_EQ(find_kink(g, choice, by_t), later);
}

// The Jacobian of the chain of the README: each row costs no more than its constraint.
TEST(Jacobian, OfAThousandParticlesCostsASmallMultipleOfTheConstraints) {
    constexpr int kParticles = 1000;
    Graph g;
    const Expr l = g.symbol(SymbolKind::kParameter, "l");
    std::vector<Expr> x{g.zero()};
    std::vector<Expr> y{g.zero()};
    std::vector<Replacement> motion;
    for (int i = 1; i <= kParticles; ++i) {
        for (auto* q : {&x, &y}) {
            const std::string name = (q == &x ? "x[" : "y[") + std::to_string(i) + "]";
            q->push_back(g.symbol(SymbolKind::kCoordinate, name));
            motion.push_back({q->back(), g.symbol(SymbolKind::kVelocity, name)});
        }
    }
    const std::size_t symbols = g.size();
    std::vector<Expr> links;
    for (std::size_t i = 1; i < x.size(); ++i) {
        const Expr dx = g.square(g.sub(x[i], x[i - 1]));
        const Expr dy = g.square(g.sub(y[i], y[i - 1]));
        links.push_back(g.sub(g.add(dx, dy), g.square(l)));
    }
    const std::size_t constraints = g.size() - symbols;
    EXPECT_GE(constraints, 5U * kParticles);

    for (Expr link : links) {
        std::vector<Expr> own = symbols_of(g, link);
        std::erase(own, l);
        EXPECT_LE(own.size(), 4U);
        EXPECT_LE(reachable(g, link).size(), 13U);  // walking one link does not see the others
        gradient(g, link, own);
    }
    const std::size_t jacobian = g.size() - symbols - constraints;
    EXPECT_LE(jacobian, constraints);

    const std::size_t before = g.size();
    for (std::size_t i = 0; i < links.size(); ++i) {
        const std::size_t first = i == 0 ? 0 : 2 * (i - 1);
        const std::span<const Replacement> near(&motion[first], 2 * (i + 1) - first);
        directional(g, directional(g, links[i], near), near);
    }
    EXPECT_LE(g.size() - before, 4 * constraints);
}

}  // namespace
}  // namespace ananke::sym

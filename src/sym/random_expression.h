// Random expressions for property tests: every operation, arguments kept inside its domain.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sym/evaluate.h"
#include "sym/graph.h"

namespace ananke::sym {

/// |value - expected| <= tolerance (1 + |expected|), in long double.
inline ::testing::AssertionResult is_near(long double value, long double expected,
                                          long double tolerance) {
    if (std::abs(value - expected) <= tolerance * (1 + std::abs(expected))) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << value << " is not " << expected << " within " << tolerance;
}

class RandomExpressions {
  public:
    RandomExpressions(Graph& graph, unsigned seed) : g_(graph), random_(seed) {
        for (const char* name : {"x", "y", "q[3]"}) {
            symbols_.push_back(g_.symbol(SymbolKind::kCoordinate, name));
        }
        symbols_.push_back(g_.symbol(SymbolKind::kVelocity, "x"));
        symbols_.push_back(g_.symbol(SymbolKind::kParameter, "m"));
    }

    const std::vector<Expr>& symbols() const { return symbols_; }

    /// A point with every coordinate in [-1, 1].
    template <class Real>
    Values<Real> point() {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        Values<Real> values;
        for (Expr s : symbols_) {
            values[s] = static_cast<Real>(uniform(random_));
        }
        return values;
    }

    /// About `operations` operations on top of each other and side by side; with `kinks` also those
    /// without a derivative everywhere.
    Expr expression(int operations, bool kinks) {
        std::vector<Expr> pool = symbols_;
        pool.push_back(number());
        for (int i = 0; i < operations; ++i) {
            pool.push_back(operation(pool, kinks));
        }
        return g_.add(pool.back(), g_.mul(number(), pick(pool)));
    }

  private:
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

    /// Rather a recent one, so that expressions grow deep.
    Expr pick(const std::vector<Expr>& pool) {
        const int n = static_cast<int>(pool.size());
        return pool[std::max(below(n), below(n))];
    }

    Expr number() {
        switch (below(6)) {
            case 0:
                return g_.fraction(1 + below(7), 1 + below(7));
            case 1:
                return g_.literal(below(2) == 0 ? "0.1" : "2.5e-1");
            case 2:
                return g_.number(0.1 * below(9) - 0.35);
            case 3:
                return g_.pi();
            default:
                return g_.integer(below(7) - 3);
        }
    }

    Expr operation(const std::vector<Expr>& pool, bool kinks) {
        const Expr a = pick(pool);
        const Expr b = pick(pool);
        const Expr tame = g_.apply(Op::kTanh, a);                          // in (-1, 1)
        const Expr positive = g_.add(g_.square(tame), g_.fraction(1, 2));  // in [1/2, 3/2)
        switch (below(kinks ? 32 : 24)) {
            case 0:
            case 1:
                return g_.add(a, b);
            case 2:
            case 3:
                return g_.sub(a, b);
            case 4:
                return g_.neg(a);
            case 5:
            case 6:
                return g_.mul(tame, b);
            case 7:
                return g_.mul(number(), a);
            case 8:
                return g_.div(b, positive);
            case 9:
                return g_.pow(tame, g_.integer(2 + below(4)));
            case 10:
                return g_.pow(positive, g_.apply(Op::kSin, b));
            case 11:
                return g_.pow(positive, g_.fraction(1 + below(3), 3));
            case 12:
                return g_.apply(Op::kSin, a);
            case 13:
                return g_.apply(Op::kCos, a);
            case 14:
                return g_.apply(Op::kTan, tame);
            case 15:
                return g_.apply(Op::kAsin, g_.mul(g_.fraction(4, 5), tame));
            case 16:
                return g_.apply(Op::kAcos, g_.mul(g_.fraction(4, 5), tame));
            case 17:
                return g_.apply(Op::kAtan, a);
            case 18:
                return g_.apply(Op::kSinh, tame);
            case 19:
                return g_.apply(Op::kCosh, tame);
            case 20:
                return g_.apply(Op::kExp, tame);
            case 21:
                return g_.apply(Op::kLog, positive);
            case 22:
                return g_.apply(Op::kSqrt, positive);
            case 23:
                return g_.apply(Op::kAtan2, g_.apply(Op::kSin, b), positive);
            case 24:
                return g_.apply(Op::kAbs, a);
            case 25:
                return g_.mul(g_.apply(Op::kSign, a), b);
            case 26:
                return g_.apply(Op::kMin, a, b);
            case 27:
                return g_.apply(Op::kMax, a, b);
            case 28:
                return g_.select(g_.apply(Op::kLess, a, b), b, tame);
            case 29:
                return g_.select(g_.apply(Op::kAnd, g_.apply(Op::kLessEqual, a, b),
                                          g_.apply(Op::kNot, g_.apply(Op::kEqual, a, tame))),
                                 tame, b);
            case 30:
                return g_.select(
                    g_.apply(Op::kOr, g_.apply(Op::kLess, b, a), g_.apply(Op::kLess, tame, b)), a,
                    b);
            default:
                return g_.add(a, g_.apply(Op::kLess, a, b));
        }
    }

    Graph& g_;
    std::mt19937 random_;
    std::vector<Expr> symbols_;
};

}  // namespace ananke::sym

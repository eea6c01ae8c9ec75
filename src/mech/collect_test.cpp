#include "mech/collect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mech/model_builder.h"
#include "sym/evaluate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::mech {
namespace {

using namespace testing;

struct Names {
    Builder m;
    F L = m.parameter("L", 2), k = m.parameter("k", 3), mass = m.parameter("m", 1);
    Q p = m.coordinate("p"), q = m.coordinate("q"), x = m.coordinate("x"), y = m.coordinate("y");
    std::string collected(F f) { return sym::print(m.model.graph, collect(m.model.graph, f.e)); }
};

TEST(Collect, GathersPowersLikeTermsAndSquaresOfSineAndCosine) {
    Names n;
    const F s = sin(n.p.q), c = cos(n.p.q);
    EXPECT_EQ(n.collected(n.L * n.mass * n.L * s * s + n.L * n.mass * n.L * c * c), "m*L^2");
    EXPECT_EQ(n.collected(n.q.q * c * s - n.q.q * s * c), "0");
    EXPECT_EQ(n.collected(n.k * n.p.v * s + n.p.v * s * n.k), "2*k*p'*sin(p)");
    EXPECT_EQ(
        n.collected(pow(n.L * s, 2) + pow(n.L * c * sin(n.q.q), 2) + pow(n.L * c * cos(n.q.q), 2)),
        "L^2");
    EXPECT_EQ(n.collected(2.0 * pow(s, 2) * n.x.q + 3.0 * pow(c, 2) * n.x.q),
              "3*x*cos(p)^2 + 2*x*sin(p)^2");
}

TEST(Collect, MultipliesOutOnlyWhatThenCancels) {
    Names n;
    const F s = sin(n.p.q), c = cos(n.p.q);
    // A particle on a turning arm: the parts along the arm cancel, those across it add up.
    const F ax = n.x.v * c - n.y.v * s, ay = n.x.v * s + n.y.v * c;
    EXPECT_EQ(n.collected(c * ax + s * ay), "x'");
    EXPECT_EQ(n.collected(pow(ax, 2) + pow(ay, 2)), "x'^2 + y'^2");
    EXPECT_EQ(n.collected(n.k * (n.x.q - n.y.q) + n.L * (n.x.v - n.y.v)),
              "L*(x' - y') + k*(x - y)");
    EXPECT_EQ(n.collected(n.L * (n.y.q - n.x.q) + n.L * (n.x.q - n.y.q) + n.k * n.x.q * s),
              "k*x*sin(p)");
}

/// Random sums, products, powers and functions over four coordinates.
F random_formula(Names& n, std::mt19937& random, int operations) {
    std::vector<F> pool{n.p.q, n.q.q, n.x.q, n.y.v, n.L, n.k, n.m.number(2), n.m.number(-0.5)};
    for (int i = 0; i < operations; ++i) {
        const F a = pool[random() % pool.size()], b = pool[random() % pool.size()];
        switch (random() % 7) {
            case 0:
                pool.push_back(a + b);
                break;
            case 1:
                pool.push_back(a - b);
                break;
            case 2:
            case 3:
                pool.push_back(a * b);
                break;
            case 4:
                pool.push_back(pow(sin(a), 2) * b + pow(cos(a), 2) * b);
                break;
            case 5:
                pool.push_back(a / (pow(b, 2) + 1.0));
                break;
            default:
                pool.push_back(sin(a) * cos(b));
                break;
        }
    }
    return pool.back();
}

TEST(Collect, KeepsTheValue) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> draw(-1.0, 1.0);
    for (int trial = 0; trial < 500; ++trial) {
        Names n;
        const F f = random_formula(n, random, 12);
        const Expr g = collect(n.m.model.graph, f.e);
        const Expr size = sym::magnitude(n.m.model.graph, f.e);
        sym::Values<long double> values;
        for (const Expr symbol : {n.p.q.e, n.q.q.e, n.x.q.e, n.y.v.e, n.L.e, n.k.e}) {
            values[symbol] = draw(random);
        }
        const auto at = [&](Expr e) {
            return static_cast<double>(sym::evaluate<long double>(n.m.model.graph, e, values));
        };
        EXPECT_NEAR(at(g), at(f.e), 1e-15 * std::max(1.0, at(size)));
    }
}

TEST(Collector, RenamesWhatItHasCollected) {
    Names n;
    Collector collector(n.m.model.graph);
    const auto arm = [&](F length, F angle, F u, F v) {
        const F s = sin(angle), c = cos(angle);
        return length * (pow(u * c - v * s, 2) + pow(u * s + v * c, 2));
    };
    for (const F& f : {arm(n.L, n.p.q, n.x.v, n.y.v), arm(n.L, n.q.q, n.p.v, n.x.v),
                       arm(n.k, n.q.q, n.p.v, n.x.v), arm(n.k, n.q.q, n.p.q, n.x.q)}) {
        EXPECT_EQ(sym::print(n.m.model.graph, collector(f.e)), n.collected(f));
    }
    EXPECT_EQ(sym::print(n.m.model.graph, collector(arm(n.k, n.q.q, n.x.v, n.y.v).e)),
              "k*(x'^2 + y'^2)");
}

TEST(Collector, KeepsTheValue) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(-1.0, 1.0);
    for (int trial = 0; trial < 200; ++trial) {
        Names n;
        sym::Graph& graph = n.m.model.graph;
        const F f = random_formula(n, random, 12);
        const Q p = n.m.coordinate("p2"), q = n.m.coordinate("q2"), x = n.m.coordinate("x2"),
                y = n.m.coordinate("y2");
        const std::vector<sym::Replacement> names{
            {n.p.q.e, p.q.e}, {n.q.q.e, q.q.e}, {n.x.q.e, x.q.e}, {n.y.v.e, y.v.e}};
        const Expr renamed = sym::substitute(graph, f.e, names);
        Collector collector(graph);
        collector(f.e);
        const Expr collected = collector(renamed);
        const Expr size = sym::magnitude(graph, renamed);
        sym::Values<long double> values;
        for (const Expr symbol : {p.q.e, q.q.e, x.q.e, y.v.e, n.L.e, n.k.e}) {
            values[symbol] = draw(random);
        }
        const auto at = [&](Expr e) {
            return static_cast<double>(sym::evaluate<long double>(graph, e, values));
        };
        EXPECT_NEAR(at(collected), at(renamed), 1e-15 * std::max(1.0, at(size)));
    }
}

TEST(Collect, DeepAndSharedExpressionsStayCheap) {
    Names n;
    F deep = n.x.q;
    for (int i = 0; i < 300; ++i) {  // written out: 2^300 terms
        deep = (deep + n.y.q) * (deep - n.y.q);
    }
    const std::size_t before = n.m.model.graph.size();
    collect(n.m.model.graph, deep.e);
    EXPECT_LT(n.m.model.graph.size(), 20 * before);
}

}  // namespace
}  // namespace ananke::mech

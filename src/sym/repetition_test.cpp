#include "sym/repetition.h"

#include <gtest/gtest.h>

#include <vector>

#include "sym/differentiate.h"

namespace ananke::sym {
namespace {

/// A graph in which things are derived from x^2 k + sin(y) for several pairs x, y.
struct Derivation {
    explicit Derivation(bool repeats) : repeats_(repeats) {
        k = graph.symbol(SymbolKind::kParameter, "k");
        for (int i = 0; i < 4; ++i) {
            const std::string number = std::to_string(i);
            x.push_back(graph.symbol(SymbolKind::kCoordinate, "x" + number));
            y.push_back(graph.symbol(SymbolKind::kCoordinate, "y" + number));
        }
    }

    std::vector<Expr> operator()(std::size_t i, bool swapped = false) {
        const Expr a = swapped ? y[i] : x[i];
        const Expr b = swapped ? x[i] : y[i];
        const std::vector<Expr> roles{a, b};
        const auto make = [&] {
            ++made;
            const Expr wave = graph.apply(Op::kSin, b);
            const Expr f = graph.add(graph.mul(k, graph.square(a)), wave);
            graph.mul(graph.add(a, b), f);  // of no use, yet a node
            std::vector<Expr> all = gradient(graph, f, std::vector<Expr>{a, b});
            all.push_back(graph.div(f, graph.sub(a, b)));
            return all;
        };
        if (!repeats_) {
            return make();
        }
        const std::span<const Expr> all = repetition(graph, reachable(graph, roles), roles, make);
        return {all.begin(), all.end()};
    }

    Graph graph;
    Repetition repetition;
    Expr k;
    std::vector<Expr> x, y;
    int made = 0;

  private:
    bool repeats_;
};

TEST(Repetition, TheGraphGrowsAsWithoutIt) {
    Derivation plain(false);
    Derivation repeated(true);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(repeated(i), plain(i));
        ASSERT_EQ(repeated.graph.size(), plain.graph.size());
    }
    for (std::uint32_t id = 0; id < plain.graph.size(); ++id) {
        EXPECT_EQ(repeated.graph.node(Expr{id}), plain.graph.node(Expr{id}));
        EXPECT_TRUE(repeated.graph.is_canonical(Expr{id}));
    }
    EXPECT_EQ(repeated.made, 1);
}

TEST(Repetition, RolesAreToldApart) {
    Derivation plain(false);
    Derivation repeated(true);
    EXPECT_EQ(repeated(0), plain(0));
    EXPECT_EQ(repeated(1, true), plain(1, true));
    EXPECT_EQ(repeated.made, 2);
    EXPECT_EQ(repeated(2, true), plain(2, true));
    EXPECT_EQ(repeated(3), plain(3));
    EXPECT_EQ(repeated.made, 2);
}

// What exists already may be older or younger than in the case that is repeated.
TEST(Repetition, OperandsKeepTheOrderOfTheirAge) {
    Derivation plain(false);
    Derivation repeated(true);
    for (Derivation* one : {&plain, &repeated}) {
        (*one)(0);
        one->graph.mul(one->k, one->graph.square(one->x[1]));  // before sin(y)
        (*one)(1);
    }
    EXPECT_EQ(repeated.made, 1);
    ASSERT_EQ(repeated.graph.size(), plain.graph.size());
    for (std::uint32_t id = 0; id < plain.graph.size(); ++id) {
        EXPECT_TRUE(repeated.graph.is_canonical(Expr{id}));
    }
}

}  // namespace
}  // namespace ananke::sym

#include "sym/recipe.h"

#include <gtest/gtest.h>

#include <vector>

#include "sym/differentiate.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

class Recipes : public ::testing::Test {
  protected:
    /// Numbers are older than all terms: the order of nodes is part of a shape.
    Recipes() { graph.integer(2); }

    Expr variable(const char* name) { return graph.symbol(SymbolKind::kCoordinate, name); }
    Expr parameter(const char* name) { return graph.symbol(SymbolKind::kParameter, name); }
    /// k (x - y)^2 sin(x) and the like.
    Expr term(Expr k, Expr x, Expr y) {
        return graph.mul(graph.mul(k, graph.square(graph.sub(x, y))), graph.apply(Op::kSin, x));
    }
    Shape shape(Expr e) { return shape_of(graph, reachable(graph, e)); }

    Graph graph;
};

TEST_F(Recipes, ShapesForgetNamesOfVariablesOnly) {
    const Expr k = parameter("k");
    const Expr x1 = variable("x1");
    const Expr y1 = variable("y1");
    const Expr x2 = variable("x2");
    const Expr y2 = variable("y2");
    EXPECT_EQ(shape(term(k, x1, y1)), shape(term(k, x2, y2)));
    EXPECT_NE(shape(term(k, x1, y1)), shape(term(parameter("c"), x2, y2)));
    EXPECT_NE(shape(term(graph.integer(3), x1, y1)), shape(term(graph.integer(5), x2, y2)));
    EXPECT_NE(shape(term(k, x1, y1)), shape(graph.mul(k, term(k, x2, y2))));
    const Expr v = graph.symbol(SymbolKind::kVelocity, "v");
    EXPECT_NE(shape(term(k, x1, y1)), shape(term(k, x2, v)));
}

TEST_F(Recipes, WhatIsMadeOfOneIsMadeOfAnother) {
    const Expr k = parameter("k");
    const Expr x1 = variable("x1");
    const Expr y1 = variable("y1");
    const Expr x2 = variable("x2");
    const Expr y2 = variable("y2");
    const Expr first = term(k, x1, y1);
    const std::vector<Expr> symbols{x1, y1};
    std::vector<Expr> made = gradient(graph, first, symbols);
    made.push_back(magnitude(graph, first));
    made.push_back(first);
    Recipe recipe(graph, reachable(graph, first), made);
    EXPECT_TRUE(recipe.is_general());

    const Expr second = term(k, x2, y2);
    const std::vector<Expr> others{x2, y2};
    std::vector<Expr> wanted = gradient(graph, second, others);
    wanted.push_back(magnitude(graph, second));
    wanted.push_back(second);
    const std::span<const Expr> found = recipe.follow(graph, reachable(graph, second));
    EXPECT_EQ(std::vector<Expr>(found.begin(), found.end()), wanted);
}

TEST_F(Recipes, NamesFromElsewhereCannotBeRepeated) {
    const Expr x = variable("x");
    const Expr y = variable("y");
    const Expr made = graph.mul(x, y);
    EXPECT_FALSE(Recipe(graph, reachable(graph, x), {&made, 1}).is_general());
    const Expr scaled = graph.mul(x, parameter("k"));
    EXPECT_TRUE(Recipe(graph, reachable(graph, x), {&scaled, 1}).is_general());
}

}  // namespace
}  // namespace ananke::sym

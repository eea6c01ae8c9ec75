#include "typeset/isolate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "mech/model_builder.h"
#include "sym/print.h"

namespace ananke::typeset {

using sym::Expr;

namespace {

using namespace mech::testing;

class Isolate : public ::testing::Test {
  protected:
    F symbol(const std::string& name, double value) {
        const Expr e = graph.symbol(sym::SymbolKind::kVelocity, name);
        at[e] = value;
        return {&graph, e};
    }
    /// The root as text, or "none".
    std::string root(F f, F unknown) {
        const std::optional<Isolated> found = isolate(graph, f.e, unknown.e, at);
        branch = found && found->branch;
        return found ? sym::print(graph, found->value) : "none";
    }

    sym::Graph graph;
    sym::Values<double> at;
    bool branch = false;
};

TEST_F(Isolate, FirstDegree) {
    const F x = symbol("x", 0.75), y = symbol("y", 2), z = symbol("z", -1.5);
    EXPECT_EQ(root(x * y + z, x), "-z'/y'");
    EXPECT_FALSE(branch);
    EXPECT_EQ(root(2.0 * x - pow(y, 2), x), "y'^2/2");
}

TEST_F(Isolate, SecondDegreeTakesTheRootOfTheState) {
    F x = symbol("x", 5);
    const F y = symbol("y", 3), z = symbol("z", 4);
    for (const double start : {5.0, -5.0}) {
        x = symbol("x", start);
        const F f = pow(x, 2) - pow(y, 2) - pow(z, 2);
        const std::optional<Isolated> found = isolate(graph, f.e, x.e, at);
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->branch);
        EXPECT_NEAR(sym::evaluate<double>(graph, found->value, at), start, 1e-14);
    }
    for (const double start : {1.0, 3.0}) {
        x = symbol("x", start);
        const F f = pow(x, 2) - (y + 1.0) * x + y;  // roots 1 and y = 3
        const std::optional<Isolated> found = isolate(graph, f.e, x.e, at);
        ASSERT_TRUE(found);
        EXPECT_NEAR(sym::evaluate<double>(graph, found->value, at), start, 1e-14);
    }
}

TEST_F(Isolate, UndoesOperationsAroundASinglePlace) {
    const F x = symbol("x", -3), y = symbol("y", 4), z = symbol("z", 5);
    const std::optional<Isolated> found =
        isolate(graph, (sqrt(pow(x, 2) + pow(y, 2)) - z).e, x.e, at);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->branch);
    EXPECT_NEAR(sym::evaluate<double>(graph, found->value, at), -3.0, 1e-14);
    const F w = symbol("w", std::log(2.5));
    EXPECT_EQ(root(2.0 * exp(w) - z, w), "log(z'/2)");
}

TEST_F(Isolate, RefusesWhatHasNoClosedRoot) {
    const F x = symbol("x", 0.5), y = symbol("y", 0.5 + std::sin(0.5));
    EXPECT_EQ(root(x + sin(x) - y, x), "none");
    EXPECT_EQ(root(pow(y, 2), x), "none");
    const F zero = symbol("zero", 0);
    EXPECT_EQ(root(x * zero + zero, x), "none");              // the coefficient vanishes
    EXPECT_EQ(root(pow(x, 2) + pow(y, 2) + 1.0, x), "none");  // no real root
}

}  // namespace
}  // namespace ananke::typeset

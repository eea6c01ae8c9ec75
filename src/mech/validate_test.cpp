// Every diagnostic by its exact text and by the statement it points at.
#include "mech/validate.h"

#include <gtest/gtest.h>

#include "mech/model_builder.h"

namespace ananke::mech {
namespace {

using namespace testing;
using sym::Op;

struct Bench {
    Builder m;
    Q x = m.coordinate("x"), y = m.coordinate("y");
    F zero = m.number(0), one = m.number(1);
};

/// The only diagnostic of a model; `span` is that of the statement to blame.
void expect_only(Model& model, Span span, const std::string& message,
                 const std::vector<std::string>& notes = {}, Severity severity = Severity::kError) {
    const Derivation derivation = derive(model);
    ASSERT_EQ(derivation.diagnostics.size(), 1u);
    const Diagnostic& found = derivation.diagnostics[0];
    EXPECT_EQ(found.message, message);
    EXPECT_EQ(found.notes, notes);
    EXPECT_EQ(found.severity, severity);
    EXPECT_EQ(found.span.begin, span.begin) << message;
    EXPECT_EQ(derivation.equations.has_value(), severity == Severity::kWarning);
}

void expect_only(Builder& m, const std::string& message, const std::vector<std::string>& notes = {},
                 Severity severity = Severity::kError) {
    expect_only(m.model, m.last_span(), message, notes, severity);
}

void expect_clean(Builder& m) {
    const Derivation derivation = derive(m.model);
    for (const Diagnostic& diagnostic : derivation.diagnostics) {
        ADD_FAILURE() << diagnostic.message;
    }
    EXPECT_TRUE(derivation.equations.has_value());
}

TEST(Validate, ModelWithoutCoordinates) {
    Builder m;
    expect_only(m.model, {}, "the model has no coordinates", {"declare them: coordinate x, y"});
}

TEST(Validate, ParameterWithoutAValue) {
    Bench b;
    b.m.parameter("p", b.one / b.m.parameter("d", 0));
    expect_only(b.m, "the value of parameter 'p' is not a finite number: 1/d with d = 0");
}

TEST(Validate, SymbolsWhereTheyMayNotStand) {
    const std::string forces = "a force that depends on velocities is written with 'force on'";
    const std::string positions = "it may be made of coordinates, parameters and t";
    const std::string velocities = "it may be made of coordinates, velocities, parameters and t";
    const std::string with_reactions =
        "it may be made of coordinates, velocities, reactions, parameters and t";
    {
        Bench b;
        b.m.potential(b.x.q * b.y.v);
        expect_only(b.m, "the potential cannot depend on velocities, but contains y'",
                    {positions, forces});
    }
    {
        Bench b;
        const P p = b.m.particle("A", b.one, {b.x.q, b.y.q, b.zero});
        b.m.potential(p.v[0]);
        expect_only(b.m, "the potential cannot depend on velocities, but contains velocity(A).x",
                    {positions, forces});
    }
    {
        Bench b;
        b.m.kinetic(pow(b.x.a, 2));
        expect_only(b.m, "the kinetic energy cannot depend on accelerations, but contains x''",
                    {velocities});
    }
    {
        Bench b;
        b.m.constraint("jerky", pow(b.x.a, 2) + pow(b.y.v, 2) - 1.0);
        expect_only(
            b.m, "constraint 'jerky' cannot depend on accelerations, but contains x''",
            {velocities,
             "the acceleration must be linear in what a constraint says about it; prescribe "
             "positions or velocities"});
    }
    {
        Bench b;
        b.m.force(b.x, b.y.a);
        expect_only(b.m, "the force on 'x' cannot depend on accelerations, but contains y''",
                    {with_reactions});
    }
    {
        Bench b;
        const P p = b.m.particle("A", b.one, {b.x.q, b.y.q, b.zero});
        b.m.nonideal(p, {b.zero, b.x.a, b.y.a});
        expect_only(b.m,
                    "the non-ideal force on 'A' cannot depend on accelerations, but contains x''",
                    {with_reactions});
    }
    {
        Bench b;
        b.m.particle("A", b.one, {b.x.v, b.y.q, b.zero});
        expect_only(b.m, "the position of 'A' cannot depend on velocities, but contains x'",
                    {positions});
    }
    {
        Bench b;
        b.m.particle("A", b.m.t(), {b.x.q, b.y.q, b.zero});
        expect_only(b.m, "the mass of 'A' cannot depend on time, but contains t",
                    {"it may be made of numbers and parameters"});
    }
    {
        Bench b;
        b.m.mass(b.x, b.x, b.y.v);
        expect_only(b.m, "a mass cannot depend on velocities, but contains y'", {positions});
    }
    {
        Bench b;
        b.m.gravity({b.x.q, b.zero, b.zero});
        expect_only(b.m.model, {}, "gravity cannot depend on coordinates, but contains x",
                    {"it may be made of parameters and t"});
    }
    {
        Bench b;
        b.m.model.gauge.alpha = b.x.q.e;
        expect_only(b.m.model, {}, "the gauge alpha cannot depend on coordinates, but contains x",
                    {"it may be made of parameters and t"});
    }
}

TEST(Validate, PositionsInACircle) {
    Bench b;
    const P p = b.m.point("A", {b.x.q, b.y.q, b.zero});
    b.m.model.points[0].position[2] = p.r[0].e;
    expect_only(b.m, "the position of 'A' depends on itself",
                {"a point may be written with the positions of other points, but not in a circle"});
}

TEST(Validate, MassEntryGivenTwice) {
    Bench b;
    b.m.mass(b.x, b.y, b.one);
    b.m.mass(b.y, b.x, b.one);
    for (MassTerm& term : b.m.model.mass) {
        term.span = b.m.last_span();  // one statement
    }
    expect_only(b.m, "the mass entry of 'x' and 'y' is given twice");
}

TEST(Validate, SpeedThatIsNotLinear) {
    Bench b;
    b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
    b.m.model.speeds.push_back({"s", (b.x.v * b.y.q + pow(b.y.v, 2)).e, b.m.last_span()});
    expect_only(b.m, "speed 's' is not linear in y'",
                {"a motion variable is a linear combination of velocities; use 'let' or 'output' "
                 "for anything else"});
}

TEST(Validate, OperationsWithoutADerivative) {
    {
        Bench b;
        b.m.potential(apply(Op::kAbs, b.x.q));
        expect_only(b.m, "abs(x) in the potential has no derivative where its argument is 0",
                    {"write sqrt(a^2 + eps^2) with a small eps, or an 'if' whose sides join "
                     "smoothly"});
    }
    {
        Bench b;
        b.m.constraint("c", b.y.v - apply(Op::kSign, b.x.v));
        expect_only(b.m, "sign(x') in constraint 'c' jumps where its argument is 0",
                    {"write tanh(a/eps) with a small eps"});
    }
    {
        Bench b;
        b.m.kinetic(apply(Op::kMax, b.x.q, b.y.q) * pow(b.x.v, 2));
        expect_only(b.m,
                    "max(x, y) in the kinetic energy has no derivative where its arguments are "
                    "equal",
                    {"write (a + b + sqrt((a - b)^2 + eps^2))/2 with a small eps, or an 'if' whose "
                     "sides join smoothly"});
    }
    {
        Bench b;
        b.m.point("A", {apply(Op::kMin, b.x.q, b.y.q), b.zero, b.zero});
        expect_only(b.m,
                    "min(x, y) in the position of 'A' has no derivative where its arguments are "
                    "equal",
                    {"write (a + b - sqrt((a - b)^2 + eps^2))/2 with a small eps, or an 'if' whose "
                     "sides join smoothly"});
    }
    {
        Bench b;
        b.m.potential(apply(Op::kLess, b.x.q, b.one) * b.y.q);
        expect_only(b.m,
                    "the condition x < 1 in the potential is used as a number and has no "
                    "derivative",
                    {"write if ... then ... else ... with sides that join smoothly"});
    }
    {
        Bench b;  // nothing to differentiate in a force or a parameter
        const F k = b.m.parameter("k", -3);
        b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
        b.m.potential(apply(Op::kAbs, k) * pow(b.x.q, 2));
        b.m.force(b.x, -apply(Op::kSign, b.x.v));
        expect_clean(b.m);
    }
}

TEST(Validate, ChoicesMustJoinSmoothly) {
    const std::vector<std::string> slope{
        "the equations of motion need its slope: let value and slope agree there"};
    const std::vector<std::string> curvature{
        "the equations of motion need its second derivatives: let value, slope and curvature agree "
        "there"};
    {
        Bench b;  // a one-sided spring joins smoothly
        b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
        b.m.potential(choose(apply(Op::kLess, b.x.q, b.one), b.zero, pow(b.x.q - 1.0, 2)));
        expect_clean(b.m);
    }
    {
        Bench b;
        b.m.potential(choose(apply(Op::kLess, b.x.q, b.one), b.zero, b.x.q - 1.0));
        expect_only(b.m,
                    "the 'if' in the potential is not smooth: the slope jumps where x < 1 changes",
                    slope);
    }
    {
        Bench b;
        b.m.potential(choose(apply(Op::kLess, b.m.t(), b.one), b.zero, b.x.q));
        expect_only(b.m,
                    "the 'if' in the potential is not smooth: the value jumps where t < 1 changes",
                    slope);
    }
    {
        Bench b;  // a holonomic constraint is differentiated twice
        const F bend = choose(apply(Op::kLess, b.x.q, b.zero), b.zero, pow(b.x.q, 2));
        b.m.constraint("track", b.y.q - bend);
        expect_only(
            b.m,
            "the 'if' in constraint 'track' is not smooth: the curvature jumps where x < 0 changes",
            curvature);
    }
    {
        Bench b;
        const F bend = choose(apply(Op::kLess, b.x.q, b.zero), b.zero, pow(b.x.q, 3));
        b.m.constraint("track", b.y.q - bend);
        expect_clean(b.m);
    }
    {
        Bench b;  // a factor may smooth what the sides do not
        const F step = choose(apply(Op::kLess, b.x.q, b.zero), b.zero, b.one);
        b.m.potential(pow(b.x.q, 2) * step);
        expect_clean(b.m);
    }
    {
        Bench b;  // as many as three of one place are reported
        F chain = b.x.q;
        for (int i = 1; i <= 20; ++i) {
            chain = choose(apply(Op::kLess, b.zero, chain), chain + 1.0 * i, b.x.q);
        }
        b.m.potential(chain);
        EXPECT_EQ(derive(b.m.model).diagnostics.size(), 3U);
    }
    {
        Bench b;  // each link of a chain joins, and the work grows as the chain does
        const auto nodes_for = [](int links) {
            Bench c;
            c.m.kinetic(pow(c.x.v, 2) + pow(c.y.v, 2));
            F chain = c.x.q;
            for (int i = 0; i < links; ++i) {
                chain = choose(apply(Op::kLess, c.zero, chain), 0.9 * chain + 0.1 * pow(chain, 3),
                               0.9 * chain);
            }
            c.m.potential(chain);
            expect_clean(c.m);
            return c.m.model.graph.size();
        };
        EXPECT_LT(nodes_for(400), 2 * nodes_for(200));
    }
    {
        Bench b;  // x < 1 alone decides; y < 5 is never reached where x >= 1
        const F both = apply(Op::kAnd, apply(Op::kLess, b.x.q, b.one),
                             apply(Op::kLess, b.y.q - b.x.q, b.m.number(50)));
        b.m.potential(choose(both, pow(b.x.q - 1.0, 2), b.zero));
        expect_only(b.m,
                    "the 'if' in the potential is not smooth: the value jumps where y - x < 50 "
                    "changes",
                    slope);
    }
    {
        Bench b;
        b.m.potential(choose(apply(Op::kEqual, b.x.q, b.y.q), b.zero, b.x.q));
        expect_only(b.m,
                    "the 'if' in the potential depends on the equation x == y, which holds only in "
                    "passing",
                    {"choose the sides with < or >"});
    }
    {
        Bench b;  // a choice by parameters is made once
        const F k = b.m.parameter("k", 2);
        b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
        b.m.potential(choose(apply(Op::kLess, k, b.one), b.x.q, b.y.q));
        expect_clean(b.m);
    }
}

}  // namespace
}  // namespace ananke::mech

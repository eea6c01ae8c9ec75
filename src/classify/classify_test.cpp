#include "classify/classify.h"

#include <gtest/gtest.h>

#include "mech/equation_check.h"
#include "mech/model_builder.h"
#include "sym/print.h"

namespace ananke::classify {

using mech::ConstraintKind, mech::Derivation, mech::Model, mech::Row, mech::Vec3;
namespace {

using namespace mech::testing;

/// x, y, z of a free particle P, and u, w of another one R.
struct Bench {
    Builder m;
    F a = m.parameter("a", 0.5);
    Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    Q u = m.coordinate("u"), w = m.coordinate("w");
    P P1 = m.particle("P", m.number(1), {x.q, y.q, z.q});
    P P2 = m.particle("R", m.number(2), {u.q, w.q, m.number(0)});
    F t = m.t();
};

struct Expected {
    const char* name;
    ConstraintKind kind;
    bool homogeneous;
    bool degenerate = false;
};

TEST(Classify, EveryKindOfConstraint) {
    using Kind = ConstraintKind;
    Bench b;
    Builder& m = b.m;
    m.constraint("sphere", pow(b.x.q, 2) + pow(b.y.q, 2) + pow(b.z.q, 2) - 1.0);
    m.constraint("moving", b.x.q - sin(b.t));
    m.constraint("rod", dot(b.P1.r, b.P2.r) - b.a);
    m.constraint("knife", b.x.v * sin(b.z.q) - b.y.v * cos(b.z.q));
    m.constraint("belt", b.x.v - b.a);
    m.constraint("turntable", b.x.v + b.a * b.y.q);
    m.constraint("timed", b.x.v - b.t * b.y.v);
    m.constraint("perpendicular", dot(b.P1.v, b.P2.v), true);
    m.constraint("appell", b.z.v - b.a * sqrt(pow(b.x.v, 2) + pow(b.y.v, 2)));
    m.constraint("speed", dot(b.P1.v, b.P1.v) - 4.0);
    m.constraint("pamplona", b.x.v - pow(b.z.q, 2) * b.y.v);
    m.constraint("same", b.x.q - b.x.q);
    m.constraint("identity", pow(sin(b.x.q), 2) + pow(cos(b.x.q), 2) - 1.0);
    m.constraint("constants", b.a - 0.5);
    m.constraint("square", pow(b.x.q - 1.0, 2));
    m.constraint("squares", pow(b.x.v, 2) + pow(b.y.v, 2));
    m.constraint("quartic", pow(b.u.q - b.w.q, 4));
    m.constraint("factors", b.x.v * (b.x.v + b.z.q * b.y.v));
    m.constraint("still", b.P2.v[2]);

    const Derivation derivation = classify(m.model, mech::derive(m.model));
    ASSERT_TRUE(derivation.equations.has_value());
    const Expected expected[] = {
        {"sphere", Kind::kHolonomicScleronomic, true},
        {"moving", Kind::kHolonomicRheonomic, false},
        {"rod", Kind::kHolonomicScleronomic, true},
        {"knife", Kind::kNonholonomicLinear, true},
        {"belt", Kind::kNonholonomicAffine, false},
        {"turntable", Kind::kNonholonomicAffine, false},
        {"timed", Kind::kNonholonomicLinear, true},
        {"perpendicular", Kind::kNonholonomicNonlinear, true},
        {"appell", Kind::kNonholonomicNonlinear, true},
        {"speed", Kind::kNonholonomicNonlinear, false},
        {"pamplona", Kind::kNonholonomicLinear, true},
        {"same", Kind::kVacuous, true},
        {"identity", Kind::kVacuous, true},
        {"constants", Kind::kVacuous, true},
        {"square", Kind::kHolonomicScleronomic, true, true},
        {"squares", Kind::kNonholonomicNonlinear, true, true},
        {"quartic", Kind::kHolonomicScleronomic, true, true},
        {"factors", Kind::kNonholonomicNonlinear, true},
        {"still", Kind::kVacuous, true},
    };
    const std::vector<Row>& rows = derivation.equations->rows;
    ASSERT_EQ(rows.size(), std::size(expected));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].name, expected[i].name);
        EXPECT_EQ(describe(rows[i].kind), describe(expected[i].kind)) << rows[i].name;
        EXPECT_EQ(rows[i].homogeneous, expected[i].homogeneous) << rows[i].name;
        EXPECT_EQ(rows[i].degenerate, expected[i].degenerate) << rows[i].name;
        EXPECT_EQ(rows[i].servo, rows[i].name == "perpendicular");
    }
    EXPECT_FALSE(derivation.equations->energy_projection_allowed);

    ASSERT_EQ(derivation.diagnostics.size(), 4u);
    EXPECT_EQ(derivation.diagnostics[0].severity, Severity::kWarning);
    EXPECT_EQ(derivation.diagnostics[0].message,
              "constraint 'square' is degenerate: its gradient vanishes wherever it holds, so it "
              "determines no acceleration");
    EXPECT_EQ(derivation.diagnostics[0].notes[0],
              "write it without the square: u^2 = 0 is u = 0, and a sum of squares = 0 is one "
              "constraint per square");
}

TEST(Classify, ContradictoryConstantsAreAnError) {
    Bench b;
    b.m.constraint("wrong", b.m.number(1) - b.m.number(3));
    b.m.constraint("never", pow(sin(b.x.q), 2) + pow(cos(b.x.q), 2) - 3.0);
    b.m.constraint("later", b.a * b.t - 1.0);
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    EXPECT_FALSE(derivation.equations.has_value());
    ASSERT_EQ(derivation.diagnostics.size(), 3u);
    EXPECT_EQ(derivation.diagnostics[1].message,
              "constraint 'never' cannot hold: left - right is -2, whatever the coordinates are");
    EXPECT_EQ(derivation.diagnostics[0].message,
              "constraint 'wrong' cannot hold: left - right is -2, and it contains no coordinate");
    EXPECT_EQ(derivation.diagnostics[2].message,
              "constraint 'later' cannot hold: left - right is -1 at t = 0, and it contains no "
              "coordinate");
    EXPECT_EQ(derivation.diagnostics[2].span.begin, b.m.last_span().begin);
}

TEST(Classify, VectorConstraintsAreThreeNumberedRows) {
    Bench b;
    b.m.constraint("parallel", cross(b.P1.v, b.P2.v));
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    ASSERT_TRUE(derivation.equations.has_value());
    const std::vector<Row>& rows = derivation.equations->rows;
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].name, "parallel[1]");
    EXPECT_EQ(rows[2].name, "parallel[3]");
    EXPECT_EQ(rows[2].component, 2);
    EXPECT_EQ(rows[2].constraint, 0);
}

std::vector<std::string> printed(const Model& model, const Vec3& W) {
    return {sym::print(model.graph, W[0]), sym::print(model.graph, W[1]),
            sym::print(model.graph, W[2])};
}

using Texts = std::vector<std::string>;

TEST(Directions, OfConstraintsBetweenTwoParticles) {
    Bench b;
    b.m.constraint("perpendicular", dot(b.P2.v, b.P1.v));
    const F3 n3{b.m.number(0), b.m.number(0), b.m.number(1)};
    b.m.constraint("parallel", dot(b.P2.v, cross(n3, b.P1.v)));
    b.m.constraint("equal", dot(b.P2.v, b.P2.v) - dot(b.P1.v, b.P1.v));
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    ASSERT_TRUE(derivation.equations.has_value());
    const std::vector<Row>& rows = derivation.equations->rows;
    for (const Row& row : rows) {
        ASSERT_EQ(row.directions.size(), 2u);
        EXPECT_EQ(row.directions[0].point, 0);
        EXPECT_EQ(row.directions[1].point, 1);
        EXPECT_TRUE(row.unattributed.empty());
    }
    // RH (27): C1 = lambda v2, C2 = lambda v1
    EXPECT_EQ(printed(b.m.model, rows[0].directions[0].W_symbolic),
              (Texts{"velocity(R).x", "velocity(R).y", "velocity(R).z"}));
    EXPECT_EQ(printed(b.m.model, rows[0].directions[0].W), (Texts{"u'", "w'", "0"}));
    EXPECT_EQ(printed(b.m.model, rows[0].directions[1].W), (Texts{"x'", "y'", "z'"}));
    // RH (52): C2 = lambda n3 x v1, C1 = -lambda n3 x v2
    EXPECT_EQ(printed(b.m.model, rows[1].directions[1].W), (Texts{"-y'", "x'", "0"}));
    EXPECT_EQ(printed(b.m.model, rows[1].directions[0].W), (Texts{"w'", "-u'", "0"}));
    // RH (55) up to the factor 2 of (53): C2 = lambda v2, C1 = -lambda v1
    EXPECT_EQ(printed(b.m.model, rows[2].directions[1].W), (Texts{"2*u'", "2*w'", "0"}));
    EXPECT_EQ(printed(b.m.model, rows[2].directions[0].W), (Texts{"-2*x'", "-2*y'", "-2*z'"}));
}

TEST(Directions, OfHolonomicConstraintsAreGradientsByPosition) {
    Bench b;
    const F3 gap{b.P1.r[0] - b.P2.r[0], b.P1.r[1] - b.P2.r[1], b.P1.r[2] - b.P2.r[2]};
    b.m.constraint("rod", dot(gap, gap) - 1.0);
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    const Row& row = derivation.equations->rows[0];
    ASSERT_EQ(row.directions.size(), 2u);
    EXPECT_EQ(printed(b.m.model, row.directions[0].W), (Texts{"2*(x - u)", "2*(y - w)", "2*z"}));
}

TEST(Directions, RawCoordinatesCountForTheOnlyPointTheyPlace) {
    Bench b;
    const Q th = b.m.coordinate("th");
    b.m.point("marker", {b.u.q, b.m.number(1), b.m.number(0)});  // u places two points
    b.m.constraint("mixed", b.x.q + 2.0 * b.u.q + 3.0 * th.q);
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    const Row& row = derivation.equations->rows[0];
    ASSERT_EQ(row.directions.size(), 1u);
    EXPECT_EQ(row.directions[0].point, 0);
    EXPECT_EQ(printed(b.m.model, row.directions[0].W), (Texts{"1", "0", "0"}));
    EXPECT_EQ(row.unattributed, (std::vector<int>{b.u.index, th.index}));
}

}  // namespace
}  // namespace ananke::classify

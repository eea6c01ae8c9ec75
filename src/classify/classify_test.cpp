#include "classify/classify.h"

#include <gtest/gtest.h>

#include "mech/equation_check.h"
#include "mech/model_builder.h"

namespace ananke::classify {

using mech::ConstraintKind, mech::Derivation, mech::Row;

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

}  // namespace
}  // namespace ananke::classify

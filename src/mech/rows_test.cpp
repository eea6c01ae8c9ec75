#include "mech/rows.h"

#include <gtest/gtest.h>

#include "mech/model_builder.h"
#include "sym/print.h"

namespace ananke::mech {
namespace {

using namespace testing;

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

TEST(Rows, OfVectorConstraintsAreThreeNumberedRows) {
    Bench b;
    b.m.constraint("parallel", cross(b.P1.v, b.P2.v));
    const Derivation derivation = derive(b.m.model);
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
    const Derivation derivation = derive(b.m.model);
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
    const Derivation derivation = derive(b.m.model);
    const Row& row = derivation.equations->rows[0];
    ASSERT_EQ(row.directions.size(), 2u);
    EXPECT_EQ(printed(b.m.model, row.directions[0].W), (Texts{"2*(x - u)", "2*(y - w)", "2*z"}));
}

TEST(Directions, RawCoordinatesCountForTheOnlyPointTheyPlace) {
    Bench b;
    const Q th = b.m.coordinate("th");
    b.m.point("marker", {b.u.q, b.m.number(1), b.m.number(0)});  // u places two points
    b.m.constraint("mixed", b.x.q + 2.0 * b.u.q + 3.0 * th.q);
    const Derivation derivation = derive(b.m.model);
    const Row& row = derivation.equations->rows[0];
    ASSERT_EQ(row.directions.size(), 1u);
    EXPECT_EQ(row.directions[0].point, 0);
    EXPECT_EQ(printed(b.m.model, row.directions[0].W), (Texts{"1", "0", "0"}));
    EXPECT_EQ(row.unattributed, (std::vector<int>{b.u.index, th.index}));
}

}  // namespace
}  // namespace ananke::mech

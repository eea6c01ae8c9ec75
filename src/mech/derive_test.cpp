// Derived M, Q, A, b against formulas derived by hand and against differences of T, V and the
// constraints.
#include "mech/derive.h"

#include <gtest/gtest.h>

#include <functional>

#include "mech/equation_check.h"
#include "mech/model_builder.h"
#include "sym/walk.h"

namespace ananke::mech {
namespace {

using namespace testing;

constexpr Real kExact = 1e-13L;
constexpr double kDifferences = 1e-9;

Equations equations_of(Builder& builder) {
    Derivation derivation = derive(builder.model);
    for (const Diagnostic& diagnostic : derivation.diagnostics) {
        ADD_FAILURE() << diagnostic.message;
    }
    return derivation.equations.value();
}

/// A = sum over the points of W . (partial velocity of the point): the vector forces and the
/// generalized one are the same force.
void check_directions(const Equations& equations, const Evaluated& values, std::size_t row,
                      const State& s) {
    const Vector A = values.A(row, s);
    for (std::size_t i = 0; i < A.size(); ++i) {
        Real sum = 0;
        for (const Direction& direction : equations.rows[row].directions) {
            const std::size_t p = direction.point;
            for (std::size_t k = 0; k < 3; ++k) {
                const Real partial = difference([&](Real h) {
                    State m = s;
                    m.v[i] += h;
                    return values.at(equations.points[p].velocity[k], m);
                });
                sum += values.at(direction.W[k], s) * partial;
            }
        }
        EXPECT_NEAR(static_cast<double>(A[i] - sum), 0, 1e-12) << equations.rows[row].name;
    }
}

/// The roads that hold for every model: Lagrange's equation, the rows, the energy.
void check_against_differences(const Model& model, const Equations& equations) {
    const Evaluated values(model, equations);
    std::mt19937 random(7);
    for (int draw = 0; draw < 10; ++draw) {
        const State s = random_state(random, equations.n);
        const Vector a = random_state(random, equations.n).q;
        const Matrix M = values.M(s);
        const Vector Q = values.Q(s);
        const Vector lagrange = lagrange_residual(values, equations, s, a);

        // M a - Q = (d/dt T_v - T_q + V_q) - F, and F.v = power + T_t - V_t
        Vector F;
        Real power = 0;
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            F.push_back(lagrange[i] - inner(M[i], a) + Q[i]);
            power += F[i] * s.v[i];
            if (model.forces.empty()) {
                EXPECT_NEAR(static_cast<double>(F[i]), 0, kDifferences);
            }
        }
        const auto time_slope = [&](Expr e) {
            return difference([&](Real h) {
                State m = s;
                m.t += h;
                return values.at(e, m);
            });
        };
        power += time_slope(equations.potential) - time_slope(equations.kinetic);
        EXPECT_NEAR(static_cast<double>(values.at(equations.power, s) - power), 0, kDifferences);

        // h' = power + (M a - Q).v
        const Real h_rate =
            difference([&](Real h) { return values.at(equations.h, moved(s, a, h)); });
        Real work = 0;
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            work += (inner(M[i], a) - Q[i]) * s.v[i];
        }
        EXPECT_NEAR(static_cast<double>(h_rate - power - work), 0, kDifferences);

        for (std::size_t r = 0; r < equations.rows.size(); ++r) {
            const Row& row = equations.rows[r];
            const Real change =
                difference([&](Real h) { return values.at(row.rate, moved(s, a, h)); });
            EXPECT_NEAR(static_cast<double>(inner(values.A(r, s), a) - values.b(r, s) - change), 0,
                        kDifferences)
                << row.name;
            if (row.unattributed.empty()) {
                check_directions(equations, values, r, s);
            }
            if (row.holonomic) {
                const Real rate =
                    difference([&](Real h) { return values.at(row.residual, moved(s, a, h)); });
                EXPECT_NEAR(static_cast<double>(values.at(row.rate, s) - rate), 0, kDifferences);
            }
        }
    }
}

/// Compares with formulas at random states.
void check_against(const Model& model, const Equations& equations,
                   const std::function<void(const Evaluated&, const State&)>& expect) {
    const Evaluated values(model, equations);
    std::mt19937 random(11);
    for (int draw = 0; draw < 20; ++draw) {
        expect(values, random_state(random, equations.n));
    }
    check_against_differences(model, equations);
}

void expect_near(Real value, Real expected) {
    EXPECT_NEAR(static_cast<double>(value), static_cast<double>(expected),
                static_cast<double>(kExact * std::max(Real(1), std::abs(expected))));
}

TEST(Derive, CoupledDuffingOscillators) {  // P21 section 3.3
    Builder m;
    const F m1 = m.parameter("m1", 2), m2 = m.parameter("m2", 1);
    const F k1 = m.parameter("k1", 10), k2 = m.parameter("k2", 12);
    const F e1 = m.parameter("e1", 1), e2 = m.parameter("e2", 2);
    const F c1 = m.parameter("c1", 0.1), c2 = m.parameter("c2", 0.15);
    const Q x1 = m.coordinate("x1"), x2 = m.coordinate("x2");
    const F s = x1.q - x2.q;
    m.kinetic(m1 / 2.0 * pow(x1.v, 2) + m2 / 2.0 * pow(x2.v, 2));
    m.potential(k1 / 2.0 * pow(s, 2) + e1 / 4.0 * pow(s, 4) + k2 / 2.0 * pow(x2.q, 2) +
                e2 / 4.0 * pow(x2.q, 4));
    m.force(x1, -(c1 * (x1.v - x2.v)));
    m.force(x2, c1 * (x1.v - x2.v) - c2 * x2.v);
    m.constraint("guide", s - exp(-m.t()) * sin(2.0 * m.t()));
    const Equations equations = equations_of(m);

    EXPECT_EQ(equations.elements.size(), 2u);
    EXPECT_EQ(equations.rows[0].kind, ConstraintKind::kHolonomicRheonomic);
    EXPECT_FALSE(equations.energy_projection_allowed);
    EXPECT_TRUE(equations.kinetic_is_T_plus_V);
    check_against(m.model, equations, [](const Evaluated& at, const State& st) {
        const Real d = st.q[0] - st.q[1], dv = st.v[0] - st.v[1], x = st.q[1];
        expect_near(at.M(st)[0][0], 2);
        expect_near(at.M(st)[1][1], 1);
        expect_near(at.M(st)[0][1], 0);
        expect_near(at.Q(st)[0], -10 * d - d * d * d - Real(0.1) * dv);
        expect_near(at.Q(st)[1], 10 * d + d * d * d - 12 * x - 2 * x * x * x + Real(0.1) * dv -
                                     Real(0.15) * st.v[1]);
        expect_near(at.A(0, st)[0], 1);
        expect_near(at.A(0, st)[1], -1);
        // (e^-t sin 2t)'' = e^-t (-3 sin 2t - 4 cos 2t)
        expect_near(at.b(0, st),
                    std::exp(-st.t) * (-3 * std::sin(2 * st.t) - 4 * std::cos(2 * st.t)));
    });
}

TEST(Derive, TwoLinkPendulum) {  // P21 section 3.4
    Builder m;
    const F mass = m.parameter("m", 1.5), g = m.parameter("g", 10);
    const F L1 = m.parameter("L1", 1), L2 = m.parameter("L2", 1.25);
    const Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    m.kinetic(mass / 2.0 * (pow(x.v, 2) + pow(y.v, 2) + pow(z.v, 2)));
    m.potential(-(mass * g * x.q));
    m.constraint("rod1", pow(x.q, 2) + pow(y.q, 2) + pow(z.q, 2) - pow(L1, 2));
    m.constraint("rod2", pow(x.q - L1, 2) + pow(y.q, 2) + pow(z.q - L2, 2) - pow(L2, 2));
    const Equations equations = equations_of(m);

    EXPECT_TRUE(equations.energy_projection_allowed);
    check_against(m.model, equations, [](const Evaluated& at, const State& st) {
        const Real vv = inner(st.v, st.v);
        expect_near(at.Q(st)[0], 15);
        expect_near(at.Q(st)[1], 0);
        for (std::size_t i = 0; i < 3; ++i) {
            expect_near(at.M(st)[i][i], Real(1.5));
            expect_near(at.A(0, st)[i], 2 * st.q[i]);
            const Real offset[] = {1, 0, Real(1.25)};
            expect_near(at.A(1, st)[i], 2 * (st.q[i] - offset[i]));
        }
        expect_near(at.b(0, st), -2 * vv);
        expect_near(at.b(1, st), -2 * vv);
    });
}

/// Two pucks in the plane, RH section 4.
struct Pucks {
    Builder m;
    F t = m.t();
    Q q1 = m.coordinate("q1"), q2 = m.coordinate("q2");
    Q q3 = m.coordinate("q3"), q4 = m.coordinate("q4");
    P P1 = m.particle("P1", m.parameter("m1", 1), {q1.q, q2.q, m.number(0)});
    P P2 = m.particle("P2", m.parameter("m2", 2), {q3.q, q4.q, m.number(0)});
};

TEST(Derive, PerpendicularPucks) {
    Pucks p;
    p.m.force(p.P1, {p.m.number(1), p.m.number(0), p.m.number(0)});
    p.m.force(p.P2, {p.m.number(1), p.m.number(0.5), p.m.number(3)});
    p.m.constraint("perpendicular", dot(p.P1.v, p.P2.v), true);
    const Equations equations = equations_of(p.m);

    EXPECT_TRUE(equations.rows[0].servo);
    EXPECT_EQ(equations.rows[0].kind, ConstraintKind::kNonholonomicNonlinear);
    EXPECT_TRUE(equations.rows[0].homogeneous);
    check_against(p.m.model, equations, [](const Evaluated& at, const State& s) {
        const Real masses[] = {1, 1, 2, 2};
        const Real Q[] = {1, 0, 1, 0.5};
        const Real A[] = {s.v[2], s.v[3], s.v[0], s.v[1]};
        for (std::size_t i = 0; i < 4; ++i) {
            expect_near(at.M(s)[i][i], masses[i]);
            expect_near(at.Q(s)[i], Q[i]);
            expect_near(at.A(0, s)[i], A[i]);
        }
        expect_near(at.b(0, s), 0);
    });
}

TEST(Derive, AppellsParticle) {  // RH (56)-(60)
    Builder m;
    const F a = m.parameter("a", 0.7);
    const Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    const P p = m.particle("P", m.parameter("m", 2), {x.q, y.q, z.q});
    m.gravity({m.number(0), m.number(0), m.number(-9.81)});
    m.constraint("appell", z.v - a * sqrt(pow(x.v, 2) + pow(y.v, 2)));
    const Equations equations = equations_of(m);

    EXPECT_TRUE(equations.rows[0].homogeneous);
    EXPECT_TRUE(equations.energy_projection_allowed);
    ASSERT_EQ(equations.rows[0].directions.size(), 1u);
    EXPECT_EQ(equations.rows[0].directions[0].point, p.index);
    check_against(m.model, equations, [&](const Evaluated& at, const State& s) {
        const Real speed = std::hypot(s.v[0], s.v[1]);
        expect_near(at.Q(s)[2], -2 * Real(9.81));
        expect_near(at.A(0, s)[0], -Real(0.7) * s.v[0] / speed);
        expect_near(at.A(0, s)[1], -Real(0.7) * s.v[1] / speed);
        expect_near(at.A(0, s)[2], 1);
        expect_near(at.b(0, s), 0);
        // RH (60): n3 - (a^2/u3)(u1 n1 + u2 n2) with u3 = a sqrt(u1^2 + u2^2)
        const Vec3& W = equations.rows[0].directions[0].W;
        const Real u3 = Real(0.7) * speed;
        expect_near(at.at(W[0], s), -Real(0.7) * Real(0.7) / u3 * s.v[0]);
        expect_near(at.at(W[1], s), -Real(0.7) * Real(0.7) / u3 * s.v[1]);
        expect_near(at.at(W[2], s), 1);
    });
}

TEST(Derive, RigidBodyInQuaternions) {  // US10 section 4
    Builder m;
    std::vector<Q> u;
    for (int i = 0; i < 4; ++i) {
        u.push_back(m.coordinate("u" + std::to_string(i)));
    }
    // US10 (79), (80): omega = 2 E u'
    const F3 omega{
        2.0 * (-(u[1].q * u[0].v) + u[0].q * u[1].v + u[3].q * u[2].v - u[2].q * u[3].v),
        2.0 * (-(u[2].q * u[0].v) - u[3].q * u[1].v + u[0].q * u[2].v + u[1].q * u[3].v),
        2.0 * (-(u[3].q * u[0].v) + u[2].q * u[1].v - u[1].q * u[2].v + u[0].q * u[3].v)};
    const double J[3][3] = {{2, 0.25, -0.5}, {0.25, 3, 0.125}, {-0.5, 0.125, 4}};
    F T = m.number(0);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            T = T + 0.5 * J[i][j] * omega[i] * omega[j];
        }
    }
    m.kinetic(T);
    m.constraint("unit", pow(u[0].q, 2) + pow(u[1].q, 2) + pow(u[2].q, 2) + pow(u[3].q, 2) - 1.0);
    const Equations equations = equations_of(m);

    EXPECT_TRUE(equations.energy_projection_allowed);
    EXPECT_TRUE(equations.kinetic_is_T_plus_V);
    const auto E = [](const Vector& w) {
        return Matrix{
            {-w[1], w[0], w[3], -w[2]}, {-w[2], -w[3], w[0], w[1]}, {-w[3], w[2], -w[1], w[0]}};
    };
    check_against(m.model, equations, [&](const Evaluated& at, const State& s) {
        const Matrix e = E(s.q), de = E(s.v);
        const Matrix M = at.M(s);
        const Vector Q = at.Q(s);
        for (std::size_t k = 0; k < 4; ++k) {
            Real Q_k = 0;  // US10 (91): -8 E'^T J E u'
            for (std::size_t l = 0; l < 4; ++l) {
                Real M_kl = 0;  // US10 (91): 4 E^T J E
                for (std::size_t i = 0; i < 3; ++i) {
                    for (std::size_t j = 0; j < 3; ++j) {
                        M_kl += 4 * e[i][k] * Real(J[i][j]) * e[j][l];
                        Q_k -= 8 * de[i][k] * Real(J[i][j]) * e[j][l] * s.v[l];
                    }
                }
                expect_near(M[k][l], M_kl);
            }
            expect_near(Q[k], Q_k);
            expect_near(inner(M[k], s.q), 0);        // rank 3: M u = 0
            expect_near(at.A(0, s)[k], 2 * s.q[k]);  // twice US10 (93)
        }
        expect_near(at.b(0, s), -2 * inner(s.v, s.v));
    });
}

TEST(Derive, KnifeEdgeOnAnIncline) {
    Builder m;
    const F mass = m.parameter("m", 1.5), J = m.parameter("J", 0.25), g = m.parameter("g", 9.81);
    const F slope = m.parameter("slope", 0.5);
    const Q x = m.coordinate("x"), y = m.coordinate("y"), th = m.coordinate("th");
    m.kinetic(mass / 2.0 * (pow(x.v, 2) + pow(y.v, 2)) + J / 2.0 * pow(th.v, 2));
    m.potential(-(mass * g * sin(slope) * x.q));
    m.constraint("edge", x.v * sin(th.q) - y.v * cos(th.q));
    const Equations equations = equations_of(m);

    EXPECT_EQ(equations.rows[0].kind, ConstraintKind::kNonholonomicLinear);
    check_against(m.model, equations, [](const Evaluated& at, const State& s) {
        expect_near(at.Q(s)[0], Real(1.5) * Real(9.81) * std::sin(Real(0.5)));
        expect_near(at.M(s)[2][2], 0.25);
        expect_near(at.A(0, s)[0], std::sin(s.q[2]));
        expect_near(at.A(0, s)[1], -std::cos(s.q[2]));
        expect_near(at.A(0, s)[2], 0);
        expect_near(at.b(0, s), -s.v[2] * (s.v[0] * std::cos(s.q[2]) + s.v[1] * std::sin(s.q[2])));
    });
}

TEST(Derive, PendulumOnAMovingSupport) {
    Builder m;
    const F l = m.parameter("l", 0.8), A0 = m.parameter("A0", 0.3), w = m.parameter("w", 2);
    const Q th = m.coordinate("th");
    m.particle("P", m.parameter("m", 1.25),
               {A0 * sin(w * m.t()) + l * sin(th.q), -(l * cos(th.q)), m.number(0)});
    m.gravity({m.number(0), m.number(-9.81), m.number(0)});
    const Equations equations = equations_of(m);

    EXPECT_FALSE(equations.kinetic_is_T_plus_V);
    EXPECT_FALSE(equations.energy_projection_allowed);
    check_against(m.model, equations, [](const Evaluated& at, const State& s) {
        const Real support = -Real(0.3) * 4 * std::sin(2 * s.t);
        expect_near(at.M(s)[0][0], Real(1.25) * Real(0.8) * Real(0.8));
        expect_near(at.Q(s)[0], -Real(1.25) * Real(0.8) *
                                    (Real(9.81) * std::sin(s.q[0]) + support * std::cos(s.q[0])));
    });
}

TEST(Derive, SphericalPendulumInAngles) {
    Builder m;
    const F l = m.parameter("l", 2);
    const Q th = m.coordinate("th"), ph = m.coordinate("ph");
    m.particle("P", m.parameter("m", 0.5),
               {l * sin(th.q) * cos(ph.q), l * sin(th.q) * sin(ph.q), -(l * cos(th.q))});
    m.gravity({m.number(0), m.number(0), m.number(-10)});
    const Equations equations = equations_of(m);

    EXPECT_TRUE(equations.kinetic_is_T_plus_V);
    check_against(m.model, equations, [](const Evaluated& at, const State& s) {
        const Real sn = std::sin(s.q[0]), cs = std::cos(s.q[0]);
        expect_near(at.M(s)[0][0], 2);
        expect_near(at.M(s)[1][1], 2 * sn * sn);
        expect_near(at.M(s)[0][1], 0);
        expect_near(at.Q(s)[0], 2 * sn * cs * s.v[1] * s.v[1] - 10 * sn);
        expect_near(at.Q(s)[1], -4 * sn * cs * s.v[0] * s.v[1]);
    });
}

TEST(Derive, MassStatementMeansMTimesAEqualsQ) {
    Builder m;
    const Q x = m.coordinate("x"), y = m.coordinate("y");
    m.mass(x, x, pow(x.q, 2) + 1.0);
    m.mass(x, y, sin(m.t()));
    m.mass(y, y, m.number(3));
    m.force(x, y.v - x.q);
    m.potential(pow(y.q, 2));
    const Equations equations = equations_of(m);
    const Evaluated at(m.model, equations);
    std::mt19937 random(3);
    for (int draw = 0; draw < 20; ++draw) {
        const State s = random_state(random, 2);
        const Matrix M = at.M(s);
        const Vector Q = at.Q(s);
        expect_near(M[0][0], s.q[0] * s.q[0] + 1);
        expect_near(M[0][1], std::sin(s.t));
        expect_near(M[1][1], 3);
        expect_near(Q[0], s.v[1] - s.q[0]);
        expect_near(Q[1], -2 * s.q[1]);
        expect_near(at.at(equations.kinetic, s),
                    (M[0][0] * s.v[0] * s.v[0] + 2 * M[0][1] * s.v[0] * s.v[1] +
                     M[1][1] * s.v[1] * s.v[1]) /
                        2);
        // h' = power + (M a - Q).v
        const Vector a = random_state(random, 2).q;
        const Real rate = difference([&](Real h) { return at.at(equations.h, moved(s, a, h)); });
        const Real work = (inner(M[0], a) - Q[0]) * s.v[0] + (inner(M[1], a) - Q[1]) * s.v[1];
        EXPECT_NEAR(static_cast<double>(rate - at.at(equations.power, s) - work), 0, kDifferences);
    }
}

TEST(Derive, PointsMayBeWrittenWithOtherPointsInAnyOrder) {
    Builder m;
    const Q a = m.coordinate("a"), b = m.coordinate("b");
    // B hangs on A but is declared first, so its position is filled in afterwards.
    const P B = m.particle("B", m.number(1), {m.number(0), m.number(0), m.number(0)});
    const P A = m.particle("A", m.number(2), {sin(a.q), -cos(a.q), m.number(0)});
    const F3 at_B{A.r[0] + sin(b.q), A.r[1] - cos(b.q), A.r[2]};
    m.model.points[0].position = {at_B[0].e, at_B[1].e, at_B[2].e};
    m.gravity({m.number(0), m.number(-10), m.number(0)});
    m.output("acceleration", B.a[0]);
    const Equations equations = equations_of(m);

    check_against(m.model, equations, [](const Evaluated& at, const State& s) {
        const Real c = std::cos(s.q[0] - s.q[1]), sn = std::sin(s.q[0] - s.q[1]);
        expect_near(at.M(s)[0][0], 3);
        expect_near(at.M(s)[0][1], c);
        expect_near(at.M(s)[1][1], 1);
        expect_near(at.Q(s)[0], -s.v[1] * s.v[1] * sn - 30 * std::sin(s.q[0]));
        expect_near(at.Q(s)[1], s.v[0] * s.v[0] * sn - 10 * std::sin(s.q[1]));
    });
}

TEST(Derive, NonIdealForceOnAPoint) {  // UK02; LANGUAGE: skate with drag
    Builder m;
    const Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    const P p = m.particle("P", m.number(1), {x.q, y.q, z.q});
    m.constraint("skate", y.v - z.q * x.v);
    const F drag = 0.1 * sqrt(dot(p.v, p.v));
    m.nonideal(p, {-(drag * p.v[0]), -(drag * p.v[1]), -(drag * p.v[2])});
    const Equations equations = equations_of(m);
    EXPECT_TRUE(equations.has_nonideal);
    EXPECT_FALSE(equations.energy_projection_allowed);
    check_against(m.model, equations, [](const Evaluated& at, const State& s) {
        for (std::size_t i = 0; i < 3; ++i) {
            expect_near(at.C(s)[i], -Real(0.1) * std::sqrt(inner(s.v, s.v)) * s.v[i]);
            expect_near(at.Q(s)[i], 0);
        }
        expect_near(at.b(0, s), s.v[2] * s.v[0]);
    });
}

TEST(Derive, GaugeByConstraintReachesAllItsRows) {  // UW13: alpha(t), G(q, t), z(q, v, t)
    Pucks p;
    p.m.constraint("meet", p.q1.q * p.q4.q - p.q2.q);
    p.m.constraint("parallel", cross(p.P1.v, p.P2.v));
    sym::Graph& graph = p.m.model.graph;
    const Equations plain = equations_of(p.m);
    EXPECT_TRUE(graph.is_one(plain.gauge.alpha));
    EXPECT_FALSE(plain.gauge.alpha_given);
    EXPECT_TRUE(plain.gauge.G_diagonal.empty());
    EXPECT_TRUE(plain.gauge.z.empty());

    const Expr two = graph.integer(2);
    const F z = p.P1.v[0] * p.t;
    p.m.model.gauge.alpha = p.t.e;
    p.m.model.gauge.G = two;
    p.m.model.gauge.G_rows = {{1, p.q1.q.e, {}}};
    p.m.model.gauge.z_rows = {{0, z.e, {}}};
    const Equations set = equations_of(p.m);
    EXPECT_TRUE(set.gauge.alpha_given);
    EXPECT_EQ(set.gauge.alpha, p.t.e);
    EXPECT_EQ(set.gauge.G_diagonal, (std::vector<Expr>{two, p.q1.q.e, p.q1.q.e, p.q1.q.e}));
    const Expr zero = graph.zero();
    EXPECT_EQ(set.gauge.z, (std::vector<Expr>{(p.q1.v * p.t).e, zero, zero, zero}));
}

/// A hanging chain of n particles in the plane.
std::size_t nodes_of_chain(int n, double* rows) {
    Builder m;
    const F l = m.parameter("l", 0.1), mass = m.parameter("m", 0.05);
    m.gravity({m.number(0), m.number(-9.81), m.number(0)});
    std::vector<Q> x, y;
    for (int i = 0; i < n; ++i) {
        const std::string index = "[" + std::to_string(i + 1) + "]";
        x.push_back(m.coordinate("x" + index));
        y.push_back(m.coordinate("y" + index));
        m.particle("P" + index, mass, {x.back().q, y.back().q, m.number(0)});
        const std::size_t k = i;
        const F dx = i == 0 ? x[0].q : x[k].q - x[k - 1].q;
        const F dy = i == 0 ? y[0].q : y[k].q - y[k - 1].q;
        m.constraint("link" + index, pow(dx, 2) + pow(dy, 2) - pow(l, 2));
    }
    const std::size_t before = m.model.graph.size();
    const Equations equations = equations_of(m);
    *rows = static_cast<double>(equations.rows.size());
    EXPECT_EQ(equations.M.size(), static_cast<std::size_t>(2 * n));
    EXPECT_EQ(equations.elements.size(), static_cast<std::size_t>(n));
    return m.model.graph.size() - before;
}

TEST(Derive, CostGrowsLinearlyWithTheModel) {
    double rows = 0;
    const std::size_t small = nodes_of_chain(100, &rows);
    const std::size_t large = nodes_of_chain(1000, &rows);
    EXPECT_EQ(rows, 1000);
    EXPECT_LE(large, 11 * small);
    EXPECT_LE(large, 100u * 1000u);  // new nodes per particle
}

}  // namespace
}  // namespace ananke::mech

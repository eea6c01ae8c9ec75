// Forces of constraint as vectors: they are what Newton's and Euler's laws ask for on every body,
// and where rows are redundant the unique ones are told from the others.
#include <map>

#include "dynamics/motion_solver.h"
#include "inspect/check.h"
#include "mech/bodies.h"
#include "mech/derive.h"
#include "pipeline.h"
#include "sym/walk.h"
#include "typeset/report_lines.h"

namespace ananke::pipeline {
namespace {

using Vector = Eigen::Vector3d;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

/// omega = 2 E u' in body axes, US10 (80).
Matrix34 body_rates(const Eigen::Vector4d& u) {
    Matrix34 E;
    E << -u[1], u[0], u[3], -u[2],  //
        -u[2], -u[3], u[0], u[1],   //
        -u[3], u[2], -u[1], u[0];
    return E;
}

Eigen::Matrix3d rotation(const Eigen::Vector4d& u) {
    return Eigen::Quaterniond(u[0], u[1], u[2], u[3]).toRotationMatrix();
}

/// What is given on a coordinate: Q without the terms of inertia that Lagrange's equation puts
/// there, and the friction that the row reports.
Eigen::VectorXd given_forces(const compile::Prepared& prepared, const sym::Values<double>& values,
                             const Recording& run, std::size_t row) {
    const mech::Equations& equations = prepared.equations;
    const sym::Graph& graph = prepared.model.graph;
    Eigen::VectorXd Q(equations.n);
    for (int i = 0; i < equations.n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        Q[i] = sym::evaluate<double>(graph, equations.Q[k], values) +
               sym::evaluate<double>(graph, equations.C_given[k], values);
    }
    for (const mech::InertiaElement& element : equations.elements) {
        for (const mech::Entry& entry : element.Q) {
            Q[entry.column] -= sym::evaluate<double>(graph, entry.value, values);
        }
    }
    for (const mech::FrictionElement& friction : equations.frictions) {
        for (const mech::Row& slip : friction.rows) {
            for (const mech::Entry& entry : slip.A) {
                Q[entry.column] +=
                    run.at(row, slip.name) * sym::evaluate<double>(graph, entry.value, values);
            }
        }
    }
    return Q;
}

struct State {
    const compile::Prepared& prepared;
    const Recording& run;
    std::size_t row;
    sym::Values<double> values;
    Eigen::VectorXd given;

    double at(const std::string& column) const { return run.at(row, column); }
    Vector vector(const std::string& name) const {
        return {at(name + ".x"), at(name + ".y"), at(name + ".z")};
    }
};

State state_of(const compile::Prepared& prepared, const Recording& run, std::size_t row) {
    State state{prepared, run, row, {}, {}};
    const mech::Model& model = prepared.model;
    state.values = mech::symbol_values<double>(model, prepared.parameters);
    state.values[model.time] = run.at(row, "t");
    for (const mech::Coordinate& c : model.coordinates) {
        state.values[c.q] = run.at(row, c.name);
        state.values[c.v] = run.at(row, c.name + "'");
    }
    for (const mech::Row& constraint : prepared.equations.rows) {
        if (constraint.lambda) {
            state.values[*constraint.lambda] = run.at(row, "lambda[" + constraint.name + "]");
        }
    }
    state.given = given_forces(prepared, state.values, run, row);
    return state;
}

/// Sum of force and of moment about the mass centre that all constraints and joints exert on a
/// body, from the columns, and the summed magnitudes.
struct Wrench {
    Vector force = Vector::Zero();
    Vector moment = Vector::Zero();
    double force_size = 0.0;
    double moment_size = 0.0;

    void add(const Vector& F, const Vector& arm, const Vector& T) {
        force += F;
        moment += T + arm.cross(F);
        force_size += F.norm();
        moment_size += T.norm() + arm.norm() * F.norm();
    }
};

Wrench reactions_on(const State& state, int body) {
    const compile::ReactionMap& map = state.prepared.compiled->reactions;
    const mech::Model& model = state.prepared.model;
    const auto place = [&](int point) {
        const mech::Vec3& r =
            state.prepared.equations.points[static_cast<std::size_t>(point)].position;
        Vector value;
        for (std::size_t k = 0; k < 3; ++k) {
            value[static_cast<Eigen::Index>(k)] =
                sym::evaluate<double>(model.graph, r[k], state.values);
        }
        return value;
    };
    const Vector centre = place(model.bodies[static_cast<std::size_t>(body)].centre);
    Wrench sum;
    for (const compile::ReactionMap::Target& target : map.targets) {
        if (map.owners[static_cast<std::size_t>(target.owner)].within >= 0) {
            continue;  // a part of a joint that is counted
        }
        const int reference = map.points[static_cast<std::size_t>(target.reference)];
        const bool on_point = target.body < 0;
        const int of_body =
            on_point ? model.points[static_cast<std::size_t>(reference)].body : target.body;
        if (of_body != body) {
            continue;
        }
        const std::string key =
            map.owners[static_cast<std::size_t>(target.owner)].name + ":" + target.name + "]";
        const Vector F = target.force ? state.vector("force[" + key) : Vector::Zero();
        const Vector T = target.torque ? state.vector("torque[" + key) : Vector::Zero();
        sum.add(F, place(reference) - centre, T);
        if (target.turns && target.force) {  // the same vector in body axes
            const std::string own = map.owners[static_cast<std::size_t>(target.owner)].name + ":" +
                                    target.name + " in " + target.name + "]";
            EXPECT_NEAR(state.vector("force[" + own).norm(), F.norm(), 1e-12 * (1 + F.norm()));
        }
    }
    return sum;
}

/// m a = F,  J alpha + omega x J omega = T: left side from the motion alone.
void expect_newton_euler(const State& state, int index) {
    const mech::Model& model = state.prepared.model;
    const mech::Body& body = model.bodies[static_cast<std::size_t>(index)];
    const mech::Point& centre = model.points[static_cast<std::size_t>(body.centre)];
    const double m = sym::evaluate<double>(model.graph, *centre.mass, state.values);
    const bool planar = body.kind == mech::Body::Kind::kPlanar;
    const Wrench reactions = reactions_on(state, index);

    Vector rate = Vector::Zero();
    Vector force = reactions.force;
    double size = reactions.force_size + 1e-3;
    for (int k = 0; k < (planar ? 2 : 3); ++k) {
        const std::string& name = model.coordinates[static_cast<std::size_t>(body.first + k)].name;
        rate[k] = m * state.at(name + "''");
        force[k] += state.given[body.first + k];
        size += std::abs(state.given[body.first + k]) + std::abs(rate[k]);
    }
    if (planar) {
        force[2] = 0.0;  // the plane carries it
    }
    EXPECT_LT((rate - force).norm(), 1e-10 * size) << body.name;

    if (planar) {
        const double J = sym::evaluate<double>(model.graph, body.inertia[2][2], state.values);
        const double spin =
            J * state.at(model.coordinates[static_cast<std::size_t>(body.first + 2)].name + "''");
        const double moment = reactions.moment[2] + state.given[body.first + 2];
        EXPECT_LT(std::abs(spin - moment), 1e-10 * (reactions.moment_size + std::abs(spin) + 1e-3 +
                                                    std::abs(state.given[body.first + 2])))
            << body.name;
        return;
    }
    Eigen::Vector4d u, v, a, Q;
    for (int k = 0; k < 4; ++k) {
        const std::string& name =
            model.coordinates[static_cast<std::size_t>(body.first + 3 + k)].name;
        u[k] = state.at(name);
        v[k] = state.at(name + "'");
        a[k] = state.at(name + "''");
        Q[k] = state.given[body.first + 3 + k];
    }
    Eigen::Matrix3d J;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                sym::evaluate<double>(model.graph, body.inertia[j][i], state.values);
        }
    }
    const Matrix34 E = body_rates(u);
    const Vector omega = 2.0 * E * v;
    const Vector alpha = 2.0 * E * a;
    const Vector change = J * alpha + omega.cross(Vector(J * omega));
    const Vector given = 0.5 * E * Q;  // Q_u = 2 E^T Gamma
    const Vector moment = rotation(u).transpose() * reactions.moment + given;
    EXPECT_LT((change - moment).norm(),
              1e-10 * (reactions.moment_size + given.norm() + (J * alpha).norm() +
                       omega.norm() * (J * omega).norm() + 1e-3))
        << body.name;
}

TEST(Reactions, SatisfyNewtonAndEulerOnEveryBodyOfTheGallery) {
    int bodies = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const mech::Model& model = loaded.prepared->model;
        if (model.bodies.empty()) {
            continue;
        }
        const double end = std::min(end_of(*loaded.prepared), 2.0);
        const Recording run = run_model(*loaded.prepared, {.times = even_times(end, 5)});
        ASSERT_FALSE(run.error) << run.error->message;
        for (std::size_t row = 0; row < run.rows.rows(); ++row) {
            const State state = state_of(*loaded.prepared, run, row);
            for (std::size_t b = 0; b < model.bodies.size(); ++b) {
                if (model.bodies[b].kind != mech::Body::Kind::kGround) {
                    expect_newton_euler(state, static_cast<int>(b));
                    ++bodies;
                }
            }
        }
    }
    EXPECT_GT(bodies, 100);
}

constexpr const char* kParallelogram = R"(
parameter m = 1
gravity (0, -9.81, 0)
body a mass m inertia (0.01, m/12, m/12) at (0, 0.5, 0), orientation rotation((0, 0, 1), 90*deg)
body b mass m inertia (0.01, m/12, m/12) at (0.5, 1, 0)
body c mass m inertia (0.01, m/12, m/12) at (1, 0.5, 0), orientation rotation((0, 0, 1), 90*deg), omega (0, 0, -1)
joint A: revolute(ground, a at (-0.5, 0, 0))
joint B: revolute(a at (0.5, 0, 0), b at (-0.5, 0, 0))
joint C: revolute(b at (0.5, 0, 0), c at (0.5, 0, 0))
joint D: revolute(ground at (1, 0, 0), c at (-0.5, 0, 0))
)";

TEST(Reactions, OfAPlanarLoopWithSpatialJointsAreUniqueInThePlaneOnly) {
    const Loaded loaded = load_text("parallelogram", kParallelogram);
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report.value().degrees_of_freedom, 1);
    EXPECT_EQ(loaded.prepared->compiled->m() - report.value().analysis.rank, 3);
    ASSERT_EQ(report.value().reactions.size(), 8U);  // two bodies or the ground at each joint
    for (const compile::ReactionShare& share : report.value().reactions) {
        EXPECT_EQ(share.force, (std::array<bool, 3>{true, true, false}));
        EXPECT_EQ(share.torque, (std::array<bool, 3>{false, false, true}));
        EXPECT_EQ(share.shared_with.size(), 3U);
    }
}

// A body of weight 10 N held at its end: with J = m l^2 the pin carries half of it at the start.
// However its places are written, reaction(pin) is the
// force on the last argument of the joint, or on the first point in the text of a constraint, and
// on the ground only where nothing else is named.
TEST(Reactions, AreForcesOnABodyThatDoesNotDependOnHowItsPlaceIsWritten) {
    struct Case {
        const char* text;
        double z;
    };
    for (const Case& one : {
             Case{"joint p: spherical(ground, r at (-1, 0, 0))\noutput R = reaction(p.pin)\n", 5},
             Case{"point P on r at (-1, 0, 0)\njoint p: spherical(ground, P)\n"
                  "output R = reaction(p.pin)\n",
                  5},
             Case{"point O on ground at (0, 0, 0)\njoint p: spherical(O, r at (-1, 0, 0))\n"
                  "output R = reaction(p.pin)\n",
                  5},
             Case{"joint p: spherical(r at (-1, 0, 0), ground)\noutput R = reaction(p.pin)\n", 5},
             Case{"constraint p: position(r at (-1, 0, 0)) = (0, 0, 0)\noutput R = reaction(p)\n",
                  5},
             Case{"constraint p: position(ground) = position(r at (-1, 0, 0))\n"
                  "output R = reaction(p)\n",
                  5},
             Case{"body s mass 1e9 inertia (1, 1, 1)\njoint p: spherical(s, r at (-1, 0, 0))\n"
                  "force on s = (0, 0, 1e10)\noutput R = reaction(p.pin)\n",
                  5},
             Case{"body s mass 1e9 inertia (1e9, 1e9, 1e9)\nforce on s = (0, 0, 1e10)\n"
                  "joint p: spherical(r at (-1, 0, 0), s)\noutput R = reaction(p.pin)\n",
                  -5},
             Case{"body s mass 1e9 inertia (1, 1, 1)\nforce on s = (0, 0, 1e10)\n"
                  "constraint p: position(s) = position(r at (-1, 0, 0))\noutput R = reaction(p)\n",
                  -5},
         }) {
        const std::string text = std::string("gravity (0, 0, -10)\n") +
                                 "body r mass 1 inertia (1, 1, 1) at (1, 0, 0)\n" + one.text;
        const Loaded loaded = load_text("pin", text);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Recording run = run_model(*loaded.prepared, {.times = {0.0}});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_NEAR(run.at(0, "R.z"), one.z, 1e-5) << one.text;
    }
}

// A unique reaction does not change when a row of another joint is written in other units.
TEST(Reactions, DoNotDependOnTheScaleOfRowsWhereTheyAreUnique) {
    const std::string scaled = R"(
define joint inches(A: point, B: point) {
    constraint pin: 39.37*position(B) = 39.37*position(A)
    constraint tilt1: 1e4*dot(fixed(A, (0, 0, 1)), fixed(B, (1, 0, 0))) = 0
    constraint tilt2: 1e-3*dot(fixed(A, (0, 0, 1)), fixed(B, (0, 1, 0))) = 0
}
)";
    std::string other = kParallelogram;
    other.replace(other.find("joint C: revolute"), 17, "joint C: inches");
    const Loaded plain = load_text("plain", kParallelogram);
    const Loaded inches = load_text("inches", scaled + other);
    ASSERT_TRUE(plain.prepared && inches.prepared) << plain.messages << inches.messages;
    const std::vector<double> times{0.0, 0.3, 0.6};
    const Recording one = run_model(*plain.prepared, {.times = times});
    const Recording two = run_model(*inches.prepared, {.times = times});
    ASSERT_FALSE(one.error || two.error);
    for (std::size_t row = 0; row < times.size(); ++row) {
        for (const char* joint : {"A:a", "B:a", "B:b", "C:b", "C:c", "D:ground"}) {
            for (const char* part : {"force[%].x", "force[%].y", "torque[%].z"}) {
                std::string column = part;
                column.replace(column.find('%'), 1, joint);
                EXPECT_NEAR(one.at(row, column), two.at(row, column),
                            1e-8 * (1 + std::abs(one.at(row, column))))
                    << column;
            }
        }
    }
}

TEST(Reactions, ActAndReact) {
    const Loaded loaded = load_text("parallelogram", kParallelogram);
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 0.4}});
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t row = 0; row < 2; ++row) {
        for (const char* axis : {"x", "y", "z"}) {
            for (const char* what : {"force", "torque"}) {
                const auto column = [&](const char* on) {
                    return std::string(what) + "[" + on + "]." + axis;
                };
                for (const auto& [one, other] :
                     {std::pair("A:ground", "A:a"), std::pair("B:a", "B:b"),
                      std::pair("C:b", "C:c"), std::pair("D:ground", "D:c")}) {
                    EXPECT_NEAR(run.at(row, column(one)), -run.at(row, column(other)), 1e-10);
                }
            }
        }
        EXPECT_NEAR(run.at(row, "power[B]"), 0.0, 1e-10);
    }
}

}  // namespace
}  // namespace ananke::pipeline

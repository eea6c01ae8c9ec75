// Directions and twists of random vector constraints against finite differences: they are the
// derivatives of the constraint by the velocities of points and bodies.
#include <fmt/format.h>

#include "classify/classify.h"
#include "mech/bodies.h"
#include "pipeline.h"
#include "sym/walk.h"
#include "typeset/report_lines.h"

namespace ananke::pipeline {
namespace {

constexpr const char* kTwoBodies = R"(
body     a mass 1 inertia (1, 2, 2.5) at (0.1, 0.2, 0.3) orientation rotation((1, 2, 3), 0.7)
body     b mass 2 inertia (1, 1.5, 2) at (1.1, -0.2, 0.4) orientation rotation((-1, 1, 2), 1.3)
point    P on a at (0.3, -0.2, 0.5)
coordinate x, y, z
particle C mass 1 at (x, y, z)
)";

/// A random scalar made of vectors, with velocities or without.
class RandomScalar {
  public:
    explicit RandomScalar(unsigned seed) : random_(seed) {}

    std::string scalar(bool velocities) {
        std::string sum;
        const int terms = 1 + static_cast<int>(random_() % 3);
        for (int i = 0; i < terms; ++i) {
            const int factors = velocities ? 1 + static_cast<int>(random_() % 2) : 1;
            sum += (i == 0 ? "" : random_() % 2 == 0 ? " + " : " - ");
            sum += std::to_string(1 + random_() % 5) + "*";
            for (int k = 0; k < factors; ++k) {
                sum += (k == 0 ? "" : "*") + product(velocities);
            }
        }
        return sum;
    }

  private:
    std::string product(bool velocities) {
        const std::string left = vector(velocities);
        std::string right = vector(velocities && random_() % 2 == 0);
        while (right == left) {
            right = vector(false);
        }
        if (random_() % 3 != 0) {
            return "dot(" + left + ", " + right + ")";
        }
        std::string third = vector(false);
        while (third == left || third == right) {  // a triple product of its own
            third = vector(false);
        }
        return "dot(cross(" + left + ", " + right + "), " + third + ")";
    }
    std::string vector(bool velocity) {
        static const std::vector<std::string> kStill{"position(P)",
                                                     "position(C)",
                                                     "position(b)",
                                                     "axis(a, (1, 0, 0))",
                                                     "axis(b, (0, 1, 2))",
                                                     "(1, 2, -1)",
                                                     "position(b at (0.2, 0.1, -0.3))",
                                                     "(position(C) - position(P))"};
        static const std::vector<std::string> kMoving{"velocity(P)",
                                                      "velocity(C)",
                                                      "velocity(b)",
                                                      "omega(a)",
                                                      "omega(b)",
                                                      "velocity(b at (0.2, 0.1, -0.3))",
                                                      "(velocity(C) - velocity(P))"};
        const auto& list = velocity ? kMoving : kStill;
        return list[random_() % list.size()];
    }
    std::mt19937 random_;
};

using Values = sym::Values<long double>;

/// Numbers for all symbols of the model: coordinates at random, points and bodies as they follow.
Values random_values(const mech::Model& model, const mech::Equations& equations, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Values values;
    values[model.time] = 0;
    for (const mech::Coordinate& c : model.coordinates) {
        values[c.q] = normal(random);
        values[c.v] = normal(random);
        values[c.a] = 0;
    }
    for (const mech::Body& body : model.bodies) {  // unit quaternions, u.u' = 0
        if (body.kind != mech::Body::Kind::kSpatial) {
            continue;
        }
        const auto u = mech::quaternion(model, body);
        const auto v = mech::quaternion_rate(model, body);
        long double norm = 0;
        long double along = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            norm += values[u[k]] * values[u[k]];
        }
        for (std::size_t k = 0; k < 4; ++k) {
            values[u[k]] /= std::sqrt(norm);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            along += values[u[k]] * values[v[k]];
        }
        for (std::size_t k = 0; k < 4; ++k) {
            values[v[k]] -= along * values[u[k]];
        }
    }
    const auto put = [&](const mech::Vec3& symbols, const mech::Vec3& expressions) {
        for (std::size_t k = 0; k < 3; ++k) {
            values[symbols[k]] = sym::evaluate<long double>(model.graph, expressions[k], values);
        }
    };
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        put(model.points[p].r, equations.points[p].position);
        put(model.points[p].v, equations.points[p].velocity);
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        for (std::size_t k = 0; k < 3; ++k) {
            put(model.bodies[b].axes[k], equations.bodies[b].axes[k]);
        }
        put(model.bodies[b].omega, equations.bodies[b].omega);
    }
    return values;
}

using Triple = std::array<long double, 3>;

/// d f / d (three symbols) by central differences.
Triple slopes(const sym::Graph& graph, sym::Expr f, const mech::Vec3& symbols, Values values) {
    constexpr long double kStep = 1e-6L;
    Triple result{};
    for (std::size_t k = 0; k < 3; ++k) {
        const long double middle = values[symbols[k]];
        values[symbols[k]] = middle + kStep;
        const long double above = sym::evaluate<long double>(graph, f, values);
        values[symbols[k]] = middle - kStep;
        const long double below = sym::evaluate<long double>(graph, f, values);
        values[symbols[k]] = middle;
        result[k] = (above - below) / (2 * kStep);
    }
    return result;
}

Triple cross(const Triple& a, const Triple& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

void expect_near(const Triple& a, const Triple& b, const std::string& what) {
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_LT(std::abs(a[k] - b[k]), 1e-8L * (1 + std::abs(a[k]) + std::abs(b[k]))) << what;
    }
}

/// W = d psi/d v^P and tau = d psi/d omega^B; for a holonomic row d phi/d r^P and the change of phi
/// when the body turns about each axis: sum of e_k x d phi/d e_k.
void expect_directions(const mech::Model& model, const mech::Row& row, sym::Expr written,
                       const Values& values) {
    const auto number = [&](const mech::Vec3& v) {
        return Triple{sym::evaluate<long double>(model.graph, v[0], values),
                      sym::evaluate<long double>(model.graph, v[1], values),
                      sym::evaluate<long double>(model.graph, v[2], values)};
    };
    std::map<int, Triple> W, tau;
    for (const mech::Direction& direction : row.directions) {
        W[direction.point] = number(direction.W);
        expect_near(W[direction.point], number(direction.W_symbolic), "as printed");
    }
    for (const mech::Twist& twist : row.twists) {
        tau[twist.body] = number(twist.tau);
        expect_near(tau[twist.body], number(twist.tau_symbolic), "as printed");
    }
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        const mech::Point& point = model.points[p];
        expect_near(W[static_cast<int>(p)],
                    slopes(model.graph, written, row.holonomic ? point.r : point.v, values),
                    point.name);
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const mech::Body& body = model.bodies[b];
        Triple expected{};
        if (row.holonomic) {
            for (const mech::Vec3& axis : body.axes) {
                const Triple part = cross(number(axis), slopes(model.graph, written, axis, values));
                for (std::size_t k = 0; k < 3; ++k) {
                    expected[k] += part[k];
                }
            }
        } else {
            expected = slopes(model.graph, written, body.omega, values);
        }
        expect_near(tau[static_cast<int>(b)], expected, body.name);
    }
}

TEST(Reactions, DirectionsOfTwoHundredRandomConstraintsAreTheirDerivatives) {
    int rows = 0;
    int twisting = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        RandomScalar random(seed);
        const bool velocities = seed % 2 == 0;
        const std::string left = random.scalar(velocities);
        const std::string right = random.scalar(velocities && seed % 4 == 0);
        const std::string text = fmt::format("{}constraint c: {} = {}\n", kTwoBodies, left, right);
        SCOPED_TRACE(text);
        Sources sources;
        lang::ParseResult parsed = lang::parse_model_text(sources, "random", text, {});
        ASSERT_TRUE(parsed.model) << render(parsed.diagnostics, sources);
        mech::Model& model = *parsed.model;
        const mech::Derivation derivation = classify::classify(model, mech::derive(model));
        ASSERT_TRUE(derivation.equations) << render(derivation.diagnostics, sources);
        const mech::Equations& equations = *derivation.equations;
        const Values values = random_values(model, equations, seed);
        for (const mech::Row& row : equations.rows) {
            if (model.constraints[static_cast<std::size_t>(row.constraint)].norm_of >= 0) {
                EXPECT_TRUE(row.directions.empty() && row.twists.empty());
                continue;
            }
            expect_directions(model, row,
                              model.constraints[static_cast<std::size_t>(row.constraint)].rows[0],
                              values);
            ++rows;
            twisting += row.twists.empty() ? 0 : 1;
        }
    }
    EXPECT_EQ(rows, 200);
    EXPECT_GT(twisting, 80);
}

// omega_A . omega_B = 0 twists each body along the angular velocity of the other, as RH (27) pushes
// each puck along the velocity of the other.
TEST(Reactions, OfPerpendicularAngularVelocitiesAreCrosswise) {
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(
        sources, "omega", fmt::format("{}constraint c: dot(omega(a), omega(b)) = 0\n", kTwoBodies),
        {});
    ASSERT_TRUE(parsed.model);
    const mech::Derivation derivation =
        classify::classify(*parsed.model, mech::derive(*parsed.model));
    ASSERT_TRUE(derivation.equations);
    std::vector<std::string> lines;
    for (const typeset::PrintedLine& line :
         typeset::print_directions(*parsed.model, *derivation.equations, sym::Notation::kText)) {
        lines.push_back(line.left + " = " + line.right);
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"torque[c:a] = lambda[c]*omega(b)",
                                               "torque[c:b] = lambda[c]*omega(a)"}));
}

}  // namespace
}  // namespace ananke::pipeline

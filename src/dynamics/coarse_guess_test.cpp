// Starts of models of some hundred coordinates from coarse guesses: searched by sparse factors,
// told like those of small models.
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include "dense/dense.h"

#include "dynamics/sparse_rows.h"
#include "large.h"

namespace ananke::pipeline {
namespace {

/// A binary tree of bodies, all guessed at one place.
std::string tree(int depth) {
    return fmt::format(R"(parameter D = {}, m = 0.1, l = 0.2, J = 0.001
gravity (0, 0, -9.81)
body B[1] mass m inertia (J, J, J) at (0, 0, -l/2)
joint j[1]: spherical(ground, B[1] at (0, 0, l/2))
for i in 1..2^(D-1)-1 {{
  body B[2*i] mass m inertia (J, J, J) at ~ (0, 0, -l)
  body B[2*i+1] mass m inertia (J, J, J) at ~ (0, 0, -l)
  joint j[2*i]: spherical(B[i] at (0.02, 0, -l/2), B[2*i] at (0, 0, l/2))
  joint j[2*i+1]: spherical(B[i] at (-0.02, 0, -l/2), B[2*i+1] at (0, 0, l/2))
}}
)",
                       depth);
}

/// A chain of bodies between two points of the ground, all guessed at one place: to be met they
/// must leave the line of the guesses.
std::string hanging(int bodies) {
    return fmt::format(R"(parameter N = {}, L = 0.2
gravity (0, 0, -9.81)
for i in 1..N {{ body B[i] mass 1 inertia (0.01, 0.02, 0.03) at ~ (0, 0, 0) }}
joint j[1]: spherical(ground, B[1] at (-L/2, 0, 0))
for i in 2..N {{ joint j[i]: spherical(B[i-1] at (L/2, 0, 0), B[i] at (-L/2, 0, 0)) }}
joint tip: spherical(ground at (0.7*N*L, 0, 0), B[N] at (L/2, 0, 0))
)",
                       bodies);
}

/// A rope of particles down from the origin, its links 0.1 long.
std::string rope(int particles, const std::string& more) {
    return fmt::format(R"(parameter N = {}, l = 0.1
for i in 1..N {{
  coordinate x[i], y[i], z[i]
  particle P[i] mass 0.05 at (x[i], y[i], z[i])
}}
constraint link[1]: norm(position(P[1])) = l
for i in 2..N {{ constraint link[i]: norm(position(P[i]) - position(P[i-1])) = l }}
{}
)",
                       particles, more);
}

/// A point of a body where its coordinates (position, unit quaternion) put it.
Eigen::Vector3d point(const std::vector<double>& q, int body, const Eigen::Vector3d& at) {
    const double* x = q.data() + static_cast<std::ptrdiff_t>(7 * (body - 1));
    return Eigen::Vector3d(x[0], x[1], x[2]) + Eigen::Quaterniond(x[3], x[4], x[5], x[6]) * at;
}

double quaternion_norm(const std::vector<double>& q, int body) {
    const double* u = q.data() + static_cast<std::ptrdiff_t>(7 * (body - 1) + 3);
    return std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
}

Result<dynamics::StartState> start_of(const Loaded& loaded) {
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    return dynamics::assemble(evaluator, loaded.prepared->initial);
}

std::string error_of(const std::string& text) {
    const Loaded loaded = load_text("rope.ank", text);
    if (!loaded.prepared) {
        return loaded.messages;
    }
    const Result<dynamics::StartState> start = start_of(loaded);
    return start ? "assembled" : start.error().message;
}

TEST(CoarseGuess, ATreeOfBodiesGuessedAtOnePlaceIsPutTogether) {
    for (const int depth : {4, 6, 7}) {
        SCOPED_TRACE(depth);
        const Loaded loaded = load_text("tree.ank", tree(depth));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        ASSERT_TRUE(dynamics::has_sparse_rows(*loaded.prepared->compiled));
        const Result<dynamics::StartState> start = start_of(loaded);
        ASSERT_TRUE(start) << start.error().message;
        const std::vector<double>& q = start.value().q;
        EXPECT_EQ(q[0], 0.0);
        EXPECT_EQ(q[1], 0.0);
        EXPECT_EQ(q[2], -0.1);  // exact
        const Eigen::Vector3d head(0.0, 0.0, 0.1);
        EXPECT_LT(point(q, 1, head).norm(), 1e-14);
        for (int i = 1; i < 1 << depth; ++i) {
            EXPECT_NEAR(quaternion_norm(q, i), 1.0, 1e-14);
        }
        for (int i = 2; i < 1 << depth; ++i) {
            const Eigen::Vector3d foot(i % 2 == 0 ? 0.02 : -0.02, 0.0, -0.1);
            EXPECT_LT((point(q, i / 2, foot) - point(q, i, head)).norm(), 1e-13) << i;
        }
        EXPECT_FALSE(start.value().moved.empty());
    }
}

TEST(CoarseGuess, AChainLeavesTheLineItWasGuessedOn) {
    const int bodies = 40;
    const Loaded loaded = load_text("hanging.ank", hanging(bodies));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Result<dynamics::StartState> start = start_of(loaded);
    ASSERT_TRUE(start) << start.error().message;
    const std::vector<double>& q = start.value().q;
    const Eigen::Vector3d end(0.1, 0.0, 0.0);
    EXPECT_LT(point(q, 1, -end).norm(), 1e-13);
    for (int i = 2; i <= bodies; ++i) {
        EXPECT_LT((point(q, i - 1, end) - point(q, i, -end)).norm(), 1e-13) << i;
    }
    EXPECT_LT((point(q, bodies, end) - Eigen::Vector3d(0.7 * bodies * 0.2, 0.0, 0.0)).norm(),
              1e-12);
}

// Points of the constraints around the start are farther from the guess; dense factors lead to the
// same start.
TEST(CoarseGuess, NothingNearIsNearerToTheGuess) {
    const std::string guesses =
        "for i in 1..N { initial x[i] ~ 0.08*i + 0.02*sin(i), y[i] ~ 0.03*cos(2*i), z[i] ~ -0.05*i "
        "}";
    const Loaded loaded = load_text("rope.ank", rope(40, guesses));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const compile::Prepared& prepared = *loaded.prepared;
    ASSERT_TRUE(dynamics::has_sparse_rows(*prepared.compiled));
    const Result<dynamics::StartState> sparse = start_of(loaded);
    ASSERT_TRUE(sparse) << sparse.error().message;
    dynamics::Evaluator evaluator(as_full(prepared), prepared.parameters);
    const Result<dynamics::StartState> dense = dynamics::assemble(evaluator, prepared.initial);
    ASSERT_TRUE(dense) << dense.error().message;
    const std::vector<double>& q = dense.value().q;
    for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_NEAR(sparse.value().q[i], q[i], 1e-7);
    }

    const solve::RowMatrix M = solve::full_mass(evaluator, 0.0, q.data());
    const auto squared_distance = [&](const std::vector<double>& from) {
        Eigen::VectorXd dx(M.rows());
        for (std::size_t i = 0; i < from.size(); ++i) {
            dx[static_cast<Eigen::Index>(i)] = from[i] - prepared.initial.q[i];
        }
        return dx.dot(M * dx);
    };
    solve::Projector projector(evaluator);
    for (int trial = 1; trial <= 20; ++trial) {
        std::vector<double> beside = q;
        for (std::size_t i = 0; i < q.size(); ++i) {
            beside[i] += 1e-3 * std::sin(2.4 * trial * static_cast<double>(i + 1));
        }
        std::vector<double> v = dense.value().v;
        ASSERT_TRUE(projector
                        .newton({solve::Level::kPositions, 0.0, beside, v},
                                prepared.initial.q_exact, solve::Aim::kLeastSteps)
                        .met);
        EXPECT_GT(squared_distance(beside), squared_distance(q));
    }
}

// Nothing may move; the residual of 1 is a ninth of its terms, 4 and 5.
TEST(CoarseGuess, AConstraintOutOfReachIsNamed) {
    const std::string exact =
        "for i in 1..N { initial x[i] = 0, y[i] = 0, z[i] = -i*l }\n"
        "constraint no: z[N] = -N*l - 1";
    EXPECT_EQ(error_of(rope(40, exact)),
              "the constraint no cannot be met from the initial positions:\n"
              "    constraint  left - right  scaled\n"
              "    no          1             0.111\n"
              "    the other 40 are met\n"
              "    remove or correct one of them\n"
              "    no is written at rope.ank:9:16");
}

// The same words as from the search of small models.
TEST(CoarseGuess, ExactValuesInTheWayAreNamed) {
    const std::string exact =
        "for i in 1..N { initial x[i] ~ 0, y[i] ~ 0.01*i, z[i] ~ -i*l }\n"
        "initial z[N-1] = -(N - 1)*l - 0.5";
    for (const int particles : {5, 60}) {
        SCOPED_TRACE(particles);
        const std::string error = error_of(rope(particles, exact));
        EXPECT_NE(error.find(fmt::format("z[{0}] is given exactly; write `initial z[{0}] ~ ...` "
                                         "to let it move",
                                         particles - 1)),
                  std::string::npos)
            << error;
    }
}

TEST(CoarseGuess, SeveralExactValuesMayHaveToGoTogether) {
    const std::string exact =
        "for i in 1..N { initial x[i] ~ 0, y[i] ~ 0.01*i, z[i] ~ -i*l }\n"
        "initial z[2] = -0.5\ninitial x[5] = 3";
    for (const int particles : {6, 60}) {
        SCOPED_TRACE(particles);
        const std::string error = error_of(rope(particles, exact));
        EXPECT_NE(error.find("z[2] and x[5] are given exactly; write ~ instead of ="),
                  std::string::npos)
            << error;
    }
}

}  // namespace
}  // namespace ananke::pipeline

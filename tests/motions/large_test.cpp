// Large models: programs in segments and sparse matrices against the dense solver. Models of any
// size may be treated as large, so the gallery serves as well as long chains.
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Dense>
#include <Eigen/Geometry>

#include "compile/roads.h"
#include "dynamics/acceleration.h"
#include "dynamics/motion_solver.h"
#include "dynamics/sparse_rows.h"
#include "inspect/check.h"
#include "large.h"

namespace ananke::pipeline {
namespace {

std::string chain(int bodies, const std::string& more = "", const std::string& mass = "1") {
    return fmt::format(R"(parameter N = {}, L = 0.2
gravity (0, 0, -9.81)
for i in 1..N {{
  body link[i] mass {} inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0.3, 1, -0.5*i/N)
}}
joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))
for i in 2..N {{
  joint pin[i]: spherical(link[i-1] at (L/2, 0, 0), link[i] at (-L/2, 0, 0))
}}
{}
)",
                       bodies, mass, more);
}

const char* const kPinnedTip = "joint tip: point_on_plane(ground, link[N] at (L/2, 0, 0))";

TEST(Large, ChainsAgreeWithTheDenseSolver) {
    for (const char* more : {"", kPinnedTip}) {
        for (const int bodies : {1, 2, 30}) {
            SCOPED_TRACE(fmt::format("{} {}", bodies, more));
            const Loaded loaded = load_text("chain.ank", chain(bodies, more));
            ASSERT_TRUE(loaded.prepared) << loaded.messages;
            compare(*loaded.prepared, 1e-9, true);
        }
    }
}

TEST(Large, EveryModelOfTheGalleryThatMayBeLargeAgrees) {
    int models = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        const Loaded loaded = load_model(name);
        if (!loaded.prepared) {
            continue;
        }
        const compile::CompiledModel& model = *loaded.prepared->compiled;
        if (!model.frictions.empty() || !model.feedback.empty() || !model.controls.empty()) {
            continue;
        }
        SCOPED_TRACE(name);
        compare(*loaded.prepared, 1e-7, false);
        ++models;
    }
    EXPECT_GT(models, 20);
}

TEST(Large, BodiesShareTheirCode) {
    const auto program = [](int bodies, const std::string& mass) {
        return program_of(chain(bodies, kPinnedTip, mass));
    };
    for (const char* mass : {"1", "1 + 0.01*i", "1000 + i"}) {  // the last: compact bodies
        const code::SegmentedProgram a = program(20, mass);
        const code::SegmentedProgram b = program(40, mass);
        const code::SegmentedProgram c = program(60, mass);
        EXPECT_EQ(b.families.size(), a.families.size());
        EXPECT_EQ(c.families.size(), a.families.size());
        EXPECT_LT(c.families.size(), 20U);
        EXPECT_EQ(c.value_count - b.value_count, b.value_count - a.value_count);
        // The equations of a body and its joint, some 150 of 860 operations, go eight at a time.
        EXPECT_GT(c.packet_instruction_count(), 60U * 130U);
        EXPECT_LT(c.instruction_count(), 60U * 900U);
    }
}

/// Particles on links of equal length in a plane, hung up at the origin.
std::string rope(int particles, const std::string& more) {
    return fmt::format(R"(parameter N = {}, l = 2/N, m = 3/N
gravity (0, -9.81, 0)
for i in 1..N {{
  coordinate x[i], y[i]
  particle P[i] mass m at (x[i], y[i], 0)
}}
constraint link[1]: x[1]^2 + y[1]^2 = l^2
for i in 2..N {{ constraint link[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = l^2 }}
{}
)",
                       particles, more);
}

/// Stretched out, where y has no part in any link.
const char* const kStraight = "for i in 1..N { initial x[i] = i*l, y[i] = 0 }\n";
/// Two straight halves between two hooks.
const char* const kTwoHooks = R"(for i in 1..N/2 { initial x[i] = i*l*0.6, y[i] = -i*l*0.8 }
for i in N/2+1..N { initial x[i] = i*l*0.6, y[i] = -(N-i)*l*0.8 }
constraint hook_x: x[N] = 1.2
constraint hook_y: y[N] = 0
)";
/// A ring that is taken by one particle.
const char* const kRing = R"(for i in 1..N {
  initial x[i] = l/2/sin(pi/(N+1))*(cos(2*pi*i/(N+1)) - 1), y[i] = l/2/sin(pi/(N+1))*sin(2*pi*i/(N+1))
}
constraint close: x[N]^2 + y[N]^2 = l^2
)";

TEST(Large, RopesOfParticlesAgreeWithTheDenseSolver) {
    for (const char* more : {kStraight, kTwoHooks, kRing}) {
        SCOPED_TRACE(more);
        const Loaded loaded = load_text("rope.ank", rope(60, more));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        compare(*loaded.prepared, 1e-9, true);
    }
}

// The mass of a particle is safe whatever the position, so its coordinates go first; then the links
// in turn.
TEST(Large, RopesAreEliminatedInLinearTime) {
    for (const char* more : {kStraight, kTwoHooks, kRing}) {
        SCOPED_TRACE(more);
        const code::SegmentedProgram a = program_of(rope(40, more));
        const code::SegmentedProgram b = program_of(rope(80, more));
        const code::SegmentedProgram c = program_of(rope(120, more));
        EXPECT_EQ(c.instruction_count() - b.instruction_count(),
                  b.instruction_count() - a.instruction_count());
        EXPECT_LT(c.instruction_count(), 120U * 100U);
        EXPECT_EQ(c.families.size(), b.families.size());
    }
}

TEST(Large, ALongRopeSwings) {
    const Loaded loaded = load_text("rope.ank", rope(800, kTwoHooks));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    loaded.prepared->compiled = as_large(*loaded.prepared);
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 0.02}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_LT(run.summary.largest_energy_imbalance, 1e-9);
    for (const simulate::RowSummary& row : run.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
        EXPECT_LT(row.rate, 1e-12) << row.name;
    }
}

// One coordinate of a hook is held twice, and a row holds by itself: the links are not concerned.
TEST(Large, OnlyWhatADependenceTouchesIsOneOfMany) {
    const Loaded loaded =
        load_text("rope.ank",
                  rope(520, std::string(kTwoHooks) + "constraint again: 2*x[N] = 2.4\n"
                                                     "constraint idle: (position(P[1])).z = 0\n"));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    loaded.prepared->compiled = as_large(*loaded.prepared);
    const compile::CompiledModel& model = *loaded.prepared->compiled;
    const Result<inspect::CheckReport> report =
        inspect::check(*loaded.prepared, inspect::Agreement::kSkip);
    ASSERT_TRUE(report) << report.error().message;
    for (std::size_t row = 0; row < model.rows.size(); ++row) {
        const std::string& name = model.rows[row].name;
        const bool many = name == "hook_x" || name == "again" || name == "idle";
        EXPECT_EQ(report.value().analysis.lambda_unique[row], !many) << name;
    }
    for (std::size_t i = 0; i < model.reactions.targets.size(); ++i) {
        const int owner = model.reactions.targets[i].owner;
        const std::string& name = model.reactions.owners[static_cast<std::size_t>(owner)].name;
        EXPECT_EQ(report.value().reactions[i].force[0], name != "hook_x" && name != "again")
            << name;
    }
}

// A tree of rods from guesses a fifth too far apart.
TEST(Large, TreesAreAssembledFromGuesses) {
    const Loaded loaded = load_text("tree.ank", R"(parameter D = 9, l = 0.2
gravity (0, 0, -9.81)
for i in 1..2^D-1 { coordinate x[i], y[i], z[i]
  particle P[i] mass 0.1 at (x[i], y[i], z[i]) }
constraint s[1]: norm(position(P[1])) = l
initial x[1] ~ 0, z[1] ~ -l
for i in 1..2^(D-1)-1 {
  constraint s[2*i]: norm(position(P[2*i]) - position(P[i])) = l
  constraint s[2*i+1]: norm(position(P[2*i+1]) - position(P[i])) = l }
for d in 1..D-1 { for k in 0..2^d-1 {
  initial z[2^d+k] ~ -(d+1)*l, x[2^d+k] ~ 0.001*(k - 2^(d-1) + 0.5), y[2^d+k] ~ 0 } }
)");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    loaded.prepared->compiled = as_large(*loaded.prepared);
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const std::vector<double>& q = start.value().q;
    for (std::size_t i = 2; i < 512; ++i) {
        const double* child = &q[3 * (i - 1)];
        const double* parent = &q[3 * (i / 2 - 1)];
        EXPECT_NEAR(std::hypot(child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]),
                    0.2, 1e-12)
            << i;
    }
}

// A rope of thousands between two hooks, guessed straight: no side is nearer, so a search from
// there ends where it begins.
TEST(Large, ALongRopeIsAssembledFromAStraightGuess) {
    const Loaded loaded = load_text("rope.ank", rope(4200, R"(for i in 1..N {
  initial x[i] ~ 0.8*i*l, y[i] ~ 0 }
constraint hook_x: x[N] = 1.6
constraint hook_y: y[N] = 0
)"));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    for (const double residual :
         evaluator.scaled_residuals(0.0, start.value().q.data(), start.value().v.data())) {
        EXPECT_LT(std::abs(residual), 1e-10);
    }
}

TEST(Large, RunsKeepTheConstraints) {
    const Loaded loaded = load_text("chain.ank", chain(12, kPinnedTip));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Settings settings{.times = {0.0, 0.1, 0.25}, .tolerance = 1e-11};
    loaded.prepared->compiled = as_full(*loaded.prepared);
    const Recording dense = run_model(*loaded.prepared, settings);
    ASSERT_FALSE(dense.error);
    loaded.prepared->compiled = as_large(*loaded.prepared);
    const Recording large = run_model(*loaded.prepared, settings);
    ASSERT_FALSE(large.error) << large.error->message;
    ASSERT_EQ(large.rows.rows(), dense.rows.rows());
    for (const simulate::RowSummary& row : large.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
        EXPECT_LT(row.rate, 1e-12) << row.name;
    }
    for (std::size_t i = 0; i < large.rows.rows(); ++i) {
        EXPECT_LT(difference(large.rows.row(i), dense.rows.row(i)), 1e-7) << i;
    }
}

/// A hub on a pin, and arms on it, each on a pin of its own: all rows meet in the hub.
std::string star(int arms, const std::string& more) {
    return fmt::format(R"(parameter N = {}
gravity (0, -9.81, 0)
planar body hub mass 5 inertia 2 at (0, 0)
joint a: revolute(ground, hub)
for i in 1..N {{
  planar body B[i] mass 1 + 0.3*sin(i) inertia 0.1 at (cos(2*pi*i/N), sin(2*pi*i/N))
  joint j[i]: revolute(hub at (0.5*cos(2*pi*i/N), 0.5*sin(2*pi*i/N), 0),
                       B[i] at (-0.5*cos(2*pi*i/N), -0.5*sin(2*pi*i/N), 0))
}}
{})",
                       arms, more);
}

void expect_same_rows(const Recording& x, const Recording& y, double tolerance) {
    ASSERT_FALSE(x.error) << x.error->message;
    ASSERT_FALSE(y.error) << y.error->message;
    ASSERT_EQ(x.rows.rows(), y.rows.rows());
    for (std::size_t i = 0; i < x.rows.rows(); ++i) {
        EXPECT_LT(difference(x.rows.row(i), y.rows.row(i)), tolerance) << i;
    }
}

// The rows of a star fill in as no chain does, so each road is watched by another means.
TEST(Large, AStarAgreesOnAllRoads) {
    const Loaded loaded = load_text("star.ank", star(30, ""));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    EXPECT_TRUE(loaded.prepared->compiled->sparse);
    EXPECT_FALSE(loaded.prepared->compiled->is_large());
    const Settings settings{.times = {0.0, 0.1, 0.25}, .tolerance = 1e-11};
    const Recording chosen = run_model(*loaded.prepared, settings);
    const auto full = as_full(*loaded.prepared);
    const auto large = as_large(*loaded.prepared);
    loaded.prepared->compiled = full;
    const Recording dense = run_model(*loaded.prepared, settings);
    loaded.prepared->compiled = large;
    const Recording segments = run_model(*loaded.prepared, settings);
    expect_same_rows(chosen, dense, 1e-8);
    expect_same_rows(segments, dense, 1e-8);
}

// A program of all rows of 100 arms would have millions of products; with friction, too, sparse
// systems watch the rank.
TEST(Large, NoProgramOfAStarFillsIn) {
    for (const char* more : {"", "friction on j[1]: coulomb(mu = 0.1, radius = 0.01)\n"}) {
        const Loaded loaded = load_text("star.ank", star(100, more));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const compile::CompiledModel& model = *loaded.prepared->compiled;
        std::vector<int> rows(static_cast<std::size_t>(model.m()));
        std::iota(rows.begin(), rows.end(), 0);
        const double most = compile::most_products_of_watch(model, rows);
        EXPECT_LT(most, 1e6);
        EXPECT_GT(compile::row_sequence(model, rows, most).products, most);
    }
}

TEST(Large, ALongChainStartsAndSteps) {
    const Loaded loaded = load_text("chain.ank", chain(220, "simulate until 0.002 every 0.002"));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    EXPECT_TRUE(loaded.prepared->compiled->is_large());
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 0.002}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    for (const simulate::RowSummary& row : run.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
        EXPECT_LT(row.rate, 1e-12) << row.name;
    }
}

using Vec = Eigen::Vector3d;
using Quaternion = Eigen::Quaterniond;

Quaternion quaternion(const double* u) {
    return {u[0], u[1], u[2], u[3]};
}

/// w = 2 Im(u' u*); with u'' in place of u' the angular acceleration, because u' u'* is a number.
Vec world_rate(const Quaternion& u, const double* rate) {
    return 2.0 * (quaternion(rate) * u.conjugate()).vec();
}

/// The chain() above, its inertia and length.
const Vec kInertia(0.01, 0.02, 0.03);
constexpr double kLength = 0.2;

/// How far a state of the open chain and its acceleration are from the laws of Newton and Euler,
/// written out by hand: the force in a joint is what moves the bodies beyond it, its moment turns
/// the body, and the two sides of a joint accelerate alike.
double newton_euler_gap(int bodies, const double* q, const double* v, const double* a) {
    constexpr int kCoordinates = 7;
    const Vec gravity(0.0, 0.0, -9.81);
    Vec beyond = Vec::Zero();  // force that the next body's motion asks for
    Vec next_end = Vec::Zero();
    double gap = 0.0;
    for (int i = bodies; i-- > 0;) {
        const int first = kCoordinates * i;
        const Quaternion u = quaternion(q + first + 3);
        const Vec w = world_rate(u, v + first + 3);
        const Vec alpha = world_rate(u, a + first + 3);
        const Vec centre = Vec(a[first], a[first + 1], a[first + 2]);
        const Vec to_right = u * Vec(kLength / 2.0, 0.0, 0.0);
        const auto acceleration = [&](const Vec& r) -> Vec {
            return centre + alpha.cross(r) + w.cross(w.cross(r));
        };
        if (i + 1 < bodies) {
            gap = std::max(gap, (acceleration(to_right) - next_end).norm());
        }
        next_end = acceleration(-to_right);
        const Vec left = beyond + (centre - gravity);  // mass 1
        const Vec moment = (-to_right).cross(left) - to_right.cross(beyond);
        const Eigen::Matrix3d R = u.toRotationMatrix();
        const Eigen::Matrix3d J = R * kInertia.asDiagonal() * R.transpose();
        gap = std::max(gap, (J * alpha + w.cross(J * w) - moment).norm() / (1.0 + left.norm()));
        beyond = left;
    }
    return std::max(gap, next_end.norm());  // the ground rests
}

/// A state of chain(), at rest, turned as a whole about the vertical through its pin.
std::vector<double> turned(std::span<const double> q, double angle) {
    const Quaternion turn(Eigen::AngleAxisd(angle, Vec::UnitZ()));
    std::vector<double> result;
    for (std::size_t i = 0; i + 6 < q.size(); i += 7) {
        const Vec place = turn * Vec(q[i], q[i + 1], q[i + 2]);
        const Quaternion u = turn * quaternion(q.data() + i + 3);
        result.insert(result.end(), {place.x(), place.y(), place.z(), u.w(), u.x(), u.y(), u.z()});
    }
    return result;
}

// Rows of output use the pivots of the rows before while they are good: that is seen in the last
// digits alone.
TEST(Large, RowsInSequenceAgreeWithRowsAlone) {
    const Loaded loaded = load_text("chain.ank", chain(440));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const std::vector<double> rest(start.value().q.size(), 0.0);
    dynamics::MotionSolver in_sequence(evaluator, {});
    for (const double angle : {0.0, 0.4, 1.3, 2.8}) {
        SCOPED_TRACE(angle);
        const std::vector<double> q = turned(start.value().q, angle);
        for (const double residual : evaluator.scaled_residuals(0.0, q.data(), rest.data())) {
            ASSERT_LT(std::abs(residual), 1e-12);
        }
        dynamics::MotionSolver alone(evaluator, {});
        ASSERT_EQ(in_sequence.accelerate(0.0, q.data(), rest.data()), solve::SolveStatus::kOk);
        ASSERT_EQ(alone.accelerate(0.0, q.data(), rest.data()), solve::SolveStatus::kOk);
        EXPECT_EQ(in_sequence.rank(), alone.rank());
        EXPECT_LT(difference(span(in_sequence.a()), span(alone.a())), 1e-10);
        EXPECT_LT(difference(span(in_sequence.lambda()), span(alone.lambda())), 1e-10);
    }
}

TEST(Large, AChainOfThousandsObeysNewtonAndEuler) {
    constexpr int kBodies = 2000;
    const Loaded loaded = load_text("chain.ank", chain(kBodies));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    ASSERT_TRUE(loaded.prepared->compiled->is_large());
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const Settings settings{.times = {0.0, 5e-5}, .tolerance = 1e-9};
    const Recording run = run_from(*loaded.prepared, start.value(), settings);
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_GE(run.summary.steps.steps, 1U);
    for (const simulate::RowSummary& row : run.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
        EXPECT_LT(row.rate, 1e-12) << row.name;
    }
    // Columns: t, then positions, velocities and accelerations.
    const std::size_t n = start.value().q.size();
    ASSERT_EQ(run.rows.find("link[1].x"), 1U);
    ASSERT_EQ(run.rows.find("link[1].x'"), 1 + n);
    ASSERT_EQ(run.rows.find("link[1].x''"), 1 + 2 * n);
    dynamics::Acceleration program(evaluator, {});
    for (std::size_t k = 0; k < settings.times.size(); ++k) {
        SCOPED_TRACE(k);
        const double* q = run.rows.row(k).data() + 1;
        const double* v = q + n;
        EXPECT_LT(newton_euler_gap(kBodies, q, v, v + n), 1e-7);
        ASSERT_EQ(program.on_constraints(settings.times[k], q, v), solve::SolveStatus::kOk);
        ASSERT_EQ(program.in_step(settings.times[k], q, v), solve::SolveStatus::kOk);
        EXPECT_TRUE(program.by_program());
        EXPECT_LT(newton_euler_gap(kBodies, q, v, program.a()), 1e-7);
    }
}

}  // namespace
}  // namespace ananke::pipeline

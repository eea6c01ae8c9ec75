// Actuators and impacts by sparse systems against full matrices: any model may be solved either
// way. And a crane of some hundred bodies, which full matrices are too slow for.
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "dynamics/kkt_solver.h"
#include "dynamics/sparse_rows.h"
#include "large.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

/// The same model, by sparse systems.
compile::Prepared as_sparse(const compile::Prepared& prepared) {
    auto sparse = std::make_shared<compile::CompiledModel>(*prepared.compiled);
    sparse->sparse = true;
    sparse->programs = std::make_shared<compile::ProgramStore>();
    compile::Prepared copy = prepared;
    copy.compiled = std::move(sparse);
    return copy;
}

struct Solved {
    solve::SolveStatus status;
    dynamics::Motion motion;
    int rank;
    double regularity;
    int orientation;
    std::string why;
};

Solved solved(const compile::Prepared& prepared, const dynamics::StartState& at) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const std::unique_ptr<dynamics::KktSolver> solver =
        dynamics::make_kkt_solver(evaluator, dynamics::Mismatch::kIsAnError, solve::Wanted::kAll);
    Solved result{{}, dynamics::Motion(*prepared.compiled), 0, 0.0, 0, ""};
    result.status =
        solver->solve(evaluator.sparse_system(at.t, at.q.data(), at.v.data()), result.motion);
    result.rank = solver->rank();
    result.regularity = solver->regularity();
    result.orientation = solver->orientation();
    if (result.status != solve::SolveStatus::kOk) {
        result.why = solver->explain(at.t, at.q.data(), at.v.data()).message;
    }
    return result;
}

/// Returns the regularity, if there is a motion.
std::optional<double> compare_controls(const compile::Prepared& prepared, double tolerance) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(evaluator, prepared.initial);
    if (!start) {
        ADD_FAILURE() << start.error().message;
        return std::nullopt;
    }
    EXPECT_FALSE(prepared.compiled->sparse);
    const Solved full = solved(prepared, start.value());
    const Solved sparse = solved(as_sparse(prepared), start.value());
    EXPECT_EQ(static_cast<int>(sparse.status), static_cast<int>(full.status)) << full.why;
    EXPECT_EQ(sparse.why, full.why);
    if (full.status != solve::SolveStatus::kOk || sparse.status != full.status) {
        return std::nullopt;
    }
    EXPECT_EQ(sparse.rank, full.rank);
    EXPECT_NEAR(sparse.regularity, full.regularity, 1e-9);
    EXPECT_EQ(sparse.orientation, full.orientation);
    tolerance /= full.regularity;
    EXPECT_LT(difference(sparse.motion.a, full.motion.a), tolerance);
    EXPECT_LT(difference(sparse.motion.u, full.motion.u), tolerance);
    EXPECT_LT(difference(sparse.motion.Qc, full.motion.Qc), tolerance);
    EXPECT_LT(difference(sparse.motion.Qc_ideal, full.motion.Qc_ideal), tolerance);
    EXPECT_LT(difference(sparse.motion.lambda, full.motion.lambda), tolerance);
    return full.regularity;
}

TEST(SparseServo, AgreesWithFullMatricesOnTheGallery) {
    int models = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        if (!loaded.prepared->compiled->controls.empty()) {
            EXPECT_TRUE(compare_controls(*loaded.prepared, 1e-11));
            ++models;
        }
    }
    EXPECT_GE(models, 2);
}

constexpr const char* kArm =
    "gravity (0, 0, -9.81)\n"
    "body upper mass 3 inertia (0.1, 0.2, 0.15) at (0.3, 0, 0)\n"
    "body fore mass 2 inertia (0.05, 0.1, 0.08) at (0.8, 0, 0)\n"
    "joint shoulder: revolute(ground at (0, 0, 0), upper at (-0.3, 0, 0), axis = (0, 1, 0))\n"
    "joint elbow: revolute(upper at (0.3, 0, 0), fore at (-0.2, 0, 0), axis = (0, 1, 0))\n";

// Quaternions make M singular, so that the servo rows stand in the system.
TEST(SparseServo, AgreesOnBodies) {
    int moving = 0;
    for (const char* more :  // in the first the stretched arm cannot move as it is told
         {"servo tip: position(fore at (0.3, 0, 0)).x = 1.1 - 0.1*t^2\n"
          "    actuators (torque on fore about (0, 1, 0))\n",
          "servo tip: position(fore at (0.3, 0, 0)).z = 0.1*t^2\n"
          "    actuators (force on fore along (1, 0, 2))\n",
          "servo tip: position(fore).z = 0.1*t^2 actuators (torque on upper about (0, 1, 0))\n"
          "servo mid: position(upper).z = 0.2*t^2 actuators (force on fore along (0, 0.5, 1))\n",
          "constraint twice: position(fore).y = 0\n"
          "servo tip: position(fore).z = 0.1*t^2 actuators (torque on upper about (1, 1, 0))\n"}) {
        SCOPED_TRACE(more);
        const Loaded loaded = load_text("arm.ank", std::string(kArm) + more);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        moving += compare_controls(*loaded.prepared, 1e-11) ? 1 : 0;
    }
    EXPECT_EQ(moving, 3);
}

// Linear systems with a mass matrix of any rank, redundant constraints and forces on coordinates:
// some of them leave the servos without hold, or the motion open.
TEST(SparseServo, AgreesOnRandomSystems) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto pick = [&](int least, int most) {
        return std::uniform_int_distribution(least, most)(random);
    };
    int regular = 0;
    for (int trial = 0; trial < 120; ++trial) {
        const int n = pick(2, 8);
        const int servos = pick(1, std::min(3, n));
        const int passive = pick(0, n - servos);
        const int rank = pick(std::max(1, n - passive - servos), n);
        const auto sum = [&](const std::string& what) {
            std::string text;
            for (int j = 1; j <= n; ++j) {
                text +=
                    fmt::format("{}({:.3f})*x{}{}", j > 1 ? " + " : "", number(random), j, what);
            }
            return text;
        };
        std::string text = "coordinate ";
        for (int j = 1; j <= n; ++j) {
            text += fmt::format("{}x{}", j > 1 ? ", " : "", j);
        }
        for (int j = 0; j < rank; ++j) {
            text += fmt::format("\nkinetic ({})^2", sum("'"));
        }
        text += fmt::format("\npotential {}", sum(""));
        std::vector<std::string> rows;
        for (int j = 0; j < passive; ++j) {
            rows.push_back(sum(""));
            text += fmt::format("\nconstraint p{}: {} = 0", j, rows.back());
        }
        if (passive > 1 && pick(0, 1) == 0) {
            text += fmt::format("\nconstraint again: {} = {}", rows[0], rows[1]);
        }
        std::vector<int> columns(static_cast<std::size_t>(n));
        std::iota(columns.begin(), columns.end(), 1);
        std::shuffle(columns.begin(), columns.end(), random);
        for (int j = 0; j < servos; ++j) {
            text += fmt::format("\nservo s{}: {} = t^2 actuators (force on x{})", j, sum(""),
                                columns[static_cast<std::size_t>(j)]);
        }
        SCOPED_TRACE(text);
        const Loaded loaded = load_text("random.ank", text + "\n");
        if (loaded.prepared) {
            const std::optional<double> found = compare_controls(*loaded.prepared, 1e-9);
            regular += found && *found > 1e-3 ? 1 : 0;
        }
    }
    EXPECT_GT(regular, 60);
}

TEST(SparseServo, LostControlIsNamedAlike) {
    const Loaded crane = load_model("errors/crane");
    ASSERT_TRUE(crane.prepared) << crane.messages;
    EXPECT_FALSE(compare_controls(*crane.prepared, 1e-11));
    const Loaded idle =
        load_text("idle.ank", std::string(kArm) +
                                  "servo tip: position(fore).z = 0\n"
                                  "    actuators (torque on fore about (0, 0, 1))\n");
    ASSERT_TRUE(idle.prepared) << idle.messages;
    EXPECT_FALSE(compare_controls(*idle.prepared, 1e-11));
}

TEST(SparseServo, RunsAgreeWithThoseOfFullMatrices) {
    for (const char* name : {"servo_cart_force", "manipulator"}) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Settings settings{.times = even_times(1.0, 4), .tolerance = 1e-10};
        const Recording full = run_model(*loaded.prepared, settings);
        const Recording sparse = run_model(as_sparse(*loaded.prepared), settings);
        ASSERT_FALSE(full.error) << full.error->message;
        ASSERT_FALSE(sparse.error) << sparse.error->message;
        ASSERT_EQ(sparse.rows.rows(), full.rows.rows());
        for (std::size_t i = 0; i < full.rows.rows(); ++i) {
            EXPECT_LT(difference(sparse.rows.row(i), full.rows.row(i)), 1e-8);
        }
    }
}

/// A cart on a rail with a rope of bodies; the cart is to follow a path.
std::string crane(int bodies) {
    return fmt::format(R"(parameter N = {}, L = 0.05, M = 20
gravity (0, 0, -9.81)
body cart mass M inertia (1, 1, 1) at (0, 0, 0)
for i in 1..N {{
  body link[i] mass 0.2 inertia (1e-4, 1e-4, 1e-5) at (0, 0, -L*(i - 0.5))
}}
joint rail: prismatic(ground, cart, axis = (1, 0, 0))
joint hook: spherical(cart, link[1] at (0, 0, L/2))
for i in 2..N {{
  joint pin[i]: spherical(link[i-1] at (0, 0, -L/2), link[i] at (0, 0, L/2))
}}
servo path: position(cart).x = 0.3*t^2 actuators (force on cart along (1, 0, 0))
)",
                       bodies);
}

// Newton's law for all bodies along the rail: the force on the cart moves them all.
TEST(SparseServo, ACraneOfHundredsOfBodiesObeysNewton) {
    constexpr int kBodies = 300;
    const Loaded loaded = load_text("crane.ank", crane(kBodies));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    ASSERT_TRUE(dynamics::has_sparse_rows(*loaded.prepared->compiled));
    const Recording run =
        run_model(*loaded.prepared, {.times = even_times(0.02, 2), .tolerance = 1e-8});
    ASSERT_FALSE(run.error) << run.error->message;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    const Solved at_start = solved(*loaded.prepared, start.value());
    ASSERT_EQ(static_cast<int>(at_start.status), static_cast<int>(solve::SolveStatus::kOk));
    const std::vector<double>& a = at_start.motion.a;
    double rate = 20.0 * a[0];
    for (int i = 1; i <= kBodies; ++i) {
        rate += 0.2 * a[static_cast<std::size_t>(7 * i)];
    }
    EXPECT_NEAR(a[0], 0.6, 1e-10);
    EXPECT_NEAR(at_start.motion.u[0], rate, 1e-9 * rate);
    EXPECT_NEAR(run.at(0, "control[path:1]"), rate, 1e-9 * rate);
    EXPECT_NEAR(run.at(2, "cart.x"), 0.3 * 0.02 * 0.02, 1e-9);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_LT(std::abs(run.at(i, "energy_balance")), 1e-6);
    }
}

// An event sets one velocity, the constraints change the others as little as possible.
TEST(SparseImpact, AgreesWithFullMatrices) {
    const Loaded loaded = load_text("knock.ank",
                                    "parameter N = 6, L = 0.2\n"
                                    "gravity (0, 0, -9.81)\n"
                                    "for i in 1..N {\n"
                                    "  body link[i] mass 1 inertia (0.01, 0.02, 0.03)\n"
                                    "    at (L*(i - 0.5), 0, 0) omega ~ (0.3, 1, -0.5*i/N)\n"
                                    "}\n"
                                    "joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))\n"
                                    "for i in 2..N {\n"
                                    "  joint pin[i]: spherical(link[i-1] at (L/2, 0, 0),\n"
                                    "    link[i] at (-L/2, 0, 0))\n"
                                    "}\n"
                                    "event knock: t = 0.1 { link[1].x' = 0.1 }\n");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Settings settings{.times = even_times(0.2, 4), .tolerance = 1e-11};
    const Recording full = run_model(*loaded.prepared, settings);
    const Recording sparse = run_model(as_sparse(*loaded.prepared), settings);
    ASSERT_FALSE(full.error) << full.error->message;
    ASSERT_FALSE(sparse.error) << sparse.error->message;
    ASSERT_EQ(sparse.rows.rows(), full.rows.rows());
    for (std::size_t i = 0; i < full.rows.rows(); ++i) {
        EXPECT_LT(difference(sparse.rows.row(i), full.rows.row(i)), 1e-8);
    }
}

}  // namespace
}  // namespace ananke::pipeline

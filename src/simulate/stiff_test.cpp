// Implicit runs: against closed forms, against explicit runs, and the derivatives they use.
#include "dynamics/acceleration.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

// m x'' + c x' + k x = 0: two decays, 1/s and 1e6/s.
constexpr double kMass = 1e-6;
const std::string kOverdamped =
    "parameter m = 1e-6, c = 1, k = 1\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\n"
    "force on x = -c*x'\ninitial x = 1, x' = 0\n";

double overdamped(double t, double x = 1.0, double v = 0.0) {
    const double root = std::sqrt(1.0 - 4.0 * kMass);
    const double slow = -2.0 / (1.0 + root);  // (-1 + root)/(2 m) without cancellation
    const double fast = -(1.0 + root) / (2.0 * kMass);
    return ((fast * x - v) * std::exp(slow * t) + (v - slow * x) * std::exp(fast * t)) /
           (fast - slow);
}

TEST(Stiff, OverdampedParticle) {
    const Recording run =
        run_text(kOverdamped, {.times = even_times(10.0, 1000), .tolerance = 1e-10, .stiff = true});
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        EXPECT_NEAR(run.at(i, "x"), overdamped(run.at(i, "t")), 1e-9);
    }
    EXPECT_LT(run.summary.steps.steps, 500U);  // an explicit method needs over a million
    EXPECT_LT(run.summary.largest_energy_imbalance, 1e-9);
}

TEST(Stiff, EventsAreFoundInsideItsSteps) {
    const Recording run =
        run_text(kOverdamped + "event half: x = 0.5 falling { stop }\n",
                 {.times = even_times(10.0, 4), .tolerance = 1e-10, .stiff = true});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(overdamped(run.summary.reached), 0.5, 1e-9);
    EXPECT_EQ(run.rows.rows(), 1U);

    // Pushed there, it jumps back within microseconds and comes down again.
    const Recording again = run_text(kOverdamped + "event half: x = 0.5 falling { x' = 3e5 }\n",
                                     {.times = {0.0, 1.0}, .tolerance = 1e-10, .stiff = true});
    ASSERT_FALSE(again.error) << again.error->message;
    EXPECT_EQ(again.summary.events, 1U);
    EXPECT_NEAR(again.at(1, "x"), overdamped(1.0 - run.summary.reached, 0.5, 3e5), 1e-9);
}

// A rod that is a stiff spring with a damper: as the spring gets stiffer, the motion tends to that
// of the pendulum with a rigid rod, in proportion to m g/(k l).
TEST(Stiff, ElasticRodTendsToTheRigidOne) {
    const std::string common =
        "parameter k = 1e7, c = 1e5\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
        "gravity (0, -9.81, 0)\ninitial x = 1, y = 0, x' = 0, y' = 0\n";
    const std::string elastic =
        common +
        "let r = sqrt(x^2 + y^2)\nlet u = (x*x' + y*y')/r\npotential k/2*(r - 1)^2\n"
        "force on P = -c*u/r*(x, y, 0)\n";
    const std::vector<double> times = even_times(5.0, 50);
    const Recording rigid =
        run_text(common + "constraint rod: x^2 + y^2 = 1\n", {.times = times, .tolerance = 1e-12});
    ASSERT_FALSE(rigid.error) << rigid.error->message;
    double last = 0.0;
    for (const double k : {1e6, 1e7, 1e8}) {
        const Recording run = run_text(elastic, {.times = times, .tolerance = 1e-11, .stiff = true},
                                       {setting("k", k), setting("c", 0.01 * k)});
        ASSERT_FALSE(run.error) << run.error->message;
        double distance = 0.0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            distance = std::max({distance, std::abs(run.at(i, "x") - rigid.at(i, "x")),
                                 std::abs(run.at(i, "y") - rigid.at(i, "y"))});
        }
        EXPECT_LT(distance, 300.0 / k);
        if (last > 0.0) {
            EXPECT_NEAR(last / distance, 10.0, 0.5) << k;
        }
        last = distance;
        EXPECT_LT(run.summary.steps.steps, 5000U) << k;  // an explicit method needs up to 8e5
    }
}

TEST(Stiff, AgreesWithTheExplicitIntegrator) {
    const std::vector<std::pair<std::string, double>> cases{{"duffing", 5.0},
                                                            {"double_pendulum", 2.0},
                                                            {"andrews", 0.02},
                                                            {"free_top", 2.0},
                                                            {"redundant_parallelogram", 2.0},
                                                            {"bricard_square", 1.0},
                                                            {"bouncing_ball", 2.0},
                                                            {"rolling_disk", 2.0},
                                                            {"stick_slip_belt", 2.0},
                                                            {"servo_cart_force", 1.0}};
    for (const auto& [name, until] : cases) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const std::vector<double> times = even_times(until, 20);
        const Recording implicit =
            run_model(*loaded.prepared, {.times = times, .tolerance = 1e-10, .stiff = true});
        const Recording explicitly =
            run_model(*loaded.prepared, {.times = times, .tolerance = 1e-12});
        ASSERT_FALSE(implicit.error) << implicit.error->message;
        ASSERT_FALSE(explicitly.error) << explicitly.error->message;
        for (const std::string& coordinate : loaded.prepared->compiled->coordinate_names) {
            for (const std::string& column : {coordinate, coordinate + "'"}) {
                double size = 1.0;
                double difference = 0.0;
                for (std::size_t i = 0; i < times.size(); ++i) {
                    size = std::max(size, std::abs(explicitly.at(i, column)));
                    difference = std::max(
                        difference, std::abs(implicit.at(i, column) - explicitly.at(i, column)));
                }
                EXPECT_LT(difference, 1e-8 * size) << column;
            }
        }
        for (const simulate::RowSummary& row : implicit.summary.constraints) {
            EXPECT_LT(row.residual, 1e-12) << row.name;
        }
    }
}

// IFToMM A05: the same motion as the explicit run, for a fraction of its work.
TEST(Stiff, FlyballGovernor) {
    const Loaded loaded = load_model("stiff_governor");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const std::vector<double> times = even_times(1.0, 50);
    const Recording implicit =
        run_model(*loaded.prepared, {.times = times, .tolerance = 1e-9, .stiff = true});
    const Recording explicitly =
        run_model(*loaded.prepared, {.times = times, .tolerance = 1e-9, .stiff = false});
    ASSERT_FALSE(implicit.error) << implicit.error->message;
    ASSERT_FALSE(explicitly.error) << explicitly.error->message;
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NEAR(implicit.at(i, "s"), explicitly.at(i, "s"), 1e-8);
        EXPECT_NEAR(implicit.at(i, "speed"), explicitly.at(i, "speed"), 1e-7);
    }
    EXPECT_GT(explicitly.summary.steps.steps, 10 * implicit.summary.steps.steps);
    EXPECT_GT(explicitly.summary.steps.rhs_evaluations, 3 * implicit.summary.steps.rhs_evaluations);
}

// The derivatives of the recorded acceleration against central differences of it.
TEST(Stiff, DerivativesOfTheAcceleration) {
    int models = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const compile::CompiledModel& model = *loaded.prepared->compiled;
        if (model.n() > 40) {
            continue;
        }
        dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
        const Result<dynamics::StartState> start =
            dynamics::assemble(evaluator, loaded.prepared->initial);
        ASSERT_TRUE(start);
        evaluator.hold_switches(0.0, start.value().q.data(), start.value().v.data());
        for (std::size_t f = 0; f < model.frictions.size(); ++f) {
            const std::vector<double> direction{1.0, 0.0};
            const auto components = static_cast<std::size_t>(model.frictions[f].components);
            evaluator.set_slip(static_cast<int>(f), std::span(direction).first(components));
        }
        dynamics::Acceleration side(evaluator, {});
        const auto n = static_cast<std::size_t>(model.n());
        std::vector<double> x = start.value().q;
        x.insert(x.end(), start.value().v.begin(), start.value().v.end());
        ASSERT_EQ(side.on_constraints(0.0, x.data(), x.data() + n), solve::SolveStatus::kOk);
        const std::size_t rows =
            n + 1 + static_cast<std::size_t>(model.m() - model.constraint_rows);
        std::vector<double> J(rows * 2 * n);
        if (!side.derivatives(0.0, x.data(), x.data() + n, J)) {
            continue;
        }
        ++models;
        double size = 1.0;
        double difference = 0.0;
        for (std::size_t j = 0; j < 2 * n; ++j) {
            const double h = 1e-5;
            std::vector<double> a[2];
            for (const int sign : {0, 1}) {
                std::vector<double> moved = x;
                moved[j] += sign == 0 ? -h : h;
                ASSERT_EQ(side.in_step(0.0, moved.data(), moved.data() + n),
                          solve::SolveStatus::kOk);
                std::vector<double> rates(n + rows);
                side.rates(moved.data() + n, rates);
                a[sign].assign(rates.begin() + static_cast<std::ptrdiff_t>(n), rates.end());
            }
            for (std::size_t i = 0; i < rows; ++i) {
                const double slope = (a[1][i] - a[0][i]) / (2.0 * h);
                size = std::max(size, std::abs(slope));
                difference = std::max(difference, std::abs(slope - J[i * 2 * n + j]));
            }
        }
        EXPECT_LT(difference, 1e-6 * size);
    }
    EXPECT_GE(models, 40);
}

}  // namespace
}  // namespace ananke::pipeline

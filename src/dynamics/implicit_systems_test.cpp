// Implicit steps without full matrices: their systems against those with matrices on the gallery,
// runs by both, and models that matrices are too large for. Any model may be stepped either way.
#include <complex>
#include <random>

#include <fmt/format.h>

#include "dynamics/acceleration.h"
#include "dynamics/implicit_systems.h"
#include "ode/dense_systems.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

struct StiffSettings {
    std::vector<double> times;
    double tolerance = 1e-9;
    std::optional<bool> sparse = {};
    bool stiff = true;
    std::function<bool()> stop = {};
};

Recording run_stiff(const compile::Prepared& prepared, const StiffSettings& settings) {
    Recording run;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(evaluator, prepared.initial);
    if (!start) {
        run.error = start.error();
        return run;
    }
    simulate::RunOptions options;
    options.output_times = settings.times;
    options.until = settings.times.back();
    options.tolerance = settings.tolerance;
    options.stiff = settings.stiff;
    options.sparse_steps = settings.sparse;
    options.stop_requested = settings.stop;
    const std::unique_ptr<Recorder> recorder = io::record_in_memory(run.rows);
    Header header;
    header.columns = simulate::columns_of(*prepared.compiled);
    EXPECT_TRUE(recorder->begin(header));
    run.summary =
        simulate::run(prepared.compiled, prepared.parameters, start.value(), options, *recorder);
    run.error = run.summary.error;
    return run;
}

Recording run_stiff(const std::string& text, const StiffSettings& settings) {
    const Loaded loaded = load_text("stiff.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    return loaded.prepared ? run_stiff(*loaded.prepared, settings) : Recording{};
}

/// Largest difference of positions and velocities over all rows, over their size.
double difference(const compile::CompiledModel& model, const Recording& one,
                  const Recording& other) {
    double most = 0.0;
    for (const std::string& coordinate : model.coordinate_names) {
        for (const std::string& column : {coordinate, coordinate + "'"}) {
            double size = 1.0;
            double gap = 0.0;
            for (std::size_t i = 0; i < one.rows.rows(); ++i) {
                size = std::max(size, std::abs(other.at(i, column)));
                gap = std::max(gap, std::abs(one.at(i, column) - other.at(i, column)));
            }
            most = std::max(most, gap / size);
        }
    }
    return most;
}

/// Bodies on ball joints, held straight by springs and dampers between neighbours.
std::string stiff_chain(int bodies, double stiffness, const std::string& more = "") {
    return fmt::format(R"(parameter N = {}, L = 0.2, k = {}, c = k/1000
gravity (0, 0, -9.81)
for i in 1..N {{
  body link[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0)
}}
joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))
for i in 2..N {{
  joint pin[i]: spherical(link[i-1] at (L/2, 0, 0), link[i] at (-L/2, 0, 0))
  joint up[i]: spring(link[i-1] at (0, 0, 0.1), link[i] at (0, 0, 0.1), stiffness = k, length = L)
  joint side[i]: spring(link[i-1] at (0, 0.1, 0), link[i] at (0, 0.1, 0), stiffness = k, length = L)
  joint damp[i]: damper(link[i-1] at (0, 0, 0.1), link[i] at (0, 0, 0.1), damping = c)
}}
{}
)",
                       bodies, stiffness, more);
}

/// Particles on stiff springs with dampers, hung up at the origin, at rest; `drag` acts on each.
std::string stiff_rope(int particles, double stiffness, const std::string& drag = "") {
    return fmt::format(R"(parameter N = {}, l = 2/N, m = 3/N, k = {}, c = k*1e-4
gravity (0, 0, -9.81)
for i in 1..N {{
  coordinate x[i], y[i], z[i]
  particle P[i] mass m at (x[i], y[i], z[i])
  initial x[i] = i*l, y[i] = 0.1*l*sin(i), z[i] = 0
  {}
}}
potential k/2*(norm(position(P[1])) - l)^2
for i in 2..N {{
  potential k/2*(norm(position(P[i]) - position(P[i-1])) - l)^2
  force on P[i] = -c*(velocity(P[i]) - velocity(P[i-1]))
  force on P[i-1] = c*(velocity(P[i]) - velocity(P[i-1]))
}}
)",
                       particles, stiffness, drag);
}

/// Both kinds of systems at the start of a model: x for the same right sides. False if there is no
/// program to take the full derivatives from.
bool compare_systems(const compile::Prepared& prepared, double tolerance) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(evaluator, prepared.initial);
    EXPECT_TRUE(start);
    std::vector<double> y = start.value().q;
    y.insert(y.end(), start.value().v.begin(), start.value().v.end());
    y.push_back(0.0);
    const std::size_t n = start.value().q.size();
    evaluator.hold_switches(0.0, y.data(), y.data() + n);
    dynamics::Acceleration side(evaluator, {});
    EXPECT_EQ(side.on_constraints(0.0, y.data(), y.data() + n), solve::SolveStatus::kOk);
    bool known = false;
    const auto jacobian = [&](double t, std::span<const double> at, std::span<double> J) {
        return known = side.derivatives(t, at.data(), at.data() + n, J);
    };
    const auto no_slope = [](double, std::span<const double>, std::span<double>) {
        return ode::Status::kNotFinite;
    };
    ode::DenseSystems dense(y.size(), 1, {n, 1, jacobian});
    if (dense.linearize(0.0, y, no_slope) != ode::Status::kOk || !known) {
        return false;
    }
    dynamics::ImplicitSystems sparse(evaluator, side, 1);
    EXPECT_TRUE(sparse.is_sparse());
    EXPECT_EQ(sparse.linearize(0.0, y, no_slope), ode::Status::kOk);
    const auto size = static_cast<Eigen::Index>(y.size());
    for (const double m : {1.7, 31.0, 1.1e4}) {
        const std::complex<double> pair(0.7 * m, 1.3 * m);
        dense.factorise(m, std::span(&pair, 1));
        sparse.factorise(m, std::span(&pair, 1));
        const Eigen::VectorXcd r = Eigen::VectorXcd::Random(size);
        Eigen::VectorXd full = r.real();
        Eigen::VectorXd x = r.real();
        dense.solve(full);
        sparse.solve(x);
        EXPECT_LT((x - full).norm(), tolerance * full.norm()) << m;
        Eigen::VectorXcd full_pair = r;
        Eigen::VectorXcd x_pair = r;
        dense.solve_pair(0, full_pair);
        sparse.solve_pair(0, x_pair);
        EXPECT_LT((x_pair - full_pair).norm(), tolerance * full_pair.norm()) << m;
    }
    return true;
}

TEST(SparseSteps, SystemsAgreeWithFullMatricesOnTheGallery) {
    int models = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        if (loaded.prepared->compiled->n() <= 60 &&
            dynamics::may_be_sparse(*loaded.prepared->compiled, {})) {
            models += compare_systems(*loaded.prepared, 1e-6) ? 1 : 0;
        }
    }
    EXPECT_GE(models, 40);
}

TEST(SparseSteps, SystemsAgreeOnChains) {
    for (const int bodies : {1, 2, 7}) {
        SCOPED_TRACE(bodies);
        const Loaded loaded = load_text("chain.ank", stiff_chain(bodies, 1e5));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        EXPECT_TRUE(compare_systems(*loaded.prepared, 1e-9));
    }
}

/// Both ways to the same motion, with as many evaluations: the iteration converges as fast.
void compare_runs(const compile::Prepared& prepared, double until, double tolerance, double gap) {
    const std::vector<double> times = even_times(until, 10);
    const Recording sparse =
        run_stiff(prepared, {.times = times, .tolerance = tolerance, .sparse = true});
    const Recording full =
        run_stiff(prepared, {.times = times, .tolerance = tolerance, .sparse = false});
    ASSERT_FALSE(sparse.error) << sparse.error->message;
    ASSERT_FALSE(full.error) << full.error->message;
    EXPECT_LT(difference(*prepared.compiled, sparse, full), gap);
    EXPECT_LT(static_cast<double>(sparse.summary.steps.rhs_evaluations),
              1.1 * static_cast<double>(full.summary.steps.rhs_evaluations) + 20.0);
    EXPECT_LT(sparse.summary.largest_energy_imbalance,
              10.0 * full.summary.largest_energy_imbalance + 1e-10);
    for (const simulate::RowSummary& row : sparse.summary.constraints) {
        EXPECT_LT(row.residual, 1e-12) << row.name;
    }
}

// With moving supports, redundant rows, angles without mass, rows in the velocities, events.
TEST(SparseSteps, RunsAgreeWithThoseOfFullMatrices) {
    const std::vector<std::pair<std::string, double>> cases{
        {"stiff_governor", 0.2},  {"double_pendulum", 2.0},
        {"free_top", 2.0},        {"redundant_parallelogram", 1.0},
        {"bricard_square", 0.5},  {"andrews", 0.01},
        {"rolling_disk", 1.0},    {"moving_support", 1.0},
        {"skate_with_drag", 1.0}, {"pamplona_rheonomic", 1.0},
        {"bouncing_ball", 1.0},   {"massless_interface", 1.0},
        {"car_axis", 0.5},        {"two_link_pendulum_redundant", 1.0}};
    for (const auto& [name, until] : cases) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        ASSERT_TRUE(dynamics::may_be_sparse(*loaded.prepared->compiled, {}));
        compare_runs(*loaded.prepared, until, 1e-10, 1e-8);
    }
}

TEST(SparseSteps, StiffChainsAgree) {
    const std::vector<std::string> more{
        "", "constraint again: 2*link[1].x - 3*link[2].z = 2*link[1].x - 3*link[2].z\n",
        "joint pin_again: spherical(ground, link[1] at (-L/2, 0, 0))\n",
        "joint turn: revolute(ground at (0, 0.5, 0), extra)\n"};
    for (std::size_t i = 0; i < more.size(); ++i) {
        SCOPED_TRACE(more[i]);
        const std::string extra =
            i == 3 ? "body extra mass 1 inertia (1, 1, 1) at (0, 0.5, 0) omega ~ (0, 0, 1)\n" : "";
        const Loaded loaded = load_text("chain.ank", stiff_chain(9, 1e6, extra + more[i]));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        compare_runs(*loaded.prepared, 0.1, 1e-9, 1e-7);
    }
}

// Errors follow the tolerance, against explicit steps that follow everything.
TEST(SparseSteps, ConvergeToTheExplicitMotion) {
    for (const std::string& text : {stiff_chain(8, 2e4), stiff_rope(20, 1e4)}) {
        const Loaded loaded = load_text("stiff.ank", text);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const std::vector<double> times = even_times(0.2, 5);
        const Recording exact =
            run_stiff(*loaded.prepared, {.times = times, .tolerance = 1e-13, .stiff = false});
        ASSERT_FALSE(exact.error) << exact.error->message;
        for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
            const Recording run = run_stiff(
                *loaded.prepared, {.times = times, .tolerance = tolerance, .sparse = true});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_LT(difference(*loaded.prepared->compiled, run, exact), 100.0 * tolerance)
                << tolerance;
        }
    }
}

// 1,400 and 3,000 coordinates; an explicit method needs a hundred times as many steps.
TEST(SparseSteps, ManyBodiesAndParticles) {
    const std::vector<double> times{0.0, 0.02};
    for (const std::string& text : {stiff_chain(200, 1e6), stiff_rope(1000, 1e8)}) {
        const Recording run = run_stiff(text, {.times = times, .tolerance = 1e-8});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_LT(run.summary.steps.steps, 400U);
        EXPECT_LT(run.summary.largest_energy_imbalance, 1e-6 * run.summary.energy_scale);
        for (const simulate::RowSummary& row : run.summary.constraints) {
            EXPECT_LT(row.residual, 1e-12) << row.name;
            EXPECT_LT(row.rate, 1e-12) << row.name;
        }
    }
}

// The length of a velocity has no derivative at rest, where differences stand in.
TEST(SparseSteps, DragAtRest) {
    const Loaded loaded =
        load_text("rope.ank",
                  stiff_rope(20, 1e4, "force on P[i] = -0.1*norm(velocity(P[i]))*velocity(P[i])"));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    compare_runs(*loaded.prepared, 0.2, 1e-9, 1e-7);
}

// A parameter that an event changes is a number of the next derivatives.
TEST(SparseSteps, ParametersMayChange) {
    const Loaded loaded =
        load_text("rope.ank", stiff_rope(20, 1e4) + "event later: t = 0.1 { k = 4e4 }\n");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    compare_runs(*loaded.prepared, 0.2, 1e-9, 1e-7);
}

std::size_t directions(const std::string& text) {
    const Loaded loaded = load_text("model.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    return dynamics::MotionDerivatives(evaluator).directions();
}

// They are those of a body's neighbours, or of a hub and one of its springs.
TEST(SparseSteps, DirectionsDoNotGrowWithTheModel) {
    EXPECT_EQ(directions(stiff_chain(40, 1e5)), 42U);
    EXPECT_EQ(directions(stiff_chain(80, 1e5)), 42U);
    EXPECT_EQ(directions(stiff_rope(60, 1e5)), directions(stiff_rope(20, 1e5)));
    const auto wheel = [](int spokes) {
        return fmt::format(R"(parameter N = {}
body B mass 100 inertia (10, 20, 30) at (0, 0, 0) omega (1, 2, 0.5)
for i in 1..N {{
  coordinate x[i], y[i], z[i]
  particle P[i] mass 1 at (x[i], y[i], z[i])
  initial x[i] = 2*cos(i), y[i] = 2*sin(i)
  joint s[i]: spring(B at (cos(i), sin(i), 0), P[i], stiffness = 1e5, length = 1)
}}
)",
                           spokes);
    };
    EXPECT_LT(directions(wheel(300)), 60U);
}

/// What a run would choose at the start.
bool is_chosen(const std::string& text) {
    const Loaded loaded = load_text("model.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const dynamics::Acceleration side(evaluator, {});
    return dynamics::ImplicitSystems::make(evaluator, side, 2) != nullptr;
}

TEST(SparseSteps, AreChosenWhereTheyPay) {
    EXPECT_FALSE(is_chosen(stiff_chain(5, 1e5)));
    EXPECT_TRUE(is_chosen(stiff_chain(10, 1e5)));
    EXPECT_TRUE(is_chosen(stiff_rope(30, 1e4)));
    const auto all_pairs = [](int particles) {
        return fmt::format(R"(parameter N = {}
for i in 1..N {{
  coordinate x[i], y[i]
  particle P[i] mass 1 at (x[i], y[i], 0)
  initial x[i] = cos(i), y[i] = i/N
}}
for i in 2..N {{ for k in 1..i-1 {{ potential (norm(position(P[i]) - position(P[k])) - 1)^2 }} }}
)",
                           particles);
    };
    EXPECT_FALSE(is_chosen(all_pairs(30)));
}

// The run of a large model ends when it is asked to, with the rows up to there.
TEST(SparseSteps, StopOnRequest) {
    int polls = 0;
    const Recording run =
        run_stiff(stiff_rope(400, 1e6),
                  {.times = even_times(10.0, 100'000), .stop = [&polls] { return ++polls > 20; }});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code, ErrorCode::kInterrupted);
    EXPECT_GT(run.rows.rows(), 0U);
    EXPECT_LT(polls, 60);
}

}  // namespace
}  // namespace ananke::pipeline

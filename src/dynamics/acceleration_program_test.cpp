// The acceleration and the forces by the compiled programs against the solver that chooses its rows
// anew at every state, along the motion of every model of the gallery.
#include "dynamics/acceleration.h"
#include "dynamics/motion_solver.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

struct Comparison {
    double acceleration = 0.0;  ///< largest difference, relative to the largest acceleration
    double energy_rate = 0.0;   ///< the same, relative to the powers it is made of
    double forces = 0.0;        ///< of Qc, Qc_ideal, Qc_nonideal, lambda and u, relative to each
    int states = 0;
    int by_program = 0;
    int unique = 0;  ///< states where the multipliers are
    int given = 0;   ///< states where the program gave forces
};

/// Every friction slips the way it does at this state; one without slip holds.
void set_frictions(dynamics::Evaluator& evaluator, double t, const double* q, const double* v) {
    const std::span<const double> values = evaluator.friction_values(t, q, v);
    const std::vector<compile::CompiledFriction>& frictions = evaluator.model().frictions;
    for (std::size_t f = 0; f < frictions.size(); ++f) {
        const auto first = static_cast<std::size_t>(frictions[f].first_value);
        const auto count = static_cast<std::size_t>(frictions[f].components);
        const std::span<const double> slip = values.subspan(first, count);
        const double size = count == 1 ? std::abs(slip[0]) : std::hypot(slip[0], slip[1]);
        std::vector<double> direction;
        for (const double part : slip) {
            direction.push_back(size > 0.0 ? part / size : 0.0);
        }
        const auto which = static_cast<int>(f);
        if (size > 1e-9 || !frictions[f].dry) {
            evaluator.set_slip(which, direction);
        } else if (!evaluator.sticks(which)) {
            evaluator.set_stick(which);
        }
    }
}

/// Largest difference, relative to the largest number and at least 1.
double gap(const dynamics::MotionSolver::Vector& x, const dynamics::MotionSolver::Vector& y) {
    return x.size() == 0 ? 0.0
                         : (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}

/// Where a friction holds, the ideal part is that of other rows: the program has none.
double gap_of_forces(const dynamics::Evaluator& evaluator, const dynamics::MotionSolver& x,
                     const dynamics::MotionSolver& y) {
    const compile::CompiledModel& model = evaluator.model();
    EXPECT_EQ(x.rank(), y.rank());
    double largest = std::max(gap(x.Qc(), y.Qc()), gap(x.lambda(), y.lambda()));
    if (model.has_nonideal && !evaluator.any_sticks()) {
        largest = std::max(
            {largest, gap(x.Qc_ideal(), y.Qc_ideal()), gap(x.Qc_nonideal(), y.Qc_nonideal())});
    }
    return model.controls.empty() ? largest : std::max(largest, gap(x.u(), y.u()));
}

/// Rows with entries, in force, that no control enforces.
int pushing_rows(const dynamics::Evaluator& evaluator) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<bool> pushes(model.rows.size(), false);
    for (const compile::Place& place : model.row_entries) {
        const auto row = static_cast<std::size_t>(place.row);
        pushes[row] = !model.rows[row].actuated &&
                      (place.row < model.constraint_rows || evaluator.row_sticks(place.row));
    }
    return static_cast<int>(std::count(pushes.begin(), pushes.end(), true));
}

Comparison compare_along(const compile::Prepared& prepared, const Recording& run) {
    const compile::CompiledModel& model = *prepared.compiled;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    dynamics::Acceleration program(evaluator, {});
    dynamics::Evaluator other_evaluator(prepared.compiled, prepared.parameters);
    dynamics::MotionSolver solver(other_evaluator, {});
    dynamics::MotionSolver given(evaluator, {});
    Comparison result;
    const auto n = static_cast<std::size_t>(model.n());
    std::vector<double> q(n);
    std::vector<double> v(n);
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            q[k] = run.at(i, model.coordinate_names[k]);
            v[k] = run.at(i, model.coordinate_names[k] + "'");
        }
        const double t = run.at(i, "t");
        set_frictions(evaluator, t, q.data(), v.data());
        set_frictions(other_evaluator, t, q.data(), v.data());
        EXPECT_EQ(program.on_constraints(t, q.data(), v.data()), solve::SolveStatus::kOk);
        EXPECT_EQ(program.in_step(t, q.data(), v.data()), solve::SolveStatus::kOk);
        EXPECT_EQ(solver.accelerate(t, q.data(), v.data()), solve::SolveStatus::kOk);
        double difference = 0.0;
        double size = 1.0;
        double powers = 1.0 + std::abs(other_evaluator.power());
        double rate = other_evaluator.power();
        for (std::size_t k = 0; k < n; ++k) {
            const auto place = static_cast<Eigen::Index>(k);
            difference = std::max(difference, std::abs(program.a()[k] - solver.a()[place]));
            size = std::max(size, std::abs(solver.a()[place]));
            rate += solver.Qc()[place] * v[k];
            powers += std::abs(solver.Qc()[place] * v[k]);
        }
        result.acceleration = std::max(result.acceleration, difference / size);
        result.energy_rate =
            std::max(result.energy_rate, std::abs(program.energy_rate(v.data()) - rate) / powers);
        ++result.states;
        result.by_program += program.by_program() ? 1 : 0;
        const std::vector<int> kept = solver.rows().kept_rows();
        result.unique += static_cast<int>(kept.size()) == pushing_rows(other_evaluator) ? 1 : 0;
        if (!program.forces_by_program(t, q.data(), v.data(), given)) {
            continue;
        }
        ++result.given;
        result.forces = std::max(result.forces, gap_of_forces(evaluator, given, solver));
    }
    return result;
}

// Several parties look at the same state of a crossing: the solver answers once, and anew when the
// state or a parameter is another.
TEST(AccelerationProgram, LooksAtOneStateAreSolvedOnce) {
    const Loaded loaded = load_model("n_four_bar");
    ASSERT_TRUE(loaded.prepared);
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start.has_value());
    std::vector<double> q = start.value().q;
    const double* v = start.value().v.data();
    dynamics::Acceleration program(evaluator, {});
    const auto look = [&] {
        program.request_rank_check();
        EXPECT_EQ(program.on_constraints(0.0, q.data(), v), solve::SolveStatus::kOk);
        EXPECT_TRUE(program.rank_was_checked());
        return program.motion_solver().evaluations();
    };
    const std::size_t once = look();
    const std::vector<double> first(program.a(), program.a() + q.size());
    EXPECT_EQ(look(), once);
    EXPECT_EQ(std::vector<double>(program.a(), program.a() + q.size()), first);
    q[0] += 1e-9;
    EXPECT_EQ(look(), once + 1);
    evaluator.set_parameter(0, 1.0 + evaluator.parameter(0));
    EXPECT_EQ(look(), once + 2);
}

TEST(AccelerationProgram, AgreesWithTheSolverAlongEveryModel) {
    int models = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        ++models;
        const double until = std::min(1.0, end_of(*loaded.prepared));
        const Recording run =
            run_model(*loaded.prepared, {.times = even_times(until, 60), .tolerance = 1e-9});
        ASSERT_FALSE(run.error) << run.error->message;
        const Comparison result = compare_along(*loaded.prepared, run);
        EXPECT_LT(result.acceleration, 1e-10);
        EXPECT_LT(result.energy_rate, 1e-10);
        EXPECT_LT(result.forces, 1e-10);
        EXPECT_EQ(result.by_program, result.states);
        EXPECT_EQ(result.given, result.unique);
    }
    EXPECT_GE(models, 80);
}

/// N bodies on ball joints, the first on the ground; closed: the last one too.
std::string chain(int bodies, bool closed) {
    std::string text = "parameter N = " + std::to_string(bodies) + R"(, L = 0.2
gravity (0, 0, -9.81)
for i in 1..N {
  body link[i] mass 1 inertia (0.01, 0.02, 0.03) at (L*(i - 0.5), 0, 0) omega ~ (0.3, 1, -0.5*i/N)
}
joint pin[1]: spherical(ground, link[1] at (-L/2, 0, 0))
for i in 2..N {
  joint pin[i]: spherical(link[i-1] at (L/2, 0, 0), link[i] at (-L/2, 0, 0))
}
simulate until 0.05
)";
    return text + (closed ? "joint tip: point_on_plane(ground, link[N] at (L/2, 0, 0))\n" : "");
}

std::size_t program_size(const std::string& text) {
    const Loaded loaded = load_text("chain.ank", text);
    if (!loaded.prepared) {
        ADD_FAILURE() << loaded.messages;
        return 0;
    }
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    if (!start) {
        ADD_FAILURE() << start.error().message;
        return 0;
    }
    dynamics::Acceleration program(evaluator, {});
    EXPECT_EQ(program.on_constraints(0.0, start.value().q.data(), start.value().v.data()),
              solve::SolveStatus::kOk);
    return program.program_size();
}

TEST(AccelerationProgram, ChainsAreLinearInTheirBodies) {
    for (const bool closed : {false, true}) {
        const double ten = static_cast<double>(program_size(chain(10, closed)));
        const double forty = static_cast<double>(program_size(chain(40, closed)));
        EXPECT_GT(ten, 0.0);
        EXPECT_LT(forty, 4.4 * ten);
        RecordProperty(closed ? "operations_per_body_closed" : "operations_per_body",
                       static_cast<int>((forty - ten) / 30.0));
        const Loaded loaded = load_text("chain.ank", chain(10, closed));
        const Recording run = run_model(*loaded.prepared, {.times = even_times(0.05, 10)});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_LT(compare_along(*loaded.prepared, run).acceleration, 1e-10);
    }
}

// Whether the inertia of a quaternion is J |u|^4 in angular accelerations: not where anything else
// has a part in it.
TEST(AccelerationProgram, KnowsTheInertiaThatIsTheBodysAlone) {
    const std::vector<std::pair<std::string, bool>> cases{
        {"body b mass 1 inertia (0.01, 0.02, 0.03)\n", true},
        {"body b mass 1 inertia (2, 2, 2)\n", true},
        {"parameter k = 3\nbody b mass 1 inertia (k, 2*k, 2)\n", true},
        {"body b mass 1 inertia (1, 2, 3)\nkinetic 0.5*b.u1'^2\n", false},
        {"body b mass 1 inertia (1, 2, 3)\nparticle P mass 2 at position(b at (1, 0, 0))\n", false},
    };
    for (const auto& [text, expected] : cases) {
        const Loaded loaded = load_text("b.ank", text);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        ASSERT_EQ(loaded.prepared->compiled->rotations.size(), 1U) << text;
        EXPECT_EQ(loaded.prepared->compiled->rotations.front().rigid, expected) << text;
    }
}

}  // namespace
}  // namespace ananke::pipeline

#include <gtest/gtest.h>

#include "ananke/ananke.h"
#include "api/load.h"

namespace ananke {
namespace {

constexpr double kHalfPi = 1.5707963267948966;
constexpr const char* kPendulum = R"(model "Pendulum"
parameter  m = 2, g = 9.81, L = 1
coordinate x, y
particle   bob mass m at (x, y, 0)
gravity    (0, -g, 0)
constraint rod: x^2 + y^2 = L^2
initial    x = 0.6*L, y ~ -0.7*L
simulate   until 2 every 0.1
)";

Model pendulum(const LoadOptions& options = {}) {
    const Loaded loaded = load_model_text("pendulum", kPendulum, options);
    EXPECT_TRUE(loaded.model) << loaded.report();
    return loaded.model.value();
}

Trajectory run_in_memory(const Model& model, const RunOptions& options) {
    Trajectory trajectory;
    const std::unique_ptr<Recorder> recorder = record_in_memory(trajectory);
    const Result<RunSummary> summary = run(model, options, *recorder);
    EXPECT_TRUE(summary) << summary.error().message;
    EXPECT_FALSE(summary.value().error);
    return trajectory;
}

TEST(Api, ModelTellsWhatItIs) {
    const Model model = pendulum({.settings = {"L=2"}});
    EXPECT_EQ(model.title(), "Pendulum");
    EXPECT_EQ(model.text(), kPendulum);
    EXPECT_EQ(model.coordinates(), (std::vector<std::string>{"x", "y"}));
    ASSERT_EQ(model.parameters().size(), 3u);
    EXPECT_EQ(model.parameters()[2].name, "L");
    EXPECT_EQ(model.parameters()[2].value, 2.0);
    ASSERT_EQ(model.constraints().size(), 1u);
    EXPECT_EQ(model.constraints()[0].name, "rod");
    EXPECT_EQ(model.constraints()[0].kind, "holonomic, scleronomic");
    EXPECT_EQ(model.simulation().value().until, 2.0);
    EXPECT_EQ(model.simulation().value().every.value(), 0.1);
    EXPECT_FALSE(model.simulation().value().stiff);
    EXPECT_EQ(model.columns()[1].name, "x");
    EXPECT_EQ(model.columns()[1].kind, ColumnKind::kPosition);
}

TEST(Api, MistakesAreDataAndText) {
    const Loaded loaded =
        load_model_text("wrong", "coordinate x\nkinetic x'^2/2\nforce on x = y\n");
    EXPECT_FALSE(loaded.model);
    ASSERT_EQ(loaded.messages.size(), 1u);
    EXPECT_TRUE(loaded.messages[0].is_error);
    EXPECT_EQ(loaded.messages[0].file, "wrong");
    EXPECT_EQ(loaded.messages[0].line, 3u);
    EXPECT_EQ(loaded.messages[0].column, 14u);
    EXPECT_EQ(loaded.messages[0].text, "unknown name 'y'");
    EXPECT_NE(loaded.rendered.find("wrong:3:14: error: unknown name 'y'"), std::string::npos);

    const Loaded without = load_model_text("pendulum", kPendulum, {.without = {"rode"}});
    EXPECT_FALSE(without.model);
    ASSERT_EQ(without.errors.size(), 1u);
    EXPECT_EQ(without.report(),
              "ananke: --without: no constraint is called 'rode'; did you mean 'rod'?\n");
}

TEST(Api, TextsCanBeReadWithOtherLimitsAndFiles) {
    Bounds bounds;
    bounds.limits.loop_statements = 10;
    bounds.read = [](const std::string& path, const std::string&) -> Result<std::string> {
        return path == "part.ank" ? Result<std::string>(std::string("parameter k = 3"))
                                  : Error{ErrorCode::kIo, "there is no file " + path};
    };
    const std::string text = "coordinate x\nkinetic x'^2/2\nimport \"part.ank\"\n";
    const Loaded loaded = load_model_text("m", text, {.settings = {"part.k=4"}}, bounds);
    ASSERT_TRUE(loaded.model) << loaded.report();
    ASSERT_EQ(loaded.model->parameters().size(), 1u);
    EXPECT_EQ(loaded.model->parameters()[0].value, 4.0);
    const std::string loop = "for i in 1..11 { parameter p[i] = i }\n";
    const std::string own = "coordinate x\nkinetic x'^2/2\n" + loop;
    EXPECT_TRUE(load_model_text("m", own, {}).model);
    EXPECT_FALSE(load_model_text("m", own, {}, bounds).model);
}

TEST(Api, CheckReportsTheStart) {
    const Result<CheckReport> report = check(pendulum());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report.value().rank, 1);
    EXPECT_EQ(report.value().degrees_of_freedom, 1);
    EXPECT_TRUE(report.value().mass_positive_definite);
    ASSERT_EQ(report.value().constraints.size(), 1u);
    EXPECT_TRUE(report.value().constraints[0].multiplier_unique);
    // x is exact, so the guess of y moves: y = -sqrt(1 - 0.36).
    ASSERT_EQ(report.value().moved.size(), 1u);
    EXPECT_EQ(report.value().moved[0].name, "y");
    EXPECT_EQ(report.value().moved[0].from, -0.7);
    EXPECT_NEAR(report.value().moved[0].to, -0.8, 1e-15);
    EXPECT_NEAR(report.value().start_positions[1], -0.8, 1e-15);
    for (const FormCheck& form : report.value().forms) {
        EXPECT_TRUE(form.applies) << form_name(form.form) << ": " << form.reason;
        EXPECT_LT(form.difference_at_start, 1e-10) << form_name(form.form);
    }
}

TEST(Api, RedundantRowsAreNamed) {
    const Loaded loaded = load_model_text(
        "twice", std::string(kPendulum) + "constraint copy: 3*x^2 + 3*y^2 = 3*L^2\n");
    ASSERT_TRUE(loaded.model) << loaded.report();
    const Result<CheckReport> report = check(*loaded.model);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report.value().rank, 1);
    ASSERT_EQ(report.value().redundant.size(), 1u);
    const Redundancy& redundancy = report.value().redundant[0];
    ASSERT_EQ(redundancy.combination.size(), 1u);
    const bool copy_dropped = redundancy.name == "copy";
    EXPECT_EQ(redundancy.combination[0].first, copy_dropped ? "rod" : "copy");
    EXPECT_NEAR(redundancy.combination[0].second, copy_dropped ? 3.0 : 1.0 / 3.0, 1e-14);
    EXPECT_EQ(report.value().dependent_sets,
              (std::vector<std::vector<std::string>>{{"rod", "copy"}}));
}

TEST(Api, PlanKnowsItsTimes) {
    const Model model = pendulum();
    const Result<Plan> own = plan(model, {});
    ASSERT_TRUE(own) << own.error().message;
    EXPECT_EQ(own.value().until(), 2.0);
    EXPECT_EQ(own.value().times().size(), 21u);
    const Result<Plan> given = plan(model, {.at = {0.5, 0.75}});
    ASSERT_TRUE(given) << given.error().message;
    EXPECT_EQ(given.value().until(), 0.75);
    EXPECT_EQ(given.value().times(), (std::vector<double>{0.5, 0.75}));

    const Result<Plan> backwards = plan(model, {.at = {1.0, 0.5}});
    ASSERT_FALSE(backwards);
    EXPECT_EQ(backwards.error().message, "--at needs times in ascending order, none before 0");
    const Result<Plan> loose = plan(model, {.tolerance = 2.0});
    ASSERT_FALSE(loose);
    EXPECT_EQ(loose.error().message, "--tolerance must lie between 1e-14 and 1, not 2");
}

TEST(Api, FullMatricesOfImplicitStepsHaveALimit) {
    const auto springs = [](int count) {
        return load_model_text("springs", "for i in 1.." + std::to_string(count) +
                                              " {\n  coordinate x[i]\n"
                                              "  particle P[i] mass 1 at (x[i], 0, 0)\n}\n"
                                              "simulate until 1 stiff\n");
    };
    const Loaded some = springs(2001);
    ASSERT_TRUE(some.model) << some.report();
    EXPECT_TRUE(plan(some.model.value(), {.drift = Drift::kBaumgarte}));
    const Loaded loaded = springs(8000);
    ASSERT_TRUE(loaded.model) << loaded.report();
    EXPECT_TRUE(plan(loaded.model.value(), {}));
    const Result<Plan> many = plan(loaded.model.value(), {.drift = Drift::kBaumgarte});
    ASSERT_FALSE(many);
    EXPECT_NE(many.error().message.find("implicit steps of this model need full matrices (8000 "
                                        "coordinates: 4.6 GB, at most 4 GB are taken)"),
              std::string::npos)
        << many.error().message;
}

TEST(Api, StoppedRunKeepsItsRows) {
    Trajectory trajectory;
    const std::unique_ptr<Recorder> recorder = record_in_memory(trajectory);
    int polls = 0;
    RunOptions options;
    options.stop_requested = [&polls] { return ++polls > 5; };
    const Result<RunSummary> summary = run(pendulum(), options, *recorder);
    ASSERT_TRUE(summary);
    ASSERT_TRUE(summary.value().error);
    EXPECT_EQ(summary.value().error->code, ErrorCode::kInterrupted);
    EXPECT_EQ(summary.value().rows, trajectory.rows());
    EXPECT_GT(trajectory.rows(), 0u);
    EXPECT_EQ(trajectory.ending, summary.value().error->message);
}

// Free fall without the rod: a0 = (0, -g); A = 2 (x, y), b = -2 v^2, so e = -2 v^2 + 2 g y; and
// the rod's acceleration is along it: a - a0 = e/(2 L^2) (x, y).               UK02 (6), (13), (15)
TEST(Principle, PendulumMatchesClosedForm) {
    const double g = 9.81;
    const Trajectory motion = run_in_memory(pendulum(), {.tolerance = 1e-12, .principle = true});
    const auto value = [&](std::size_t row, const char* name) {
        return motion.row(row)[motion.find(name).value()];
    };
    ASSERT_EQ(motion.rows(), 21u);
    for (std::size_t i = 0; i < motion.rows(); ++i) {
        SCOPED_TRACE(i);
        const double x = value(i, "x");
        const double y = value(i, "y");
        const double v2 = value(i, "x'") * value(i, "x'") + value(i, "y'") * value(i, "y'");
        const double e = -2.0 * v2 + 2.0 * g * y;
        EXPECT_NEAR(value(i, "a0[x]"), 0.0, 1e-14);
        EXPECT_NEAR(value(i, "a0[y]"), -g, 1e-14);
        EXPECT_NEAR(value(i, "e[rod]"), e, 1e-12);
        EXPECT_NEAR(value(i, "deviation[x]"), e / 2.0 * x, 1e-11);
        EXPECT_NEAR(value(i, "deviation[y]"), e / 2.0 * y, 1e-11);
    }
    EXPECT_EQ(motion.header.columns.back().kind, ColumnKind::kPrinciple);
}

TEST(Principle, NeedsAMassMatrixWithAnInverse) {
    const Loaded loaded = load_model_text("massless", R"(coordinate x, y
kinetic x'^2/2
constraint tie: y = x
initial x = 1, y ~ 1
simulate until 1
)");
    ASSERT_TRUE(loaded.model) << loaded.report();
    const Result<Plan> planned = plan(*loaded.model, {.principle = true});
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().code, ErrorCode::kNotApplicable);
    EXPECT_EQ(planned.error().message,
              "--principle needs a positive definite mass matrix: where it is singular there is no "
              "unconstrained acceleration");
}

// det M = cos(x)^2 vanishes at t = pi/2: the run ends there, rows are kept.
TEST(Principle, MassThatVanishesEndsTheRun) {
    const Loaded loaded = load_model_text("fading", R"(coordinate x, y
mass x, y = [1, sin(x); sin(x), 1]
constraint path: x = t
constraint hold: y = 0
initial x = 0
)");
    ASSERT_TRUE(loaded.model) << loaded.report();
    Trajectory trajectory;
    const std::unique_ptr<Recorder> recorder = record_in_memory(trajectory);
    const Result<RunSummary> summary =
        run(*loaded.model, {.at = {0.0, 1.0, kHalfPi}, .principle = true}, *recorder);
    ASSERT_TRUE(summary) << summary.error().message;
    ASSERT_TRUE(summary.value().error);
    EXPECT_EQ(
        summary.value().error->message,
        "at t = 1.5707963267948966: the mass matrix is singular, so that there is no unconstrained "
        "acceleration for --principle");
    EXPECT_EQ(trajectory.rows(), 2u);
}

TEST(Show, UnknownColumnNamesTheNearest) {
    const Trajectory motion = run_in_memory(pendulum(), {});
    const Result<std::string> curves = plot_columns(motion, {"x", "enrgy"});
    ASSERT_FALSE(curves);
    EXPECT_EQ(curves.error().message, "there is no column 'enrgy'; did you mean 'energy'?");
}

TEST(Show, NoColumnsAtAllIsAnError) {
    const Trajectory motion = run_in_memory(pendulum(), {});
    const Result<void> drawn = draw_columns(motion, {}, "none.svg");
    ASSERT_FALSE(drawn);
    EXPECT_TRUE(drawn.error().message.starts_with(
        "no column is named to draw; give some, as in \"x, y\", of: t, x, "))
        << drawn.error().message;
    EXPECT_FALSE(plot_columns(motion, {}));
}

TEST(Derive, EveryWrittenFormIsWritten) {
    const Model model = pendulum();
    ASSERT_EQ(written_forms().size(), 7u);
    for (const Form form : written_forms()) {
        const Derived derived = derive(model, {.form = form});
        EXPECT_FALSE(derived.failure) << form_name(form);
        EXPECT_NE(derived.text.find("rod"), std::string::npos) << form_name(form);
    }
}

}  // namespace
}  // namespace ananke

// Constraints in disguise, run: hidden linear ones move like the linear ones, hidden holonomic ones
// keep their integral to rounding.
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// RH section 5: Zekovich's devices written with their nonlinear equations. The branch is the one on
// which the start lies, and the forces are those of the blade.
TEST(Contrived, NonlinearEquationsOfZekovichMoveLikeTheirBlades) {
    struct Case {
        const char *model, *blade, *nonlinear;
    };
    const Case cases[] = {
        {"zekovich_transverse_blade", "dot(velocity(P1) + velocity(P2), d) = 0",
         "x1'*y2' - y1'*x2' = 0"},
        {"zekovich_axial_blade", "d.x*v.y - d.y*v.x = 0",
         "dot(velocity(P1), velocity(P1)) = dot(velocity(P2), velocity(P2))"},
        {"zekovich_fork", "u2 + q*phi' = 0", "dot(velocity(P1), velocity(P2)) = 0"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.model);
        const std::string text = model_text(c.model);
        const Loaded linear = load_model(c.model);
        const Loaded nonlinear = load_text("nonlinear.ank", replaced(text, c.blade, c.nonlinear));
        ASSERT_TRUE(linear.prepared) << linear.messages;
        ASSERT_TRUE(nonlinear.prepared) << nonlinear.messages;
        EXPECT_EQ(linear.messages, "");
        EXPECT_NE(nonlinear.messages.find("is not inherently nonlinear: with "), std::string::npos);
        dynamics::Evaluator evaluator(linear.prepared->compiled, linear.prepared->parameters);
        const Result<dynamics::StartState> start =
            dynamics::assemble(evaluator, linear.prepared->initial);
        ASSERT_TRUE(start) << start.error().message;
        const Settings settings{.times = even_times(0.5, 10)};
        const Recording a = run_from(*linear.prepared, start.value(), settings);
        const Recording b = run_from(*nonlinear.prepared, start.value(), settings);
        ASSERT_FALSE(a.error) << a.error->message;
        ASSERT_FALSE(b.error) << b.error->message;
        EXPECT_LT(largest_difference(a, b, {ColumnKind::kPosition, ColumnKind::kVelocity}), 1e-10);
        EXPECT_LT(largest_difference(a, b, {ColumnKind::kForce}), 1e-8);
    }
}

/// The largest change of an output over a run that is not accurate at all.
double drift(const std::string& text, const std::string& output) {
    const Loaded loaded = load_text("integrable.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    EXPECT_EQ(loaded.messages, "");
    const Recording run =
        run_model(*loaded.prepared, {.times = even_times(3.0, 30), .tolerance = 1e-4});
    EXPECT_FALSE(run.error) << run.error->message;
    EXPECT_LT(largest_residual(run), 1e-12);
    double largest = 0.0;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        largest = std::max(largest, scaled_error(run.at(i, output), run.at(0, output)));
    }
    return largest;
}

TEST(Integrable, IntegralsKeepTheirFirstValueWhateverTheTolerance) {
    // P21 (54), (56): y^2 and z reach 45 and cancel, so that rounding alone is 1e-14 each.
    EXPECT_LT(drift(model_text("pamplona_scleronomic"), "integral"), 1e-13);
    EXPECT_LT(drift(model_text("pamplona_rheonomic"), "integral"), 1e-13);
    EXPECT_LT(drift("coordinate x, y\n"
                    "particle P mass 1 at (x, y, 0)\n"
                    "gravity (0, -9.81, 0)\n"
                    "constraint rod: x*x' + y*y' = 0\n"
                    "initial x = 3, y = -4, x' = 0.8, y' = 0.6\n"
                    "output length = sqrt(x^2 + y^2)\n",
                    "length"),
              1e-14);
    EXPECT_LT(drift("coordinate x, y\n"
                    "particle P mass 1 at (x, y, 0)\n"
                    "force on P = (sin(3*t), 1, 0)\n"
                    "constraint line: y*x' = x*y'\n"
                    "initial x = 3, y = 4, x' = 0.3, y' = 0.4\n"
                    "output slope = y/x\n",
                    "slope"),
              1e-14);
    // The knife edge has no integral: x*sin(z) - y*cos(z) changes.
    EXPECT_GT(drift("coordinate x, y, z\n"
                    "particle P mass 1 at (x, y, 0)\n"
                    "kinetic z'^2\n"
                    "constraint edge: x'*sin(z) = y'*cos(z)\n"
                    "initial x' = 1, z' = 1\n"
                    "output distance = x*sin(z) - y*cos(z)\n",
                    "distance"),
              1e-2);
}

// The guide of P21's Duffing oscillators, (59), differentiated: the run is that of the guide
// itself.
TEST(Integrable, TheDifferentiatedGuideOfDuffingMovesLikeTheGuide) {
    const Loaded guide = load_model("duffing");
    const Loaded rate = load_text(
        "rate.ank",
        replaced(model_text("duffing"), "x1 - x2 = A0*exp(-alpha*t)*sin(omega*t)",
                 "x1' - x2' = A0*exp(-alpha*t)*(omega*cos(omega*t) - alpha*sin(omega*t))"));
    ASSERT_TRUE(guide.prepared) << guide.messages;
    ASSERT_TRUE(rate.prepared) << rate.messages;
    EXPECT_TRUE(rate.prepared->equations.rows[0].integral.has_value());
    const Settings settings{.times = even_times(5.0, 20)};
    const Recording a = run_model(*guide.prepared, settings);
    const Recording b = run_model(*rate.prepared, settings);
    ASSERT_FALSE(b.error) << b.error->message;
    EXPECT_LT(largest_difference(a, b, {ColumnKind::kPosition, ColumnKind::kVelocity}), 1e-10);
    for (std::size_t i = 0; i < b.rows.rows(); ++i) {
        // x1 and x2 reach 3, and cancel.
        EXPECT_NEAR(b.at(i, "distance"), b.at(i, "prescribed"), 3e-14);
    }
}

}  // namespace
}  // namespace ananke::pipeline

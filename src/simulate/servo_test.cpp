// Servo constraints through the whole pipeline: controls, their power, and where they fail.
#include "inspect/check.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

constexpr const char* kCartPole =
    "parameter M = 1, m = 0.3, l = 0.5, g = 9.81\n"
    "coordinate x, th\n"
    "particle cart mass M at (x, 0, 0)\n"
    "particle bob mass m at (x + l*sin(th), 0, l*cos(th))\n"
    "gravity (0, 0, -g)\n";

std::string check_error(const std::string& text) {
    const Loaded loaded = load_text("model.ank", text);
    if (!loaded.prepared) {
        return loaded.messages;
    }
    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 0.5}});
    EXPECT_TRUE(report
                    ? !run.error
                    : run.error && run.error->message == "at the start: " + report.error().message)
        << (run.error ? run.error->message : "runs");
    return report ? "" : report.error().message;
}

// (M + m) x'' + m l th'' cos th - m l th'^2 sin th = u, m l^2 th'' + m l x'' cos th = m g l sin th
TEST(Servo, ForceOfTheCartAndItsPowerByHand) {
    const Recording run = run_text(std::string(kCartPole) +
                                       "servo track: th = 0.2*sin(2*t)\n"
                                       "      actuators (force on cart along (-3, 0, 0))\n"
                                       "initial x = 0, th ~ 0, x' = 0.1, th' ~ 0\n",
                                   {.times = even_times(2.0, 10)});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_FALSE(run.rows.find("lambda[track]"));
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const double t = run.at(i, "t");
        const double th = 0.2 * std::sin(2 * t);
        const double rate = 0.4 * std::cos(2 * t);
        const double second = -0.8 * std::sin(2 * t);
        const double x = (9.81 * std::sin(th) - 0.5 * second) / std::cos(th);
        const double u = 1.3 * x + 0.15 * second * std::cos(th) - 0.15 * rate * rate * std::sin(th);
        EXPECT_NEAR(run.at(i, "control[track:1]"), -u, 1e-11);
        EXPECT_NEAR(run.at(i, "force[track:cart].x"), u, 1e-11);
        EXPECT_EQ(run.at(i, "force[track:cart].z"), 0.0);
        EXPECT_NEAR(run.at(i, "Qc[x]"), u, 1e-11);
        EXPECT_NEAR(run.at(i, "Qc[th]"), 0.0, 1e-12);
        EXPECT_NEAR(run.at(i, "power[track]"), u * run.at(i, "x'"), 1e-11);
    }
}

TEST(Servo, ControlOfAnIdealServoIsItsGeneralisedForce) {
    const std::string start = "initial x = 0, th ~ 0, x' = 0.1, th' ~ 0\n";
    const Settings settings{.times = even_times(2.0, 10)};
    const Recording both =
        run_text(kCartPole + ("servo track: th + 0.1*x = 0.2*sin(2*t)\n" + start), settings);
    const Recording one =
        run_text(kCartPole + ("servo track: th = 0.2*sin(2*t)\n" + start), settings);
    ASSERT_FALSE(both.error) << both.error->message;
    ASSERT_FALSE(one.error) << one.error->message;
    EXPECT_FALSE(one.rows.find("control[track:x]"));
    for (std::size_t i = 0; i < both.rows.rows(); ++i) {
        EXPECT_NEAR(both.at(i, "control[track:x]"), both.at(i, "Qc[x]"), 1e-12);
        EXPECT_NEAR(both.at(i, "control[track:th]"), both.at(i, "Qc[th]"), 1e-12);
        EXPECT_NEAR(one.at(i, "power[track]"), one.at(i, "Qc[th]") * one.at(i, "th'"), 1e-12);
    }
}

// Actuators along the gradient are the ideal realisation; a passive constraint, an ideal servo and
// one by actuators stand in one model, once as a twin in fewer coordinates.
TEST(Servo, MixedSystemsAgreeWithTheirTwins) {
    const std::string bodies =
        "coordinate x, y, z, w\n"
        "kinetic x'^2 + y'^2/2 + x'*y'*cos(z) + z'^2 + 0.3*z'*w' + w'^2*(1 + 0.1*x^2)\n"
        "potential 2*x^2 + y^2 + sin(z) + w^2\n"
        "constraint tie: x - y + 0.2*z^2 = 0\n"
        "constraint again: 2*x - 2*y + 0.4*z^2 = 0\n"
        "servo ideal: z = 0.3*sin(t)\n";
    const std::string start =
        "initial x = 0.2, y ~ 0.2, z ~ 0, w ~ 0.1, x' = 0, y' ~ 0, z' ~ 0, w' ~ 0\n";
    const Settings settings{.times = even_times(2.0, 10)};
    const Recording gradient =
        run_text(bodies + "servo turn: w + 0.5*x = 0.1*cos(t)\n" + start, settings);
    const Recording same = run_text(
        bodies + "point P at (w + 0.5*x, 0, 0)\n" +
            "servo turn: w + 0.5*x = 0.1*cos(t) actuators (force on P along (1, 0, 0))\n" + start,
        settings);
    ASSERT_FALSE(gradient.error) << gradient.error->message;
    ASSERT_FALSE(same.error) << same.error->message;
    EXPECT_LT(largest_difference(gradient, same,
                                 {ColumnKind::kPosition, ColumnKind::kVelocity,
                                  ColumnKind::kAcceleration, ColumnKind::kForce}),
              1e-10);
    for (std::size_t i = 0; i < same.rows.rows(); ++i) {
        EXPECT_NEAR(same.at(i, "control[turn:1]"), gradient.at(i, "lambda[turn]"), 1e-10);
        EXPECT_NEAR(same.at(i, "lambda[tie]"), gradient.at(i, "lambda[tie]"), 1e-10);
        EXPECT_NEAR(same.at(i, "lambda[again]"), 0.5 * same.at(i, "lambda[tie]"), 1e-10);
    }
    const std::string oblique = "servo turn: w + 0.5*x = 0.1*cos(t) actuators (force on w)\n";
    const Recording whole = run_text(bodies + oblique + start, settings);
    const std::string fewer =
        "coordinate x, w\n"
        "let z = 0.3*sin(t), y = x + 0.2*z^2\n"
        "kinetic x'^2 + y'^2/2 + x'*y'*cos(z) + z'^2 + 0.3*z'*w' + w'^2*(1 + 0.1*x^2)\n"
        "potential 2*x^2 + y^2 + w^2\n" +
        oblique + "initial x = 0.2, w ~ 0.1, x' = 0, w' ~ 0\n";
    const Recording reduced = run_text(fewer, settings);
    ASSERT_FALSE(whole.error) << whole.error->message;
    ASSERT_FALSE(reduced.error) << reduced.error->message;
    EXPECT_LT(
        largest_difference(reduced, whole,
                           {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kControl}),
        1e-9);
}

TEST(Servo, NamedFormsRunTheSameMotionOrSayWhyNot) {
    for (const std::string name : {"servo_cart_force", "manipulator", "huston_pole"}) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        Settings settings{.times = even_times(1.0, 5), .tolerance = 1e-10};
        const Recording expected = run_model(*loaded.prepared, settings);
        for (const solve::Form form : {solve::Form::kMultipliers, solve::Form::kMinimal}) {
            settings.form = form;
            const Recording run = run_model(*loaded.prepared, settings);
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_LT(largest_difference(
                          expected, run,
                          {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce,
                           ColumnKind::kControl, ColumnKind::kMultiplier}),
                      1e-9);
        }
        settings.form = solve::Form::kFundamental;
        const Recording refused = run_model(*loaded.prepared, settings);
        ASSERT_TRUE(refused.error);
        EXPECT_EQ(refused.error->message,
                  "at the start: the form fundamental does not hold with actuators; multipliers "
                  "and minimal do");
    }
}

TEST(Servo, HoldsWithBaumgarteAndWithoutStabilisation) {
    const Loaded loaded = load_model("manipulator");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start);
    for (const Drift drift : {Drift::kBaumgarte, Drift::kNone}) {
        Recording run;
        simulate::RunOptions options;
        options.output_times = {0.0, 1.0};
        options.until = 1.0;
        options.tolerance = 1e-11;
        options.dynamics.drift = drift;
        const auto recorder = io::record_in_memory(run.rows);
        Header header;
        header.columns = simulate::columns_of(*loaded.prepared->compiled);
        ASSERT_TRUE(recorder->begin(header));
        const simulate::RunSummary summary =
            simulate::run(loaded.prepared->compiled, loaded.prepared->parameters, start.value(),
                          options, *recorder);
        ASSERT_FALSE(summary.error) << summary.error->message;
        EXPECT_LT(largest_residual(run), 1e-8);
    }
}

// A free body turned about a body axis by a torque about it: J omega' = u.
TEST(Servo, TorqueOnABody) {
    const Recording run = run_text(
        "body B mass 2 inertia (0.1, 0.2, 0.3) at (0, 0, 0) omega ~ (0, 0, 1)\n"
        "servo spin: dot(omega(B), (0, 0, 1)) = 1 + t^2 actuators (torque on B about (0, 0, 2))\n"
        "servo climb: B.z = t^2 actuators (force on B along (0, 0, 1))\n",
        {.times = even_times(1.0, 5)});
    ASSERT_FALSE(run.error) << run.error->message;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        const double t = run.at(i, "t");
        EXPECT_NEAR(run.at(i, "control[spin:1]"), 0.3 * 2 * t, 1e-10);
        EXPECT_NEAR(run.at(i, "torque[spin:B].z"), 0.3 * 2 * t, 1e-10);
        EXPECT_NEAR(run.at(i, "power[spin]"), 0.6 * t * (1 + t * t), 1e-10);
        EXPECT_NEAR(run.at(i, "control[climb:1]"), 4.0, 1e-10);
    }
}

// ---- what cannot be done

TEST(Servo, TooFewActuatorsNameTheDirectionThatIsMissing) {
    EXPECT_EQ(check_error("coordinate x, y\n"
                          "particle P mass 1 at (x, y, 0)\n"
                          "servo path: position(P) = (3*t, 4*t, 0)\n"
                          "      actuators (force on P along (3, 4, 0))\n"
                          "initial x = 0, y = 0, x' ~ 0, y' ~ 0\n"),
              "the servo path cannot be enforced by its actuators: no control accelerates P in the "
              "direction (0.8, -0.6, 0), only along (0.6, 0.8, 0); 2 independent equations have 1 "
              "actuator");
    EXPECT_EQ(
        check_error("coordinate x, y\n"
                    "kinetic x'^2 + y'^2\n"
                    "servo one: x = t actuators (force on y)\n"
                    "initial x ~ 0, y = 0, x' ~ 0, y' = 0\n"),
        "the servo one cannot be enforced by its actuators: no control accelerates what it "
        "prescribes; force on y at model.ank:3:29 is without influence on what is prescribed");
    EXPECT_EQ(check_error("coordinate x, y, z\n"
                          "kinetic x'^2 + y'^2 + z'^2\n"
                          "servo one: x = t actuators (force on x, force on z)\n"
                          "servo two: 2*x - y = t actuators (force on z)\n"
                          "initial x ~ 0, y ~ 0, z = 0, x' ~ 0, y' ~ 0, z' = 0\n"),
              "model.ank:3:12: error: the servo 'one' has 2 actuators for 1 equation: their "
              "controls would not be unique\n"
              "    3 | servo one: x = t actuators (force on x, force on z)\n"
              "      |            ^~~~~\n"
              "      = give as many actuators as the servo has equations, or make the rest a "
              "'force on'\n"
              "1 error\n");
    EXPECT_EQ(check_error("coordinate x, y, z\n"
                          "kinetic x'^2 + y'^2 + z'^2\n"
                          "servo one: x = t actuators (force on x)\n"
                          "servo two: 2*x - y = t actuators (force on z)\n"
                          "initial x ~ 0, y ~ 0, z = 0, x' ~ 0, y' ~ 0, z' = 0\n"),
              "the servos one and two cannot be enforced by their actuators: no control influences "
              "one - 0.5 two; force on z at model.ank:4:35 is without influence on what is "
              "prescribed");
}

TEST(Servo, ControlsThatAreNotUniqueAreNamed) {
    EXPECT_EQ(check_error("coordinate x, y\n"
                          "kinetic x'^2 + y'^2\n"
                          "servo one: x = t actuators (force on x)\n"
                          "servo two: 3*x = 3*t actuators (force on y)\n"
                          "initial x ~ 0, y = 0, x' ~ 0, y' = 0\n"),
              "the controls are not unique: two:1 at model.ank:4:33 can push without changing "
              "what the servos prescribe; leave out an actuator");
}

// The pole reaches the horizontal, where the force on the cart no longer turns it.
TEST(Servo, LosingRegularityEndsTheRunWithTheTime) {
    const Recording run = run_text(std::string(kCartPole) +
                                       "servo track: th = 0.5 + 0.8*t\n"
                                       "      actuators (force on cart along (1, 0, 0))\n"
                                       "initial x = 0, th ~ 0.5, x' = 0, th' ~ 0.8\n",
                                   {.times = even_times(3.0, 30), .tolerance = 1e-8});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code, ErrorCode::kNotControlled) << run.error->message;
    EXPECT_NEAR(run.summary.reached, (0.5 * M_PI - 0.5) / 0.8, 1e-3) << run.error->message;
    EXPECT_NE(run.error->message.find("the servo track cannot be enforced by its actuators: no "
                                      "control accelerates what it prescribes"),
              std::string::npos)
        << run.error->message;
    EXPECT_EQ(run.error->message.find("at t = 1.338"), 0U) << run.error->message;
}

TEST(Servo, LeftOutServosTakeTheirActuatorsAlong) {
    Sources sources;
    lang::ParseResult parsed =
        lang::parse_model_text(sources, "model.ank", model_text("servo_cart_force"), {});
    ASSERT_TRUE(parsed.model);
    compile::PrepareOptions options;
    options.without = {"track"};
    const compile::Preparation preparation = compile::prepare(std::move(*parsed.model), options);
    ASSERT_TRUE(preparation.prepared);
    EXPECT_TRUE(preparation.prepared->compiled->controls.empty());
    const Recording run = run_model(*preparation.prepared, {.times = {0.0, 0.2}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_FALSE(run.rows.find("control[track:1]"));
}

// Seen along th = t, the push along x has less and less of the motion at th = pi/2.
TEST(Servo, AnActuatorThatLosesItsHoldIsNamed) {
    const Recording run = run_text(
        "coordinate th\n"
        "particle P mass 1 at (sin(th), -cos(th), 0)\n"
        "gravity (0, -9.81, 0)\n"
        "servo tr: th = t actuators (force on P along (1, 0, 0))\n",
        {.times = even_times(3.0, 6), .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code, ErrorCode::kNotControlled);
    EXPECT_NEAR(run.summary.reached, 0.5 * M_PI, 1e-3);
    EXPECT_NE(run.error->message.find("tr"), std::string::npos) << run.error->message;
}

// A block driven along x = t^2 by a push that also presses it to the floor, s down for 1 along:
// m x'' = u - mu N, N = m g + s u.
TEST(Servo, DryFrictionFollowsTheLoadThatTheActuatorsChange) {
    constexpr const char* kPushed =
        "parameter s = 0.5, mu = 0.3\n"
        "coordinate x, z\n"
        "particle P mass 2 at (x, 0, z)\n"
        "gravity (0, 0, -10)\n"
        "constraint floor: z = 0\n"
        "friction on floor: coulomb(mu = mu)\n"
        "initial x' = 1\n"
        "servo drive: x = t + t^2 actuators (force on P along (1, 0, -s))\n";
    for (const solve::Form form :
         {solve::Form::kAuto, solve::Form::kMultipliers, solve::Form::kMinimal}) {
        const Recording run =
            run_text(kPushed, {.times = {0.5, 1.0}, .tolerance = 1e-10, .form = form});
        ASSERT_FALSE(run.error) << run.error->message;
        const double u = std::sqrt(1.25) * (2 * 2 + 0.3 * 20) / (1 - 0.3 * 0.5);
        const double N = 20 + 0.5 * u / std::sqrt(1.25);
        for (std::size_t row = 0; row < 2; ++row) {
            EXPECT_NEAR(run.at(row, "control[drive:1]"), u, 1e-9);
            EXPECT_NEAR(run.at(row, "force[floor:P].z"), N, 1e-9);
            EXPECT_NEAR(run.at(row, "friction[floor]"), -0.3 * N, 1e-9);
        }
        EXPECT_NEAR(run.at(1, "x"), 2.0, 1e-10);
    }
    // The steeper the push the more it brakes itself: at mu s = 1 no push is enough.
    const Recording jammed = run_text(kPushed, {.times = {1.0}}, {"s=4"});
    ASSERT_TRUE(jammed.error);
    EXPECT_NE(jammed.error->message.find("friction on floor has no unique solution"),
              std::string::npos)
        << jammed.error->message;
}

// The block sticks while the driven one beside it moves: the two do not disturb each other.
TEST(Servo, AFrictionAtRestBesidesActuatorsStaysAtRest) {
    const Recording run = run_text(
        "coordinate x, z, y\n"
        "particle P mass 1 at (x, 0, z)\n"
        "gravity (0, 0, -10)\n"
        "constraint floor: z = 0\n"
        "friction on floor: coulomb(mu = 0.3)\n"
        "force on P = (4*t, 0, 0)\n"
        "particle D mass 1 at (0, y, 0)\n"
        "servo s: y = t^2 actuators (force on D along (0, 1, 0))\n",
        {.times = {0.5, 1.0}, .tolerance = 1e-10});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(run.at(0, "x"), 0.0);
    EXPECT_NEAR(run.at(0, "friction[floor]"), -2.0, 1e-9);
    // From t0 = 0.75 on: x'' = 4 t - 3, x = (2/3) (t - t0)^3.
    EXPECT_NEAR(run.at(1, "x"), 2.0 / 3.0 * std::pow(0.25, 3), 1e-9);
    EXPECT_NEAR(run.at(1, "control[s:1]"), 2.0, 1e-9);
}

}  // namespace
}  // namespace ananke::pipeline

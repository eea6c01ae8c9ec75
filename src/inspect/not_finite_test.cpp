// Every value that is not a number is told with its place in the text, the operation that made it
// so, and the values of its operands; whole texts.
#include <string>
#include <utility>
#include <vector>

#include "inspect/check.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

const char* const kOne = "coordinate x\nkinetic x'^2/2\n";
const char* const kTwo = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
const char* const kSlide =
    "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -10)\nconstraint c: z = 0\n";

/// What a person reads of a model that has a value which is none: of its text, its check, or its
/// run over two seconds.
std::string message_of(const std::string& text, Settings settings = {.times = {0.0, 1.0, 2.0}}) {
    const Loaded loaded = load_text("m.ank", text);
    if (!loaded.prepared) {
        return loaded.messages;
    }
    const Result<inspect::CheckReport> report =
        inspect::check(*loaded.prepared, inspect::Agreement::kSkip);
    if (!report) {
        return report.error().message;
    }
    const Recording run = run_from(*loaded.prepared, report.value().start, settings);
    return run.error ? run.error->message : run.summary.not_finite;
}

TEST(NotFinite, Forces) {
    EXPECT_EQ(message_of(std::string(kOne) + "force on x = 1/x\n"),
              "at t = 0: the force on x is not a number: m.ank:3:14: 1/x with x = 0");
    EXPECT_EQ(message_of(std::string("parameter c = 2\n") + kOne +
                         "force on x = 3 - 2*log(x - c)/5\ninitial x = 1\n"),
              "at t = 0: the force on x is not a number: m.ank:4:20: log(x - c) with x - c = -1");
    EXPECT_EQ(message_of("coordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
                         "force on P = (0, 1/position(P).x, 0)\n"),
              "at t = 0: the force on y is not a number: m.ank:3:18: 1/position(P).x with "
              "position(P).x = 0");
    EXPECT_EQ(message_of("body b mass 1 inertia (1, 1, 1) at (0, 0, 0)\n"
                         "torque on b = (0, 0, 1/omega(b).z)\n"),
              "at t = 0: the force on b.u0 is not a number: m.ank:2:22: 1/omega(b).z with "
              "omega(b).z = 0");
    EXPECT_EQ(message_of(std::string(kOne) + "force on x = exp(1000*x)\ninitial x = 1\n"),
              "at t = 0: the force on x is not a number: m.ank:3:14: exp(1000*x) with 1000*x = "
              "1000");
    EXPECT_EQ(message_of(std::string(kOne) + "force on x = 1e200*x^3\ninitial x = 1e100\n"),
              "at t = 0: the force on x is not a number: m.ank:3:14: 1e200*x^3 with x^3 = 1e+300");
}

// The place of a `let` and of a function is where they are written; a branch not taken is innocent.
TEST(NotFinite, PartsOfForces) {
    EXPECT_EQ(
        message_of(std::string(kTwo) + "let r = sqrt(x^2 + y^2)\ndefine hooke(k, s) = k*(s - 1)/s\n"
                                       "force on x = -hooke(3, r)*x\n"),
        "at t = 0: the force on x is not a number: m.ank:4:22: k*(s - 1)/s with "
        "sqrt(x^2 + y^2) = 0");
    EXPECT_EQ(message_of(std::string(kOne) + "force on x = if x > 1 then 1/(x - 1) else log(x)\n"),
              "at t = 0: the force on x is not a number: m.ank:3:43: log(x) with x = 0");
    EXPECT_EQ(message_of("for i in 1..3 { coordinate x[i] }\nfor i in 1..3 {\n  kinetic x[i]'^2/2\n"
                         "  force on x[i] = 1/(x[i] - 2)\n}\n"
                         "initial x[1] = 1, x[2] = 2, x[3] = 3\n"),
              "at t = 0: the force on x[2] is not a number: m.ank:4:19: 1/(x[i] - 2) with "
              "x[2] - 2 = 0");
    EXPECT_EQ(message_of(std::string(kSlide) + "force on x = sqrt(reaction(c) - 20)\n"),
              "at t = 0: the force on x is not a number: m.ank:5:14: sqrt(reaction(c) - 20) with "
              "reaction(c) - 20 = -10");
}

TEST(NotFinite, EnergiesAndTheirDerivatives) {
    EXPECT_EQ(message_of(std::string(kTwo) + "potential x^2 - 1/norm((x, y, 0))\n"),
              "at t = 0: the force on x is not a number: m.ank:3:17: 1/norm((x, y, 0)) with "
              "sqrt(x^2 + y^2) = 0");
    EXPECT_EQ(message_of(std::string(kOne) + "potential 3*sqrt(x)\n"),
              "at t = 0: the force on x is not a number: derived from m.ank:3:11: 1/sqrt(x) with "
              "sqrt(x) = 0");
    EXPECT_NE(message_of("coordinate x, y\nkinetic x'^2/(2*y^2) + y'^2\n")
                  .find("m.ank:2:9: x'^2/(2*y^2) with y^2 = 0"),
              std::string::npos);
}

TEST(NotFinite, Constraints) {
    EXPECT_EQ(message_of(std::string(kTwo) + "constraint c: sqrt(x - 2) = y\n"),
              "the constraint c is not a number at the initial positions: m.ank:3:15: sqrt(x - 2) "
              "with x - 2 = -2");
    EXPECT_EQ(message_of(std::string(kTwo) + "constraint c: x'/y = y'\n"),
              "the constraint c is not a number at the initial velocities: m.ank:3:15: x'/y with "
              "y = 0");
    EXPECT_EQ(
        message_of(std::string(kTwo) + "constraint c: sqrt(x^2 + y^2) = 0\n"),
        "the constraint c is not a number at the initial velocities: derived from m.ank:3:15: "
        "x/sqrt(x^2 + y^2) with sqrt(x^2 + y^2) = 0");
    EXPECT_EQ(message_of("coordinate x, y\nkinetic x'^2 + y'^2\nconstraint c: x = 1\n"
                         "gauge z = 1/y\ninitial x = 1\n",
                         {.times = {0.0, 1.0}, .form = solve::Form::kWanichanon}),
              "at the start: the acceleration is not a number: m.ank:4:11: 1/y with y = 0");
}

TEST(NotFinite, GaugesActuatorsAndJoints) {
    EXPECT_EQ(message_of("coordinate x, y\nkinetic x'^2 + y'^2\nconstraint c: x = 1\n"
                         "gauge alpha = 1/t\ninitial x = 1\n",
                         {.times = {0.0, 1.0}, .form = solve::Form::kWanichanon}),
              "at the start: the gauge alpha is not a number: m.ank:4:15: 1/t with t = 0");
    EXPECT_EQ(message_of("coordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
                         "servo c: x = 1 + y actuators (force on P along (1/x, 1, 0))\n"
                         "initial x = 0\n"),
              "at t = 0: the acceleration is not a number: m.ank:3:49: 1/x with x = 0");
    EXPECT_EQ(message_of("parameter k = 0\nbody b mass 1 inertia (1, 1, 1) at (2, 0, 0)\n"
                         "joint s: spring(ground, b, stiffness = 100/k, length = 1)\n"),
              "at t = 0: the force on b.x is not a number: m.ank:3:10: "
              "(sqrt((position(ground).x - position(b).x)^2 + (position(ground).y - "
              "position(b).y)^2 + (p ... z - position(b).z)^2) - 1)^2/k with k = 0");
}

TEST(NotFinite, FrictionAndNonidealForces) {
    EXPECT_EQ(
        message_of(std::string(kSlide) + "friction on c: coulomb(mu = 0.1/x)\ninitial x' = 1\n"),
        "at t = 0: the non-ideal force on x is not a number: m.ank:5:29: 0.1/x with x = 0");
    EXPECT_EQ(message_of(std::string(kSlide) +
                         "friction on c: coulomb(mu = 0.1, load = sqrt(x - 1))\ninitial x' = 1\n"),
              "at t = 0: the non-ideal force on x is not a number: m.ank:5:41: sqrt(x - 1) with "
              "x - 1 = -1");
    EXPECT_EQ(message_of(std::string(kSlide) + "nonideal on P = -velocity(P)/norm(velocity(P))\n"),
              "at t = 0: the non-ideal force on x is not a number: m.ank:5:17: "
              "-velocity(P)/norm(velocity(P)) with "
              "sqrt(velocity(P).x^2 + velocity(P).y^2 + velocity(P).z^2) = 0");
}

// In explicit and implicit steps.
TEST(NotFinite, InTheMiddleOfARun) {
    for (const bool stiff : {false, true}) {
        const std::string text =
            message_of(std::string(kOne) + "force on x = sqrt(1 - x)\ninitial x = 0, x' = 1\n",
                       {.times = {0.0, 2.0}, .stiff = stiff});
        EXPECT_EQ(text.find("at t = 0.7613055"), 0U) << text;
        EXPECT_NE(text.find(": the force on x is not a number: m.ank:3:14: sqrt(1 - x) with "
                            "1 - x = -"),
                  std::string::npos)
            << text;
    }
}

TEST(NotFinite, MotionsBeyondAllNumbers) {
    EXPECT_EQ(message_of(std::string(kOne) + "force on x = 1e308\ninitial x' = 2\n"),
              "the motion is not finite beyond t = 0; x'' = 1e+308 there is the largest "
              "acceleration, of x' = 2");
}

TEST(NotFinite, Outputs) {
    EXPECT_EQ(message_of(std::string(kOne) + "output F = (1/x, 2, x)\n"),
              "F.x at t = 0: m.ank:3:13: 1/x with x = 0");
    EXPECT_EQ(message_of(std::string(kOne) + "output a = 2, b = sqrt(x'' - 1)\n"),
              "b at t = 0: m.ank:3:19: sqrt(x'' - 1) with x'' - 1 = -1");
    EXPECT_EQ(message_of(std::string(kOne) + "speed u = x'/x\n"),
              "u at t = 0: m.ank:3:11: x'/x with x = 0");
}

TEST(NotFinite, Events) {
    const std::string ball =
        "coordinate z\nparticle P mass 1 at (0, 0, z)\ninitial z = 4, z' = -4\n";
    EXPECT_EQ(message_of(ball + "event bad: z = 0 falling { z' = sqrt(z' + 3) }\n"),
              "at t = 1: the event bad sets a value that is not a finite number: z' -4 -> nan: "
              "m.ank:4:33: sqrt(z' + 3) with z' + 3 = -1");
    EXPECT_EQ(
        message_of("parameter k = 1\n" + ball + "event bad: z = 0 falling { k = 3/(k - 1) }\n"),
        "at t = 1: the event bad sets a value that is not a finite number: k 1 -> inf: "
        "m.ank:5:32: 3/(k - 1) with k - 1 = 0");
}

TEST(NotFinite, ParametersInitialValuesAndSettings) {
    EXPECT_EQ(message_of(std::string(kTwo) + "initial x = 0, y ~ 1/x\n"),
              "the initial value of y is not a finite number: m.ank:3:20: 1/x with x = 0\n");
    EXPECT_EQ(message_of(std::string("parameter a = 2, b = log(a - 3)\n") + kOne),
              "m.ank:1:22: error: the parameter 'b' is not a finite number\n"
              "    1 | parameter a = 2, b = log(a - 3)\n"
              "      |                      ^~~~~~~~~~\n"
              "      = log(a - 3) with a - 3 = -1\n"
              "1 error\n");
    EXPECT_EQ(message_of(std::string("parameter a = 2\n") + kOne + "simulate until sqrt(a - 3)\n"),
              "m.ank:4:16: error: the end time is not a finite number\n"
              "    4 | simulate until sqrt(a - 3)\n"
              "      |                ^~~~~~~~~~~\n"
              "      = sqrt(a - 3) with a - 3 = -1\n"
              "1 error\n");
    EXPECT_EQ(message_of("parameter k = 0\ngravity (0, 0, 1/k)\n"
                         "body b mass 1 inertia (1, 1, 1) at (0, 0, 0)\n"),
              "at t = 0: the force on b.z is not a number: m.ank:2:16: 1/k with k = 0");
    EXPECT_EQ(message_of("parameter k = 0\nbody b mass 1 inertia (1/k, 1, 1) at (0, 0, 0)\n"),
              "m.ank:2:23: error: the inertia is not a finite number\n"
              "    2 | body b mass 1 inertia (1/k, 1, 1) at (0, 0, 0)\n"
              "      |                       ^~~~~~~~~~~\n"
              "      = m.ank:2:24: 1/k with k = 0\n"
              "1 error\n");
}

}  // namespace
}  // namespace ananke::pipeline

// Events of the language: where they happen (closed forms), what they do, and how a run goes on.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

std::vector<double> times_of(const Recording& run, std::string_view name) {
    std::vector<double> times;
    for (const Event& event : run.rows.events) {
        if (event.name == name) {
            times.push_back(event.t);
        }
    }
    return times;
}

const std::string kBall =
    "parameter g = 10, e = 0.5\n"
    "coordinate z\n"
    "particle ball mass 2 at (0, 0, z)\n"
    "gravity (0, 0, -g)\n";
const std::string kOscillator =
    "parameter m = 1, k = 4, c = k/m, w2 = 2*c\n"
    "coordinate x\n"
    "kinetic m/2*x'^2\n"
    "potential m*c*x^2/2\n";

// Free fall between impacts: t_0 = sqrt(2 h/g), v_(i+1) = e v_i, flights of 2 v/g.
TEST(Events, BouncesMatchTheClosedForm) {
    const Loaded loaded = load_model("bouncing_ball");
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = even_times(4.0, 1000)});
    ASSERT_FALSE(run.error) << run.error->message;
    const double g = 9.81, e = 0.8;
    double t = std::sqrt(2.0 / g);
    double v = g * t;
    const std::vector<double> bounces = times_of(run, "bounce");
    const std::vector<double> tops = times_of(run, "top");
    ASSERT_EQ(bounces.size(), 19U);
    ASSERT_EQ(tops.size(), 18U);
    std::size_t row = 0;
    for (std::size_t i = 0; i < bounces.size(); ++i) {
        EXPECT_NEAR(bounces[i], t, 1e-12);
        for (; row < 1001 && run.at(row, "t") < t; ++row) {  // on the way down to this bounce
            const double left = t - run.at(row, "t");
            EXPECT_NEAR(run.at(row, "z"), v * left - g / 2 * left * left, 1e-11);
            EXPECT_NEAR(run.at(row, "energy_balance"), 0.0, 1e-11);
        }
        v *= e;
        if (i < tops.size()) {
            EXPECT_NEAR(tops[i], t + v / g, 1e-12);
        }
        t += 2.0 * v / g;
    }
    EXPECT_EQ(run.rows.rows(), 1001U);
}

// sqrt(2 h/g) (1 + e)/(1 - e) is where infinitely many bounces end.
TEST(Events, EndlessBouncesEndTheRunWithAMessage) {
    for (const double e : {0.1, 0.5, 0.8}) {
        for (const bool directed : {true, false}) {
            SCOPED_TRACE(e);
            const std::string text = kBall + "event bounce: z = 0 " + (directed ? "falling" : "") +
                                     " { z' = -e*z' }\ninitial z = 5\n";
            const Loaded loaded = load_text("test.ank", text, {setting("e", e)});
            ASSERT_TRUE(loaded.prepared) << loaded.messages;
            const Recording run = run_model(*loaded.prepared, {.times = even_times(20.0, 100)});
            ASSERT_TRUE(run.error);
            EXPECT_NE(run.error->message.find("the event bounce happens again and again"),
                      std::string::npos)
                << run.error->message;
            EXPECT_NEAR(run.summary.reached, (1.0 + e) / (1.0 - e), 1e-8);
            EXPECT_LT(run.summary.events, 200U);
        }
    }
}

// Dropped from 5 m with g = 10 the ball lands after exactly 1 s, at 10 m/s.
TEST(Events, StopEndsTheRunWithoutAnError) {
    const Recording run = run_text(kBall + "event landed: z = 0 falling { stop }\ninitial z = 5\n",
                                   {.times = even_times(2.0, 8)});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.rows(), 5U) << "0, 0.25, 0.5, 0.75 and 1 itself";
    EXPECT_EQ(run.at(4, "t"), 1.0);
    EXPECT_NEAR(run.at(4, "z"), 0.0, 1e-13);
    EXPECT_NEAR(run.summary.reached, 1.0, 1e-13);
    EXPECT_EQ(run.summary.stopped.substr(0, 15), "stopped at t = ");
    EXPECT_NE(run.summary.stopped.find("by the event landed"), std::string::npos);
    EXPECT_EQ(run.rows.ending, run.summary.stopped);
    ASSERT_EQ(run.rows.events.size(), 1U);
    EXPECT_EQ(run.rows.events[0].kind, "stop");
    EXPECT_EQ(run.rows.events[0].detail.substr(0, 4), "z = ");
    EXPECT_NE(run.rows.events[0].detail.find(", z' = -"), std::string::npos);
}

TEST(Events, ARowAtTheTimeOfAnEventIsTheStateAfterIt) {
    const Recording run = run_text(kBall + "event kick: t = 0.25 { z' = 3 }\ninitial z = 5\n",
                                   {.times = {0.0, 0.25 - 1e-9, 0.25, 0.5}});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.rows(), 4U);
    EXPECT_NEAR(run.at(1, "z'"), -2.5, 1e-7);
    EXPECT_EQ(run.at(2, "z'"), 3.0);
    EXPECT_NEAR(run.at(3, "z'"), 0.5, 1e-12);
    ASSERT_EQ(run.rows.events.size(), 1U);
    EXPECT_EQ(run.rows.events[0].t, 0.25);
    EXPECT_EQ(run.rows.events[0].kind, "reset");
    const std::string& detail = run.rows.events[0].detail;
    ASSERT_EQ(detail.find("z' -2."), 0U) << detail;
    EXPECT_NEAR(std::stod(detail.substr(3)), -2.5, 1e-12) << detail;
}

// x = sin(2 t)/2: zeros at multiples of pi/2, rising at the even ones.
TEST(Events, DirectionsAndTheStartItself) {
    const Recording run = run_text(kOscillator +
                                       "event up: x = 0 rising { record }\n"
                                       "event down: x = 0 falling { record }\n"
                                       "event any: x = 0 { record }\n"
                                       "event clock: t = 0 { record }\n"
                                       "initial x = 0, x' = 1\n",
                                   {.times = {0.0, 10.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<double> any = times_of(run, "any");
    ASSERT_EQ(any.size(), 6U) << "not at the start";
    for (std::size_t i = 0; i < any.size(); ++i) {
        EXPECT_NEAR(any[i], std::numbers::pi / 2 * static_cast<double>(i + 1), 1e-11);
    }
    EXPECT_EQ(times_of(run, "up"), (std::vector<double>{any[1], any[3], any[5]}));
    EXPECT_EQ(times_of(run, "down"), (std::vector<double>{any[0], any[2], any[4]}));
    EXPECT_TRUE(times_of(run, "clock").empty());
}

// x = t takes few and long steps; sin(20 x) = 0 every pi/20, and (x - 1)^2 = 1e-6 twice near 1.
TEST(Events, AllCrossingsInsideALongStepAreFound) {
    const Recording run = run_text(
        "coordinate x\nkinetic x'^2/2\n"
        "event wave: sin(20*x) = 0 { record }\n"
        "event dip: (x - 1)^2 = 1e-6 { record }\n"
        "initial x = 0, x' = 1\n",
        {.times = {0.0, 10.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<double> wave = times_of(run, "wave");
    ASSERT_EQ(wave.size(), 63U);
    for (std::size_t i = 0; i < wave.size(); ++i) {
        EXPECT_NEAR(wave[i], std::numbers::pi / 20 * static_cast<double>(i + 1), 1e-13);
    }
    const std::vector<double> dip = times_of(run, "dip");
    ASSERT_EQ(dip.size(), 2U);
    EXPECT_NEAR(dip[0], 0.999, 1e-12);
    EXPECT_NEAR(dip[1], 1.001, 1e-12);
}

// m x'' = -c x with c from 4 to 9 at t = 1, through the parameters computed from k.
TEST(Events, AChangedParameterTakesAlongThoseComputedFromIt) {
    const Recording run = run_text(kOscillator +
                                       "output doubled = w2\n"
                                       "event harder: t = 1 { k = k + 5 }\n"
                                       "initial x = 1\n",
                                   {.times = {0.0, 1.0, 3.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    const double x = std::cos(2.0), v = -2.0 * std::sin(2.0);
    EXPECT_NEAR(run.at(1, "x"), x, 1e-11);
    EXPECT_NEAR(run.at(2, "x"), x * std::cos(6.0) + v / 3 * std::sin(6.0), 1e-11);
    EXPECT_EQ(run.at(0, "doubled"), 8.0);
    EXPECT_EQ(run.at(1, "doubled"), 18.0);
    EXPECT_NEAR(run.at(2, "energy"), 0.5 * (v * v + 9.0 * x * x), 1e-10);
    EXPECT_LT(run.summary.largest_energy_imbalance, 1e-10);
    EXPECT_EQ(run.rows.events.at(0).detail, "k 4 -> 9");
}

// A value given on the command line is no longer computed, and does not follow.
TEST(Events, ASettingDoesNotFollow) {
    const Loaded loaded = load_text(
        "test.ank", kOscillator + "output doubled = w2\nevent e: t = 1 { k = 9 }\ninitial x = 1\n",
        {"w2=5"});
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 2.0}});
    EXPECT_EQ(run.at(1, "doubled"), 5.0);
}

// Two masses on a rigid link: what is set is set, and the other follows by the link.
TEST(Events, VelocitiesThatAreSetAreExactAndTheOthersFollow) {
    const Recording run = run_text(
        "coordinate a, b\nkinetic a'^2/2 + 3*b'^2/2\n"
        "constraint link: b - a = 1\n"
        "event hit: t = 1 { a' = 2 }\n"
        "initial a = 0, b = 1\n",
        {.times = {0.0, 1.0, 3.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(run.at(1, "a'"), 2.0);
    EXPECT_NEAR(run.at(1, "b'"), 2.0, 1e-14);
    EXPECT_NEAR(run.at(2, "b"), 5.0, 1e-12);
    EXPECT_LT(run.summary.largest_energy_imbalance, 1e-12);
    EXPECT_EQ(run.rows.events.at(0).detail.find("a' 0 -> 2; by the constraints b' "), 0U)
        << run.rows.events.at(0).detail;
}

// Only what is set and what the constraints tie to it changes, also where M couples coordinates.
TEST(Events, WhatNoConstraintTiesKeepsItsVelocity) {
    const Recording run = run_text(
        "coordinate a, b\nkinetic a'^2 + a'*b' + b'^2\n"
        "event hit: t = 1 { a' = 2 }\ninitial b' = 0.25\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(run.at(1, "a'"), 2.0);
    EXPECT_EQ(run.at(1, "b'"), 0.25);
}

// A swinging bar that hits a stop turns back with half its rate, all at its mass centre with it.
TEST(Events, ABarOnAJointBouncesAsToldByItsAngleOrByItsAngularVelocity) {
    const std::string bar =
        "gravity (0, -9.81, 0)\nplanar body a mass 1 inertia 0.1 at (0.5, 0, 0)\n"
        "joint p: revolute(ground, a at (-0.5, 0, 0))\n";
    for (const char* action : {"a.angle' = -0.5*a.angle'", "omega(a) = -0.5*a.angle'"}) {
        const Recording run = run_text(bar + "event hit: a.angle = -1 falling { " + action + " }\n",
                                       {.times = {0.0, 0.6}});
        ASSERT_FALSE(run.error) << run.error->message;
        const double before = -std::sqrt(2.0 * 0.5 * 9.81 * std::sin(1.0) / (0.1 + 0.25));
        const std::string& detail = run.rows.events.at(0).detail;
        double from = 0.0;
        double to = 0.0;
        ASSERT_EQ(std::sscanf(detail.c_str(), "a.angle' %lf -> %lf", &from, &to), 2) << detail;
        EXPECT_NEAR(from, before, 1e-7) << detail;
        EXPECT_EQ(to, -0.5 * from) << detail;
        EXPECT_NE(detail.find("by the constraints a.x' "), std::string::npos) << detail;
        EXPECT_LT(run.summary.largest_energy_imbalance, 1e-8);
        // Afterwards energy is conserved at the level of the bounce.
        const double rate = run.at(1, "a.angle'");
        const double fall = std::sin(run.at(1, "a.angle")) - std::sin(-1.0);
        EXPECT_NEAR(0.175 * rate * rate + 0.5 * 9.81 * fall, 0.175 * to * to, 1e-7);
    }
}

// A coordinate without mass, the angle of a joint, can be told to turn back.
TEST(Events, AnAngleWithoutMassTurnsBack) {
    const Recording run = run_text(
        "body d mass 1 inertia (1, 1, 2) omega (0, 0, 3)\n"
        "joint axle: revolute(ground, d)\njoint an: angle(ground, d)\n"
        "event flip: an.value = 2 rising { an.value' = -an.value' }\n"
        "output w = omega(d)\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "an.value"), 2.0 - 1.0, 1e-8);
    EXPECT_NEAR(run.at(1, "w.z"), -3.0, 1e-9);
}

TEST(Events, AnAngularVelocityAndAVelocityAreSetInSpace) {
    const Recording run = run_text(
        "body b mass 2 inertia (1, 2, 3) at (0, 0, 0) orientation rotation((1, 2, 3), 0.7)\n"
        "event hit: t = 0.5 { omega(b) = (1, -2, 0.5), velocity(b) = 2*velocity(b) + (0, 0, 1) }\n"
        "initial b.x' = 1\noutput w = omega(b)\n",
        {.times = {0.0, 0.5}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "w.x"), 1.0, 1e-14);
    EXPECT_NEAR(run.at(1, "w.y"), -2.0, 1e-14);
    EXPECT_NEAR(run.at(1, "w.z"), 0.5, 1e-14);
    EXPECT_EQ(run.at(1, "b.x'"), 2.0);
    EXPECT_EQ(run.at(1, "b.z'"), 1.0);
}

TEST(Events, VelocitiesThatTheConstraintsForbidEndTheRunWithTheirName) {
    const Recording run = run_text(
        "coordinate x, y, z\nparticle P mass 1 at (x, y, z)\n"
        "constraint rail: y = 2*x\nconstraint free: z = sin(x)\n"
        "event hit: t = 1 { x' = 1, y' = 1 }\n",
        {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the event hit sets velocities (x' and y') that the constraint rail does "
              "not allow; set fewer of them, the others follow by the constraints");
}

TEST(Events, AMassThatBecomesNegativeEndsTheRunAtTheEvent) {
    const Recording run = run_text(
        "parameter m = 1\ncoordinate x, y\nparticle P mass m at (x, 0, 0)\n"
        "particle R mass 2 at (0, y, 0)\nevent loss: t = 1 { m = m - 3 }\ninitial x' = 1\n",
        {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the event loss makes the kinetic energy negative for a motion of x': m 1 "
              "-> -2");
}

// Right sides see the values before the event: equal masses swap their velocities.
TEST(Events, ResetsOfOneEventAreSimultaneous) {
    const Recording run = run_text(
        "coordinate a, b\nkinetic (a'^2 + b'^2)/2\n"
        "event collide: a = b rising { a' = b'\n b' = a' }\n"
        "initial a = 0, a' = 2, b = 1, b' = 1\n",
        {.times = {0.0, 3.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "a"), 2.0 + 2.0, 1e-12);
    EXPECT_NEAR(run.at(1, "b"), 2.0 + 4.0, 1e-12);
    EXPECT_EQ(times_of(run, "collide").size(), 1U);
}

// Events of one time: in the order of the text, each on what the one before it left.
TEST(Events, EventsOfOneTimeFollowTheText) {
    const Recording run = run_text(
        "parameter p = 1\ncoordinate x\nkinetic x'^2/2\n"
        "event add: t = 1 { p = p + 2 }\n"
        "event twice: 2*t = 2 { p = 2*p, x' = p }\n"
        "output now = p\ninitial x' = 1\n",
        {.times = {0.0, 1.0, 2.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(run.at(1, "now"), 6.0);
    EXPECT_EQ(run.at(1, "x'"), 3.0);
    ASSERT_EQ(run.rows.events.size(), 2U);
    EXPECT_EQ(run.rows.events[0].name, "add");
    EXPECT_EQ(run.rows.events[1].detail, "x' 1 -> 3, p 3 -> 6");
}

// 40 balls from one height, and each from its own: none is lost and none counts as endless.
TEST(Events, ManyBallsBounceTogetherOrApart) {
    for (const double apart : {0.0, 1e-3}) {
        const Loaded loaded = load_text("test.ank",
                                        "parameter N = 40, apart = 0\n"
                                        "for i in 1..N {\n"
                                        "  coordinate z[i]\n"
                                        "  kinetic z[i]'^2/2\n"
                                        "  potential 10*z[i]\n"
                                        "  event bounce[i]: z[i] = 0 falling { z[i]' = -z[i]' }\n"
                                        "  initial z[i] = 5 + i*apart\n"
                                        "}\n",
                                        {setting("apart", apart)});
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Recording run = run_model(*loaded.prepared, {.times = {0.0, 8.5}});
        ASSERT_FALSE(run.error) << run.error->message;
        for (int i = 1; i <= 40; ++i) {
            const std::vector<double> times = times_of(run, "bounce[" + std::to_string(i) + "]");
            const double fall = std::sqrt((5.0 + i * apart) / 5.0);
            ASSERT_EQ(times.size(), 4U) << i;
            for (std::size_t k = 0; k < 4; ++k) {
                EXPECT_NEAR(times[k], fall * static_cast<double>(2 * k + 1), 1e-10);
            }
        }
    }
}

// x = x0 + v t + a t^2/2 reaches its level at the roots of a quadratic.
TEST(Events, RandomParabolasCrossWhereTheFormulaSays) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(-2.0, 2.0);
    int crossings = 0;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        const double x0 = draw(random), v = draw(random), a = draw(random), level = draw(random);
        const Loaded loaded = load_text(
            "test.ank",
            "parameter x0 = 0, v0 = 0, a0 = 0, level = 0\ncoordinate x\nkinetic x'^2/2\n"
            "force on x = a0\nevent e: x = level { record }\ninitial x = x0, x' = v0\n",
            {setting("x0", x0), setting("v0", v), setting("a0", a), setting("level", level)});
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Recording run = run_model(*loaded.prepared, {.times = {0.0, 5.0}});
        ASSERT_FALSE(run.error) << run.error->message;
        std::vector<double> expected;
        const double root = std::sqrt(v * v - 2.0 * a * (x0 - level));
        for (const double t : {(-v - root) / a, (-v + root) / a}) {
            if (t > 0.0 && t < 5.0) {
                expected.push_back(t);
            }
        }
        std::sort(expected.begin(), expected.end());
        const std::vector<double> found = times_of(run, "e");
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            // A time is as sharp as the crossing is steep.
            EXPECT_NEAR(found[i], expected[i], 1e-13 + 1e-14 / root);
        }
        crossings += static_cast<int>(found.size());
    }
    EXPECT_GT(crossings, 150);
}

TEST(Events, AParameterThatMovesTheConstraintsEndsTheRun) {
    const Recording run = run_text(
        "parameter L = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
        "constraint rod: x^2 + y^2 = L^2\n"
        "event longer: t = 1 { L = 2 }\ninitial x = 1, y = 0, y' = 1\n",
        {.times = {0.0, 0.5, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the event longer changes a parameter so that the positions no longer meet "
              "the constraints (rod by -0.6); let the parameter enter forces, masses or "
              "velocities, or change it smoothly in time");
    EXPECT_EQ(run.rows.rows(), 2U);
}

TEST(Events, AValueThatIsNotFiniteEndsTheRun) {
    const Recording run = run_text(
        kBall + "event bad: t = 1 { z' = sqrt(z - 100) }\ninitial z = 5\n", {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message.find("at t = 1: the event bad sets a value that is not a finite"),
              0U)
        << run.error->message;
}

// A force that switches and an event at the same place and elsewhere.
TEST(Events, EventsAndSwitchesOfForcesKeepTheirOrder) {
    const Recording run = run_text(
        "coordinate x\nkinetic x'^2/2\nforce on x = if x > 1 then -1 else 0\n"
        "event at_switch: x = 1 { record }\n"
        "event behind: x = 1.375 rising { record }\n"
        "initial x = 0, x' = 1\n",
        {.times = {0.0, 5.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<double> at = times_of(run, "at_switch");
    ASSERT_EQ(at.size(), 2U);
    EXPECT_NEAR(at[0], 1.0, 1e-13);
    EXPECT_NEAR(at[1], 3.0, 1e-12);
    ASSERT_EQ(times_of(run, "behind").size(), 1U);
    EXPECT_NEAR(times_of(run, "behind")[0], 1.5, 1e-12);
    EXPECT_NEAR(run.at(1, "x"), -1.0, 1e-12);
}

// A condition that is not a number beyond its place, a kink just at zero, and one that is faster
// than any step; sqrt(z) = 1 at z = 1, and the wave every pi/1000.
TEST(Events, AwkwardConditionsAreFoundToo) {
    const Recording run = run_text(
        "coordinate z\nkinetic z'^2/2\npotential 10*z\n"
        "event root: sqrt(z) = 1 { record }\n"
        "event logarithm: log(z) = -1 { record }\n"
        "event kink: abs(z - 4) = 1e-5 { record }\n"
        "initial z = 5\n",
        {.times = {0.0, 2.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(times_of(run, "root").size(), 1U);
    EXPECT_NEAR(times_of(run, "root")[0], std::sqrt(0.8), 1e-13);
    ASSERT_EQ(times_of(run, "logarithm").size(), 1U);
    EXPECT_NEAR(times_of(run, "logarithm")[0], std::sqrt((5.0 - std::exp(-1.0)) / 5.0), 1e-13);
    ASSERT_EQ(times_of(run, "kink").size(), 2U);
    EXPECT_NEAR(times_of(run, "kink")[0], std::sqrt((1.0 - 1e-5) / 5.0), 1e-13);
    EXPECT_NEAR(times_of(run, "kink")[1], std::sqrt((1.0 + 1e-5) / 5.0), 1e-13);

    const Recording wave =
        run_text("coordinate x\nkinetic x'^2/2\nevent wave: sin(1000*t) = 0 { record }\n",
                 {.times = {0.0, 3.0}});
    const std::vector<double> times = times_of(wave, "wave");
    ASSERT_EQ(times.size(), 954U);
    EXPECT_NEAR(times.back(), 954 * std::numbers::pi / 1000, 1e-13);
}

// x'' = u - x' with u = -1 above zero and 1 below: swings that shrink for ever. Each of the two
// events sees the other one's crossing from the wrong side.
TEST(Events, ARelayKeepsSwitching) {
    const Recording run = run_text(
        "parameter u = 1\ncoordinate x\nkinetic x'^2/2\nforce on x = u - x'\n"
        "event up: x = 0 rising { u = -1 }\nevent down: x = 0 falling { u = 1 }\n"
        "initial x = -1\n",
        {.times = even_times(25.0, 100), .tolerance = 1e-10});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<double> up = times_of(run, "up");
    const std::vector<double> down = times_of(run, "down");
    ASSERT_GT(up.size(), 100U);
    for (std::size_t i = 0; i + 1 < std::min(up.size(), down.size()); ++i) {
        ASSERT_LT(up[i], down[i]);
        ASSERT_LT(down[i], up[i + 1]);
    }
    EXPECT_LT(std::abs(run.at(100, "x")), 1e-2);
}

// Two events that stop a ball before its bounces have no end: a dip that lasts a small part of a
// flight, and a height.
TEST(Events, AnEventStopsTheBallBeforeTheEnd) {
    const Recording run =
        run_text(kBall +
                     "event bounce: z = 0 falling { z' = -e*z' }\n"
                     "event rest: abs(z') + z = 1e-4 falling { stop }\ninitial z = 5\n",
                 {.times = even_times(4.0, 10)});
    ASSERT_FALSE(run.error) << run.error->message;
    // Flights begin at 5/2^k; the first top below 1e-4 is v^2/20 with v = 5/2^7, where |z'| + z
    // falls through 1e-4 just before the top.
    const double v = 5.0 / 128.0;
    const double begin = 1.0 + (2.0 - 4.0 / 256.0);
    const double top = begin + v / 10.0;
    ASSERT_FALSE(run.summary.stopped.empty());
    EXPECT_LT(run.summary.reached, top);
    EXPECT_GT(run.summary.reached, top - 1e-5);
}

}  // namespace
}  // namespace ananke::pipeline

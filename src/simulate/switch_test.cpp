// Switches of laws: what is listed of them, where motions stick or rest, conditions on reactions,
// and what lies between two rows.
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

const std::string kMass = "coordinate x\nkinetic x'^2/2\n";

/// What the list of events says of switches: "t name detail".
std::vector<std::string> switches_of(const Recording& run) {
    std::vector<std::string> lines;
    for (const Event& event : events_of(run, "switch")) {
        lines.push_back(event.name + ": " + event.detail);
    }
    return lines;
}

TEST(Switches, ConditionsThatAreTheSameAreOne) {
    const Recording run = run_text(
        "parameter k = 2\ncoordinate a, b\nkinetic (a'^2 + b'^2)/2\n"
        "force on a = (if a < b then 0.1 else 0) + (if b > a then 0.1 else 0) +"
        " (if a - b < 0 then 0.1 else 0) + (if -(b - a) <= 0 then 0.1 else 0)\n"
        "force on b = (if 2*a < 2*b then 0.1 else 0) + (if k^2*a - k^2*b >= 0 then 0.1 else 0) +"
        " (if (b - a)/3 > 0 then 0.1 else 0) + max(a, b)/10 - max(b, a)/10\n"
        "initial a = 0, a' = 1, b = 1\n",
        {.times = {0.0, 2.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // For k = 0 the condition with k^2 is another one: it is always true.
    EXPECT_EQ(switches_of(run),
              (std::vector<std::string>{"a < b: false from here on",
                                        "0 <= k^2*a - k^2*b: true from here on"}));
}

// Laws that are alike, and equal where both are at a limit, are as many switches as there are:
// every coordinate moves as it does by itself.
TEST(Switches, LimitsOfDifferentCoordinatesAreDifferent) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> spread(-1.0, 1.0);
    const std::vector<std::string> forms{"min(max({0}, -c), c)", "max(-c, min({0}, c))",
                                         "min(c, max(-c, {0}))", "max(min(c, {0}), -c)",
                                         "c - abs(c - max({0}, -c))"};
    for (int draw = 0; draw < 20; ++draw) {
        constexpr int kCount = 4;
        std::string head = "parameter c = 1.5\n";
        std::vector<std::string> alone(kCount, head);
        std::string together = head;
        for (int i = 0; i < kCount; ++i) {
            const std::string x = "x" + std::to_string(i);
            const std::string pull =
                fmt::format("({})*({} - ({}))", to_text(-20.0 * std::abs(spread(random)) - 1.0), x,
                            to_text(spread(random)));
            const std::string law = fmt::format(
                fmt::runtime(forms[static_cast<std::size_t>(random() % forms.size())]), pull);
            const std::string text = fmt::format(
                "coordinate {0}\nkinetic {0}'^2/2\nforce on {0} = {1}\ninitial {0} = {2}, {0}' = "
                "{3}\n",
                x, law, to_text(spread(random)), to_text(spread(random)));
            alone[static_cast<std::size_t>(i)] += text;
            together += text;
        }
        const std::vector<double> times = even_times(1.0, 7);
        const Recording all = run_text(together, {.times = times});
        ASSERT_FALSE(all.error) << all.error->message;
        for (int i = 0; i < kCount; ++i) {
            const Recording one = run_text(alone[static_cast<std::size_t>(i)], {.times = times});
            ASSERT_FALSE(one.error) << one.error->message;
            const std::string x = "x" + std::to_string(i);
            for (std::size_t row = 0; row < times.size(); ++row) {
                EXPECT_NEAR(all.at(row, x), one.at(row, x), 1e-9) << together;
                EXPECT_NEAR(all.at(row, x + "''"), one.at(row, x + "''"), 1e-7) << together;
            }
        }
    }
}

// Conditions inside conditions are written as in the model.
TEST(Switches, TextsAreThoseOfTheModel) {
    const Recording run =
        run_text(kMass +
                     "force on x = if abs(x - 1) < (if x' > 5 then 0.2 else 0.25) then 1 else 0\n"
                     "initial x = 0, x' = 1\n",
                 {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_EQ(
        switches_of(run),
        (std::vector<std::string>{"abs(x - 1) < if 5 < x' then 0.2 else 0.25: true from here on"}));
}

// The friction of sign(x') holds a mass against a force that is smaller.
TEST(Switches, AMotionThatSticksIsShownByItsRates) {
    const Recording run =
        run_text(kMass + "force on x = 1 - 3*sign(x')\ninitial x' = 2\n", {.times = {0.0, 5.0}});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->message,
              "at t = 1: the force law switches back and forth at x' < 0: the motion sticks there "
              "(left less right changes at the rate 4 where it is negative and -2 where it is "
              "positive), which a switch cannot express; dry friction is written `friction on`, "
              "other laws without a jump, as tanh(v/eps) for sign(v)");
    EXPECT_NEAR(run.summary.reached, 1.0, 1e-9);
}

// A relay with damping: swings ever shorter end at a place in the positions.
TEST(Switches, ARelayThatComesToRestIsShownByItsSecondDerivatives) {
    const Recording run =
        run_text(kMass + "force on x = (if x < 0 then 3 else -2) - 20*x'\ninitial x = 0.01\n",
                 {.times = {0.0, 50.0}, .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find(
                  "the force law switches back and forth at x < 0: the motion sticks there (the "
                  "second derivative of left less right is 3 where it is negative and -2 where it "
                  "is positive)"),
              std::string::npos)
        << run.error->message;
    EXPECT_LT(run.summary.steps.steps, 20000U);
}

// A relay without damping swings on, however small its swings are beside other motions.
TEST(Switches, ARelayThatDoesNotComeToRestSwingsOn) {
    const double size = 1e-8;
    const Recording run = run_text(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
        "force on x = if x < 0 then 1 else -1\ninitial x = " +
            to_text(size) + ", y = 1\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // A quarter of a period lasts sqrt(2 size).
    const double quarters = 1.0 / std::sqrt(2.0 * size);
    EXPECT_EQ(events_of(run, "switch").size(),
              static_cast<std::size_t>(std::floor((quarters + 1.0) / 2.0)));
    EXPECT_NEAR(run.at(1, "x'") * run.at(1, "x'") / 2 + std::abs(run.at(1, "x")), size,
                1e-3 * size);
}

// Without another force sign(0) = 0 leaves a mass at rest, and so does |x'|^p.
TEST(Switches, WhatRestsByItsOwnLawRests) {
    for (const char* law : {"-sign(x')", "-2*sign(x')*sqrt(abs(x'))", "-sign(x')*abs(x')^0.2"}) {
        for (const bool stiff : {false, true}) {
            SCOPED_TRACE(law);
            const Recording run =
                run_text(kMass + "force on x = " + law + "\ninitial x' = 1\n",
                         {.times = {0.0, 1.0, 5.0}, .tolerance = 1e-10, .stiff = stiff});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_NEAR(run.at(2, "x'"), 0.0, 1e-9);
            EXPECT_LT(run.summary.steps.steps, 5000U);
        }
    }
    // From x'' = -2 sqrt(x'): sqrt(x') = 1 - t.
    const Recording run =
        run_text(kMass + "force on x = -2*sign(x')*sqrt(abs(x'))\ninitial x' = 1\n",
                 {.times = {0.0, 3.0}, .tolerance = 1e-10});
    EXPECT_NEAR(run.at(1, "x"), 1.0 / 3.0, 1e-8);
}

// A mass that rests by sign(0) = 0 is set in motion again by a force that grows.
TEST(Switches, WhatRestsIsSetInMotionAgain) {
    const Recording run =
        run_text(kMass +
                     "force on x = -sign(x')*sqrt(abs(x')) + (if t > 4 then 3*(t - 4) else 0)\n"
                     "initial x' = 1\n",
                 {.times = {0.0, 3.5, 6.0}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "x'"), 0.0, 1e-8);
    EXPECT_GT(run.at(2, "x'"), 0.5);
}

TEST(Switches, ConditionsOnReactionsAreFoundAndListed) {
    const std::string rail =
        "coordinate x, z, y\nparticle P mass 1 at (x, 0, z)\nkinetic y'^2/2\n"
        "gravity (0, 0, -9.81)\nconstraint rail: z = x^2/2\ninitial x = 1, x' = 0\n"
        "output N = reaction(rail)\n";
    const Recording run = run_text(rail + "force on y = if reaction(rail) > 12 then 1 else 0\n",
                                   {.times = even_times(2.1, 2100), .tolerance = 1e-10});
    ASSERT_FALSE(run.error) << run.error->message;
    const std::vector<Event> events = events_of(run, "switch");
    // N = (x'^2 + x x'' + 9.81) sqrt(1 + x^2) of (1 + x^2) x'' + x x'^2 + 9.81 x = 0, in steps of
    // 1e-4 of the method of order 4, passes 12 at these times, and next at 2.8207.
    constexpr std::array<double, 4> kPasses{0.3812, 0.8385, 1.6010, 2.0582};
    ASSERT_EQ(events.size(), kPasses.size());
    for (std::size_t i = 0; i < kPasses.size(); ++i) {
        EXPECT_NEAR(events[i].t, kPasses[i], 1e-4);
    }
    // y'' = 1 between the times at which N, a function of x, passes 12.
    double v = 0.0;
    double y = 0.0;
    for (std::size_t i = 0; i < events.size(); i += 2) {
        EXPECT_EQ(events[i].name, "12 < reaction(rail)");
        EXPECT_EQ(events[i].detail, "true from here on");
        EXPECT_EQ(events[i + 1].detail, "false from here on");
        const double lasts = events[i + 1].t - events[i].t;
        const double next = i + 2 < events.size() ? events[i + 2].t : 2.1;
        y += v * lasts + lasts * lasts / 2;
        v += lasts;
        y += v * (next - events[i + 1].t);
    }
    EXPECT_NEAR(run.at(2100, "y"), y, 1e-9);
    EXPECT_NEAR(run.at(2100, "y'"), v, 1e-9);
    for (std::size_t row = 0; row <= 2100; ++row) {
        const double N = run.at(row, "N");
        if (std::abs(N - 12.0) > 1e-6) {
            EXPECT_EQ(run.at(row, "y''"), N > 12.0 ? 1.0 : 0.0) << run.at(row, "t");
        }
    }
}

// A force that brings the reaction it asks for back below its limit.
TEST(Switches, AConditionWithoutAnAnswerIsNamed) {
    const std::string rail =
        "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -9.81)\n"
        "constraint rail: z = x^2/2\ninitial x = 1, x' = 0\n";
    const Recording run = run_text(rail + "force on z = if reaction(rail) > 12 then 5 else 0\n",
                                   {.times = {0.0, 2.0}});
    ASSERT_TRUE(run.error);
    EXPECT_NE(run.error->message.find("the condition 12 < reaction(rail) has no answer: when it "
                                      "becomes true, the law changes the reaction so that left "
                                      "less right jumps by "),
              std::string::npos)
        << run.error->message;
    EXPECT_NE(run.error->message.find(", back to where it came from"), std::string::npos);
    // One that adds to it keeps its answer.
    const Recording more = run_text(rail + "force on z = if reaction(rail) > 12 then -5 else 0\n",
                                    {.times = {0.0, 2.0}});
    ASSERT_FALSE(more.error) << more.error->message;
    EXPECT_GE(events_of(more, "switch").size(), 2U);
}

// Laws of reactions that are numbers for the reaction that acts, though not for zero.
TEST(Switches, ReactionsStartFromWhatTheOtherForcesAskFor) {
    const double creep = std::pow(9.81, -1.0 / 3.0);
    const std::vector<std::pair<const char*, double>> laws{{"-0.1*N*tanh(N^(2/3)*x'/N)", creep},
                                                           {"-0.1*N^1.5/sqrt(N)*tanh(x')", 1.0},
                                                           {"-0.1*N*log(N)/log(N)*tanh(x')", 1.0},
                                                           {"-0.1*N*tanh(x')", 1.0}};
    for (const auto& [law, k] : laws) {
        SCOPED_TRACE(law);
        const Recording run =
            run_text(std::string("coordinate x, z\nparticle P mass 1 at (x, 0, z)\n"
                                 "gravity (0, 0, -9.81)\nconstraint floor: z = 0\n"
                                 "let N = reaction(floor)\nforce on x = ") +
                         law + "\ninitial x' = 1\n",
                     {.times = {0.0, 0.5}, .tolerance = 1e-10});
        ASSERT_FALSE(run.error) << run.error->message;
        // N = 9.81; x'' = -0.981 tanh(k x') has sinh(k x') = sinh(k) exp(-0.981 k t).
        EXPECT_NEAR(run.at(1, "x'"), std::asinh(std::sinh(k) * std::exp(-0.981 * k * 0.5)) / k,
                    1e-8);
    }
}

// The same with loads on both sides of a slide, each of which needs its own reaction.
TEST(Switches, SeveralReactionsStartTogether) {
    const Recording run = run_text(
        "coordinate x, y, z\nparticle P mass 2 at (x, y, z)\ngravity (0, -3, -9.81)\n"
        "constraint floor: z = 0\nconstraint wall: y = 0\n"
        "force on x = -0.1*(reaction(floor)^1.5/sqrt(reaction(floor)) + "
        "reaction(wall)^2/reaction(wall))\n"
        "initial x' = 5\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(1, "x'"), 5.0 - 0.1 * (9.81 + 3.0), 1e-9);
}

// A pulse that lasts a hundredth of the steps around it, seen by a row inside.
TEST(Switches, APulseIsSeenByTheRowsInside) {
    const Recording run = run_text(kMass + "force on x = if sin(3*t) > 0.99999 then 10 else 0\n",
                                   {.times = even_times(2.0, 1000), .tolerance = 1e-6});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(switches_of(run).size(), 2U);
    const double lasts = 2.0 * std::acos(0.99999) / 3.0;
    EXPECT_NEAR(run.at(1000, "x'"), 10.0 * lasts, 1e-9);
}

TEST(Switches, AnEventIsSeenByTheRowsInside) {
    const Recording run =
        run_text(kMass + "event bump: exp(-((x - 0.5)/0.001)^2) = 0.5 { record }\ninitial x' = 1\n",
                 {.times = even_times(1.0, 1000)});
    ASSERT_FALSE(run.error) << run.error->message;
    ASSERT_EQ(run.rows.events.size(), 2U);
    const double half = 0.001 * std::sqrt(std::log(2.0));
    EXPECT_NEAR(run.rows.events[0].t, 0.5 - half, 1e-12);
    EXPECT_NEAR(run.rows.events[1].t, 0.5 + half, 1e-12);
}

// A spring of no length, and a damper, between points that meet.
TEST(Switches, SpringsAndDampersBetweenPointsThatMeet) {
    const Recording run = run_text(
        "gravity (0, 0, -10)\n"
        "body b mass 1 inertia (1, 1, 1) at (0, 0, 0)\n"
        "joint s: spring(ground, b, stiffness = 100, length = 0)\n"
        "joint d: damper(ground, b, damping = 2)\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(run.error) << run.error->message;
    // z'' = -10 - 100 z - 2 z'
    const double w = std::sqrt(99.0);
    EXPECT_NEAR(run.at(1, "b.z"), -0.1 + 0.1 * std::exp(-1.0) * (std::cos(w) + std::sin(w) / w),
                1e-10);
    const Recording through = run_text(
        "body b mass 1 inertia (1, 1, 1) at (0, 0, 0) velocity (3, 0, 4)\n"
        "joint d: damper(ground, b, damping = 0.5)\n",
        {.times = {0.0, 1.0}});
    ASSERT_FALSE(through.error) << through.error->message;
    EXPECT_NEAR(through.at(1, "b.x"), 6.0 * (1.0 - std::exp(-0.5)), 1e-10);
}

TEST(Switches, DryFrictionByTheDirectionOfTheVelocityGetsAHint) {
    const Recording run = run_text(
        "coordinate x, z\nparticle P mass 1 at (x, 0, z)\ngravity (0, 0, -10)\n"
        "constraint c: z = 0.1*x^2\n"
        "nonideal on P = -0.3*abs(reaction(c))*velocity(P)/norm(velocity(P))\n"
        "initial x' = 2\n",
        {.times = {0.0, 1.0}, .tolerance = 1e-9});
    ASSERT_TRUE(run.error);
    EXPECT_LT(run.summary.steps.steps, 1'000'000U);
    EXPECT_NE(run.error->message.find(
                  " more would be needed; the forces oppose the motion as strongly however slow it "
                  "is, in both directions, as dry friction does: it comes to rest where they have "
                  "no value; write `friction on`"),
              std::string::npos)
        << run.error->message;
}

}  // namespace
}  // namespace ananke::pipeline

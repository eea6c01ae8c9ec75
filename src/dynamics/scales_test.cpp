// No unit is special: sizes decide what is large and what is small.
#include <random>

#include <fmt/format.h>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(Scales, AnOscillationOfAnyAmplitudeIsFollowed) {
    const std::string text =
        "parameter A = 1\ncoordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = A\n";
    for (const double A : {1.0, 1e-6, 1e-9, 1e-12, 1e-20, 1e-60, 1e9, 1e60}) {
        SCOPED_TRACE(A);
        for (const bool stiff : {false, true}) {
            const Recording run =
                run_text(text, {.times = {10.0 * kPi}, .tolerance = 1e-9, .stiff = stiff},
                         {setting("A", A)});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_NEAR(run.at(0, "x") / A, 1.0, 1e-7);
            EXPECT_NEAR(run.at(0, "x'") / A, 0.0, 1e-7);
        }
    }
}

// x'' + 2 d x' + x = 0 beside a large decoupled motion: the small one has a size of its own.
TEST(Scales, WhatNothingCouplesHasItsOwnSize) {
    const std::string text =
        "coordinate x, y\nkinetic x'^2/2 + y'^2/2\npotential x^2/2 + y^2/2\n"
        "initial x = 1e-12, y = 1e3\n";
    const Recording run = run_text(text, {.times = {2.0 * kPi}, .tolerance = 1e-9});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(0, "x") / 1e-12, 1.0, 1e-7);
    EXPECT_NEAR(run.at(0, "y") / 1e3, 1.0, 1e-7);
}

// A pendulum on a rod in Cartesian coordinates, of small amplitude: x is small against the rod.
TEST(Scales, SmallSwingsOfAPendulumAreFollowed) {
    const std::string text =
        "parameter A = 1\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
        "gravity (0, -1, 0)\nconstraint rod: x^2 + y^2 = 1\n"
        "initial x = A, y ~ -1, x' ~ 0, y' ~ 0\n";
    for (const double A : {1e-4, 1e-6, 1e-8}) {
        SCOPED_TRACE(A);
        const Recording run =
            run_text(text, {.times = {2.0 * kPi}, .tolerance = 1e-10}, {setting("A", A)});
        ASSERT_FALSE(run.error) << run.error->message;
        // Period 2 pi (1 + A^2/16)
        EXPECT_NEAR(run.at(0, "x") / A, 1.0, 1e-6 + A * A);
    }
}

TEST(Scales, FrictionIsTheSameInAllUnits) {
    const std::string text =
        "parameter S = 1\ncoordinate x, y, z\nparticle P mass 1 at (x, y, z)\n"
        "gravity (3*S, 0, -9.81*S)\nconstraint f: z = 0\nfriction on f: coulomb(mu = 0.29)\n"
        "initial y' = S, x' = -0.3*S\n";
    const Settings settings{.times = even_times(4.0, 8), .tolerance = 1e-9};
    const Recording metres = run_text(text, settings);
    ASSERT_FALSE(metres.error) << metres.error->message;
    for (const double S : {1e-3, 1e-6, 1e-8, 1e-10, 1e6}) {
        SCOPED_TRACE(S);
        const Recording run = run_text(text, settings, {setting("S", S)});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_EQ(run.rows.events.size(), metres.rows.events.size());
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            EXPECT_NEAR(run.at(i, "x") / S, metres.at(i, "x"), 1e-6);
            EXPECT_NEAR(run.at(i, "y") / S, metres.at(i, "y"), 1e-6);
        }
    }
}

TEST(Scales, ExactValuesAreRefusedInAllUnits) {
    const std::string text =
        "parameter L = 1\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
        "constraint c: norm(position(P)) = L\ninitial x = 1.5*L, y = 0\n";
    for (const double L : {1.0, 1e-5, 1e-9, 1e-15, 1e9}) {
        SCOPED_TRACE(L);
        const Recording run = run_text(text, {.times = {1.0}}, {setting("L", L)});
        ASSERT_TRUE(run.error);
        EXPECT_EQ(run.error->message.rfind("the constraint c cannot be met from the initial "
                                           "positions:\n    constraint  left - right  scaled\n",
                                           0),
                  0U)
            << run.error->message;
    }
}

TEST(Scales, GuessesOfVelocitiesAreMovedInAllUnits) {
    const std::string text =
        "parameter L = 1, u = 1, w = 1\ncoordinate x, y\nparticle P mass 1 at (x, y, 0)\n"
        "constraint c: x^2 + y^2 = L^2\ninitial x = L, y = 0, x' ~ u, y' ~ w\n";
    for (const double L : {1e-9, 1e-3, 1.0, 1e4, 1e9}) {
        for (const double u : {0.0, 1e-12, 1.0, 1e6}) {
            for (const double w : {0.0, 1.0}) {
                SCOPED_TRACE(fmt::format("L = {}, u = {}, w = {}", L, u, w));
                const Recording run = run_text(text, {.times = {0.0}, .until = 0.0},
                                               {setting("L", L), setting("u", u), setting("w", w)});
                ASSERT_FALSE(run.error) << run.error->message;
                EXPECT_EQ(run.at(0, "x'"), 0.0);
                EXPECT_EQ(run.at(0, "y'"), w);
            }
        }
    }
}

// A force pulse a few output intervals wide, anywhere. Its impulse is sqrt(pi), less what lies
// before the start.
TEST(Steps, PulsesThatCoverAnOutputIntervalAreFelt) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> when(1.0, 9.0);
    std::uniform_real_distribution<double> exponent(-2.0, 0.0);
    for (int i = 0; i < 60; ++i) {
        const double width = std::pow(10.0, exponent(random));
        const double t = when(random);
        const bool stiff = i % 3 == 0;
        SCOPED_TRACE(fmt::format("width {} at {}{}", width, t, stiff ? ", stiff" : ""));
        const Recording run = run_text(
            fmt::format("coordinate x\nkinetic x'^2/2\nforce on x = exp(-((t - {})/{})^2)/{}\n"
                        "initial x' = {}\n",
                        t, width, width, i % 2),
            {.times = even_times(14.0, 1400), .tolerance = 1e-9, .stiff = stiff});
        ASSERT_FALSE(run.error) << run.error->message;
        const double impulse =
            0.5 * std::sqrt(kPi) * (std::erf((14.0 - t) / width) + std::erf(t / width));
        EXPECT_NEAR(run.at(1400, "x'"), (i % 2) + impulse, 2e-8);
    }
}

// A bump on the road: height h, felt by the energy where the particle is on it.
TEST(Steps, BumpsThatCoverAnOutputIntervalAreFelt) {
    std::mt19937 random(12);
    std::uniform_real_distribution<double> where(1.0, 9.0);
    std::uniform_real_distribution<double> width(0.03, 0.3);
    for (int i = 0; i < 30; ++i) {
        const double x = where(random);
        const double w = width(random);
        SCOPED_TRACE(fmt::format("width {} at {}", w, x));
        const Recording run = run_text(
            fmt::format("coordinate x, y\nparticle P mass 1 at (x, y, 0)\ngravity (0, -9.81, 0)\n"
                        "constraint road: y = 0.1*exp(-((x - {})/{})^2)\ninitial x = 0, x' = 3\n",
                        x, w),
            {.times = even_times(4.0, 400), .tolerance = 1e-9});
        ASSERT_FALSE(run.error) << run.error->message;
        double highest = 0.0;
        for (std::size_t k = 0; k < run.rows.rows(); ++k) {
            const double vx = run.at(k, "x'");
            const double vy = run.at(k, "y'");
            const double y = run.at(k, "y");
            EXPECT_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * y, 4.5, 1e-6);
            highest = std::max(highest, y);
        }
        EXPECT_GT(highest, 0.05);
        EXPECT_NEAR(run.at(400, "x'"), 3.0, 1e-6);
    }
}

TEST(Steps, AreNoLongerThanAskedFor) {
    const std::string text =
        "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n"
        "simulate until 10 step at most 0.01\n";
    const Loaded loaded = load_text("test.ank", text);
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    ASSERT_TRUE(loaded.prepared->model.simulate->max_step);
    EXPECT_EQ(
        compile::parameter_expression(*loaded.prepared, *loaded.prepared->model.simulate->max_step),
        0.01);
}

}  // namespace
}  // namespace ananke::pipeline

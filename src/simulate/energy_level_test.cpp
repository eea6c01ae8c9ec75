// The energy held along runs that conserve it.
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

const std::string kFourBar =
    "coordinate x1, y1, x2, y2\nparticle A mass 1 at (x1, y1, 0)\nparticle B mass 2 at (x2, y2, "
    "0)\n"
    "gravity (0, -9.81, 0)\nconstraint crank: x1^2 + y1^2 = 1\n"
    "constraint coupler: (x2 - x1)^2 + (y2 - y1)^2 = 6.25\n"
    "constraint rocker: (x2 - 3)^2 + y2^2 = 4\n"
    "initial x1 = 0, y1 = 1, x1' = 8, y1' = 0, x2 ~ 2.3, y2 ~ 1.9\n";

double energy_error(const Recording& run) {
    double largest = 0.0;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        largest = std::max(largest, std::abs(run.at(i, "energy") - run.at(0, "energy")));
    }
    return largest;
}

TEST(EnergyLevel, ErrorIsAHundredTimesSmallerOver100Seconds) {
    for (const std::string& text : {model_text("two_link_pendulum"), kFourBar}) {
        const std::vector<double> times = even_times(100.0, 200);
        const Recording projected = run_text(text, {.times = times, .tolerance = 1e-9});
        const Recording held =
            run_text(text, {.times = times, .tolerance = 1e-9, .drift = Drift::kEnergy});
        ASSERT_FALSE(projected.error) << projected.error->message;
        ASSERT_FALSE(held.error) << held.error->message;
        EXPECT_LT(100.0 * energy_error(held), energy_error(projected));
        for (const simulate::RowSummary& row : held.summary.constraints) {
            EXPECT_LT(std::max(row.residual, row.rate), 1e-12) << row.name;
        }
        // What was gained is not lost elsewhere: against a run with a thousandth of the tolerance.
        const Recording fine = run_text(text, {.times = times, .tolerance = 1e-12});
        double of_projected = 0.0;
        double of_held = 0.0;
        for (std::size_t c = 1; c < 4; ++c) {
            const double exact = fine.rows.row(times.size() - 1)[c];
            of_projected =
                std::max(of_projected, std::abs(projected.rows.row(times.size() - 1)[c] - exact));
            of_held = std::max(of_held, std::abs(held.rows.row(times.size() - 1)[c] - exact));
        }
        EXPECT_LT(of_held, of_projected);
    }
}

// Stages of a step lie beside the constraints, where a force of constraint that does no work would
// seem to do some.
TEST(EnergyBalance, IsTheChangeOfEnergyWhereNothingDoesWork) {
    const std::string chain =
        "gravity (0, 0, -9.81)\n"
        "body A mass 2 inertia (0.1, 0.2, 0.25) at (0.5, 0, 0) omega ~ (0, -1, 0.5)\n"
        "body B mass 1 inertia (0.05, 0.1, 0.12) at (1, 0.4, 0) omega ~ (3, 0, 1)\n"
        "body C mass 1.5 inertia (0.1, 0.1, 0.15) at (1, 0.8, 0.3) omega ~ (0, 4, 0)\n"
        "joint a: spherical(ground, A at (-0.5, 0, 0))\n"
        "joint b: spherical(A at (0.5, 0, 0), B at (0, -0.4, 0))\n"
        "joint c: spherical(B at (0, 0.4, 0), C at (0, 0, -0.3))\n";
    for (const std::string& text : {chain, model_text("bricard_square"), kFourBar}) {
        const Recording run = run_text(text, {.times = even_times(3.0, 60), .tolerance = 1e-9});
        ASSERT_FALSE(run.error) << run.error->message;
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            EXPECT_NEAR(run.at(i, "energy_balance"), run.at(i, "energy") - run.at(0, "energy"),
                        1e-12 * std::abs(run.at(i, "kinetic")) + 1e-12);
        }
    }
}

// Each impact takes a part of the energy: the level goes with it. z = 5, e = 0.8, g = 10.
TEST(EnergyLevel, FollowsTheJumpsOfEvents) {
    const std::string ball =
        "coordinate z\nparticle P mass 1 at (0, 0, z)\ngravity (0, 0, -10)\n"
        "event impact: z = 0 falling { z' = -0.8*z' }\ninitial z = 5, z' = 0\n";
    const Recording run =
        run_text(ball, {.times = {0.0, 2.0, 3.5}, .tolerance = 1e-9, .drift = Drift::kEnergy});
    ASSERT_FALSE(run.error) << run.error->message;
    EXPECT_NEAR(run.at(0, "energy"), 50.0, 1e-12);
    EXPECT_NEAR(run.at(1, "energy"), 32.0, 1e-9);
    EXPECT_NEAR(run.at(2, "energy"), 20.48, 1e-9);
}

}  // namespace
}  // namespace ananke::pipeline

// Initial values onto the constraints: guesses far off converge or fail with the residuals, exact
// values stay to the last bit.
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

double largest_start_residual(const compile::Prepared& prepared,
                              const dynamics::StartState& start) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    double largest = 0.0;
    for (const double value : evaluator.scaled_residuals(0.0, start.q.data(), start.v.data())) {
        largest = std::max(largest, std::abs(value));
    }
    const auto m = static_cast<std::size_t>(prepared.compiled->m());
    std::vector<double> rate(m);
    std::vector<double> scale(m);
    evaluator.residuals(solve::Level::kVelocities, 0.0, start.q.data(), start.v.data(), rate.data(),
                        scale.data());
    for (std::size_t i = 0; i < m; ++i) {
        largest = std::max(largest, std::abs(rate[i]) / std::max(1.0, scale[i]));
    }
    return largest;
}

struct Tally {
    int assembled = 0;
    int refused = 0;
};

/// Starts moved by `spread` of each value (of `zero` where it is 0), exact ones kept.
Tally try_guesses(const std::string& name, double spread, double zero, bool keep_exact) {
    const Loaded loaded = load_model(name);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    const compile::Prepared& prepared = *loaded.prepared;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> plain = dynamics::assemble(evaluator, prepared.initial);
    EXPECT_TRUE(plain) << plain.error().message;
    std::mt19937 random(12);
    std::uniform_real_distribution<double> part(-spread, spread);
    Tally tally;
    for (int trial = 0; trial < 50; ++trial) {
        mech::InitialState initial = prepared.initial;
        initial.q = plain.value().q;
        initial.v = plain.value().v;
        if (!keep_exact) {
            initial.q_exact.assign(initial.q.size(), false);
            initial.v_exact.assign(initial.v.size(), false);
            initial.v_follows.assign(initial.v.size(), false);
        }
        for (std::size_t i = 0; i < initial.q.size(); ++i) {
            const auto move = [&](double& value, bool exact) {
                const double by = part(random) * (value == 0.0 ? zero : value);
                value += exact ? 0.0 : by;
            };
            move(initial.q[i], initial.q_exact[i]);
            move(initial.v[i], initial.v_exact[i]);
        }
        const Result<dynamics::StartState> start = dynamics::assemble(evaluator, initial);
        if (!start) {
            ++tally.refused;
            EXPECT_NE(start.error().message.find("left - right"), std::string::npos)
                << start.error().message;
            continue;
        }
        ++tally.assembled;
        EXPECT_LT(largest_start_residual(prepared, start.value()), 1e-12) << name;
        for (std::size_t i = 0; i < initial.q.size(); ++i) {
            if (initial.q_exact[i]) {
                EXPECT_EQ(start.value().q[i], initial.q[i]) << name;
            }
            if (initial.v_exact[i]) {
                EXPECT_EQ(start.value().v[i], initial.v[i]) << name;
            }
        }
    }
    return tally;
}

TEST(Assembly, GuessesOffByAQuarterConverge) {
    for (const std::string name :
         {"andrews", "car_axis", "two_link_pendulum", "two_link_pendulum_redundant",
          "double_pendulum", "triple_pendulum", "spherical_pendulum", "free_top", "duffing",
          "zekovich_fork", "zekovich_axial_blade", "perpendicular", "appell_a1_up"}) {
        const Tally tally = try_guesses(name, 0.25, 0.25, false);
        EXPECT_GE(tally.assembled, 48) << name;
    }
}

TEST(Assembly, GuessesOffByHalfConvergeOrSayWhy) {
    for (const std::string name : {"andrews", "car_axis", "two_link_pendulum", "triple_pendulum",
                                   "spherical_pendulum", "zekovich_axial_blade", "perpendicular"}) {
        const Tally tally = try_guesses(name, 0.5, 0.5, false);
        EXPECT_GE(tally.assembled, 35) << name;
        EXPECT_EQ(tally.assembled + tally.refused, 50) << name;
    }
}

TEST(Assembly, ExactValuesStayToTheLastBit) {
    for (const std::string name : {"andrews", "duffing", "spherical_pendulum", "perpendicular",
                                   "appell_a1_up", "massless_interface", "moving_support"}) {
        const Tally tally = try_guesses(name, 0.2, 0.2, true);
        EXPECT_GE(tally.assembled, 45) << name;
    }
}

// P21 (70): the free velocity becomes 2 + A0 omega.
TEST(Assembly, DuffingFindsItsSpeed) {
    const Loaded loaded = load_model("duffing");
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    EXPECT_NEAR(start.value().v[0], 2.0 + 2.0 * M_PI, 1e-14);
    EXPECT_EQ(start.value().v[1], 2.0);
}

// The guesses move least in the mass metric: what is left of the move is perpendicular to the
// constraints, that is M (q - q0) lies in the range of A^T.
TEST(Assembly, MovesGuessesLeast) {
    const std::string text =
        "coordinate x, y\nkinetic 3*x'^2/2 + y'^2/2\nconstraint line: x + 2*y = 1\n"
        "initial x ~ 1, y ~ 2, x' ~ 3, y' ~ -1\n";
    const Loaded loaded = load_text("line", text);
    ASSERT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    const Result<dynamics::StartState> start =
        dynamics::assemble(evaluator, loaded.prepared->initial);
    ASSERT_TRUE(start) << start.error().message;
    // lambda = -(x0 + 2 y0 - 1)/(1/3 + 4), x = x0 + lambda/3, y = y0 + 2 lambda; velocities
    // likewise
    const double lambda = -4.0 / (1.0 / 3.0 + 4.0);
    EXPECT_NEAR(start.value().q[0], 1.0 + lambda / 3.0, 1e-14);
    EXPECT_NEAR(start.value().q[1], 2.0 + 2.0 * lambda, 1e-14);
    const double rate = -1.0 / (1.0 / 3.0 + 4.0);
    EXPECT_NEAR(start.value().v[0], 3.0 + rate / 3.0, 1e-14);
    EXPECT_NEAR(start.value().v[1], -1.0 + 2.0 * rate, 1e-14);
}

}  // namespace
}  // namespace ananke::pipeline

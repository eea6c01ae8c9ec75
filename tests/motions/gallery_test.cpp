// Every model of the gallery: it checks and runs, all forms agree, the energy balances, and at
// random parameters and starts the run agrees with a second road to the same motion.
#include <cstdlib>
#include <map>
#include <set>

#include "inspect/check.h"
#include "pipeline.h"
#include "second_integrator.h"
#include "sym/walk.h"

namespace ananke::pipeline {
namespace {

/// Random variants of a model of up to eight coordinates; any number of them:
///
///   ANANKE_GALLERY_DRAWS=20 build/release/tests/test_motions --gtest_filter=Gallery.Random*
constexpr int kUsualDraws = 6;

int usual_draws() {
    const char* text = std::getenv("ANANKE_GALLERY_DRAWS");
    return text != nullptr ? std::max(std::atoi(text), 1) : kUsualDraws;
}

std::vector<std::string> gallery() {
    return stems(source_directory() / "models", ".ank");
}

/// A model of the gallery, compiled once for all tests.
const Loaded& loaded_model(const std::string& name) {
    static std::map<std::string, Loaded> all;
    const auto found = all.find(name);
    return found != all.end() ? found->second : all.emplace(name, load_model(name)).first->second;
}

bool has_actuators(const compile::Prepared& prepared) {
    return !prepared.equations.controls.empty();
}

TEST(Gallery, EveryModelChecksAndItsFormsAgree) {
    EXPECT_GE(gallery().size(), 36U);
    for (const std::string& name : gallery()) {
        SCOPED_TRACE(name);
        const Loaded& loaded = loaded_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        EXPECT_EQ(loaded.messages, "");
        const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_GE(report.value().random_states, 3);
        for (const auto* forms :
             {&report.value().forms_at_start, &report.value().forms_at_random}) {
            EXPECT_EQ(forms->size(), 7U);
            for (const inspect::FormAgreement& form : *forms) {
                EXPECT_LT(form.difference, 1e-9) << solve::form_name(form.form);
                const bool for_actuators =
                    form.form == solve::Form::kMultipliers || form.form == solve::Form::kMinimal;
                const bool may_refuse = form.form == solve::Form::kGauss ||
                                        form.form == solve::Form::kFundamental ||
                                        (has_actuators(*loaded.prepared) && !for_actuators);
                EXPECT_TRUE(form.applies || may_refuse)
                    << solve::form_name(form.form) << ": " << form.reason;
            }
        }
    }
}

// The whole run of each model, as its text asks for it.
TEST(Gallery, EveryModelRunsOnItsConstraintsWithBalancedEnergy) {
    for (const std::string& name : gallery()) {
        SCOPED_TRACE(name);
        const Loaded& loaded = loaded_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Recording run =
            run_model(*loaded.prepared, {.times = even_times(end_of(*loaded.prepared), 40)});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_LT(largest_residual(run), 1e-12);
        EXPECT_LT(run.summary.largest_energy_imbalance,
                  1e-8 * std::max(1.0, run.summary.energy_scale));
        EXPECT_FALSE(run.summary.rank_warning);
    }
}

// The constraints hold to rounding whatever the tolerance, also at times inside steps.
TEST(Gallery, LooseTolerancesKeepTheConstraintsAsWell) {
    std::mt19937 random(23);
    for (const std::string& name : gallery()) {
        SCOPED_TRACE(name);
        const Loaded& loaded = loaded_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        std::uniform_real_distribution<double> inside(0.0, end_of(*loaded.prepared));
        std::vector<double> times(40);
        std::generate(times.begin(), times.end(), [&] { return inside(random); });
        std::sort(times.begin(), times.end());
        for (const double tolerance : {1e-8, 1e-5}) {
            const Recording run =
                run_model(*loaded.prepared, {.times = times, .tolerance = tolerance});
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_LT(largest_residual(run), 1e-12) << "at tolerance " << tolerance;
        }
    }
}

// ---- random parameters and starts

/// How far a model can be moved and how long it is followed.
struct Spread {
    double factor = 1.4;  ///< parameters are multiplied by 1/factor .. factor
    double start = 0.2;   ///< starts are moved by up to this part, or by start/2 where they are 0
    double until = 1.0;
    std::vector<std::string> settings = {};
};

Spread spread_of(const std::string& name) {
    static const std::map<std::string, Spread> kSpecial{
        // Lengths of the closed loops must still close.
        {"andrews", {.factor = 1.03, .start = 0.05, .until = 0.006}},
        {"car_axis", {.factor = 1.2, .start = 0.1, .until = 0.3}},
        {"chain", {.until = 0.1, .settings = {"N=5"}}},
        // Before the particle stops.
        {"appell_a1_up", {.until = 0.25}},
        // Before the first impact: the second integrator knows no events.
        {"bouncing_ball", {.until = 0.2}},
        {"pendulum_wall", {.until = 0.2}},
        // Closed loops of bodies: lengths and angles near those that are declared.
        {"bicycle", {.factor = 1.1, .start = 0.02, .until = 0.3}},
        {"bricard_square", {.start = 0.02, .until = 0.3}},
        {"flyball_governor", {.factor = 1.1, .start = 0.05, .until = 0.3}},
        {"stiff_governor", {.factor = 1.1, .start = 0.0, .until = 0.02}},
        {"n_four_bar_bodies", {.start = 0.1, .until = 0.2}},
        {"slider_crank", {.start = 0.1, .until = 0.3}},
        {"stewart_platform", {.start = 0.1}},
        // About fifty turns per second.
        {"fast_top", {.until = 0.1}},
        // It winds up: what the second road does not project grows with its speed.
        {"screw_nut", {.until = 0.3}},
    };
    const auto found = kSpecial.find(name);
    return found == kSpecial.end() ? Spread{} : found->second;
}

/// Parameters that stand by themselves: neither structural nor computed from others.
std::vector<std::string> random_parameters(const compile::Prepared& prepared, double factor,
                                           std::mt19937& random) {
    std::uniform_real_distribution<double> exponent(-1.0, 1.0);
    std::vector<std::string> settings;
    for (std::size_t i = 0; i < prepared.parameters.size(); ++i) {
        const mech::Parameter& parameter = prepared.model.parameters[i];
        if (!parameter.structural &&
            sym::symbols_of(prepared.model.graph, parameter.value).empty()) {
            settings.push_back(setting(
                parameter.name, prepared.parameters[i] * std::pow(factor, exponent(random))));
        }
    }
    return settings;
}

/// All values as guesses, moved at random.
mech::InitialState random_start(mech::InitialState initial, double spread, std::mt19937& random) {
    std::uniform_real_distribution<double> part(-spread, spread);
    for (std::vector<double>* values : {&initial.q, &initial.v}) {
        for (double& value : *values) {
            value += value == 0.0 ? 0.5 * part(random) : value * part(random);
        }
    }
    initial.q_exact.assign(initial.q.size(), false);
    initial.v_exact.assign(initial.v.size(), false);
    initial.v_follows.assign(initial.v.size(), false);
    return initial;
}

/// Largest difference between the run and the second integrator at the rows of the run.
void compare_with_second_road(const compile::Prepared& prepared, const dynamics::StartState& start,
                              double until) {
    const Recording run =
        run_from(prepared, start, {.times = even_times(until, 4), .tolerance = 1e-11});
    ASSERT_FALSE(run.error) << run.error->message;
    SecondIntegrator second(prepared.compiled, prepared.parameters, 1e-11);
    const auto n = static_cast<Eigen::Index>(start.q.size());
    Eigen::VectorXd y(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
        y[i] = start.q[static_cast<std::size_t>(i)];
        y[n + i] = start.v[static_cast<std::size_t>(i)];
    }
    double t = 0.0;
    for (std::size_t row = 1; row < run.rows.rows(); ++row) {
        const std::span<const double> values = run.rows.row(row);
        const std::optional<Eigen::VectorXd> next = second.advance(t, y, values[0]);
        ASSERT_TRUE(next) << "the second integrator stops after t = " << t;
        y = *next;
        t = values[0];
        for (Eigen::Index i = 0; i < 2 * n; ++i) {
            ASSERT_LT(scaled_error(values[static_cast<std::size_t>(1 + i)], y[i]), 1e-8)
                << run.rows.header.columns[static_cast<std::size_t>(1 + i)].name << " at t = " << t;
        }
    }
}

/// The second road is dense and slow: where there are many coordinates there are fewer draws, and
/// each is followed for a short while.
constexpr int kFewCoordinates = 8;

int draws_of(const compile::Prepared& prepared) {
    const int n = prepared.compiled->n();
    const int draws = usual_draws();
    return n <= kFewCoordinates ? draws
           : n <= 16            ? (draws + 3) / 4
           : n <= 30            ? (draws + 9) / 10
                                : 1;
}

TEST(Gallery, RandomVariantsAgreeWithASecondIntegratorAndForm) {
    for (const std::string& name : gallery()) {
        SCOPED_TRACE(name);
        const Spread spread = spread_of(name);
        std::mt19937 random(static_cast<unsigned>(name.size() * 1000 + 17));
        const Loaded plain = load_model(name, spread.settings);
        ASSERT_TRUE(plain.prepared) << plain.messages;
        if (!plain.prepared->compiled->frictions.empty()) {
            continue;  // the second integrator knows no stick and slip; see friction_test.cpp
        }
        const int draws = draws_of(*plain.prepared);
        int assembled = 0;
        for (int draw = 0; draw < 2 * draws && assembled < draws; ++draw) {
            std::vector<std::string> settings =
                random_parameters(*plain.prepared, spread.factor, random);
            settings.insert(settings.end(), spread.settings.begin(), spread.settings.end());
            const Loaded loaded = load_model(name, settings);
            ASSERT_TRUE(loaded.prepared) << loaded.messages;
            dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
            const Result<dynamics::StartState> start = dynamics::assemble(
                evaluator, random_start(loaded.prepared->initial, spread.start, random));
            if (!start) {
                continue;
            }
            ++assembled;
            SCOPED_TRACE("draw " + std::to_string(draw));
            const bool few = plain.prepared->compiled->n() <= kFewCoordinates;
            const double until = few ? spread.until : spread.until / 10;
            compare_with_second_road(*loaded.prepared, start.value(), until);
            if (testing::Test::HasFatalFailure()) {
                return;
            }
        }
        EXPECT_EQ(assembled, draws) << "most random starts should be assembled";
    }
}

}  // namespace
}  // namespace ananke::pipeline

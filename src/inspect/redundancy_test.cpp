// Constraints said more than once, constraints that contradict each other, and gauge freedom: what
// must not change the motion, and what must be answered with names.
#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "inspect/check.h"
#include "pipeline.h"

namespace ananke::pipeline {
namespace {

struct Equation {
    std::string left, right;
};

/// The constraints that have a line of their own.
std::vector<Equation> constraints_of(const std::string& text) {
    std::vector<Equation> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("constraint ", 0) != 0 && line.rfind("servo ", 0) != 0) {
            continue;
        }
        line = line.substr(0, line.find('#'));
        const std::size_t colon = line.find(':');
        const std::size_t equals = line.find('=', colon);
        found.push_back({line.substr(colon + 1, equals - colon - 1), line.substr(equals + 1)});
    }
    return found;
}

/// Each constraint once or twice more, multiplied by 1e-5 .. 1e5, and sums of neighbours.
std::string with_copies(const std::string& text, std::mt19937& random) {
    std::uniform_real_distribution<double> exponent(-5.0, 5.0);
    std::uniform_int_distribution<int> coin(0, 1);
    const auto factor = [&] {
        return to_text((coin(random) == 0 ? 1.0 : -1.0) * std::pow(10.0, exponent(random)));
    };
    std::string longer = text;
    int count = 0;
    const std::vector<Equation> equations = constraints_of(text);
    for (std::size_t i = 0; i < equations.size(); ++i) {
        for (int copy = 0; copy < 1 + coin(random); ++copy) {
            const std::string s = factor();
            longer += fmt::format("constraint copy{}: ({})*({}) = ({})*({})\n", ++count, s,
                                  equations[i].left, s, equations[i].right);
        }
        if (i > 0) {
            const std::string s = factor();
            longer += fmt::format("constraint sum{}: ({}) + ({})*({}) = ({}) + ({})*({})\n",
                                  ++count, equations[i - 1].left, s, equations[i].left,
                                  equations[i - 1].right, s, equations[i].right);
        }
    }
    return longer;
}

TEST(Redundancy, ScaledCopiesOfConstraintsChangeNothing) {
    std::mt19937 random(99);
    int compared = 0;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        const std::string text = model_text(name);
        const bool actuators = text.find("actuators") != std::string::npos;
        if (constraints_of(text).empty() || name == "chain" || actuators) {
            continue;  // a passive copy of a servo row would do the work of its actuator
        }
        SCOPED_TRACE(name);
        const Loaded plain = load_text(name, text);
        ASSERT_TRUE(plain.prepared) << plain.messages;
        if (!plain.prepared->compiled->frictions.empty()) {
            continue;  // copies take their share of the load that the friction depends on
        }
        const Settings settings{.times = even_times(std::min(0.5, end_of(*plain.prepared)), 10)};
        const Recording expected = run_model(*plain.prepared, settings);
        ASSERT_FALSE(expected.error) << expected.error->message;
        for (int trial = 0; trial < 4; ++trial) {
            const std::string longer = with_copies(text, random);
            SCOPED_TRACE(longer.substr(text.size()));
            const Loaded copied = load_text(name, longer);
            ASSERT_TRUE(copied.prepared) << copied.messages;
            const Recording run = run_model(*copied.prepared, settings);
            ASSERT_FALSE(run.error) << run.error->message;
            EXPECT_LT(largest_difference(
                          expected, run,
                          {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
                      1e-10);
            EXPECT_EQ(run.summary.rank, expected.summary.rank);
            ++compared;
        }
    }
    EXPECT_GE(compared, 100);
}

/// Each constraint as it is, multiplied by a factor.
std::string with_factor(const std::string& text, double factor) {
    std::istringstream lines(text);
    std::string scaled;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<Equation> found = constraints_of(line);
        if (!found.empty()) {
            line = fmt::format("{} {}*({}) = {}*({})", line.substr(0, line.find(':') + 1),
                               to_text(factor), found[0].left, to_text(factor), found[0].right);
        }
        scaled += line + "\n";
    }
    return scaled;
}

// A constraint in other units is the same constraint: it is held, and its start assembled, as well.
TEST(Redundancy, TheScaleOfAConstraintChangesNothing) {
    for (const std::string name :
         {"pendulum", "two_link_pendulum", "duffing", "andrews", "car_axis", "free_top",
          "double_pendulum", "perpendicular", "appell_a1_down", "constant_speed",
          "zekovich_axial_blade", "moving_support", "parallel_in_space"}) {
        SCOPED_TRACE(name);
        const std::string text = model_text(name);
        const Loaded plain = load_text(name, text);
        ASSERT_TRUE(plain.prepared) << plain.messages;
        const double until = std::min(1.0, end_of(*plain.prepared));
        const Settings fine{.times = even_times(until, 10)};
        const Settings coarse{.times = even_times(until, 10), .tolerance = 1e-6};
        const Recording expected = run_model(*plain.prepared, fine);
        ASSERT_FALSE(expected.error) << expected.error->message;
        for (const double factor : {1e-12, 1e-5, 1e5, 1e12}) {
            SCOPED_TRACE(factor);
            const Loaded scaled = load_text(name, with_factor(text, factor));
            ASSERT_TRUE(scaled.prepared) << scaled.messages;
            const Recording run = run_model(*scaled.prepared, fine);
            ASSERT_FALSE(run.error) << run.error->message;
            const auto kinds = {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce};
            EXPECT_LT(largest_difference(expected, run, kinds), 1e-10);
            const Recording run_coarse = run_model(*scaled.prepared, coarse);
            ASSERT_FALSE(run_coarse.error) << run_coarse.error->message;
            EXPECT_LT(largest_residual(run_coarse), 1e-12);
        }
    }
}

// A pendulum of a micrometre is a pendulum: lengths L and times sqrt(L) make it the one of a metre.
TEST(Redundancy, SmallLengthsAreHeldAsWell) {
    const Loaded large = load_model("pendulum");
    const double L = 1e-6;
    const Loaded small = load_model("pendulum", {setting("L", L)});
    ASSERT_TRUE(large.prepared && small.prepared);
    const Recording a = run_model(*large.prepared, {.times = even_times(2.0, 8)});
    const Recording b = run_model(*small.prepared, {.times = even_times(2.0 * std::sqrt(L), 8)});
    ASSERT_FALSE(a.error || b.error);
    for (std::size_t i = 0; i < a.rows.rows(); ++i) {
        const double x = b.at(i, "x") / L;
        const double y = b.at(i, "y") / L;
        EXPECT_NEAR(x, a.at(i, "x"), 1e-6);
        EXPECT_NEAR(y, a.at(i, "y"), 1e-6);
        EXPECT_NEAR(x * x + y * y, 1.0, 1e-8);
    }
}

TEST(Redundancy, AStartOffASmallConstraintIsRefused) {
    for (const double factor : {1.0, 1e-12, 1e12}) {
        const std::string text = with_factor(model_text("two_link_pendulum"), factor);
        const Loaded loaded = load_text("off", text, {"x=1.1"});
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Recording run = run_model(*loaded.prepared, {.times = {0.0}});
        ASSERT_TRUE(run.error) << "at factor " << factor;
        EXPECT_NE(run.error->message.find("rod1"), std::string::npos) << run.error->message;
    }
}

// A holonomic constraint beside its own derivative.
TEST(Redundancy, AConstraintAndItsRateAgree) {
    const std::string text = model_text("spherical_pendulum");
    const Loaded plain = load_text("plain", text);
    const Loaded doubled =
        load_text("doubled", text + "constraint rate: 1e3*(x*x' + y*y' + z*z') = 0\n");
    ASSERT_TRUE(plain.prepared && doubled.prepared) << plain.messages << doubled.messages;
    const Settings settings{.times = even_times(5.0, 20)};
    const Recording a = run_model(*plain.prepared, settings);
    const Recording b = run_model(*doubled.prepared, settings);
    ASSERT_FALSE(b.error) << b.error->message;
    EXPECT_LT(largest_difference(
                  a, b, {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
              1e-10);
}

// ---- contradictions

/// The names listed in "the constraints a, b and c contradict each other ...".
std::set<std::string> names_in(const std::string& message) {
    const std::string begin = "the constraints ";
    const std::size_t from = message.find(begin);
    const std::size_t to = message.find(" contradict", from);
    if (from == std::string::npos || to == std::string::npos) {
        return {};
    }
    std::string list = message.substr(from + begin.size(), to - from - begin.size());
    std::set<std::string> names;
    for (std::size_t at = list.find(" and "); at != std::string::npos; at = list.find(" and ")) {
        list.replace(at, 5, ", ");
    }
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        names.insert(word.substr(word.find_first_not_of(' ')));
    }
    return names;
}

/// What a person reads when the model is run.
std::string answer(const Loaded& loaded) {
    if (!loaded.prepared) {
        return loaded.messages;
    }
    const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
    if (!report) {
        return report.error().message + "\n";
    }
    const Recording run = run_model(*loaded.prepared, {.times = {0.0, 1.0}});
    return run.error ? run.error->message + "\n" : "";
}

// Seven harmless constraints, some of them dependent, all tied to the coordinates of the three that
// contradict each other while any two of these agree.
void expect_three_named(const std::array<std::string, 3>& contradictory, const std::string& level,
                        bool with_redundant, std::mt19937& random) {
    std::vector<std::string> lines{
        "constraint " + contradictory[0],  "constraint " + contradictory[1],
        "constraint " + contradictory[2],  "constraint c1: z + x = 2*w",
        "constraint c2: w' = u' + 0.5*y'", "constraint c3: u - p = sin(p)",
        "constraint c4: p' + r' = 0",      "constraint c5: r - s + x*y = 0",
    };
    if (with_redundant) {
        lines.push_back("constraint c6: 1e3*(z + x - 2*w) = 0");
        lines.push_back("constraint c7: 1e-3*(p' + r') + w' = u' + 0.5*y'");
    } else {
        lines.push_back("constraint c6: s + k = 0");
        lines.push_back("constraint c7: k' = j'");
    }
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text =
        "coordinate x, y, z, w, u, p, r, s, k, j\n"
        "kinetic x'^2 + y'^2 + z'^2 + w'^2 + u'^2 + p'^2 + r'^2 + s'^2 + k'^2 + "
        "2*j'^2\n";
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    SCOPED_TRACE(level + "\n" + text);
    const std::string message = answer(load_text("ten", text));
    EXPECT_EQ(names_in(message), (std::set<std::string>{"one", "two", "three"})) << message;
}

TEST(Contradiction, ExactlyTheThreeAreNamedInAnyOrder) {
    std::mt19937 random(5);
    for (int trial = 0; trial < 20; ++trial) {
        for (const bool redundant : {false, true}) {
            expect_three_named({"one: x = 1", "two: y = 1", "three: x + y = 1"}, "positions",
                               redundant, random);
            expect_three_named({"one: x' = 1", "two: y' = 1", "three: x' + y' = 1"}, "velocities",
                               redundant, random);
            expect_three_named({"one: x = t^2", "two: y = t^2", "three: x + y = t^2"},
                               "accelerations", redundant, random);
            expect_three_named({"one: x = t^2", "two: y' = 2*t", "three: 3*(x' + y') = 2*t"},
                               "accelerations, mixed", redundant, random);
        }
    }
}

TEST(Errors, OfTheGalleryAreAnsweredWithTheExpectedText) {
    const fs::path expected = source_directory() / "tests" / "errors";
    const std::vector<std::string> names = stems(source_directory() / "models" / "errors", ".ank");
    EXPECT_GE(names.size(), 5U);
    for (const std::string& name : names) {
        const std::string path = "models/errors/" + name + ".ank";
        EXPECT_EQ(answer(load_text(path, contents(source_directory() / path))),
                  contents(expected / (name + ".expected")))
            << name;
    }
}

// What a body lacks is its inertia, and a slender rod lacks it about its own axis only.
TEST(Errors, ABodyThatTurnsFreelyIsToldAboutItsInertia) {
    EXPECT_EQ(answer(load_text("b.ank", "body b mass 1\n")),
              "the motion is not determined: the body b (b.u1, b.u2 and b.u3) at b.ank:1:6 has no "
              "inertia and no constraint that keeps it from turning; give `inertia` or add a "
              "constraint\n");
    const std::string rod = answer(load_text(
        "rod.ank",
        "body rod mass 1 inertia (0, 1, 1) at ~ (1, 0, 0), orientation rotation((1, 2, 3), "
        "0.4)\nconstraint pin: position(rod at (-1, 0, 0)) = (0, 0, 0)\n"));
    EXPECT_NE(rod.find("at rod.ank:1:6 has no inertia about its own x axis and no constraint that "
                       "keeps it from turning; give `inertia` or add a constraint"),
              std::string::npos)
        << rod;
}

// ---- gauge freedom, UW13 remark 1

TEST(Gauge, ChangesNoMotion) {
    for (const std::string name :
         {"two_link_pendulum", "free_top", "massless_interface", "duffing", "perpendicular",
          "andrews", "car_axis", "parallel_in_space", "nonideal_nonholonomic_free",
          "two_link_pendulum_redundant", "spherical_pendulum", "prescribed_speed"}) {
        SCOPED_TRACE(name);
        const std::string text = model_text(name);
        const Loaded plain = load_text(name, text);
        ASSERT_TRUE(plain.prepared) << plain.messages;
        const std::string q = plain.prepared->model.coordinates[0].name;
        const std::string c = plain.prepared->model.constraints[0].name;
        const Settings settings{.times = even_times(std::min(1.0, end_of(*plain.prepared)), 10)};
        const Recording expected = run_model(*plain.prepared, settings);
        ASSERT_FALSE(expected.error) << expected.error->message;
        const std::vector<std::string> gauges{
            "",
            "gauge alpha = 0.3 + t^2\n",
            fmt::format("gauge alpha = 2 + sin(5*t), G = 1.5 + cos({})\n", q),
            fmt::format("gauge G[{}] = 3 + sin({})^2, z = 2*{}' - t\n", c, q, q),
            fmt::format("gauge alpha = 0.7, G = 0.2 + {}^2, z = 5, z[{}] = {}*{}'\n", q, c, q, q),
        };
        for (const std::string& gauge : gauges) {
            SCOPED_TRACE(gauge);
            const Loaded gauged = load_text(name, text + gauge);
            ASSERT_TRUE(gauged.prepared) << gauged.messages;
            for (const solve::Form form :
                 {solve::Form::kAuto, solve::Form::kWanichanon, solve::Form::kSchutte}) {
                Settings other = settings;
                other.form = form;
                const Recording run = run_model(*gauged.prepared, other);
                ASSERT_FALSE(run.error) << solve::form_name(form) << ": " << run.error->message;
                EXPECT_LT(largest_difference(
                              expected, run,
                              {ColumnKind::kPosition, ColumnKind::kVelocity, ColumnKind::kForce}),
                          1e-9)
                    << solve::form_name(form);
            }
        }
    }
}

}  // namespace
}  // namespace ananke::pipeline

// Joints are text: each kind leaves the freedom it should and keeps what it promises, and a copy of
// the prelude under other names, imported by a model, does the same to the last bit.
#include <random>
#include <regex>

#include <fmt/format.h>

#include "inspect/check.h"
#include "lang/prelude.h"
#include "pipeline.h"
#include "sym/print.h"

namespace ananke::pipeline {
namespace {

/// `zero` is an output that a reader of a textbook would write for the joint, not the constraint's
/// own equation.
struct Case {
    const char* kind;
    int freedom;
    std::string text;
};

constexpr const char* kStatement =
    "body b mass 2 inertia [1, 0.1, 0; 0.1, 1.2, -0.2; 0, -0.2, 1.5] at ~ (0.3, 0.1, 0.2), "
    "velocity ~ (0.2, 0.1, 0.3), omega ~ (1, 2, 1.5)";
/// A turn by 0.4 about (1, 2, 2).
constexpr const char* kGuess =
    "initial b.u0 ~ 0.98007, b.u1 ~ 0.06622, b.u2 ~ 0.13245, b.u3 ~ 0.13245\n";
const std::string kBody = std::string("gravity (0.3, -0.2, -9.81)\n") + kStatement + "\n" + kGuess;

std::vector<Case> cases() {
    const std::string b = kBody;
    return {
        {"revolute", 1,
         b + "joint j: revolute(ground at (0.1, 0, 0), b at (-0.3, 0, 0.1), axis = (1, 2, 2))\n"
             "output zero = norm(cross(omega(b), (1, 2, 2))) + norm(position(b at (-0.3, 0, 0.1)) "
             "- "
             "(0.1, 0, 0))\n"},
        {"prismatic", 1,
         b + "joint j: prismatic(ground, b at (0.1, 0, 0), axis = (1, 2, 2))\n"
             "output zero = norm(omega(b)) + norm(cross(velocity(b), (1, 2, 2)))\n"},
        {"cylindrical", 2,
         b + "joint j: cylindrical(ground, b at (0.1, 0, 0), axis = (1, 2, 2))\n"
             "output zero = norm(cross(omega(b), (1, 2, 2))) + norm(cross(position(b at (0.1, 0, "
             "0)), "
             "(1, 2, 2)))\n"},
        {"spherical", 3,
         b + "joint j: spherical(b at (0.1, 0.2, 0), ground)\n"
             "output zero = norm(position(b at (0.1, 0.2, 0)))\n"},
        {"universal", 2,
         b + "joint j: universal(ground, b at (0.1, 0, 0), axis = (0, 0, 1), other = (1, 0, 0))\n"
             "output zero = norm(velocity(b at (0.1, 0, 0))) + abs(fixed(b, (1, 0, 0)).z)\n"},
        {"planar", 3,
         b + "joint j: planar(ground, b at (0.1, 0, 0), normal = (1, 2, 2))\n"
             "output zero = abs(dot(velocity(b at (0.1, 0, 0)), (1, 2, 2))) + norm(cross(omega(b), "
             "(1, "
             "2, 2)))\n"},
        {"weld", 0,
         b + "joint j: weld(ground, b at (0.1, 0, 0))\noutput zero = norm(omega(b)) + "
             "norm(velocity(b))\n"},
        {"distance", 5,
         b + "joint j: distance(ground at (1, 0, 0), b at (0.1, 0, 0), length = 0.8)\n"
             "output zero = norm(position(b at (0.1, 0, 0)) - (1, 0, 0)) - 0.8\n"},
        {"point_on_line", 4,
         b + "joint j: point_on_line(ground at (0, 0, 0.1), b at (0.1, 0, 0), axis = (1, 2, 2))\n"
             "output zero = norm(cross(position(b at (0.1, 0, 0)) - (0, 0, 0.1), (1, 2, 2)))\n"},
        {"point_on_plane", 5,
         b + "joint j: point_on_plane(ground at (0, 0, 0.1), b at (0.1, 0, 0), normal = (1, 2, "
             "2))\n"
             "output zero = dot(position(b at (0.1, 0, 0)) - (0, 0, 0.1), (1, 2, 2))\n"},
        {"point_on_curve", 4,
         b + "coordinate s\ninitial s ~ 0.3\n"
             "joint j: point_on_curve(ground, b at (0.1, 0, 0), curve = (cos(s), sin(s), s/5))\n"
             "let p = position(b at (0.1, 0, 0))\noutput zero = p.x^2 + p.y^2 - 1\n"},
        {"angle", 1,
         b + "joint h: revolute(ground, b at (-0.3, 0, 0.1), axis = (1, 2, 2))\n"
             "joint j: angle(ground, b, axis = (1, 2, 2), start_angle = 7)\n"
             "output zero = j.value' - dot(omega(b), (1, 2, 2))/3\n"},
        {"gear", 1,
         b + "body c mass 1 inertia (1, 1, 1) at ~ (1, 0, 0)\n"
             "joint h: revolute(ground, b at (-0.3, 0, 0.1), axis = (0, 0, 1))\n"
             "joint k: revolute(ground at (2, 0, 0), c, axis = (0, 1, 1))\n"
             "joint j: gear(b, c, axis = (0, 0, 1), ratio = -2.5, other = (0, 1, 1))\n"
             "output zero = dot(omega(c), (0, 1, 1))/sqrt(2) + 2.5*omega(b).z\n"},
        {"screw", 1,
         b + "joint j: screw(ground, b at (0.1, 0, 0), axis = (0, 0, 1), pitch = 0.3)\n"
             "output zero = velocity(b at (0.1, 0, 0)).z - 0.3/(2*pi)*omega(b).z\n"},
        {"rack", 1,
         b + "body c mass 1 inertia (1, 1, 1) at ~ (1, 0, 0)\n"
             "joint h: revolute(ground, b at (-0.3, 0, 0.1), axis = (0, 0, 1))\n"
             "joint k: prismatic(ground, c, axis = (1, 0, 0))\n"
             "joint j: rack(b, c, axis = (0, 0, 1), direction = (1, 0, 0), radius = 0.2)\n"
             "output zero = velocity(c).x - 0.2*omega(b).z\n"},
        {"rolling_sphere", 3,
         b + "joint j: rolling_sphere(ground, b at (0.05, 0, 0), radius = 0.4)\n"
             "output zero = norm(velocity(b at (0.05, 0, 0)) + cross(omega(b), (0, 0, -0.4)))\n"},
        {"rolling_disk", 3,
         b + "joint j: rolling_disk(ground, b, radius = 0.4, axis = (0, 1, 0.2))\n"
             "let a = fixed(b, (0, 1, 0.2))/sqrt(1.04)\n"
             "let down = -((0, 0, 1) - a.z*a)\n"
             "output zero = norm(velocity(b) + cross(omega(b), 0.4*down/norm(down)))\n"},
        {"rolling_wheel", 3,
         b + "joint j: rolling_wheel(ground, b, radius = 0.4, tyre = 0.05, axis = (0, 1, 0.2))\n"
             "let a = fixed(b, (0, 1, 0.2))/sqrt(1.04)\n"
             "let down = -((0, 0, 1) - a.z*a)\n"
             "output zero = norm(velocity(b) + cross(omega(b), 0.4*down/norm(down) - (0, 0, "
             "0.05)))\n"},
        {"knife_edge", 2,
         b + "joint p: planar(ground, b)\n"
             "joint j: knife_edge(b at (0.2, 0, 0), direction = (1, 0, 0))\n"
             "output zero = norm(cross(velocity(b at (0.2, 0, 0)), fixed(b, (1, 0, 0))))\n"},
        {"prescribed_angle", 0,
         b + "joint h: revolute(ground, b at (-0.3, 0, 0.1), axis = (0, 0, 1))\n"
             "joint j: prescribed_angle(ground, b, axis = (0, 0, 1), angle = 0.3*t + t^2)\n"
             "output zero = omega(b).z - 0.3 - 2*t\n"},
        {"prescribed_distance", 0,
         b + "joint h: prismatic(ground, b, axis = (0, 0, 1))\n"
             "joint j: prescribed_distance(ground, b, axis = (0, 0, 1), distance = 0.1*sin(2*t))\n"
             "output zero = position(b).z - 0.1*sin(2*t)\n"},
        {"spring", 6,
         b + "joint j: spring(ground at (0, 0, 2), b at (0.1, 0, 0), stiffness = 30, length = 1)\n"
             "let r = position(b at (0.1, 0, 0)) - (0, 0, 2)\n"
             "output zero = 2*velocity(b)'.x - 2*0.3 + 30*(norm(r) - 1)*r.x/norm(r)\n"},
        {"damper", 6,
         b + "joint j: damper(ground at (0, 0, 2), b, damping = 3)\n"
             "let r = position(b) - (0, 0, 2)\n"
             "output zero = 2*velocity(b)'.x - 2*0.3 + 3*dot(velocity(b), r)*r.x/dot(r, r)\n"},
        {"torsion_spring", 1,
         "body b mass 2 inertia (1, 1, 1.5)\n"
         "joint h: revolute(ground, b)\n"
         "joint j: torsion_spring(ground, b, (0, 0, 1), stiffness = 4, rest = 1)\n"
         "output zero = 1.5*omega(b)'.z + 4*(j.turn.value - 1)\n"},
        {"torsion_damper", 1,
         "body b mass 2 inertia (1, 1, 1.5) omega (0, 0, 2)\n"
         "joint h: revolute(ground, b)\n"
         "joint j: torsion_damper(ground, b, (0, 0, 1), damping = 0.5)\n"
         "output zero = 1.5*omega(b)'.z + 0.5*omega(b).z\n"},
        {"motor", 1,
         "body b mass 2 inertia (1, 1, 1.5)\n"
         "joint h: revolute(ground, b)\n"
         "joint j: motor(ground, b, (0, 0, 1), torque = 3*cos(t))\n"
         "output zero = omega(b).z - 2*sin(t)\n"},
    };
}

Loaded load_with(const std::string& text, const std::string& imported) {
    lang::Options options;
    options.read = [&](const std::string&, const std::string&) -> Result<std::string> {
        return imported;
    };
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(sources, "joint.ank", text, options);
    Loaded loaded;
    loaded.messages = render(parsed.diagnostics, sources);
    if (parsed.model) {
        compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
        loaded.messages += render(preparation.diagnostics, sources);
        loaded.prepared = std::move(preparation.prepared);
    }
    return loaded;
}

std::vector<std::string> defined_kinds(const std::string& text) {
    std::vector<std::string> kinds;
    const std::regex definition("define joint ([a-z_]+)\\(");
    for (std::sregex_iterator i(text.begin(), text.end(), definition), end; i != end; ++i) {
        kinds.push_back((*i)[1]);
    }
    return kinds;
}

std::string prelude_text() {
    std::string text;
    for (const lang::PreludeFile& file : lang::prelude()) {
        text += file.text;
    }
    return text;
}

/// Every `joint x: kind(` and `define joint kind(` with another kind.
std::string renamed(const std::string& text, const std::string& qualifier) {
    const std::string defined =
        std::regex_replace(text, std::regex("(define joint )([a-z_]+)\\("), "$1my_$2(");
    return std::regex_replace(defined, std::regex("(joint [a-z_]+: )([a-z_]+)\\("),
                              "$1" + qualifier + "my_$2(");
}

TEST(Joints, LeaveTheirFreedomAndKeepTheirPromise) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.kind);
        const Loaded loaded = load_text("joint.ank", one.text);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const Result<inspect::CheckReport> report = inspect::check(*loaded.prepared);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report.value().degrees_of_freedom, one.freedom);
        const Recording run = run_model(*loaded.prepared, {.times = even_times(0.8, 8)});
        ASSERT_FALSE(run.error) << run.error->message;
        EXPECT_LT(largest_residual(run), 1e-12);
        EXPECT_LT(run.summary.largest_energy_imbalance, 1e-8);
        for (std::size_t row = 0; row < run.rows.rows(); ++row) {
            EXPECT_NEAR(run.at(row, "zero"), 0.0, 1e-10) << "at t = " << run.at(row, "t");
        }
    }
}

/// Constraints, potentials and forces as text, or the messages.
struct Laws {
    bool accepted = false;
    std::string text;
};

Laws laws_of(const std::string& text) {
    Sources sources;
    const lang::ParseResult parsed = lang::parse_model_text(sources, "joint.ank", text, {});
    if (!parsed.model) {
        return {false, render(parsed.diagnostics, sources)};
    }
    const mech::Model& model = *parsed.model;
    Laws laws{true, ""};
    for (const mech::Constraint& constraint : model.constraints) {
        for (const sym::Expr row : constraint.rows) {
            laws.text += constraint.name + ": " + sym::print(model.graph, row) + "\n";
        }
    }
    for (const mech::EnergyTerm& term : model.potential) {
        laws.text += "potential " + sym::print(model.graph, term.value) + "\n";
    }
    for (const mech::Output& output : model.outputs) {
        laws.text += output.name + " = " + sym::print(model.graph, output.value) + "\n";
    }
    return laws;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// A guess says where the search for a start begins and nothing else: `initial` never moves a
// direction, and a guess in the statement of a body leaves it or is refused with the reason.
TEST(Joints, AreNotChangedByGuesses) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> spread(-1.0, 1.0);
    int kept = 0;
    int refused = 0;
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.kind);
        const std::string plain = replaced(one.text, kGuess, "");
        const Laws laws = laws_of(plain);
        ASSERT_TRUE(laws.accepted) << laws.text;
        for (int trial = 0; trial < 8; ++trial) {
            const auto number = [&] { return fmt::format("{:.3f}", spread(random)); };
            const Laws moved =
                laws_of(plain + "initial b.u0 ~ " + number() + ", b.u1 ~ " + number() +
                        ", b.u2 ~ " + number() + ", b.x ~ " + number() + "\n");
            ASSERT_TRUE(moved.accepted) << moved.text;
            EXPECT_EQ(moved.text, laws.text);
            const std::string axis = trial % 2 == 0
                                         ? "(1, 2, 2)"
                                         : "(" + number() + ", " + number() + ", " + number() + ")";
            const Laws stated =
                laws_of(replaced(plain, kStatement,
                                 std::string(kStatement) + " orientation ~ rotation(" + axis +
                                     ", " + number() + ")"));
            if (stated.accepted) {
                EXPECT_EQ(stated.text, laws.text);
                ++kept;
            } else {
                EXPECT_NE(stated.text.find("would depend on a guess"), std::string::npos)
                    << stated.text;
                ++refused;
            }
        }
    }
    EXPECT_GT(kept, 40);
    EXPECT_GT(refused, 40);
}

// One joint after the other between planar bodies; the motion is the same from any guess that
// leads to the same start.
TEST(Joints, BetweenPlanarBodiesMoveTheSameFromAnyGuess) {
    std::mt19937 random(6);
    std::uniform_real_distribution<double> spread(-9.0, 9.0);
    const std::vector<std::string> joints{
        "torsion_spring(ground, rod, (0, 0, 1), stiffness = 20)",
        "torsion_spring(rod, ground, (0, 0, -1), stiffness = 20, rest = 0.4)",
        "torsion_damper(ground, rod, (0, 0, 1), damping = 0.3)",
        "angle(ground, rod, start_angle = 2)",
        "gear(rod, wheel, (0, 0, 1), ratio = -2)",
        "rack(rod, wheel, (0, 0, 1), direction = (1, 0, 0), radius = 0.2)",
    };
    for (const std::string& joint : joints) {
        SCOPED_TRACE(joint);
        const auto end = [&](double a, double b) {
            const bool tied = joint.starts_with("gear") || joint.starts_with("rack");
            const Loaded loaded = load_text(
                "guess.ank",
                fmt::format("gravity (0, -9.81, 0)\n"
                            "planar body rod mass 1 inertia 0.1 at ~ (0.5, 0) angle ~ {}\n"
                            "planar body wheel mass 2 inertia 0.3 at ~ (0, 0) angle ~ {}\n"
                            "joint pin: revolute(ground, rod at (-0.5, 0, 0))\n"
                            "joint j: {}\n"
                            "coordinate s\nkinetic s'^2/2\n"
                            "constraint drive: rod.angle = 0.5 + s\n"
                            "initial s = 0, s' = 0.1{}\n"
                            "output M = rod.angle\n",
                            a, b, joint, tied ? "" : ", wheel.angle = 0"));
            EXPECT_TRUE(loaded.prepared) << loaded.messages;
            const Recording run = run_model(*loaded.prepared, {.times = even_times(0.5, 2)});
            EXPECT_FALSE(run.error) << run.error->message;
            return std::pair(run.at(2, "M"), run.at(2, "wheel.angle"));
        };
        const auto [angle, wheel] = end(0.5, 0.0);
        for (int trial = 0; trial < 4; ++trial) {
            const double a = spread(random);
            const auto [other_angle, other_wheel] = end(a, spread(random));
            EXPECT_NEAR(other_angle, angle, 1e-7) << a;
            if (joint.starts_with("gear")) {
                EXPECT_NEAR(other_wheel, wheel, 1e-7) << a;
            }
        }
    }
}

TEST(Joints, EveryKindOfThePreludeIsTested) {
    std::vector<std::string> tested;
    for (const Case& one : cases()) {
        tested.emplace_back(one.kind);
    }
    std::vector<std::string> known = defined_kinds(prelude_text());
    std::sort(tested.begin(), tested.end());
    std::sort(known.begin(), known.end());
    EXPECT_EQ(tested, known);
}

// Nothing in the program knows a joint by its name.
TEST(Joints, OfAnImportedCopyUnderOtherNamesAreTheSame) {
    const std::string copy = renamed(prelude_text(), "");
    EXPECT_EQ(defined_kinds(copy).size(), defined_kinds(prelude_text()).size());
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.kind);
        const Loaded plain = load_text("joint.ank", one.text);
        const Loaded other = load_with("import \"mine.ank\"\n" + renamed(one.text, "mine."), copy);
        ASSERT_TRUE(plain.prepared) << plain.messages;
        ASSERT_TRUE(other.prepared) << other.messages;
        const Recording a = run_model(*plain.prepared, {.times = even_times(0.4, 3)});
        const Recording b = run_model(*other.prepared, {.times = even_times(0.4, 3)});
        ASSERT_FALSE(a.error || b.error);
        EXPECT_EQ(a.rows.values, b.rows.values);
    }
}

TEST(Joints, HaveNoNamesInTheSources) {
    // Words that are also plain English in the sources are no evidence.
    const std::vector<std::string> ambiguous{"angle", "distance", "planar", "spring", "damper",
                                             "motor", "rack",     "gear",   "screw"};
    for (const std::string& kind : defined_kinds(prelude_text())) {
        if (std::find(ambiguous.begin(), ambiguous.end(), kind) != ambiguous.end()) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(source_directory() / "src")) {
            if (entry.is_regular_file() && !entry.path().stem().string().ends_with("_test")) {
                EXPECT_EQ(contents(entry.path()).find(kind), std::string::npos)
                    << kind << " in " << entry.path();
            }
        }
    }
}

}  // namespace
}  // namespace ananke::pipeline

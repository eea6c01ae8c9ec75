// `ananke derive` on the whole gallery: every form prints, the C compiles alone and gives the
// acceleration of the solver.
#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>

#include "ananke/derive.h"
#include "ananke/model.h"
#include "pipeline.h"
#include "places.h"
#include "solve/forms.h"

namespace ananke::pipeline {
namespace {

/// A directory of its own for the files of one test.
class Scratch {
  public:
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "ananke_derive_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Scratch() { fs::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

/// Exit code of the program; standard output and standard error go to files.
int derive(const Scratch& scratch, const std::string& model, const std::string& options) {
    const std::string command =
        fmt::format("'{}' derive '{}' {} > '{}' 2> '{}'", places::program(),
                    (source_directory() / "models" / (model + ".ank")).string(), options,
                    scratch.file("out"), scratch.file("err"));
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string list(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        text += fmt::format("{}, ", value);
    }
    return "{" + text + "0}";
}

/// What main.c prints. It includes model.c before any other header: that file compiles alone.
std::vector<double> compiled_numbers(const Scratch& scratch) {
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -Werror '{0}/main.c' -o '{0}/main' -lm && "
        "'{0}/main' > '{0}/numbers'",
        scratch.file(""));
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(scratch.file("numbers"));
    std::vector<double> numbers;
    for (double x = 0; in >> x;) {
        numbers.push_back(x);
    }
    return numbers;
}

/// The accelerations that the printed C computes at a state.
std::vector<double> run_c(const Scratch& scratch, const std::string& source,
                          const dynamics::StartState& at, const std::vector<double>& parameters,
                          std::size_t rows) {
    const std::size_t n = at.q.size();
    std::ofstream(scratch.file("model.c")) << source;
    std::ofstream(scratch.file("main.c")) << fmt::format(
        "#include \"model.c\"\n"
        "#include <stdio.h>\n"
        "int main(void) {{\n"
        "    const double q[] = {}, v[] = {}, p[] = {};\n"
        "    double a[{}], lambda[{}];\n"
        "    const int code = ananke_acceleration({}, q, v, p, a, lambda);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", a[i]);\n"
        "    return code;\n"
        "}}\n",
        list(at.q), list(at.v), list(parameters), n, rows + 1, at.t, n);
    return compiled_numbers(scratch);
}

/// By the solver, at a state on the constraints.
Eigen::VectorXd acceleration_at(const compile::Prepared& prepared, const dynamics::StartState& at) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<solve::Motion> motion =
        solve::evaluate(solve::Form::kAuto, evaluator.system(at.t, at.q.data(), at.v.data()));
    EXPECT_TRUE(motion) << motion.error().message;
    return motion ? motion.value().a : Eigen::VectorXd();
}

using CheckC = void (*)(const Scratch&, const std::string& source, const compile::Prepared&,
                        const dynamics::StartState&);

struct OfGallery {
    std::string name;
    Model model;
    bool has_actuators;
};

/// The gallery, loaded once for all tests that derive each of its models.
const std::vector<OfGallery>& gallery() {
    static const std::vector<OfGallery> all = [] {
        std::vector<OfGallery> models;
        for (const std::string& name : stems(source_directory() / "models", ".ank")) {
            const std::string text = model_text(name);
            ananke::Loaded loaded = load_model_text(name, text);
            EXPECT_TRUE(loaded.model) << loaded.report();
            if (loaded.model) {
                models.push_back(
                    {name, *loaded.model, text.find(" actuators (") != std::string::npos});
            }
        }
        return models;
    }();
    return all;
}

/// Checks the C of each model of the gallery, at the model's start. Models with actuators have
/// none.
void check_c_of_every_model(Form form, CheckC check) {
    const Scratch scratch;
    for (const OfGallery& one : gallery()) {
        SCOPED_TRACE(one.name);
        const Derived derived = derive(one.model, {.form = form, .notation = Notation::kC});
        EXPECT_EQ(derived.failure.has_value(), one.has_actuators);
        if (one.has_actuators) {
            continue;
        }
        const Loaded loaded = load_text(one.name, model_text(one.name));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
        const Result<dynamics::StartState> start =
            dynamics::assemble(evaluator, loaded.prepared->initial);
        ASSERT_TRUE(start) << start.error().message;
        check(scratch, derived.text, *loaded.prepared, start.value());
    }
}

void check_c(const Scratch& scratch, const std::string& source, const compile::Prepared& prepared,
             const dynamics::StartState& at) {
    const Eigen::VectorXd a = acceleration_at(prepared, at);
    const std::vector<double> numbers =
        run_c(scratch, source, at, prepared.parameters, prepared.equations.rows.size());
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(a.size()));
    const double scale = std::max(1.0, a.lpNorm<Eigen::Infinity>());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_NEAR(numbers[i], a[static_cast<Eigen::Index>(i)], 1e-10 * scale);
    }
}

TEST(DeriveProgram, TheCOfEveryModelGivesTheAccelerationOfTheSolver) {
    check_c_of_every_model(Form::kAuto, check_c);
}

TEST(DeriveProgram, PrintsEveryFormThatApplies) {
    for (const OfGallery& one : gallery()) {
        for (const Form form : {Form::kAuto, Form::kPhohomsiri, Form::kSchutte, Form::kWanichanon,
                                Form::kMultipliers, Form::kMinimal}) {
            SCOPED_TRACE(one.name + " " + std::string(form_name(form)));
            const Derived derived = derive(one.model, {.form = form});
            EXPECT_EQ(derived.failure.has_value(), one.has_actuators && form != Form::kAuto);
            if (!derived.failure) {
                EXPECT_EQ(derived.text.find("''") != std::string::npos, !one.has_actuators);
            }
        }
    }
}

/// Numbers that the printed C of the minimal equations computes: q', q'', lambda.
std::vector<double> run_minimal_c(const Scratch& scratch, const std::string& source,
                                  const dynamics::StartState& at, const std::vector<double>& u,
                                  const std::vector<double>& parameters, std::size_t evidence) {
    const std::size_t n = at.q.size();
    std::ofstream(scratch.file("model.c")) << source;
    std::ofstream(scratch.file("main.c")) << fmt::format(
        "#include \"model.c\"\n"
        "#include <stdio.h>\n"
        "int main(void) {{\n"
        "    const double q[] = {}, u[] = {}, p[] = {};\n"
        "    double q_dot[{}], u_dot[{}], a[{}], lambda[{}];\n"
        "    const int code = ananke_minimal({}, q, u, p, q_dot, u_dot, a, lambda);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", q_dot[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", a[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", lambda[i]);\n"
        "    return code;\n"
        "}}\n",
        list(at.q), list(u), list(parameters), n, u.size() + 1, n, evidence + 1, at.t, n, n,
        evidence);
    return compiled_numbers(scratch);
}

/// The names in the comment of the C file: "u[0], u_dot[0]: x'".
std::vector<std::string> input_names(const std::string& source) {
    std::vector<std::string> names;
    for (;;) {
        const std::string mark = fmt::format(" * u[{0}], u_dot[{0}]: ", names.size());
        const std::size_t at = source.find(mark);
        if (at == std::string::npos) {
            return names;
        }
        const std::size_t begin = at + mark.size();
        names.push_back(source.substr(begin, source.find('\n', begin) - begin));
    }
}

/// Values of velocities or speeds by name at a state.
std::vector<double> input_values(const compile::Prepared& prepared, const dynamics::StartState& at,
                                 const std::vector<std::string>& names) {
    sym::Values<double> values = mech::symbol_values<double>(prepared.model, prepared.parameters);
    values[prepared.model.time] = at.t;
    std::map<std::string, double> known;
    for (std::size_t i = 0; i < at.q.size(); ++i) {
        values[prepared.model.coordinates[i].q] = at.q[i];
        values[prepared.model.coordinates[i].v] = at.v[i];
        known[prepared.model.coordinates[i].name + "'"] = at.v[i];
    }
    for (const mech::NamedExpr& speed : prepared.equations.speeds) {
        known[speed.name] = sym::evaluate<double>(prepared.model.graph, speed.value, values);
    }
    std::vector<double> result;
    for (const std::string& name : names) {
        EXPECT_TRUE(known.contains(name)) << name;
        result.push_back(known[name]);
    }
    return result;
}

/// q' of the state and q'' of the solver, from the inputs of the minimal equations alone.
void check_minimal_c(const Scratch& scratch, const std::string& source,
                     const compile::Prepared& prepared, const dynamics::StartState& at) {
    const Eigen::VectorXd a = acceleration_at(prepared, at);
    const std::vector<double> u = input_values(prepared, at, input_names(source));
    const std::vector<double> numbers =
        run_minimal_c(scratch, source, at, u, prepared.parameters, 0);
    const std::size_t n = at.q.size();
    ASSERT_EQ(numbers.size(), 2 * n);
    ASSERT_EQ(a.size(), static_cast<Eigen::Index>(n));
    const double scale = std::max(1.0, a.lpNorm<Eigen::Infinity>());
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(numbers[i], at.v[i], 1e-10 * std::max(1.0, std::abs(at.v[i])));
        EXPECT_NEAR(numbers[n + i], a[static_cast<Eigen::Index>(i)], 1e-9 * scale);
    }
}

TEST(DeriveProgram, TheMinimalCOfEveryModelGivesTheAccelerationOfTheSolver) {
    check_c_of_every_model(Form::kMinimal, check_minimal_c);
}

TEST(DeriveProgram, TheMinimalCHoldsAtOtherStates) {
    const Scratch scratch;
    for (const char* name : {"perpendicular", "appell_a1_up", "two_link_pendulum"}) {
        SCOPED_TRACE(name);
        ASSERT_EQ(derive(scratch, name, "--minimal --as c"), 0) << contents(scratch.file("err"));
        const Loaded loaded = load_text(name, model_text(name));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        std::mt19937 random(7);
        std::uniform_real_distribution<double> draw(-0.2, 0.2);
        for (int sample = 0; sample < 5; ++sample) {
            mech::InitialState start = loaded.prepared->initial;
            std::fill(start.q_exact.begin(), start.q_exact.end(), false);
            std::fill(start.v_exact.begin(), start.v_exact.end(), false);
            for (std::size_t i = 0; i < start.q.size(); ++i) {
                start.q[i] += draw(random);
                start.v[i] += draw(random);
            }
            dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
            const Result<dynamics::StartState> at = dynamics::assemble(evaluator, start);
            ASSERT_TRUE(at) << at.error().message;
            check_minimal_c(scratch, contents(scratch.file("out")), *loaded.prepared, at.value());
        }
    }
}

TEST(DeriveProgram, TheMinimalCOfBodies) {  // RH section 7: omega_A . omega_B = 0; a door
    const Scratch scratch;
    const std::pair<const char*, const char*> texts[] = {
        {"omegas",
         "body A mass 1 inertia (1, 2, 3) at (0, 0, 0) omega (1, 0, 0.2)\n"
         "body B mass 1 inertia (2, 3, 4) at (3, 0, 0) omega ~ (0.1, 1, 0.1)\n"
         "servo perpendicular: dot(omega(A), omega(B)) = 0\n"
         "simulate until 1\n"},
        {"door",
         "gravity (0, 0, -9.81)\n"
         "body door mass 20 inertia (6.67, 8.33, 1.67) at (0.5, 0, 1) omega (0, 0, 2)\n"
         "speed w = omega(door).z\n"
         "joint hinge: revolute(ground at (0, 0, 1), door at (-0.5, 0, 0), axis = (0, 0, 1))\n"
         "simulate until 10\n"}};
    for (const auto& [name, text] : texts) {
        SCOPED_TRACE(name);
        const std::string file = scratch.file(std::string(name) + ".ank");
        std::ofstream(file) << text;
        const std::string command =
            fmt::format("'{}' derive '{}' --minimal --as c > '{}' 2> '{}'", places::program(), file,
                        scratch.file("out"), scratch.file("err"));
        ASSERT_EQ(std::system(command.c_str()), 0) << contents(scratch.file("err"));
        const Loaded loaded = load_text(name, text);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
        const Result<dynamics::StartState> start =
            dynamics::assemble(evaluator, loaded.prepared->initial);
        ASSERT_TRUE(start) << start.error().message;
        check_minimal_c(scratch, contents(scratch.file("out")), *loaded.prepared, start.value());
    }
}

TEST(DeriveProgram, MinimalEquationsOfThePucksAsText) {  // RH (32)-(49), read beside the paper
    const Scratch scratch;
    ASSERT_EQ(derive(scratch, "perpendicular", "--minimal --independent p1x,p1y,p2x"), 0);
    EXPECT_EQ(contents(scratch.file("out")),
              contents((source_directory() / "tests" / "derived" / "pucks_minimal.txt").string()));
    ASSERT_EQ(derive(scratch, "perpendicular", "--minimal --evidence perpendicular"), 0);
    EXPECT_EQ(contents(scratch.file("out")),
              contents((source_directory() / "tests" / "derived" / "pucks_evidence.txt").string()));
}

TEST(DeriveProgram, SaysWhatIsWrongWithAMinimalChoice) {
    const Scratch scratch;
    const auto refused = [&](const std::string& options) {
        EXPECT_EQ(derive(scratch, "perpendicular", options), 1);
        EXPECT_EQ(contents(scratch.file("out")), "");
        return contents(scratch.file("err"));
    };
    EXPECT_EQ(refused("--minimal --independent p1x,p1y,p3x"),
              "ananke: independent: no velocity or speed is called \"p3x\"; did you mean p1x?\n");
    EXPECT_EQ(refused("--minimal --independent p1x"),
              "ananke: independent: needs exactly 3 of p1x', p1y', p2x', p2y'; 1 given: p1x'\n");
    EXPECT_EQ(refused("--minimal --evidence perpendiclar"),
              "ananke: evidence: no constraint is called \"perpendiclar\"; did you mean "
              "perpendicular?\n");
    EXPECT_EQ(refused("--evidence perpendicular"),
              "ananke: --independent and --evidence belong to --minimal\n");
    EXPECT_EQ(refused("--minimal --form schutte"),
              "ananke: --minimal and --form schutte ask for different forms\n");
    EXPECT_EQ(refused("--minimal --independent p1x,p1y,p2x --set p1y\\'=0 --set p2x\\'=0"),
              "ananke: independent: p1x', p1y' and p2x' cannot be independent together: at the "
              "initial state the constraint perpendicular ties together p1y' and p2x'\n");
}

TEST(DeriveProgram, SaysWhatIsWrong) {
    const Scratch scratch;
    EXPECT_EQ(derive(scratch, "duffing", "--form newton"), 1);
    EXPECT_EQ(contents(scratch.file("err")),
              "ananke: unknown form \"newton\"; the forms are auto, fundamental, phohomsiri, "
              "schutte, wanichanon, multipliers, minimal\n");
    EXPECT_EQ(derive(scratch, "duffing", "--as html"), 1);
    EXPECT_EQ(contents(scratch.file("err")),
              "ananke: unknown notation \"html\"; the notations are text, latex, c\n");
    EXPECT_EQ(derive(scratch, "free_top", "--form fundamental"), 1);
    EXPECT_EQ(contents(scratch.file("err")),
              "ananke: the fundamental form asks for M > 0, but M is singular at the initial "
              "state\n");
    EXPECT_EQ(derive(scratch, "errors/not_unique", ""), 1);
    EXPECT_NE(contents(scratch.file("out")).find("M[x1,x1] = m1"), std::string::npos);
}

}  // namespace
}  // namespace ananke::pipeline

// `ananke derive` on the whole gallery: every form prints, the C compiles alone and gives the
// acceleration of the solver.
#include <cstdlib>

#include <fmt/format.h>

#include "pipeline.h"
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
        fmt::format("'{}' derive '{}' {} > '{}' 2> '{}'", ANANKE_PROGRAM,
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

/// The accelerations that the printed C computes at a state.
std::vector<double> run_c(const Scratch& scratch, const std::string& source,
                          const sim::StartState& at, const std::vector<double>& parameters,
                          std::size_t rows) {
    const std::size_t n = at.q.size();
    std::ofstream(scratch.file("model.c")) << source;
    std::ofstream(scratch.file("main.c")) << fmt::format(
        "#include <stdio.h>\n"
        "int ananke_acceleration(double, const double *, const double *, const double *, double *, "
        "double *);\n"
        "int main(void) {{\n"
        "    const double q[] = {}, v[] = {}, p[] = {};\n"
        "    double a[{}], lambda[{}];\n"
        "    const int code = ananke_acceleration({}, q, v, p, a, lambda);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", a[i]);\n"
        "    return code;\n"
        "}}\n",
        list(at.q), list(at.v), list(parameters), n, rows + 1, at.t, n);
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -Werror -c '{0}/model.c' -o '{0}/model.o' && "
        "cc -std=c99 '{0}/main.c' '{0}/model.o' -o '{0}/main' -lm && '{0}/main' > '{0}/numbers'",
        scratch.file(""));
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(scratch.file("numbers"));
    std::vector<double> numbers;
    for (double x = 0; in >> x;) {
        numbers.push_back(x);
    }
    return numbers;
}

TEST(DeriveProgram, TheCOfEveryModelGivesTheAccelerationOfTheSolver) {
    const Scratch scratch;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        ASSERT_EQ(derive(scratch, name, "--as c"), 0) << contents(scratch.file("err"));
        const Loaded loaded = load_text(name, model_text(name));
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const sim::Prepared& prepared = *loaded.prepared;
        sim::Evaluator evaluator(prepared.compiled, prepared.parameters);
        const Result<sim::StartState> start = sim::assemble(evaluator, prepared.initial);
        ASSERT_TRUE(start) << start.error().message;
        const sim::StartState& at = start.value();
        const Result<solve::Motion> motion =
            solve::evaluate(solve::Form::kAuto, evaluator.system(at.t, at.q.data(), at.v.data()));
        ASSERT_TRUE(motion) << motion.error().message;
        const Eigen::VectorXd& a = motion.value().a;
        const std::vector<double> numbers =
            run_c(scratch, contents(scratch.file("out")), at, prepared.parameters,
                  prepared.equations.rows.size());
        ASSERT_EQ(numbers.size(), static_cast<std::size_t>(a.size()));
        const double scale = std::max(1.0, a.lpNorm<Eigen::Infinity>());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            EXPECT_NEAR(numbers[i], a[static_cast<Eigen::Index>(i)], 1e-10 * scale);
        }
    }
}

TEST(DeriveProgram, PrintsEveryFormThatApplies) {
    const Scratch scratch;
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        for (const char* form :
             {"auto", "phohomsiri", "schutte", "wanichanon", "multipliers", "minimal"}) {
            SCOPED_TRACE(name + " " + form);
            EXPECT_EQ(derive(scratch, name, fmt::format("--form {}", form)), 0)
                << contents(scratch.file("err"));
            EXPECT_NE(contents(scratch.file("out")).find("''"), std::string::npos);
        }
    }
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

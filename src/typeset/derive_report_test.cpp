// The equations as a reader gets them: exact text, LaTeX that is balanced, C that compiles and
// agrees.
#include "typeset/derive_report.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "typeset/closed_form_models.h"

namespace ananke::typeset {
namespace {

using namespace testing;

State state_of(const Case& c, unsigned seed) {
    std::mt19937 random(seed);
    return random_state(random, c.equations.n);
}

ClosedForm closed(Case& c, WrittenForm form) {
    return closed_form(c.model(), c.equations, form, c.rows, c.values(state_of(c, 1))).value();
}

ReportOptions options_of(const Case& c) {
    return {c.parameters(), c.rows, {}, false};
}

std::string text(Case& c, WrittenForm form) {
    return derive_text(c.model(), c.equations, closed(c, form), options_of(c));
}

/// The report from a heading on.
std::string from(const std::string& report, const std::string& heading) {
    const std::size_t at = report.find(heading);
    EXPECT_NE(at, std::string::npos) << report;
    return at == std::string::npos ? "" : report.substr(at);
}

TEST(DeriveText, DuffingAsInPamplona) {  // P21 (66)-(68)
    Case c = duffing();
    EXPECT_EQ(text(c, WrittenForm::kFundamental), R"(Coupled Duffing oscillators

2 coordinates: x1, x2
1 constraint row: guide
1 degree of freedom
parameters: m1 = 2, m2 = 1, k1 = 10, k2 = 12, k1nl = 1, k2nl = 2, c1 = 0.1, c2 = 0.15, A0 = 1,
    alpha = 1, omega = 6

Mass matrix: M, symmetric
    M[x1,x1] = m1
    M[x2,x2] = m2

Given force: Q
    Q[x1] = -(c1*(x1' - x2') + k1nl*(x1 - x2)^3 + k1*(x1 - x2))
    Q[x2] = c1*(x1' - x2') - c2*x2' - k2nl*x2^3 - k2*x2 + k1nl*(x1 - x2)^3 + k1*(x1 - x2)

Constraints: A a = b
    where s1 = sin(omega*t)*exp(-alpha*t)
    A[guide,x1] = 1
    A[guide,x2] = -1
    b[guide]    = A0*alpha^2*s1 - 2*A0*alpha*omega*exp(-alpha*t)*cos(omega*t) - A0*omega^2*s1

Constraint matrix in the metric of the mass: B = A M^-1/2   [UK02 (6), P21 (66)]
    B[guide,x1] = 1/sqrt(m1)
    B[guide,x2] = -1/sqrt(m2)

Unconstrained acceleration: a0 = M^-1 Q   [UK02 (13)]
    a0[x1] = Q[x1]/m1
    a0[x2] = Q[x2]/m2

Violation by the unconstrained acceleration: e = b - A a0   [UK02 (13)]
    e[guide] = b[guide] + a0[x2] - a0[x1]

Compliance of the constraints: W = A M^-1 A^T = B B^T,  B = A M^-1/2   [UK02 (6)]
    W[guide,guide] = 1/m1 + 1/m2

Multipliers: lambda = W^-1 e
    lambda[guide] = e[guide]/W[guide,guide]

Acceleration: a = a0 + M^-1 A^T lambda   [UK02 (6), (15), (32)]
    x1'' = a0[x1] + lambda[guide]/m1
    x2'' = a0[x2] - lambda[guide]/m2

Force of constraint: Qc = A^T lambda   [UW13 (2.5)]
    Qc[x1] = lambda[guide]
    Qc[x2] = -lambda[guide]
)");
}

TEST(DeriveText, TwoLinkPendulum) {  // P21 (74)-(77)
    Case c = two_link();
    EXPECT_EQ(text(c, WrittenForm::kFundamental), R"(Two-link pendulum

3 coordinates: x, y, z
2 constraint rows: rod1, rod2
1 degree of freedom
parameters: m = 1, g = 10, L1 = 1, L2 = 1.25

Mass matrix: M, symmetric
    M[x,x] = m
    M[y,y] = m
    M[z,z] = m

Given force: Q
    Q[x] = m*g

Constraints: A a = b
    where s1 = 2*y'^2 + 2*z'^2 + 2*x'^2
    A[rod1,x] = 2*x
    A[rod1,y] = 2*y
    A[rod1,z] = 2*z
    b[rod1]   = -s1
    A[rod2,x] = 2*(x - L1)
    A[rod2,y] = 2*y
    A[rod2,z] = 2*(z - L2)
    b[rod2]   = -s1

Constraint matrix in the metric of the mass: B = A M^-1/2   [UK02 (6), P21 (66)]
    B[rod1,x] = 2*x/sqrt(m)
    B[rod1,y] = 2*y/sqrt(m)
    B[rod1,z] = 2*z/sqrt(m)
    B[rod2,x] = A[rod2,x]/sqrt(m)
    B[rod2,y] = 2*y/sqrt(m)
    B[rod2,z] = A[rod2,z]/sqrt(m)

Unconstrained acceleration: a0 = M^-1 Q   [UK02 (13)]
    a0[x] = g

Violation by the unconstrained acceleration: e = b - A a0   [UK02 (13)]
    e[rod1] = b[rod1] - 2*g*x
    e[rod2] = b[rod2] - g*A[rod2,x]

Compliance of the constraints: W = A M^-1 A^T = B B^T,  B = A M^-1/2   [UK02 (6)]
    W[rod1,rod1] = 4*(x^2 + z^2 + y^2)/m
    W[rod1,rod2] = (2*x*A[rod2,x] + 4*y^2 + 2*z*A[rod2,z])/m
    W[rod2,rod2] = (A[rod2,x]^2 + 4*y^2 + A[rod2,z]^2)/m

Multipliers: lambda = W^-1 e
    det_W        = W[rod1,rod1]*W[rod2,rod2] - W[rod1,rod2]^2
    lambda[rod1] = (e[rod1]*W[rod2,rod2] - e[rod2]*W[rod1,rod2])/det_W
    lambda[rod2] = (e[rod2]*W[rod1,rod1] - e[rod1]*W[rod1,rod2])/det_W

Acceleration: a = a0 + M^-1 A^T lambda   [UK02 (6), (15), (32)]
    x'' = g + (2*x*lambda[rod1] + A[rod2,x]*lambda[rod2])/m
    y'' = 2*(y*lambda[rod1] + y*lambda[rod2])/m
    z'' = (2*z*lambda[rod1] + A[rod2,z]*lambda[rod2])/m

Force of constraint: Qc = A^T lambda   [UW13 (2.5)]
    Qc[x] = 2*x*lambda[rod1] + A[rod2,x]*lambda[rod2]
    Qc[y] = 2*(y*lambda[rod1] + y*lambda[rod2])
    Qc[z] = 2*z*lambda[rod1] + A[rod2,z]*lambda[rod2]
)");
}

TEST(DeriveText, DirectionsOfPerpendicularPucks) {  // RH (27)
    Case c = perpendicular();
    EXPECT_EQ(from(text(c, WrittenForm::kFundamental), "Directions"),
              R"(Directions of the constraint forces, world axes   [RH (5)]
    force[perpendicular:P1] = lambda[perpendicular]*velocity(P2)
    force[perpendicular:P2] = lambda[perpendicular]*velocity(P1)

Constraint matrix in the metric of the mass: B = A M^-1/2   [UK02 (6), P21 (66)]
    B[perpendicular,x1] = x2'/sqrt(m1)
    B[perpendicular,y1] = y2'/sqrt(m1)
    B[perpendicular,x2] = x1'/sqrt(m2)
    B[perpendicular,y2] = y1'/sqrt(m2)

Unconstrained acceleration: a0 = M^-1 Q   [UK02 (13)]
    a0[x1] = f1/m1
    a0[x2] = f2/m2

Violation by the unconstrained acceleration: e = b - A a0   [UK02 (13)]
    e[perpendicular] = -(x2'*a0[x1] + x1'*a0[x2])

Compliance of the constraints: W = A M^-1 A^T = B B^T,  B = A M^-1/2   [UK02 (6)]
    W[perpendicular,perpendicular] = (y2'^2 + x2'^2)/m1 + (y1'^2 + x1'^2)/m2

Multipliers: lambda = W^-1 e
    lambda[perpendicular] = e[perpendicular]/W[perpendicular,perpendicular]

Acceleration: a = a0 + M^-1 A^T lambda   [UK02 (6), (15), (32)]
    x1'' = a0[x1] + x2'*lambda[perpendicular]/m1
    y1'' = y2'*lambda[perpendicular]/m1
    x2'' = a0[x2] + x1'*lambda[perpendicular]/m2
    y2'' = y1'*lambda[perpendicular]/m2

Force of constraint: Qc = A^T lambda   [UW13 (2.5)]
    Qc[x1] = x2'*lambda[perpendicular]
    Qc[y1] = y2'*lambda[perpendicular]
    Qc[x2] = x1'*lambda[perpendicular]
    Qc[y2] = y1'*lambda[perpendicular]
)");
}

TEST(DeriveText, LongReportsAreCutUnlessFull) {
    Case c = chain(60);
    const ClosedForm form = closed(c, WrittenForm::kFundamental);
    ReportOptions options = options_of(c);
    const std::string cut = derive_text(c.model(), c.equations, form, options);
    options.full = true;
    const std::string full = derive_text(c.model(), c.equations, form, options);
    EXPECT_NE(cut.find("Long lists are cut; --full prints every line."), std::string::npos);
    EXPECT_EQ(full.find("more lines"), std::string::npos);
    EXPECT_LT(std::count(cut.begin(), cut.end(), '\n'), 250);
    EXPECT_GT(full.size(), 4 * cut.size());
}

/// The scripts that the current atom of each brace level already has.
struct Scripts {
    bool raised = false;
    bool lowered = false;
    bool argument = false;  ///< what follows belongs to a ^ or _

    void atom() {
        if (!argument) {
            raised = lowered = false;
        }
        argument = false;
    }
};

/// Braces, \left and \right, and environments close in order; no atom has two superscripts or two
/// subscripts.
void check_latex(const std::string& latex) {
    std::vector<std::string> open;
    std::vector<Scripts> level(1);
    int delimiters = 0;
    for (std::size_t i = 0; i < latex.size(); ++i) {
        const char c = latex[i];
        if (c == '\\') {
            std::size_t end = i + 1;
            while (end < latex.size() &&
                   std::isalpha(static_cast<unsigned char>(latex[end])) != 0) {
                ++end;
            }
            const std::string command = latex.substr(i + 1, end - i - 1);
            const std::string name = latex.substr(end + 1, latex.find('}', end) - end - 1);
            if (command == "left") {
                ++delimiters;
            } else if (command == "right") {
                ASSERT_GT(delimiters--, 0);
            } else if (command == "begin") {
                open.push_back(name);
            } else if (command == "end") {
                ASSERT_FALSE(open.empty());
                ASSERT_EQ(open.back(), name);
                open.pop_back();
            }
            level.back().atom();
            i = command.empty() ? i + 1 : end - 1;
        } else if (c == '{') {
            level.emplace_back();
        } else if (c == '}') {
            ASSERT_GT(level.size(), 1u);
            level.pop_back();
            level.back().atom();
        } else if (c == '^' || c == '_') {
            bool& taken = c == '^' ? level.back().raised : level.back().lowered;
            ASSERT_FALSE(taken) << latex.substr(i < 60 ? 0 : i - 60, 80);
            taken = level.back().argument = true;
        } else {
            level.back().atom();
        }
    }
    EXPECT_EQ(level.size(), 1u);
    EXPECT_EQ(delimiters, 0);
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(latex.find('@'), std::string::npos);
}

TEST(DeriveLatex, IsBalancedForEveryModelAndForm) {
    for (Case& c : closed_form_cases()) {
        for (const WrittenForm form : kWrittenForms) {
            SCOPED_TRACE(c.name + " " + std::string(written_form_name(form)));
            const Result<ClosedForm> written =
                closed_form(c.model(), c.equations, form, c.rows, c.values(state_of(c, 1)));
            if (written) {
                check_latex(derive_latex(c.model(), c.equations, written.value(), options_of(c)));
                const std::string plain =
                    derive_text(c.model(), c.equations, written.value(), options_of(c));
                EXPECT_EQ(plain.find('@'), std::string::npos);
            }
        }
    }
}

TEST(DeriveLatex, Duffing) {
    Case c = duffing();
    const std::string latex =
        derive_latex(c.model(), c.equations, closed(c, WrittenForm::kFundamental), options_of(c));
    EXPECT_NE(latex.find("  \\ddot{x}_{1} &= {a^{0}_{x_{1}}} + "
                         "\\frac{\\lambda_{\\mathrm{guide}}}{m_{1}} \\\\\n"),
              std::string::npos)
        << latex;
}

/// A directory of its own for the files of one test.
class Scratch {
  public:
    Scratch() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ananke_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Scratch() { std::filesystem::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

std::string c_list(const std::vector<double>& values) {
    std::string list;
    for (const double value : values) {
        list += fmt::format("{}, ", value);
    }
    return "{" + list + "0}";
}

/// A main() that calls the generated functions at a state and prints every number they give.
std::string driver(const Case& c, const State& s) {
    const std::size_t n = s.q.size();
    const std::size_t m = c.equations.rows.size();
    const std::vector<double> q(s.q.begin(), s.q.end());
    const std::vector<double> v(s.v.begin(), s.v.end());
    return fmt::format(
        "#include <stdio.h>\n"
        "int main(void) {{\n"
        "    const double t = {}, q[] = {}, v[] = {}, p[] = {};\n"
        "    double M[{}], Q[{}], A[{}], b[{}], a[{}], lambda[{}];\n"
        "    ananke_equations(t, q, v, p, M, Q, A, b);\n"
        "    const int code = ananke_acceleration(t, q, v, p, a, lambda);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", M[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", Q[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", A[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", b[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", a[i]);\n"
        "    for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", lambda[i]);\n"
        "    return code;\n"
        "}}\n",
        static_cast<double>(s.t), c_list(q), c_list(v), c_list(c.parameters()), n * n, n, m * n + 1,
        m + 1, n, m + 1, n * n, n, m * n, m, n, m);
}

/// Compiles the file alone, then with the driver, and returns what that prints.
std::vector<double> compiled_and_run(const std::string& source, const Case& c, const State& s) {
    const Scratch scratch;
    std::ofstream(scratch.file("model.c")) << source;
    const std::string alone = fmt::format("cc -std=c99 -Wall -Wextra -Werror -pedantic -c {} -o {}",
                                          scratch.file("model.c"), scratch.file("model.o"));
    EXPECT_EQ(std::system(alone.c_str()), 0) << source;
    std::ofstream(scratch.file("main.c")) << source << driver(c, s);
    const std::string whole =
        fmt::format("cc -std=c99 -O1 {} -o {} -lm && {} > {}", scratch.file("main.c"),
                    scratch.file("main"), scratch.file("main"), scratch.file("out"));
    EXPECT_EQ(std::system(whole.c_str()), 0) << source;
    std::ifstream out(scratch.file("out"));
    std::vector<double> numbers;
    for (double x = 0; out >> x;) {
        numbers.push_back(x);
    }
    return numbers;
}

void check_c(Case& c, WrittenForm form, double solved_tolerance) {
    SCOPED_TRACE(c.name + " " + std::string(written_form_name(form)));
    const State s = state_of(c, 1);
    const std::vector<double> numbers =
        compiled_and_run(derive_c(c.model(), c.equations, closed(c, form), options_of(c)), c, s);
    const std::size_t n = s.q.size();
    const std::size_t m = c.equations.rows.size();
    ASSERT_EQ(numbers.size(), n * n + n + m * n + m + n + m);
    auto number = numbers.begin();
    const auto expect = [&](Real value, double tolerance) {
        const double reference = static_cast<double>(value);
        EXPECT_NEAR(*number++, reference, tolerance * std::max(1.0, std::abs(reference)));
    };
    const Evaluated at(c.model(), c.equations);
    for (const Vector& row : at.M(s)) {
        for (const Real value : row) {
            expect(value, 1e-12);
        }
    }
    for (const Real value : at.Q(s)) {
        expect(value, 1e-12);
    }
    for (std::size_t k = 0; k < m; ++k) {
        for (const Real value : at.A(k, s)) {
            expect(value, 1e-12);
        }
    }
    for (std::size_t k = 0; k < m; ++k) {
        expect(at.b(k, s), 1e-12);
    }
    const Vector x = c.reference(s);
    Vector lambda(m, 0);
    for (std::size_t k = 0; k < c.rows.size(); ++k) {
        lambda[c.rows[k]] = x[n + k];
    }
    for (std::size_t i = 0; i < n; ++i) {
        expect(x[i], solved_tolerance);
    }
    for (const Real value : lambda) {
        expect(value, solved_tolerance);
    }
}

TEST(DeriveC, CompilesAloneAndAgrees) {
    for (Case& c : closed_form_cases()) {
        check_c(c, c.name == "free_top" ? WrittenForm::kMultipliers : WrittenForm::kFundamental,
                1e-12);
    }
}

TEST(DeriveC, EveryFormAgrees) {
    Case c = two_link();
    for (const WrittenForm form : kWrittenForms) {
        check_c(c, form, 1e-11);
    }
}

TEST(DeriveC, LongModelsAreSolvedByElimination) {
    Case c = chain(8);
    ClosedForm form = closed(c, WrittenForm::kFundamental);
    const Line line = form.stages.back().lines.back();
    form.stages.back().lines.resize(kLongestProgram + 1, line);
    const State s = state_of(c, 1);
    const std::string source = derive_c(c.model(), c.equations, form, options_of(c));
    EXPECT_NE(source.find("elimination"), std::string::npos);
    const std::vector<double> numbers = compiled_and_run(source, c, s);
    const Vector x = c.reference(s);
    const std::size_t m = c.equations.rows.size();
    ASSERT_GE(numbers.size(), x.size());
    for (std::size_t i = 0; i < 16; ++i) {
        const double reference = static_cast<double>(x[i]);
        EXPECT_NEAR(numbers[numbers.size() - m - 16 + i], reference,
                    1e-11 * std::max(1.0, std::abs(reference)));
    }
}

}  // namespace
}  // namespace ananke::typeset

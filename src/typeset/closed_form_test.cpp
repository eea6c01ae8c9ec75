// Every written form against one dense solve in long double, and the quantities of the papers.
#include "typeset/closed_form.h"

#include "typeset/closed_form_models.h"

namespace ananke::typeset {
namespace {

using namespace testing;

constexpr double kAgreement = 1e-10;

double evaluated(const Model& model, Expr e, const sym::Values<double>& at) {
    return sym::evaluate<double>(model.graph, e, at);
}

/// All forms that apply, at a state other than the one their pivots were chosen at.
void check_forms(Case& c, unsigned seed) {
    SCOPED_TRACE(c.name);
    std::mt19937 random(seed);
    const State chosen = random_state(random, c.equations.n);
    State s = chosen;
    for (Real& q : s.q) {
        q += Real(0.02) * q;
    }
    const Vector x = c.reference(s);
    double size = 1.0;
    for (const Real value : x) {
        size = std::max(size, std::abs(static_cast<double>(value)));
    }
    int applied = 0;
    for (const WrittenForm form : kWrittenForms) {
        SCOPED_TRACE(written_form_name(form));
        const Result<ClosedForm> closed =
            closed_form(c.model(), c.equations, form, c.rows, c.values(chosen));
        if (!closed && closed.error().code == ErrorCode::kNotApplicable) {
            EXPECT_EQ(form, WrittenForm::kFundamental);
            continue;
        }
        ASSERT_TRUE(closed) << closed.error().message;
        ++applied;
        const std::vector<Expr> a = written_out(c.model().graph, closed.value(), closed.value().a);
        const std::vector<Expr> lambda =
            written_out(c.model().graph, closed.value(), closed.value().lambda);
        const sym::Values<double> at = c.values(s);
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_NEAR(evaluated(c.model(), a[i], at), static_cast<double>(x[i]),
                        kAgreement * size);
        }
        for (std::size_t k = 0; k < c.rows.size(); ++k) {
            EXPECT_NEAR(evaluated(c.model(), lambda[c.rows[k]], at),
                        static_cast<double>(x[a.size() + k]), kAgreement * size);
        }
    }
    EXPECT_GE(applied, 4);
}

TEST(ClosedForm, AgreesWithADenseSolve) {
    for (Case& c : closed_form_cases()) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            check_forms(c, seed);
        }
    }
}

TEST(ClosedForm, AgreesOnRandomSystemsOfEveryRankOfM) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const int n = 2 + static_cast<int>(seed % 5);
        const int m = static_cast<int>(seed / 5) % n;
        const int missing = m == 0 ? 0 : static_cast<int>(seed) % (m + 1);
        Case c = random_system(seed, n, m, n - missing);
        check_forms(c, seed);
    }
}

TEST(ClosedForm, RefusesTheFundamentalFormWhereMIsSingular) {
    Case c = free_top();
    std::mt19937 random(3);
    const auto at = c.values(random_state(random, 4));
    const Result<ClosedForm> closed =
        closed_form(c.model(), c.equations, WrittenForm::kFundamental, c.rows, at);
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code, ErrorCode::kNotApplicable);
    EXPECT_EQ(closed.error().message,
              "the fundamental form asks for M > 0, but M is singular at the initial state");
}

TEST(ClosedForm, SaysWhenTheMotionIsNotUnique) {
    Case c = random_system(5, 3, 0, 2);
    std::mt19937 random(3);
    const auto at = c.values(random_state(random, 3));
    for (const WrittenForm form : kWrittenForms) {
        const Result<ClosedForm> closed = closed_form(c.model(), c.equations, form, c.rows, at);
        ASSERT_FALSE(closed) << written_form_name(form);
    }
}

/// Value of a line of the worksheet by its name; 0 if it was not written.
class Lines {
  public:
    Lines(Case& c, const ClosedForm& form, const State& s) : c_(c), form_(form), at_(c.values(s)) {}

    double operator()(const std::string& name) {
        for (const std::vector<Stage>* part : {&form_.given, &form_.stages}) {
            for (const Stage& stage : *part) {
                for (const Line& line : stage.lines) {
                    if (line.definition && form_.labels.at(line.left).text == name) {
                        const Expr e =
                            written_out(c_.model().graph, form_, std::span(&line.right, 1)).front();
                        return evaluated(c_.model(), e, at_);
                    }
                }
            }
        }
        return 0.0;
    }

  private:
    Case& c_;
    const ClosedForm& form_;
    sym::Values<double> at_;
};

/// Table 1 of UW13 with numbers: M_ATG, Q_z and a_ATG as defined, and (3.18) from them by a
/// Cholesky factor and B+ = B^T (B B^T)^-1, for a model with its own alpha, G and z.
TEST(ClosedForm, WritesTable1OfUdwadiaAndWanichanon) {
    Case c = free_top();
    sym::Graph& g = c.model().graph;
    c.equations.gauge.alpha = g.number(1.5);
    c.equations.gauge.alpha_given = true;
    c.equations.gauge.G_diagonal = {g.number(0.75)};
    c.equations.gauge.z = {g.number(-0.5)};
    std::mt19937 random(11);
    const State s = random_state(random, 4);
    const Result<ClosedForm> closed =
        closed_form(c.model(), c.equations, WrittenForm::kWanichanon, c.rows, c.values(s));
    ASSERT_TRUE(closed) << closed.error().message;
    Lines line(c, closed.value(), s);

    const Evaluated at(c.model(), c.equations);
    const Matrix M = at.M(s);
    const Vector A = at.A(0, s);
    const Vector Q = at.Q(s);
    const Real b = at.b(0, s);
    const auto name = [](const char* head, std::size_t i) {
        return std::string(head) + "[u" + std::to_string(i) + "]";
    };
    Matrix M_aux(4, Vector(4));
    Vector Q_z(4), a_z(4);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            M_aux[i][j] = M[i][j] + Real(1.5 * 1.5 * 0.75) * A[i] * A[j];  // UW13 (3.19)
            const std::string entry = "M_ATG[u" + std::to_string(std::min(i, j)) + ",u" +
                                      std::to_string(std::max(i, j)) + "]";
            EXPECT_NEAR(line(entry), static_cast<double>(M_aux[i][j]), 1e-12);
        }
        Q_z[i] = Q[i] - A[i] * Real(0.75 * 0.5);  // UW13 (3.20)
        EXPECT_NEAR(line(name("Q_z", i)), static_cast<double>(Q_z[i]), 1e-12);
        a_z[i] = line(name("a_ATG", i));
    }
    for (std::size_t i = 0; i < 4; ++i) {  // UW13 (3.21)
        EXPECT_NEAR(static_cast<double>(inner(M_aux[i], a_z) - Q_z[i]), 0.0, 1e-11);
    }
    // M_ATG = L L^T: L^-T B^T with B = A L^-T is M_ATG^-1 A^T.
    const Vector y = dense_solve(M_aux, A);
    const Real mu = (b - inner(A, a_z)) / inner(A, y);
    const Vector x = c.reference(s);
    for (std::size_t i = 0; i < 4; ++i) {
        const Real a = a_z[i] + y[i] * mu;  // UW13 (3.18)
        EXPECT_NEAR(static_cast<double>(a), static_cast<double>(x[i]), 1e-10);
    }
    EXPECT_NEAR(line("lambda[unit]"), static_cast<double>(x[4]), 1e-10);  // UW13 (3.39)
}

TEST(ClosedForm, WritesUnconstrainedAccelerationAndViolation) {  // UK02 (13), P21 (76)
    Case c = two_link();
    std::mt19937 random(5);
    const State s = random_state(random, 3);
    const Result<ClosedForm> closed =
        closed_form(c.model(), c.equations, WrittenForm::kFundamental, c.rows, c.values(s));
    ASSERT_TRUE(closed) << closed.error().message;
    Lines line(c, closed.value(), s);
    const double alpha = static_cast<double>(inner(s.v, s.v));
    const double x = static_cast<double>(s.q[0]);
    EXPECT_DOUBLE_EQ(line("a0[x]"), 10.0);
    EXPECT_NEAR(line("e[rod1]"), 2 * (-alpha - 10 * x), 1e-13);  // rows are twice those of P21
    EXPECT_NEAR(line("e[rod2]"), 2 * (-alpha - 10 * (x - 1)), 1e-13);
}

TEST(ClosedForm, StaysSmallOnALongChain) {
    Case c = chain(60);
    std::mt19937 random(5);
    const State s = random_state(random, 120);
    const Result<ClosedForm> closed =
        closed_form(c.model(), c.equations, WrittenForm::kFundamental, c.rows, c.values(s));
    ASSERT_TRUE(closed) << closed.error().message;
    EXPECT_LE(closed.value().line_count(), 60u * 40u);
}

TEST(ClosedForm, FormsHaveNames) {
    for (const WrittenForm form : kWrittenForms) {
        EXPECT_EQ(parse_written_form(written_form_name(form)), form);
    }
    EXPECT_FALSE(parse_written_form("newton"));
}

}  // namespace
}  // namespace ananke::typeset

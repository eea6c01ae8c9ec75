// Minimal equations against a dense solve in long double, and the formulas of RH as printed.
#include "typeset/minimal.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "typeset/closed_form_models.h"

namespace ananke::typeset {
namespace {

using namespace testing;

/// The lines of a form evaluated at values of its inputs.
class Program {
  public:
    Program(Case& c, const MinimalForm& form, const State& s)
        : c_(c), form_(form), at_(c.values(s)), state_(s) {
        for (const std::size_t j : form.inputs) {
            const MotionVariable& u = form.variables[j];
            at_[u.symbol] = sym::evaluate<double>(c.model().graph, u.value, c.values(s));
        }
        std::set<Expr> inputs;
        for (const std::size_t j : form.inputs) {
            inputs.insert(form.variables[j].symbol);
        }
        for (const Coordinate& coordinate : c.model().coordinates) {
            if (!inputs.contains(coordinate.v)) {
                at_.erase(coordinate.v);
            }
        }
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            state_.v[i] = value(c.model().coordinates[i].v);
        }
    }

    double value(Expr e) {
        const Expr whole = written_out(c_.model().graph, form_.lines, std::span(&e, 1)).front();
        return sym::evaluate<double>(c_.model().graph, whole, at_);
    }
    /// q, and the velocities that the lines give.
    const State& state() const { return state_; }

    /// A line by its name; 0 if it was not written.
    double operator()(const std::string& name) {
        const Line* line = find(name);
        return line == nullptr ? 0.0 : value(line->right);
    }
    std::array<double, 3> vector(const std::string& name) {
        const Line* line = find(name);
        if (line == nullptr) {
            return {};
        }
        return {value((*line->vector)[0]), value((*line->vector)[1]), value((*line->vector)[2])};
    }

  private:
    const Line* find(const std::string& name) const {
        for (const std::vector<Stage>* part : {&form_.lines.given, &form_.lines.stages}) {
            for (const Stage& stage : *part) {
                for (const Line& line : stage.lines) {
                    const auto label = form_.lines.labels.find(line.left);
                    if ((line.definition || line.vector) && label != form_.lines.labels.end() &&
                        label->second.text == name) {
                        return &line;
                    }
                }
            }
        }
        return nullptr;
    }

    Case& c_;
    const MinimalForm& form_;
    sym::Values<double> at_;
    State state_;
};

MinimalForm minimal(Case& c, const MinimalOptions& options, const State& at) {
    Result<MinimalForm> form = minimal_form(c.model(), c.equations, options, c.values(at));
    EXPECT_TRUE(form) << form.error().message;
    return form ? std::move(form.value()) : MinimalForm{};
}

std::string refusal(Case& c, const MinimalOptions& options, const State& at) {
    const Result<MinimalForm> form = minimal_form(c.model(), c.equations, options, c.values(at));
    return form ? "accepted" : form.error().message;
}

/// a, and lambda of the rows in evidence, at a state beside the one where pivots were chosen.
void check(Case& c, const std::vector<int>& evidence, const State& chosen) {
    const MinimalForm form = minimal(c, {c.rows, evidence, {}}, chosen);
    ASSERT_FALSE(form.lines.a.empty());
    State s = chosen;
    for (Real& q : s.q) {
        q += Real(0.02) * q;
    }
    Program run(c, form, s);
    const Vector x = c.reference(run.state());
    double size = 1.0;
    for (const Real value : x) {
        size = std::max(size, std::abs(static_cast<double>(value)));
    }
    for (std::size_t i = 0; i < form.lines.a.size(); ++i) {
        EXPECT_NEAR(run.value(form.lines.a[i]), static_cast<double>(x[i]), 1e-10 * size);
    }
    for (std::size_t k = 0; k < c.rows.size(); ++k) {
        if (std::find(evidence.begin(), evidence.end(), c.rows[k]) != evidence.end()) {
            const Expr lambda = form.lines.lambda[c.rows[k]];
            EXPECT_NEAR(run.value(lambda), static_cast<double>(x[form.lines.a.size() + k]),
                        1e-10 * size);
        }
    }
    // The velocities satisfy every row that was eliminated and linear, whatever the inputs.
    for (const int k : c.rows) {
        const Row& row = c.equations.rows[k];
        const bool shown = std::find(evidence.begin(), evidence.end(), k) != evidence.end();
        if (!shown && form.inputs.size() == form.independent.size()) {
            const Evaluated at(c.model(), c.equations);
            EXPECT_NEAR(static_cast<double>(at.at(row.rate, run.state())), 0.0, 1e-10);
        }
    }
}

TEST(Minimal, AgreesWithADenseSolve) {
    for (Case& c : closed_form_cases()) {
        SCOPED_TRACE(c.name);
        for (unsigned seed = 1; seed <= 4; ++seed) {
            std::mt19937 random(seed);
            const State s = random_state(random, c.equations.n);
            check(c, {}, s);
            check(c, c.rows, s);
            for (const int row : c.rows) {
                check(c, {row}, s);
            }
        }
    }
}

TEST(Minimal, AgreesOnRandomSystemsOfEveryRankOfM) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const int n = 2 + static_cast<int>(seed % 5);
        const int m = static_cast<int>(seed / 5) % n;
        const int missing = m == 0 ? 0 : static_cast<int>(seed) % (m + 1);
        Case c = random_system(seed, n, m, n - missing);
        std::mt19937 random(seed);
        const State s = random_state(random, n);
        check(c, {}, s);
        check(c, c.rows, s);
    }
}

/// RH section 4 with all four components of the given forces.
Case loaded_pucks() {
    auto m = std::make_unique<Builder>();
    const F m1 = m->parameter("m1", 1.25), m2 = m->parameter("m2", 2.5),
            s1 = m->parameter("sigma1", 1), s2 = m->parameter("sigma2", -0.5),
            s3 = m->parameter("sigma3", 0.75), s4 = m->parameter("sigma4", 0.375);
    const F zero = m->number(0);
    return pucks("pucks", std::move(m), m1, m2, {"q1", "q2", "q3", "q4"}, {s1, s2, zero},
                 {s3, s4, zero});
}

struct PuckState {
    double u1, u2, u3, u4;
};
PuckState of(const State& s) {
    return {static_cast<double>(s.v[0]), static_cast<double>(s.v[1]), static_cast<double>(s.v[2]),
            static_cast<double>(s.v[3])};
}
constexpr double kM1 = 1.25, kM2 = 2.5, kS1 = 1, kS2 = -0.5, kS3 = 0.75, kS4 = 0.375;

TEST(Minimal, PucksWithoutForces) {  // RH (39)-(41), (43)-(49), and u4 of (32)
    Case c = loaded_pucks();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        const State s = random_state(random, 4);
        const MinimalForm form = minimal(c, {c.rows, {}, {"q1", "q2'", "q3''"}}, s);
        ASSERT_EQ(form.inputs, (std::vector<std::size_t>{0, 1, 2}));
        Program run(c, form, s);
        const auto [u1, u2, u3, u4] = of(run.state());
        EXPECT_NEAR(u4, -u1 * u3 / u2, 1e-13 * std::abs(u4));  // (32)
        // RH's |cos| stays at round-off because u4 is not integrated.
        EXPECT_LT(std::abs(u1 * u3 + u2 * u4), 1e-15 * std::hypot(u1, u2) * std::hypot(u3, u4));
        const auto expect_vector = [&](const char* name, double x, double y) {
            const auto v = run.vector(name);
            EXPECT_NEAR(v[0], x, 1e-13) << name;
            EXPECT_NEAR(v[1], y, 1e-13 * std::max(1.0, std::abs(y))) << name;
            EXPECT_EQ(v[2], 0.0) << name;
        };
        expect_vector("a[P1,q1'']", 1, 0);  // (40)
        expect_vector("a[P1,q2'']", 0, 1);
        expect_vector("a[P1,q3'']", 0, 0);
        expect_vector("a[P2,q1'']", 0, -u3 / u2);  // (41)
        expect_vector("a[P2,q2'']", 0, -u4 / u2);
        expect_vector("a[P2,q3'']", 1, -u1 / u2);
        const auto expect = [&](const char* name, double value) {
            EXPECT_NEAR(run(name), value, 1e-13 * std::max(1.0, std::abs(value))) << name;
        };
        expect("f_u[q1']", kS1 - u3 / u2 * kS4);  // (43)-(45)
        expect("f_u[q2']", kS2 - u4 / u2 * kS4);
        expect("f_u[q3']", kS3 - u1 / u2 * kS4);
        expect("M_u[q1',q1']", kM1 + kM2 * (u3 / u2) * (u3 / u2));  // (47)
        expect("M_u[q1',q2']", kM2 * u3 * u4 / (u2 * u2));
        expect("M_u[q1',q3']", kM2 * u1 * u3 / (u2 * u2));
        expect("M_u[q2',q2']", kM1 + kM2 * (u4 / u2) * (u4 / u2));  // (48)
        expect("M_u[q2',q3']", kM2 * u1 * u4 / (u2 * u2));
        expect("M_u[q3',q3']", kM2 * (1 + (u1 / u2) * (u1 / u2)));  // (49)
    }
}

TEST(Minimal, PucksWithForcesInEvidence) {  // RH (29)-(31), (33)-(35)
    Case c = loaded_pucks();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        const State s = random_state(random, 4);
        const MinimalForm form = minimal(c, {c.rows, {0}, {}}, s);
        ASSERT_EQ(form.inputs.size(), 4U);
        Program run(c, form, s);
        const auto [u1, u2, u3, u4] = of(run.state());
        EXPECT_EQ(run.vector("v[P1,q1']"), (std::array<double, 3>{1, 0, 0}));  // (29), (30)
        EXPECT_EQ(run.vector("v[P1,q2']"), (std::array<double, 3>{0, 1, 0}));
        EXPECT_EQ(run.vector("v[P2,q3']"), (std::array<double, 3>{1, 0, 0}));
        EXPECT_EQ(run.vector("v[P2,q4']"), (std::array<double, 3>{0, 1, 0}));
        const char* names[] = {"q1'", "q2'", "q3'", "q4'"};
        const double mass[] = {kM1, kM1, kM2, kM2};
        const double force[] = {kS1, kS2, kS3, kS4};
        const double along[] = {u3, u4, u1, u2};
        const double lambda = -(kM1 * (kS3 * u1 + kS4 * u2) + kM2 * (kS1 * u3 + kS2 * u4)) /
                              (kM1 * (u1 * u1 + u2 * u2) + kM2 * (u3 * u3 + u4 * u4));  // (34)
        EXPECT_NEAR(run.value(form.lines.lambda[0]), lambda, 1e-13 * std::abs(lambda));
        for (std::size_t r = 0; r < 4; ++r) {
            const std::string u = names[r];
            EXPECT_NEAR(run(fmt::format("M_u[{},{}]", u, u)), mass[r], 1e-15);  // (31)
            EXPECT_NEAR(run(fmt::format("f_u[{}]", u)), force[r], 1e-15);
            EXPECT_NEAR(run(fmt::format("B[perpendicular,{}]", u)), along[r], 1e-15);  // (33)
            EXPECT_NEAR(run.value(form.rates[r]), (force[r] + lambda * along[r]) / mass[r],
                        1e-12);  // (35)
        }
    }
}

Case appell() {  // RH section 6
    auto m = std::make_unique<Builder>();
    const F mass = m->parameter("m", 2), g = m->parameter("g", 9.81), a = m->parameter("a", 0.75);
    const Q x = m->coordinate("x"), y = m->coordinate("y"), z = m->coordinate("z");
    m->particle("P", mass, {x.q, y.q, z.q});
    m->gravity({m->number(0), m->number(0), -g});
    m->constraint("appell", pow(z.v, 2) - pow(a, 2) * (pow(x.v, 2) + pow(y.v, 2)));
    return finished("appell", std::move(m), {0});
}

/// A state with the vertical velocity that the constraint asks for.
State appell_state(unsigned seed, Real sign) {
    std::mt19937 random(seed);
    State s = random_state(random, 3);
    s.v[2] = sign * Real(0.75) * std::hypot(s.v[0], s.v[1]);
    return s;
}

TEST(Minimal, AppellWithoutForce) {  // RH (66)-(69); the sign of u3 is that of the state
    Case c = appell();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        for (const double sign : {1.0, -1.0}) {
            const State s = appell_state(seed, sign);
            const MinimalForm form = minimal(c, {c.rows, {}, {"x", "y"}}, s);
            EXPECT_EQ(form.notes,
                      std::vector<std::string>{
                          "z' is the root of appell that belongs to the initial state; a state of "
                          "another sign needs another start"});
            Program run(c, form, s);
            const auto u1 = static_cast<double>(run.state().v[0]);
            const auto u2 = static_cast<double>(run.state().v[1]);
            const double h = std::hypot(u1, u2);
            const double a = 0.75;
            EXPECT_NEAR(static_cast<double>(run.state().v[2]), sign * a * h, 1e-14);
            const auto a1 = run.vector("a[P,x'']");
            const auto a2 = run.vector("a[P,y'']");
            EXPECT_EQ(a1[0], 1.0);
            EXPECT_EQ(a1[1], 0.0);
            EXPECT_NEAR(a1[2], sign * a * u1 / h, 1e-13);  // (69)
            EXPECT_EQ(a2[0], 0.0);
            EXPECT_EQ(a2[1], 1.0);
            EXPECT_NEAR(a2[2], sign * a * u2 / h, 1e-13);
            EXPECT_NEAR(run.value(form.rates[0]), -sign * 9.81 * a * u1 / ((1 + a * a) * h),
                        1e-12);  // (66)
            EXPECT_NEAR(run.value(form.rates[1]), -sign * 9.81 * a * u2 / ((1 + a * a) * h),
                        1e-12);  // (67)
        }
    }
}

TEST(Minimal, AppellWithForceInEvidence) {  // RH (62), (65), as forces: rows are scaled by 2 u3
    Case c = appell();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const State s = appell_state(seed, 1);
        const MinimalForm form = minimal(c, {c.rows, {0}, {}}, s);
        Program run(c, form, s);
        const auto u1 = static_cast<double>(s.v[0]);
        const auto u2 = static_cast<double>(s.v[1]);
        const auto u3 = static_cast<double>(s.v[2]);
        const double a = 0.75;
        const double lambda = run.value(form.lines.lambda[0]);
        const double paper = 2 * 9.81 / (1 + a * a);  // (65)
        EXPECT_NEAR(2 * u3 * lambda, paper, 1e-12);
        EXPECT_NEAR(lambda * run("B[appell,x']"), -paper * a * a * u1 / u3, 1e-12);  // (62)
        EXPECT_NEAR(lambda * run("B[appell,y']"), -paper * a * a * u2 / u3, 1e-12);
        EXPECT_NEAR(2 * run.value(form.rates[2]), paper - 2 * 9.81, 1e-12);
    }
}

/// A blade under a sled: RH 2 and 4.4, motion variables along the body's axes.
Case sled() {
    auto m = std::make_unique<Builder>();
    const F mass = m->parameter("m", 2), J = m->parameter("J", 0.5), f = m->parameter("f", 1.5);
    const Q x = m->coordinate("x"), y = m->coordinate("y"), th = m->coordinate("th");
    const F u1 = x.v * cos(th.q) + y.v * sin(th.q);
    const F u2 = y.v * cos(th.q) - x.v * sin(th.q);
    m->kinetic(mass / 2.0 * (pow(x.v, 2) + pow(y.v, 2)));
    m->kinetic(J / 2.0 * pow(th.v, 2));
    m->point("P", {x.q, y.q, m->number(0)});
    m->model.speeds.push_back({"u1", u1.e, m->last_span()});
    m->model.speeds.push_back({"u2", u2.e, m->last_span()});
    m->force(x, f);
    m->constraint("blade", u2);
    return finished("sled", std::move(m), {0});
}

TEST(Minimal, SpeedsAreMotionVariables) {
    Case c = sled();
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::mt19937 random(seed);
        const State s = random_state(random, 3);
        check(c, {}, s);
        check(c, {0}, s);
        const MinimalForm form = minimal(c, {c.rows, {}, {"u1", "th"}}, s);
        EXPECT_EQ(form.variables[0].name, "u1");
        EXPECT_EQ(form.variables[1].name, "u2");
        EXPECT_EQ(form.variables[2].name, "th'");
        ASSERT_EQ(form.inputs, (std::vector<std::size_t>{0, 2}));
        Program run(c, form, s);
        const auto th = static_cast<double>(s.q[2]);
        // m u1' = f cos(th), J th'' = 0; the blade's point moves along u1 alone.
        EXPECT_NEAR(run("M_u[u1,u1]"), 2.0, 1e-15);
        EXPECT_NEAR(run("f_u[u1]"), 1.5 * std::cos(th), 1e-15);
        EXPECT_NEAR(run.value(form.rates[0]), 0.75 * std::cos(th), 1e-15);
        EXPECT_EQ(run.value(form.rates[1]), 0.0);
        EXPECT_EQ(run.value(form.rates[2]), 0.0);
        const auto v = run.vector("v[P,u1]");
        EXPECT_NEAR(v[0], std::cos(th), 1e-15);
        EXPECT_NEAR(v[1], std::sin(th), 1e-15);
    }
}

TEST(Minimal, ARateThatCannotBeSolvedForStaysAnInput) {
    auto m = std::make_unique<Builder>();
    const Q x = m->coordinate("x"), y = m->coordinate("y");
    m->kinetic(0.5 * (pow(x.v, 2) + 2.0 * pow(y.v, 2)));
    m->force(x, m->number(1));
    m->constraint("c", x.v + sin(x.v) - y.v - sin(y.v));
    Case c = finished("transcendental", std::move(m), {0});
    State s{{0.1, 0.2}, {0.5, 0.5}, 0};
    const MinimalForm form = minimal(c, {c.rows, {}, {}}, s);
    EXPECT_EQ(form.inputs, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(form.independent, (std::vector<std::size_t>{0}));
    EXPECT_EQ(form.facts.back(),
              "y' stays among the variables: no closed form gives it from the constraints, only "
              "the acceleration is eliminated");
    check(c, {}, s);
}

TEST(Minimal, SaysWhyAChoiceDoesNotWork) {
    Case c = loaded_pucks();
    State s{{1, -2, 1, 2}, {0.3, 0.4, 0.4, -0.3}, 0};
    EXPECT_EQ(refusal(c, {c.rows, {}, {"q1", "q2", "qq3"}}, s),
              "independent: no velocity or speed is called \"qq3\"; did you mean q3?");
    EXPECT_EQ(refusal(c, {c.rows, {}, {"q1", "q1'", "q3"}}, s), "independent: q1' is named twice");
    EXPECT_EQ(refusal(c, {c.rows, {}, {"q1", "q2"}}, s),
              "independent: needs exactly 3 of q1', q2', q3', q4'; 2 given: q1', q2'");
    s.v[0] = 0;  // the coefficient of q3'
    s.v[3] = 0;
    EXPECT_EQ(refusal(c, {c.rows, {}, {"q1", "q2", "q4"}}, s),
              "independent: q1', q2' and q4' cannot be independent together: at the initial state "
              "the constraint perpendicular ties together q1' and q4'");
    EXPECT_EQ(refusal(c, {c.rows, {}, {"q1", "q2", "q3"}}, s), "accepted");

    Case link = two_link();
    State corner{{1, 0, 0}, {0, 1, 0}, 0};
    EXPECT_EQ(refusal(link, {link.rows, {}, {"x"}}, corner),
              "independent: x' cannot be independent: at the initial state the constraint rod1 "
              "determines x'");

    Case blade = sled();
    State still{{0, 0, 0.3}, {1, 0, 0}, 0};
    EXPECT_EQ(refusal(blade, {blade.rows, {}, {"u2", "th"}}, still),
              "independent: u2 and th' cannot be independent together: at the initial state the "
              "constraint blade determines u2");
}

}  // namespace
}  // namespace ananke::typeset

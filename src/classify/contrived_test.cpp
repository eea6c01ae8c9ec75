#include "classify/contrived.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "classify/classify.h"
#include "mech/model_builder.h"

namespace ananke::classify {

using mech::Derivation;

namespace {

using namespace mech::testing;

/// Two particles: P in space, R in space, and an angle.
struct Bench {
    Builder m;
    F a = m.parameter("a", 0.5);
    Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    Q u = m.coordinate("u"), w = m.coordinate("w"), s = m.coordinate("s");
    Q th = m.coordinate("th");
    P P1 = m.particle("P", m.number(1), {x.q, y.q, z.q});
    P P2 = m.particle("R", m.number(2), {u.q, w.q, s.q});

    Bench() {
        m.kinetic(pow(th.v, 2));
        m.initial(u, 2.0);
        m.initial(w, 1.3);
        m.initial(z, 0.4);
    }
};

/// The warning about the last constraint; empty if there is none.
std::string answer(Bench& b) {
    const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
    EXPECT_TRUE(derivation.equations.has_value());
    std::string text;
    for (const Diagnostic& d : derivation.diagnostics) {
        EXPECT_EQ(d.severity, Severity::kWarning);
        EXPECT_EQ(d.span.begin, b.m.last_span().begin);
        EXPECT_EQ(d.notes.size(), 1u);
        text += d.message;
    }
    return text;
}

struct Case {
    const char* says;
    std::function<void(Bench&)> add;
};

/// Built from the left, so that its terms have this order in print.
F squares(const std::vector<F>& parts) {
    F sum = pow(parts.front(), 2);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const F next = pow(parts[i], 2);
        sum = sum + next;
    }
    return sum;
}

F v2(const F3& v) {
    return dot(v, v);
}

TEST(Contrived, SaysWhichLinearConstraintsAreMeant) {
    const Case cases[] = {
        {"is not inherently nonlinear: it says x' = 0 or x' + y'*z = 0",
         [](Bench& b) { b.m.constraint("c", b.x.v * (b.x.v + b.z.q * b.y.v)); }},
        {"is not inherently nonlinear: it says y' + x'/z = 0 or x' = 0",
         [](Bench& b) { b.m.constraint("c", pow(b.x.v, 2) + b.x.v * b.y.v * b.z.q); }},
        {"is not inherently nonlinear: it says x' = 0 or x' + y'*z = 0",
         [](Bench& b) {
             const F product = b.x.v * (b.x.v + b.z.q * b.y.v);
             b.m.constraint("c", product * (pow(b.x.q, 2) + 1.0));
         }},
        {"is not inherently nonlinear: it says x' + y' = 0 or x' - y' = 0",
         [](Bench& b) { b.m.constraint("c", pow(b.x.v, 2) - pow(b.y.v, 2)); }},
        {"is not inherently nonlinear: it says x' - 1 = 0 or y' - 2 = 0",
         [](Bench& b) {
             b.m.constraint("c", b.x.v * b.y.v - 2.0 * b.x.v - b.y.v + b.m.number(2));
         }},
        {"is not inherently nonlinear: it says x' - y' = 0",
         [](Bench& b) { b.m.constraint("c", pow(b.x.v, 3) - pow(b.y.v, 3)); }},
        {"is not inherently nonlinear: it says x' - y' = 0",
         [](Bench& b) { b.m.constraint("c", (pow(b.x.v, 2) + 1.0) * (b.x.v - b.y.v)); }},
        {"is not inherently nonlinear: it says x' - y' = 0",
         [](Bench& b) { b.m.constraint("c", exp(b.x.v - b.y.v) - 1.0); }},
        {"is degenerate: it says x' = 0 and y' = 0, and its gradient vanishes wherever it holds, "
         "so it determines no acceleration",
         [](Bench& b) {
             b.m.constraint("c", squares({b.x.v, b.y.v}));
         }},
        {"is degenerate: it says x' - y' = 0 and z' = 0 and u' = 0, and its gradient vanishes "
         "wherever it holds, so it determines no acceleration",
         [](Bench& b) {
             b.m.constraint("c", pow(b.x.v, 2) + pow(b.y.v, 2) - 2.0 * b.x.v * b.y.v +
                                     pow(b.z.v, 2) + pow(b.u.v, 2));
         }},
        {"is degenerate: it says x' - 2*y' = 0, and its gradient vanishes wherever it holds, so it "
         "determines no acceleration",
         [](Bench& b) {
             b.m.constraint("c", pow(b.x.v, 2) + 4.0 * pow(b.y.v, 2) - 4.0 * b.x.v * b.y.v);
         }},
        {"is degenerate: it says velocity(P).x = 0 and velocity(P).y = 0 and velocity(P).z = 0, "
         "and its gradient vanishes wherever it holds, so it determines no acceleration",
         [](Bench& b) {
             b.m.constraint("c", sqrt(squares({b.P1.v[0], b.P1.v[1], b.P1.v[2]})));
         }},
    };
    for (const Case& c : cases) {
        Bench b;
        c.add(b);
        EXPECT_EQ(answer(b), std::string("constraint 'c' ") + c.says);
    }
}

TEST(Contrived, ZekovichsDevicesFactorOnTheirRodAndTheirBlade) {
    const auto rod = [](Bench& b) {
        b.m.constraint("rod", pow(b.x.q - b.u.q, 2) + pow(b.y.q - b.w.q, 2) - 4.0);
    };
    const Case cases[] = {
        {"with rod it says y' - w' = 0 or u' + w'*(y - w)/(x - u) = 0",
         [&](Bench& b) {
             rod(b);
             b.m.constraint("parallel", b.x.v * b.w.v - b.y.v * b.u.v);
         }},
        {"with rod it says ",  // the long form of the blade
         [&](Bench& b) {
             rod(b);
             b.m.constraint("equal", pow(b.x.v, 2) + pow(b.y.v, 2) - pow(b.u.v, 2) - pow(b.w.v, 2));
         }},
        // RH section 4.4: u1 = 0 leaves u2 (u2 + q u3) = 0
        {"with blade it says ",
         [&](Bench& b) {
             const F c = cos(b.th.q);
             const F n = sin(b.th.q);
             const F vx = b.x.v + b.s.v * c - b.s.q * n * b.th.v;
             const F vy = b.y.v + b.s.v * n + b.s.q * c * b.th.v;
             b.m.constraint("blade", b.x.v * c + b.y.v * n);
             b.m.constraint("perpendicular", b.x.v * vx + b.y.v * vy);
         }},
    };
    for (const Case& c : cases) {
        Bench b;
        c.add(b);
        const std::string text = answer(b);
        EXPECT_NE(text.find(std::string("is not inherently nonlinear: ") + c.says),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find(" or "), std::string::npos) << text;
    }
}

TEST(Contrived, InherentlyNonlinearOnesAreNeverFlagged) {
    const Case cases[] = {
        {"perpendicular", [](Bench& b) { b.m.constraint("c", dot(b.P1.v, b.P2.v)); }},
        {"parallel", [](Bench& b) { b.m.constraint("c", b.x.v * b.w.v - b.y.v * b.u.v); }},
        {"parallel in space", [](Bench& b) { b.m.constraint("c", cross(b.P1.v, b.P2.v)); }},
        {"parallel, one in a plane",
         [](Bench& b) {
             b.m.constraint("c", cross(b.P1.v, {b.u.v, b.w.v, b.m.number(0)}));
         }},
        {"equal speed", [](Bench& b) { b.m.constraint("c", v2(b.P1.v) - v2(b.P2.v)); }},
        {"equal norms", [](Bench& b) { b.m.constraint("c", sqrt(v2(b.P1.v)) - sqrt(v2(b.P2.v))); }},
        {"Appell",
         [](Bench& b) { b.m.constraint("c", b.z.v - b.a * sqrt(pow(b.x.v, 2) + pow(b.y.v, 2))); }},
        {"Appell, squared",
         [](Bench& b) {
             b.m.constraint("c", pow(b.z.v, 2) - 1e-8 * (pow(b.x.v, 2) + pow(b.y.v, 2)));
         }},
        {"constant speed", [](Bench& b) { b.m.constraint("c", v2(b.P1.v) - 4.0); }},
        {"constant speed in a plane",
         [](Bench& b) { b.m.constraint("c", pow(b.x.v, 2) + pow(b.y.v, 2) - 4.0); }},
        {"constant speed on a line",
         [](Bench& b) {
             b.m.constraint("line", b.x.q - b.y.q);
             b.m.constraint("c", pow(b.x.v, 2) + pow(b.y.v, 2) - 4.0);
         }},
        {"prescribed speed",
         [](Bench& b) { b.m.constraint("c", v2(b.P1.v) - pow(sin(b.m.t()) + 2.0, 2)); }},
        {"hyperbola", [](Bench& b) { b.m.constraint("c", b.x.v * b.y.v - 1.0); }},
        {"parabola", [](Bench& b) { b.m.constraint("c", pow(b.x.v, 2) - b.y.v); }},
        {"cubic", [](Bench& b) { b.m.constraint("c", pow(b.x.v, 3) - b.y.v * b.z.v * b.u.v); }},
        {"perpendicular on rods",
         [](Bench& b) {
             b.m.constraint("rod1", pow(b.x.q, 2) + pow(b.y.q, 2) + pow(b.z.q, 2) - 1.0);
             b.m.constraint("rod2", pow(b.u.q, 2) + pow(b.w.q, 2) + pow(b.s.q, 2) - 4.0);
             b.m.constraint("c", dot(b.P1.v, b.P2.v));
         }},
    };
    for (const Case& c : cases) {
        Bench b;
        c.add(b);
        const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
        ASSERT_TRUE(derivation.equations.has_value()) << c.says;
        EXPECT_TRUE(derivation.diagnostics.empty())
            << c.says << ": " << derivation.diagnostics.front().message;
    }
}

/// sum over i, j of S_ij v_i v_j, multiplied out, in mixed order and scaled by exp(x).
F expanded(Bench& b, const std::vector<std::vector<double>>& S) {
    const F v[] = {b.x.v, b.y.v, b.z.v, b.u.v, b.w.v};
    F sum = b.m.number(0);
    for (std::size_t i = 0; i < S.size(); ++i) {
        for (std::size_t j = 0; j < S.size(); ++j) {
            sum = sum + S[j][i] * (v[j] * exp(b.x.q) * v[i]);
        }
    }
    return sum;
}

/// sum over k of sign_k (l_k l_k^T) of random rows l_k.
std::vector<std::vector<double>> random_form(std::mt19937& random, std::size_t n,
                                             const std::vector<double>& signs) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<std::vector<double>> S(n, std::vector<double>(n, 0.0));
    for (const double sign : signs) {
        std::vector<double> l;
        for (std::size_t i = 0; i < n; ++i) {
            l.push_back(uniform(random));
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                S[i][j] += sign * l[i] * l[j];
            }
        }
    }
    return S;
}

TEST(Contrived, DecidesRandomFormsMultipliedOut) {
    std::mt19937 random(44);
    const std::vector<std::vector<double>> degenerate{{1}, {-1}, {1, 1}, {1, 1, 1}};
    const std::vector<std::vector<double>> genuine{{1, 1, -1}, {1, -1, -1}, {1, 1, -1, -1}};
    for (int trial = 0; trial < 8; ++trial) {
        const std::size_t n = 4 + static_cast<std::size_t>(trial) % 2;
        for (const std::vector<double>& signs : degenerate) {
            Bench b;
            b.m.constraint("c", expanded(b, random_form(random, n, signs)));
            const std::string text = answer(b);
            EXPECT_EQ(text.find("constraint 'c' is degenerate: it says "), 0u) << text;
            std::size_t equations = 0;
            for (std::size_t at = text.find(" = 0"); at != std::string::npos;
                 at = text.find(" = 0", at + 1)) {
                ++equations;
            }
            EXPECT_EQ(equations, signs.size()) << text;
        }
        Bench product;
        product.m.constraint("c", expanded(product, random_form(random, n, {1, -1})));
        const std::string text = answer(product);
        EXPECT_EQ(text.find("constraint 'c' is not inherently nonlinear: it says "), 0u) << text;
        for (const std::vector<double>& signs : genuine) {
            Bench b;
            b.m.constraint("c", expanded(b, random_form(random, n, signs)));
            EXPECT_EQ(answer(b), "");
        }
    }
}

}  // namespace
}  // namespace ananke::classify

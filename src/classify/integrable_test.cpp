#include "classify/integrable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "classify/antiderivative.h"
#include "classify/classify.h"
#include "mech/model_builder.h"
#include "sym/evaluate.h"
#include "sym/print.h"

namespace ananke::classify {

using mech::Derivation, mech::Row, mech::describe;
using sym::Expr;

namespace {

using namespace mech::testing;

struct Bench {
    Builder m;
    F a = m.parameter("a", 0.5), w = m.parameter("w", 2.0);
    Q x = m.coordinate("x"), y = m.coordinate("y"), z = m.coordinate("z");
    P P1 = m.particle("P", m.number(1), {x.q, y.q, z.q});
    F t = m.t();

    Bench() {
        m.initial(x, 0.7);
        m.initial(y, 1.3);
        m.initial(z, 1.1);
    }
    Row row(F residual) {
        m.constraint("c", residual);
        const Derivation derivation = classify(m.model, mech::derive(m.model));
        EXPECT_TRUE(derivation.equations.has_value());
        EXPECT_TRUE(derivation.diagnostics.empty());
        return derivation.equations->rows.front();
    }
};

struct Case {
    const char* note;
    std::function<F(Bench&)> residual;
};

TEST(Integrable, TheIntegralIsFoundInClosedForm) {
    const Case cases[] = {
        // P21 (53), (55)
        {"integrable: the derivative of x + y^2 + z, which is kept too",
         [](Bench& b) { return b.x.v + 2.0 * (b.y.q * b.y.v) + b.z.v; }},
        {"integrable: the derivative of x + y^2 + z - t, which is kept too",
         [](Bench& b) { return b.x.v + 2.0 * (b.y.q * b.y.v) + b.z.v - 1.0; }},
        // the guide of P21 (59) in the velocities
        {"integrable: the derivative of x - y - a*sin(w*t)*exp(-t), which is kept too",
         [](Bench& b) {
             const F wave = b.w * cos(b.w * b.t) - sin(b.w * b.t);
             const F decay = b.a * exp(-b.t);
             return b.x.v - b.y.v - decay * wave;
         }},
        {"integrable: the derivative of x*y + z^2 - t^3/3, which is kept too",
         [](Bench& b) {
             return b.y.q * b.x.v + b.x.q * b.y.v + 2.0 * (b.z.q * b.z.v) - pow(b.t, 2);
         }},
        {"integrable: the derivative of sqrt(x^2 + y^2) - t, which is kept too",
         [](Bench& b) {
             const F xx = pow(b.x.q, 2);
             const F r = sqrt(xx + pow(b.y.q, 2));
             return b.x.q * b.x.v / r + b.y.q * b.y.v / r - 1.0;
         }},
        {"integrable: times 1/x^2 it is the derivative of -y/x, which is kept too",
         [](Bench& b) { return b.y.q * b.x.v - b.x.q * b.y.v; }},
        {"integrable: times exp(-a*t) it is the derivative of x*exp(-a*t), which is kept too",
         [](Bench& b) { return b.x.v - b.a * b.x.q; }},
        {"integrable (Frobenius), but no integral in closed form was found",
         [](Bench& b) { return b.x.v - sin(b.x.q * b.y.q) * b.y.v; }},
    };
    for (const Case& c : cases) {
        Bench b;
        const Row row = b.row(c.residual(b));
        EXPECT_EQ(row.note, c.note);
        EXPECT_TRUE(row.integrable);
        EXPECT_FALSE(row.holonomic);
        EXPECT_EQ(describe(row), "holonomic, in the velocities");
    }
}

TEST(Integrable, NonholonomicRowsAreLeftAlone) {
    const std::function<F(Bench&)> rows[] = {
        [](Bench& b) { return b.x.v * cos(b.z.q) + b.y.v * sin(b.z.q); },
        [](Bench& b) { return b.x.v - pow(b.z.q, 2) * b.y.v; },  // P21 (35)
        [](Bench& b) { return b.y.q * b.x.v + b.z.v; },
        [](Bench& b) { return b.x.v - b.t * b.y.v; },
        [](Bench& b) { return b.x.v * b.y.v - b.z.v; },  // not linear
        [](Bench& b) { return b.x.q * b.y.q - b.z.q; },  // holonomic as written
    };
    for (const auto& residual : rows) {
        Bench b;
        const Row row = b.row(residual(b));
        EXPECT_FALSE(row.integrable) << sym::print(b.m.model.graph, row.residual);
        EXPECT_FALSE(row.integral.has_value());
    }
}

/// dF/dx = f in numbers.
void check_antiderivative(Builder& m, F f, F x) {
    sym::Graph& graph = m.model.graph;
    const std::optional<Expr> F_x = antiderivative(graph, f.e, x.e);
    ASSERT_TRUE(F_x.has_value()) << sym::print(graph, f.e);
    const Expr back = sym::derivative(graph, *F_x, x.e);
    for (const long double value : {0.3L, 1.1L, 2.7L}) {
        sym::Values<long double> values;
        for (const Expr root : {back, f.e}) {
            for (const Expr s : sym::symbols_of(graph, root)) {
                values[s] = 0.7L + 0.01L * static_cast<long double>(s.id);  // none like another
            }
        }
        values[x.e] = value;
        const long double expected = sym::evaluate<long double>(graph, f.e, values);
        EXPECT_NEAR(static_cast<double>(sym::evaluate<long double>(graph, back, values) - expected),
                    0.0, 1e-14 * (1.0 + std::abs(static_cast<double>(expected))))
            << sym::print(graph, f.e) << " from " << sym::print(graph, *F_x);
    }
}

TEST(Antiderivative, DifferentiatesBack) {
    Builder m;
    const F a = m.parameter("a", 0.5);
    const F x = m.coordinate("x").q;
    const F y = m.coordinate("y").q;
    const F one = m.number(1);
    const F functions[] = {
        pow(x, 3) - 2.0 * x + y,
        one / x,
        one / pow(x, 3),
        (x + y) * (x - a) * x,
        exp(a * x + y),
        x * exp(-x),
        pow(x, 3) * exp(a * x) * sin(y * x + a),
        pow(x, 2) * cos(a * x),
        sin(a * x) * cos(y * x),
        pow(sin(x), 2) * pow(cos(a * x), 2),
        exp(-x) * (a * cos(y * x) + sin(y * x)) + x,
        one / (a * x + y),
        sqrt(x + y),
        x / sqrt(pow(x, 2) + y),
        x / pow(pow(x, 2) + a, 4),
        apply(sym::Op::kCosh, a * x) + apply(sym::Op::kSinh, x),
        exp(x) / exp(a * x),
    };
    for (const F& f : functions) {
        check_antiderivative(m, f, x);
    }
}

TEST(Antiderivative, OfOtherFunctionsIsNotClaimed) {
    Builder m;
    const F x = m.coordinate("x").q;
    const F none[] = {exp(pow(x, 2)), sin(x) / x, sqrt(sin(x)), sin(pow(x, 2)),
                      m.number(1) / (pow(x, 2) + 1.0)};
    for (const F& f : none) {
        EXPECT_FALSE(antiderivative(m.model.graph, f.e, x.e).has_value())
            << sym::print(m.model.graph, f.e);
    }
}

}  // namespace
}  // namespace ananke::classify

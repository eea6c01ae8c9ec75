// Every diagnostic by its exact text and by the statement it points at.
#include "classify/validate_equations.h"

#include <gtest/gtest.h>

#include "classify/classify.h"
#include "mech/model_builder.h"

namespace ananke::classify {

using mech::Derivation, mech::Model;

namespace {

using namespace mech::testing;

struct Bench {
    Builder m;
    Q x = m.coordinate("x"), y = m.coordinate("y");
    F zero = m.number(0), one = m.number(1);
};

/// The only diagnostic of a model; `span` is that of the statement to blame.
void expect_only(Model& model, Span span, const std::string& message,
                 const std::vector<std::string>& notes = {}, Severity severity = Severity::kError) {
    const Derivation derivation = classify(model, mech::derive(model));
    ASSERT_EQ(derivation.diagnostics.size(), 1u);
    const Diagnostic& found = derivation.diagnostics[0];
    EXPECT_EQ(found.message, message);
    EXPECT_EQ(found.notes, notes);
    EXPECT_EQ(found.severity, severity);
    EXPECT_EQ(found.span.begin, span.begin) << message;
    EXPECT_EQ(derivation.equations.has_value(), severity == Severity::kWarning);
}

void expect_only(Builder& m, const std::string& message, const std::vector<std::string>& notes = {},
                 Severity severity = Severity::kError) {
    expect_only(m.model, m.last_span(), message, notes, severity);
}

void expect_clean(Builder& m) {
    const Derivation derivation = classify(m.model, mech::derive(m.model));
    for (const Diagnostic& diagnostic : derivation.diagnostics) {
        ADD_FAILURE() << diagnostic.message;
    }
    EXPECT_TRUE(derivation.equations.has_value());
}

TEST(ValidateEquations, GaugeMatrixOfTheWrongSize) {
    Bench b;
    b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
    b.m.constraint("c", b.x.q - b.y.q);
    b.m.model.gauge.G_matrix = {{b.one.e, b.zero.e}};
    b.m.model.gauge.span = b.m.last_span();
    expect_only(b.m, "the gauge matrix G must be 1 x 1, one row per scalar constraint");
}

TEST(ValidateEquations, ParticleOfNegativeMass) {
    Bench b;
    const F m = b.m.parameter("m", -2);
    b.m.particle("A", m, {b.x.q, b.y.q, b.zero});
    expect_only(b.m, "the mass of 'A' is -2");
}

TEST(ValidateEquations, KineticEnergyThatIsNotQuadratic) {
    {
        Bench b;
        b.m.kinetic(pow(b.x.v, 2));
        b.m.kinetic(pow(b.y.v, 2) + b.x.q * pow(b.y.v, 3));
        expect_only(b.m, "the kinetic energy is not quadratic in y'",
                    {"its second derivative by y' depends on y'"});
    }
    {
        Bench b;
        b.m.kinetic(b.x.v * b.x.v * b.y.v);
        expect_only(b.m, "the kinetic energy is not quadratic in y'",
                    {"its second derivative by x' depends on y'"});
    }
    {
        Bench b;  // quadratic, although its operations do not say so
        const F sum = b.x.v + b.y.v;
        b.m.kinetic(pow(sum, 3) / (2.0 * b.x.v + 2.0 * b.y.v) + 3.0 * pow(b.x.v, 2));
        expect_clean(b.m);
    }
    {
        Bench b;  // linear and free parts are allowed
        b.m.kinetic(pow(b.x.v + sin(b.m.t()), 2) + b.x.q * b.y.v);
        expect_clean(b.m);
    }
}

TEST(ValidateEquations, NegativeKineticEnergy) {
    {
        Bench b;
        b.m.kinetic(pow(b.x.v, 2));
        b.m.kinetic(-pow(b.y.v, 2));
        expect_only(b.m, "the kinetic energy is negative for a motion of y' alone",
                    {"at the initial values: v^T M v is -2 in that direction"});
    }
    {
        Bench b;  // M = [2 3; 3 2]: negative along (1, -1)
        b.m.kinetic(pow(b.x.v, 2) + 3.0 * b.x.v * b.y.v + pow(b.y.v, 2));
        expect_only(b.m, "the kinetic energy is negative for a motion of x' and y' alone",
                    {"at the initial values: v^T M v is -1.11 in that direction"});
    }
    {
        Bench b;  // the parts may be negative as long as the whole is not
        b.m.kinetic(-(0.5 * pow(b.x.v, 2)));
        b.m.kinetic(pow(b.x.v, 2) + pow(b.y.v, 2));
        expect_clean(b.m);
    }
    {
        Bench b;  // sound at the start, negative elsewhere
        b.m.initial(b.x, 0.1);
        b.m.kinetic(b.x.q * pow(b.x.v, 2) + pow(b.y.v, 2));
        const Derivation derivation = classify(b.m.model, mech::derive(b.m.model));
        EXPECT_TRUE(derivation.equations.has_value());
        ASSERT_EQ(derivation.diagnostics.size(), 1u);
        EXPECT_EQ(derivation.diagnostics[0].severity, Severity::kWarning);
        EXPECT_EQ(derivation.diagnostics[0].message,
                  "the kinetic energy is negative for a motion of x' alone");
    }
}

}  // namespace
}  // namespace ananke::classify

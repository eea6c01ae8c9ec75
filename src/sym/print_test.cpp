#include "sym/print.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace ananke::sym {
namespace {

class Print : public ::testing::Test {
  protected:
    Expr parameter(std::string_view name) { return g.symbol(SymbolKind::kParameter, name); }
    Expr coordinate(std::string_view name) { return g.symbol(SymbolKind::kCoordinate, name); }
    Expr velocity(std::string_view name) { return g.symbol(SymbolKind::kVelocity, name); }
    Expr f(Op op, Expr p) { return g.apply(op, p); }
    Expr f(Op op, Expr p, Expr q) { return g.apply(op, p, q); }
    Expr n(std::int64_t value) { return g.integer(value); }
    std::string c(Expr e) { return print(g, e, Notation::kC); }

    /// One expression in two notations.
    void expect(Expr e, std::string_view text, std::string_view latex) {
        EXPECT_EQ(print(g, e), text);
        EXPECT_EQ(print(g, e, Notation::kLatex), latex);
    }

    Graph g;
    Expr a = parameter("a"), b = parameter("b"), m = parameter("m"), k = parameter("k"),
         x = coordinate("x"), y = coordinate("y"), z = coordinate("z"), th = coordinate("theta"),
         vx = velocity("x"), vy = velocity("y"), x2 = g.square(x), y2 = g.square(y),
         r2 = g.add(x2, y2), t = g.symbol(SymbolKind::kTime, "t");
};

TEST_F(Print, Sums) {
    expect(g.add(x, y), "x + y", "x + y");
    expect(g.sub(b, a), "b - a", "b - a");
    expect(g.add(g.neg(a), b), "b - a", "b - a");
    expect(g.sub(x, n(3)), "x - 3", "x - 3");
    expect(g.sub(n(3), x), "3 - x", "3 - x");
    expect(g.add(x, g.literal("0.1")), "x + 0.1", "x + 0.1");
    expect(g.sub(g.add(x, y), z), "x + y - z", "x + y - z");
    expect(g.sub(x, g.add(y, z)), "x - (y + z)", "x - \\left(y + z\\right)");
    expect(g.sub(x, g.sub(y, z)), "x - (y - z)", "x - \\left(y - z\\right)");
    expect(g.neg(g.add(x, y)), "-(x + y)", "-\\left(x + y\\right)");
    expect(g.add(g.neg(x), n(-2)), "-2 - x", "-2 - x");
    expect(g.add(x, g.fraction(1, 3)), "x + 1/3", "x + \\frac{1}{3}");
    expect(g.sub(x, g.fraction(1, 3)), "x - 1/3", "x - \\frac{1}{3}");
    expect(g.add(x, g.fraction(1, 4)), "x + 0.25", "x + 0.25");
}

TEST_F(Print, Products) {
    expect(g.mul(g.fraction(1, 2), g.mul(m, g.square(vx))), "m*x'^2/2",
           "\\frac{1}{2}\\,m\\,\\dot{x}^{2}");
    expect(g.mul(x, g.div(n(1), y)), "x/y", "\\frac{x}{y}");
    expect(g.div(n(1), x), "1/x", "\\frac{1}{x}");
    expect(g.div(x, g.mul(y, z)), "x/(y*z)", "\\frac{x}{y\\,z}");
    expect(g.div(g.add(x, y), g.sub(x, y)), "(x + y)/(x - y)", "\\frac{x + y}{x - y}");
    expect(g.mul(g.fraction(3, 2), g.div(x, y)), "3*x/(2*y)", "\\frac{3\\,x}{2\\,y}");
    expect(g.div(n(3), g.mul(n(2), y)), "3/(2*y)", "\\frac{3}{2\\,y}");
    expect(g.neg(g.mul(x, y)), "-x*y", "-x\\,y");
    expect(g.neg(g.div(x, y)), "-x/y", "-\\frac{x}{y}");
    expect(g.mul(x, g.sub(a, b)), "x*(a - b)", "x\\,\\left(a - b\\right)");
    expect(g.mul(g.literal("9.81"), m), "9.81*m", "9.81\\,m");
    expect(g.mul(g.literal("1e-3"), m), "1e-3*m", "10^{-3}\\,m");
    expect(g.sub(x, g.literal("1e-3")), "x - 1e-3", "x - 10^{-3}");
    expect(g.mul(g.literal("2.5e-7"), m), "2.5e-7*m", "2.5 \\cdot 10^{-7}\\,m");
    expect(g.mul(n(2), g.mul(g.pi(), x)), "2*pi*x", "2\\,\\pi\\,x");
    expect(g.mul(g.fraction(1, 2), g.pi()), "pi/2", "\\frac{1}{2}\\,\\pi");
    expect(g.mul(g.number(-2.5), x), "-2.5*x", "-2.5\\,x");
    expect(g.sub(y, g.mul(g.number(0.1), x)), "y - 0.1*x", "y - 0.1\\,x");
    expect(g.mul(g.number(1.0 / 3.0), x), "0.3333333333333333*x", "0.3333333333333333\\,x");
    expect(g.mul(f(Op::kCos, th), vx), "x'*cos(theta)", "\\dot{x}\\,\\cos\\theta");
    expect(g.mul(n(2), g.pow(n(3), x)), "2*3^x", "2 \\cdot 3^{x}");
}

TEST_F(Print, Powers) {
    expect(g.square(x), "x^2", "x^{2}");
    expect(g.neg(g.square(x)), "-x^2", "-x^{2}");
    expect(g.square(g.add(x, y)), "(x + y)^2", "\\left(x + y\\right)^{2}");
    expect(g.pow(g.mul(x, y), n(2)), "(x*y)^2", "\\left(x\\,y\\right)^{2}");
    expect(g.pow(x, g.pow(y, z)), "x^y^z", "x^{y^{z}}");
    expect(g.pow(g.pow(x, y), z), "(x^y)^z", "\\left(x^{y}\\right)^{z}");
    expect(g.pow(x, g.neg(y)), "x^(-y)", "x^{-y}");
    expect(g.pow(x, g.fraction(1, 3)), "x^(1/3)", "x^{\\frac{1}{3}}");
    expect(g.pow(x, g.fraction(3, 2)), "x^1.5", "x^{1.5}");
    expect(g.pow(n(-2), x), "(-2)^x", "\\left(-2\\right)^{x}");
    expect(g.pow(x, n(-2)), "1/x^2", "\\frac{1}{x^{2}}");
    expect(g.square(f(Op::kSin, th)), "sin(theta)^2", "\\sin^{2}\\theta");
    expect(g.square(f(Op::kExp, x)), "exp(x)^2", "\\left(e^{x}\\right)^{2}");
    expect(g.square(g.div(x, y)), "(x/y)^2", "\\left(\\frac{x}{y}\\right)^{2}");
}

TEST_F(Print, FunctionsAndChoices) {
    expect(f(Op::kSin, g.mul(n(2), t)), "sin(2*t)", "\\sin\\left(2\\,t\\right)");
    expect(f(Op::kSin, x), "sin(x)", "\\sin x");
    expect(f(Op::kSqrt, r2), "sqrt(x^2 + y^2)", "\\sqrt{x^{2} + y^{2}}");
    expect(f(Op::kAbs, x), "abs(x)", "\\left|x\\right|");
    expect(f(Op::kExp, g.neg(t)), "exp(-t)", "e^{-t}");
    expect(f(Op::kLog, x), "log(x)", "\\ln x");
    expect(f(Op::kAtan2, y, x), "atan2(y, x)", "\\operatorname{atan2}\\left(y, x\\right)");
    expect(f(Op::kMin, x, y), "min(x, y)", "\\min\\left(x, y\\right)");
    const Expr positive = f(Op::kLess, n(0), x);
    expect(positive, "0 < x", "0 < x");
    expect(g.select(positive, x, g.neg(y)), "if 0 < x then x else -y",
           "\\begin{cases} x & \\text{if } 0 < x \\\\ -y & \\text{otherwise} \\end{cases}");
    expect(g.mul(k, g.select(positive, x, y)), "k*(if 0 < x then x else y)",
           "k\\,\\begin{cases} x & \\text{if } 0 < x \\\\ y & \\text{otherwise} \\end{cases}");
    const Expr low = f(Op::kLessEqual, x, y);
    const Expr same = f(Op::kEqual, x, y);
    expect(f(Op::kOr, f(Op::kAnd, positive, low), same), "x == y or 0 < x and x <= y",
           "x = y \\lor 0 < x \\land x \\le y");
    const Expr one_of = f(Op::kOr, low, same);  // older than what it is joined with
    expect(f(Op::kAnd, f(Op::kNot, positive), one_of), "(x <= y or x == y) and not 0 < x",
           "\\left(x \\le y \\lor x = y\\right) \\land \\lnot \\left(0 < x\\right)");
    EXPECT_EQ(print(g, g.add(x, positive)), "x + (if 0 < x then 1 else 0)");
    EXPECT_EQ(print(g, g.select(x, y, z)), "if x != 0 then y else z");
}

TEST_F(Print, C) {
    EXPECT_EQ(c(g.mul(g.fraction(1, 2), g.mul(m, g.square(vx)))), "m*x_dot*x_dot/2.0");
    EXPECT_EQ(c(g.div(n(1), g.square(x))), "1.0/(x*x)");
    EXPECT_EQ(c(g.pow(x, n(3))), "x*x*x");
    EXPECT_EQ(c(g.pow(x, n(20))), "pow(x, 20.0)");
    EXPECT_EQ(c(g.pow(x, y)), "pow(x, y)");
    EXPECT_EQ(c(g.square(g.add(x, y))), "(x + y)*(x + y)");
    EXPECT_EQ(c(g.neg(g.square(x))), "-x*x");
    EXPECT_EQ(c(g.pow(x, g.fraction(1, 3))), "pow(x, 1.0/3.0)");
    EXPECT_EQ(c(g.add(x, g.fraction(1, 3))), "x + 1.0/3.0");
    EXPECT_EQ(c(g.add(x, n(7))), "x + 7.0");
    EXPECT_EQ(c(g.mul(g.literal("1e-3"), x)), "1e-3*x");
    EXPECT_EQ(c(g.mul(n(2), g.pi())), "2.0*3.141592653589793");
    EXPECT_EQ(c(f(Op::kAbs, x)), "fabs(x)");
    EXPECT_EQ(c(f(Op::kMax, x, y)), "fmax(x, y)");
    EXPECT_EQ(c(f(Op::kSign, x)), "(double)((x > 0.0) - (x < 0.0))");
    const Expr positive = f(Op::kLess, n(0), x);
    EXPECT_EQ(c(g.mul(k, g.select(positive, x, y))), "k*(0.0 < x ? x : y)");
    EXPECT_EQ(c(f(Op::kNot, positive)), "!(0.0 < x)");
    EXPECT_EQ(c(g.add(x, positive)), "x + (0.0 < x ? 1.0 : 0.0)");
}

TEST(Names, InThreeNotations) {
    struct Case {
        SymbolKind kind;
        std::string_view name, text, c, latex;
    };
    const Case cases[] = {
        {SymbolKind::kCoordinate, "x", "x", "x", "x"},
        {SymbolKind::kVelocity, "x", "x'", "x_dot", "\\dot{x}"},
        {SymbolKind::kVelocity, "x'", "x'", "x_dot", "\\dot{x}"},
        {SymbolKind::kAcceleration, "x''", "x''", "x_ddot", "\\ddot{x}"},
        {SymbolKind::kVelocity, "x[3]", "x[3]'", "x_3_dot", "\\dot{x}_{3}"},
        {SymbolKind::kVelocity, "x[3]'", "x[3]'", "x_3_dot", "\\dot{x}_{3}"},
        {SymbolKind::kCoordinate, "q[1][2]", "q[1][2]", "q_1_2", "q_{1,2}"},
        {SymbolKind::kParameter, "L12", "L12", "L12", "L_{12}"},
        {SymbolKind::kParameter, "theta", "theta", "theta", "\\theta"},
        {SymbolKind::kVelocity, "θ", "θ'", "theta_dot", "\\dot{\\theta}"},
        {SymbolKind::kCoordinate, "theta2", "theta2", "theta2", "\\theta_{2}"},
        {SymbolKind::kCoordinate, "Ω", "Ω", "Omega", "\\Omega"},
        {SymbolKind::kParameter, "Δx", "Δx", "Deltax", "\\Delta x"},
        {SymbolKind::kParameter, "mass", "mass", "mass", "\\mathrm{mass}"},
        {SymbolKind::kParameter, "k_spring", "k_spring", "k_spring", "k_{\\mathrm{spring}}"},
        {SymbolKind::kParameter, "double", "double", "double_", "\\mathrm{double}"},
        {SymbolKind::kCoordinate, "B.x", "B.x", "B_x", "x_{B}"},
        {SymbolKind::kCoordinate, "rear_hub.x", "rear_hub.x", "rear_hub_x",
         "x_{\\mathrm{rear\\_hub}}"},
        {SymbolKind::kPointPosition, "P.x", "position(P).x", "P_x", "r_{P,x}"},
        {SymbolKind::kPointVelocity, "P[2].y", "velocity(P[2]).y", "P_2_y_dot", "v_{P,2,y}"},
        {SymbolKind::kPointVelocity, "velocity(P).x", "velocity(P).x", "velocity_P_x_dot",
         "v_{\\mathrm{velocity(P)},x}"},
        {SymbolKind::kParameter, "arm at (-0.5*k_1, 0, 0)", "arm at (-0.5*k_1, 0, 0)",
         "arm_at_0_5_k_1_0_0", "\\text{arm at (-0.5*k\\_1, 0, 0)}"},
        {SymbolKind::kPointPosition, "arm at (L^2, 0, 0).x", "arm at (L^2, 0, 0).x",
         "arm_at_L_2_0_0_x", "r_{\\text{arm at (L\\^{}2, 0, 0)},x}"},
    };
    for (const Case& test : cases) {
        SCOPED_TRACE(test.name);
        const Symbol symbol{test.kind, std::string(test.name)};
        EXPECT_EQ(text_name(symbol), test.text);
        EXPECT_EQ(c_name(symbol), test.c);
        EXPECT_EQ(latex_name(symbol), test.latex);
    }
}

TEST_F(Print, CommonSubexpressionsByName) {
    const Expr roots[] = {g.mul(x, g.div(k, r2)), g.mul(y, f(Op::kSin, r2))};
    const std::vector<Named> names = common_subexpressions(g, roots);
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ(names[0].value, r2);
    const Printer printer(g, Notation::kText, names);
    EXPECT_EQ(printer.print_definitions(), "let s1 = x^2 + y^2\n");
    EXPECT_EQ(printer.print(roots[0]), "k*x/s1");
    EXPECT_EQ(printer.print(roots[1]), "y*sin(s1)");
    EXPECT_EQ(printer.print(r2), "s1");
    EXPECT_EQ(printer.print_value(r2), "x^2 + y^2");
    const Printer latex(g, Notation::kLatex, names);
    EXPECT_EQ(latex.print_definitions(), "s_{1} = x^{2} + y^{2} \\\\\n");
    EXPECT_EQ(latex.print(roots[1]), "y\\,\\sin s_{1}");
    const Named as_array[] = {{"q[0]", x}};
    const Printer in_c(g, Notation::kC, as_array);
    EXPECT_EQ(in_c.print(g.square(x)), "q[0]*q[0]");
    EXPECT_EQ(in_c.print_definitions(), "");
}

TEST_F(Print, GivenNamesAvoidThoseOfSymbols) {
    const Expr s1 = parameter("s1");
    const Expr sum = g.add(g.square(x), g.square(s1));
    const Expr root = g.mul(f(Op::kSin, sum), f(Op::kCos, sum));
    const std::vector<Named> names = common_subexpressions(g, std::span<const Expr>(&root, 1));
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ(names[0].name, "s_1");
}

// Written out, 200 such levels would need 2^200 characters.
TEST_F(Print, SharedPartsGetNamesWhereWritingThemOutExplodes) {
    for (const bool negated : {false, true}) {
        for (const Op op : {Op::kSin, Op::kSign}) {
            Expr e = x;
            for (int i = 0; i < 200; ++i) {
                const Expr part = negated ? g.neg(g.add(e, y)) : e;
                e = g.add(f(op, part), g.mul(a, f(Op::kExp, part)));
            }
            for (const Notation notation : {Notation::kText, Notation::kLatex, Notation::kC}) {
                const std::string text = print(g, e, notation);
                EXPECT_LT(text.size(), 100'000U);
                EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 100);
            }
        }
    }
}

TEST_F(Print, AnOutlineLeavesOutWhatIsDeepInside) {
    EXPECT_EQ(print_outline(g, r2), print(g, r2));
    Expr sum = x;
    Expr chain = x;
    Expr shared = x;
    for (int i = 0; i < 50'000; ++i) {
        sum = g.add(sum, f(Op::kSin, g.mul(n(i + 2), y)));
        chain = g.select(f(Op::kLess, chain, y), g.add(chain, n(1)), y);
        shared = g.add(f(Op::kSin, shared), g.mul(shared, f(Op::kCos, shared)));
    }
    for (const Expr e : {sum, chain, shared}) {
        const std::string text = print_outline(g, e);
        EXPECT_LT(text.size(), 5'000U);
        EXPECT_NE(text.find("..."), std::string::npos) << text;
    }
    EXPECT_EQ(print_outline(g, f(Op::kSin, x)), "sin(x)");
}

// Two sines and two cosines of the level below, and a product: 2^n operations.
TEST_F(Print, TheSizeOfAnExpressionIsKnownBeforeItIsWritten) {
    EXPECT_EQ(written_size(g, x), 1.0);
    EXPECT_EQ(written_size(g, g.add(x, g.mul(a, y))), 5.0);
    Expr e = x;
    for (int i = 0; i < 100; ++i) {
        e = g.add(f(Op::kSin, e), f(Op::kCos, e));
    }
    EXPECT_GT(written_size(g, e), 1e30);
}

}  // namespace
}  // namespace ananke::sym

#include <algorithm>

#include <fmt/format.h>

#include "sym/print_writer.h"

namespace ananke::sym {
namespace {

constexpr Dialect kLatex{.not_zero = " \\ne 0",
                         .less_equal = " \\le ",
                         .equal = " = ",
                         .both = " \\land ",
                         .either = " \\lor ",
                         .negation = "\\lnot ",
                         .left_parenthesis = "\\left(",
                         .right_parenthesis = "\\right)",
                         .negated = Binding::kAtom,
                         .truth_as_number = Binding::kAtom};  // a cases block

class LatexWriter : public Writer {
  public:
    LatexWriter(const Graph& graph, const NameMap& names) : Writer(graph, names, kLatex) {}

  protected:
    NumberText number(const Constant& c) const override { return number_as_latex(c); }
    std::string name(const Symbol& symbol) const override { return latex_name(symbol); }
    Binding binding_of(Expr e) const override;
    void open_product(Expr e) override;
    void open_power(Expr e) override;
    void open_choice(Expr condition, Expr yes, Expr no) override;
    void open_function(const Node& n) override;

  private:
    void call(std::string_view command, Expr argument);
    void factors(std::string_view number, const std::vector<Expr>& factors);
    bool is_command(Expr e) const;
    bool starts_with_digit(Expr e) const;
};

bool LatexWriter::is_command(Expr e) const {
    if (names_.contains(e)) {
        return false;
    }
    const Node& n = graph_.node(e);
    const Op op = n.op == Op::kPow ? graph_.node(Expr{n.a}).op : n.op;
    return !traits(op).latex.empty();
}

bool LatexWriter::starts_with_digit(Expr e) const {
    if (names_.contains(e)) {
        return false;
    }
    const Node& n = graph_.node(e);
    const Expr first = n.op == Op::kPow ? Expr{n.a} : e;
    return graph_.is_constant(first) && graph_.constant(first).text != "pi" &&
           !has_sign(graph_, names_, first);
}

Binding LatexWriter::binding_of(Expr e) const {
    const Op op = graph_.node(e).op;
    return op == Op::kPow || op == Op::kExp || is_command(e) ? Binding::kPower : Binding::kAtom;
}

// A factor alone needs no parentheses inside the braces of \frac.
void LatexWriter::factors(std::string_view number, const std::vector<Expr>& factors) {
    if (number.empty() && factors.size() == 1) {
        value(factors.front(), Binding::kSum);
        return;
    }
    // \sin\theta swallows what follows it, so the functions come last.
    std::vector<Expr> ordered = factors;
    std::stable_partition(ordered.begin(), ordered.end(), [&](Expr e) { return !is_command(e); });
    bool after_number = !number.empty();
    text(number);
    bool first = number.empty();
    for (Expr e : ordered) {
        if (!first) {
            text(after_number && starts_with_digit(e) ? " \\cdot " : "\\,");
        }
        value(e, Binding::kPower);
        after_number = false;
        first = false;
    }
}

// \frac{p}{q}\,a\,b without divisors, \frac{p\,a\,b}{q\,c\,d} with.
void LatexWriter::open_product(Expr e) {
    const Product product = product_of(graph_, names_, e);
    const bool over = !product.denominator.empty();
    std::string front;
    std::string below;
    if (product.coefficient && prefers_fraction(*product.coefficient)) {
        const Constant& c = *product.coefficient;
        if (!over) {
            front = fmt::format("\\frac{{{}}}{{{}}}", c.numerator, c.denominator);
        } else {
            front = c.numerator == 1 ? "" : fmt::format("{}", c.numerator);
            below = fmt::format("{}", c.denominator);
        }
    } else if (product.coefficient) {
        front = number_as_latex(*product.coefficient).text;
    }
    if (!over) {
        factors(front, product.numerator);
        return;
    }
    text("\\frac{");
    if (front.empty() && product.numerator.empty()) {
        text("1");
    } else {
        factors(front, product.numerator);
    }
    text("}{");
    factors(below, product.denominator);
    text("}");
}

void LatexWriter::open_power(Expr e) {
    const Node& n = graph_.node(e);
    const Expr base{n.a};
    if (is_command(base) && integer_exponent(graph_, n) >= 2) {  // \sin^{2}\theta
        const Node& function = graph_.node(base);
        call(fmt::format("{}^{{{}}}", traits(function.op).latex, integer_exponent(graph_, n)),
             Expr{function.a});
        return;
    }
    value(base, Binding::kAtom);
    text("^{");
    value(Expr{n.b}, Binding::kChoice);
    text("}");
}

void LatexWriter::open_choice(Expr condition, Expr yes, Expr no) {
    text("\\begin{cases} ");
    value(yes, Binding::kChoice);
    text(" & \\text{if } ");
    part(Role::kCondition, condition, Binding::kChoice);
    text(" \\\\ ");
    value(no, Binding::kChoice);
    text(" & \\text{otherwise} \\end{cases}");
}

/// \sin\theta, \sin x, \sin\left(x + y\right)
void LatexWriter::call(std::string_view command, Expr argument) {
    text(command);
    if (graph_.is_symbol(argument) || names_.contains(argument)) {
        const std::string* given = names_.find(argument);
        const std::string name =
            given != nullptr ? *given : latex_name(graph_.symbol_record(argument));
        text(name.front() == '\\' ? "" : " ");
        text(name);
        return;
    }
    text("\\left(");
    value(argument, Binding::kChoice);
    text("\\right)");
}

void LatexWriter::open_function(const Node& n) {
    const auto enclosed = [&](std::string_view left, std::string_view right) {
        text(left);
        value(Expr{n.a}, Binding::kChoice);
        if (arity(n.op) == 2) {
            text(", ");
            value(Expr{n.b}, Binding::kChoice);
        }
        text(right);
    };
    switch (n.op) {
        case Op::kExp:
            enclosed("e^{", "}");
            break;
        case Op::kSqrt:
            enclosed("\\sqrt{", "}");
            break;
        case Op::kAbs:
            enclosed("\\left|", "\\right|");
            break;
        case Op::kMin:
            enclosed("\\min\\left(", "\\right)");
            break;
        case Op::kMax:
            enclosed("\\max\\left(", "\\right)");
            break;
        case Op::kSign:
        case Op::kAtan2:
            enclosed(fmt::format("\\operatorname{{{}}}\\left(", function_name(n.op)), "\\right)");
            break;
        default:
            call(traits(n.op).latex, Expr{n.a});
            break;
    }
}

}  // namespace

std::unique_ptr<Writer> make_latex_writer(const Graph& graph, const NameMap& names) {
    return std::make_unique<LatexWriter>(graph, names);
}

}  // namespace ananke::sym

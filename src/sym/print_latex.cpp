#include <algorithm>

#include <fmt/format.h>

#include "sym/print_writer.h"

namespace ananke::sym {
namespace {

/// The command of a function that may stand before a bare symbol: \sin\theta; "" for all others.
std::string_view command_of(Op op) {
    switch (op) {
        case Op::kSin:
            return "\\sin";
        case Op::kCos:
            return "\\cos";
        case Op::kTan:
            return "\\tan";
        case Op::kAsin:
            return "\\arcsin";
        case Op::kAcos:
            return "\\arccos";
        case Op::kAtan:
            return "\\arctan";
        case Op::kSinh:
            return "\\sinh";
        case Op::kCosh:
            return "\\cosh";
        case Op::kTanh:
            return "\\tanh";
        case Op::kLog:
            return "\\ln";
        default:
            return "";
    }
}

class LatexWriter : public Writer {
  public:
    using Writer::Writer;

  protected:
    Binding binding(const Piece& piece) const override;
    void open(const Piece& piece) override;
    std::string_view left_parenthesis() const override { return "\\left("; }
    std::string_view right_parenthesis() const override { return "\\right)"; }

  private:
    void open_product(Expr e);
    void open_power(const Node& n);
    void open_truth(const Node& n);
    void open_choice(const Node& n);
    void open_function(const Node& n);
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
    return !command_of(op).empty();
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

Binding LatexWriter::binding(const Piece& piece) const {
    if (is_truth_from_number(piece)) {
        return Binding::kComparison;
    }
    if (is_number_from_truth(piece)) {
        return Binding::kAtom;  // a cases block
    }
    if (starts_with_minus(piece)) {
        return Binding::kSum;
    }
    switch (node(piece).op) {
        case Op::kConstant:
            return number_as_latex(graph_.constant(piece.e)).binding;
        case Op::kAdd:
        case Op::kSub:
            return Binding::kSum;
        case Op::kMul:
        case Op::kDiv:
            return Binding::kProduct;
        case Op::kPow:
        case Op::kExp:
            return Binding::kPower;
        default:
            if (is_truth(node(piece).op)) {
                return binding_of_truth(node(piece).op);
            }
            return is_command(piece.e) ? Binding::kPower : Binding::kAtom;
    }
}

void LatexWriter::open(const Piece& piece) {
    const Node& n = node(piece);
    if (is_truth_from_number(piece)) {
        value(piece.e, Binding::kSum);
        text(" \\ne 0");
        return;
    }
    if (is_number_from_truth(piece)) {
        text("\\begin{cases} 1 & \\text{if } ");
        part(Role::kCondition, piece.e, Binding::kChoice);
        text(" \\\\ 0 & \\text{otherwise} \\end{cases}");
        return;
    }
    if (starts_with_minus(piece)) {
        text("-");
        if (n.op == Op::kNeg) {
            value(Expr{n.a}, Binding::kProduct);
        } else {
            part(Role::kUnsigned, piece.e, Binding::kProduct);
        }
        return;
    }
    switch (n.op) {
        case Op::kConstant:
            text(number_as_latex(graph_.constant(piece.e)).text);
            return;
        case Op::kSymbol:
            text(latex_name(graph_.symbol_record(piece.e)));
            return;
        case Op::kAdd:
        case Op::kSub:
            sum(piece.e);
            return;
        case Op::kMul:
        case Op::kDiv:
            open_product(piece.e);
            return;
        case Op::kPow:
            open_power(n);
            return;
        case Op::kSelect:
            open_choice(n);
            return;
        default:
            if (is_truth(n.op)) {
                open_truth(n);
            } else {
                open_function(n);
            }
    }
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

void LatexWriter::open_power(const Node& n) {
    const Expr base{n.a};
    if (is_command(base) && integer_exponent(graph_, n) >= 2) {  // \sin^{2}\theta
        const Node& function = graph_.node(base);
        call(fmt::format("{}^{{{}}}", command_of(function.op), integer_exponent(graph_, n)),
             Expr{function.a});
        return;
    }
    value(base, Binding::kAtom);
    text("^{");
    value(Expr{n.b}, Binding::kChoice);
    text("}");
}

void LatexWriter::open_truth(const Node& n) {
    const auto binary = [&](Role role, std::string_view sign, Binding left, Binding right) {
        part(role, Expr{n.a}, left);
        text(sign);
        part(role, Expr{n.b}, right);
    };
    switch (n.op) {
        case Op::kLess:
            binary(Role::kValue, " < ", Binding::kSum, Binding::kSum);
            break;
        case Op::kLessEqual:
            binary(Role::kValue, " \\le ", Binding::kSum, Binding::kSum);
            break;
        case Op::kEqual:
            binary(Role::kValue, " = ", Binding::kSum, Binding::kSum);
            break;
        case Op::kAnd:
            binary(Role::kCondition, " \\land ", Binding::kAnd, Binding::kNot);
            break;
        case Op::kOr:
            binary(Role::kCondition, " \\lor ", Binding::kOr, Binding::kAnd);
            break;
        default:
            text("\\lnot ");
            part(Role::kCondition, Expr{n.a}, Binding::kAtom);
            break;
    }
}

void LatexWriter::open_choice(const Node& n) {
    text("\\begin{cases} ");
    value(Expr{n.b}, Binding::kChoice);
    text(" & \\text{if } ");
    part(Role::kCondition, Expr{n.a}, Binding::kChoice);
    text(" \\\\ ");
    value(Expr{n.c}, Binding::kChoice);
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
            call(command_of(n.op), Expr{n.a});
            break;
    }
}

}  // namespace

std::unique_ptr<Writer> make_latex_writer(const Graph& graph, const NameMap& names) {
    return std::make_unique<LatexWriter>(graph, names);
}

}  // namespace ananke::sym

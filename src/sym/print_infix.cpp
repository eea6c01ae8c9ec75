// The two linear notations: the modelling language and C.
#include <fmt/format.h>

#include "sym/print_writer.h"

namespace ananke::sym {
namespace {

/// Words and signs in which the two differ.
struct Dialect {
    std::string_view one, not_zero, equal, both, either, negation;
};
constexpr Dialect kLanguage{"1", " != 0", " == ", " and ", " or ", "not "};
constexpr Dialect kC99{"1.0", " != 0.0", " == ", " && ", " || ", "!"};

class InfixWriter : public Writer {
  public:
    InfixWriter(const Graph& graph, const NameMap& names, bool is_c)
        : Writer(graph, names), is_c_(is_c), words_(is_c ? kC99 : kLanguage) {}

  protected:
    Binding binding(const Piece& piece) const override;
    void open(const Piece& piece) override;

  private:
    void open_product(Expr e);
    void open_truth(const Node& n);
    void open_choice(Expr condition, Expr yes, Expr no);
    void open_function(const Node& n);
    NumberText number(const Constant& c) const {
        return is_c_ ? number_as_c(c) : number_as_text(c);
    }
    /// In C a small integer power is a product: x*x. Returns the number of factors, else 0.
    std::int64_t repeated_factors(Expr e) const;
    void repeat_powers(std::vector<Expr>& factors) const;

    bool is_c_;
    Dialect words_;
};

std::int64_t InfixWriter::repeated_factors(Expr e) const {
    constexpr std::int64_t kMostFactors = 8;
    constexpr std::size_t kSmall = 12;  // a larger base is written once, as pow(base, 2.0)
    const Node& n = graph_.node(e);
    if (!is_c_ || n.op != Op::kPow || names_.contains(e)) {
        return 0;
    }
    const std::int64_t exponent = integer_exponent(graph_, n);
    const std::size_t size = written_size(graph_, names_, Expr{n.a}, kSmall);
    const std::int64_t most = size == 1 ? kMostFactors : size < kSmall ? 2 : 0;
    return exponent >= 2 && exponent <= most ? exponent : 0;
}

void InfixWriter::repeat_powers(std::vector<Expr>& factors) const {
    std::vector<Expr> repeated;
    for (Expr factor : factors) {
        const std::int64_t count = repeated_factors(factor);
        if (count == 0) {
            repeated.push_back(factor);
        } else {
            repeated.insert(repeated.end(), static_cast<std::size_t>(count),
                            Expr{graph_.node(factor).a});
        }
    }
    factors = std::move(repeated);
}

Binding InfixWriter::binding(const Piece& piece) const {
    if (is_truth_from_number(piece)) {
        return Binding::kComparison;
    }
    if (is_number_from_truth(piece)) {
        return Binding::kChoice;
    }
    if (starts_with_minus(piece)) {
        return Binding::kSum;
    }
    switch (node(piece).op) {
        case Op::kConstant:
            return number(graph_.constant(piece.e)).binding;
        case Op::kAdd:
        case Op::kSub:
            return Binding::kSum;
        case Op::kMul:
        case Op::kDiv:
            return Binding::kProduct;
        case Op::kPow:
            if (is_c_) {
                return repeated_factors(piece.e) > 0 ? Binding::kProduct : Binding::kAtom;
            }
            return Binding::kPower;
        case Op::kSelect:
            return Binding::kChoice;
        default:
            return is_truth(node(piece).op) ? binding_of_truth(node(piece).op) : Binding::kAtom;
    }
}

void InfixWriter::open(const Piece& piece) {
    const Node& n = node(piece);
    if (is_truth_from_number(piece)) {
        value(piece.e, Binding::kSum);
        text(words_.not_zero);
        return;
    }
    if (is_number_from_truth(piece)) {
        open_choice(piece.e, graph_.one(), graph_.zero());
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
            text(number(graph_.constant(piece.e)).text);
            return;
        case Op::kSymbol: {
            const Symbol& symbol = graph_.symbol_record(piece.e);
            text(is_c_ ? c_name(symbol) : text_name(symbol));
            return;
        }
        case Op::kAdd:
        case Op::kSub:
            sum(piece.e);
            return;
        case Op::kMul:
        case Op::kDiv:
            open_product(piece.e);
            return;
        case Op::kPow:
            if (repeated_factors(piece.e) > 0) {
                open_product(piece.e);
            } else if (is_c_) {
                open_function(n);
            } else {
                value(Expr{n.a}, Binding::kAtom);
                text("^");
                value(Expr{n.b}, Binding::kPower);
            }
            return;
        case Op::kSelect:
            open_choice(Expr{n.a}, Expr{n.b}, Expr{n.c});
            return;
        default:
            if (is_truth(n.op)) {
                open_truth(n);
            } else {
                open_function(n);
            }
    }
}

// p*a*b/(q*c*d)
void InfixWriter::open_product(Expr e) {
    Product product = product_of(graph_, names_, e);
    repeat_powers(product.numerator);
    repeat_powers(product.denominator);
    std::string front;
    std::string below;
    if (product.coefficient && prefers_fraction(*product.coefficient)) {
        const Constant& c = *product.coefficient;
        front = c.numerator == 1 ? "" : fmt::format("{}{}", c.numerator, is_c_ ? ".0" : "");
        below = fmt::format("{}{}", c.denominator, is_c_ ? ".0" : "");
    } else if (product.coefficient) {
        front = number(*product.coefficient).text;
    }
    if (front.empty() && product.numerator.empty()) {
        front = words_.one;
    }

    text(front);
    if (!front.empty() && !product.numerator.empty()) {
        text("*");
    }
    joined(product.numerator, "*", Binding::kPower);

    const std::size_t divisors = product.denominator.size() + (below.empty() ? 0 : 1);
    if (divisors == 0) {
        return;
    }
    text(divisors > 1 ? "/(" : "/");
    text(below);
    if (!below.empty() && divisors > 1) {
        text("*");
    }
    joined(product.denominator, "*", Binding::kPower);
    text(divisors > 1 ? ")" : "");
}

void InfixWriter::open_truth(const Node& n) {
    const auto compare = [&](std::string_view sign) {
        value(Expr{n.a}, Binding::kSum);
        text(sign);
        value(Expr{n.b}, Binding::kSum);
    };
    // C compilers warn about && inside || without parentheses.
    const auto join = [&](std::string_view word, Binding left, Binding right) {
        part(Role::kCondition, Expr{n.a}, is_c_ ? Binding::kComparison : left);
        text(word);
        part(Role::kCondition, Expr{n.b}, is_c_ ? Binding::kComparison : right);
    };
    switch (n.op) {
        case Op::kLess:
            compare(" < ");
            break;
        case Op::kLessEqual:
            compare(" <= ");
            break;
        case Op::kEqual:
            compare(words_.equal);
            break;
        case Op::kAnd:
            join(words_.both, Binding::kAnd, Binding::kNot);
            break;
        case Op::kOr:
            join(words_.either, Binding::kOr, Binding::kAnd);
            break;
        default:
            text(words_.negation);
            part(Role::kCondition, Expr{n.a}, is_c_ ? Binding::kAtom : Binding::kNot);
            break;
    }
}

void InfixWriter::open_choice(Expr condition, Expr yes, Expr no) {
    const Binding least = is_c_ ? Binding::kOr : Binding::kChoice;
    text(is_c_ ? "" : "if ");
    part(Role::kCondition, condition, least);
    text(is_c_ ? " ? " : " then ");
    value(yes, least);
    text(is_c_ ? " : " : " else ");
    value(no, least);
}

void InfixWriter::open_function(const Node& n) {
    std::string_view name = function_name(n.op);
    if (is_c_) {
        switch (n.op) {
            case Op::kPow:
                name = "pow";
                break;
            case Op::kAbs:
                name = "fabs";
                break;
            case Op::kMin:
                name = "fmin";
                break;
            case Op::kMax:
                name = "fmax";
                break;
            case Op::kSign:  // C has none
                text("(double)((");
                value(Expr{n.a}, Binding::kSum);
                text(" > 0.0) - (");
                value(Expr{n.a}, Binding::kSum);
                text(" < 0.0))");
                return;
            default:
                break;
        }
    }
    text(name);
    text("(");
    value(Expr{n.a}, Binding::kChoice);
    if (arity(n.op) == 2) {
        text(", ");
        value(Expr{n.b}, Binding::kChoice);
    }
    text(")");
}

}  // namespace

std::unique_ptr<Writer> make_infix_writer(const Graph& graph, const NameMap& names, bool is_c) {
    return std::make_unique<InfixWriter>(graph, names, is_c);
}

}  // namespace ananke::sym

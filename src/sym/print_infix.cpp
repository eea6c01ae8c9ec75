// The two linear notations: the modelling language and C.
#include <fmt/format.h>

#include "sym/print_writer.h"

namespace ananke::sym {
namespace {

constexpr Dialect kLanguage{};
/// C compilers warn about && inside || without parentheses.
constexpr Dialect kC99{.not_zero = " != 0.0",
                       .both = " && ",
                       .either = " || ",
                       .negation = "!",
                       .left_of_both = Binding::kComparison,
                       .right_of_both = Binding::kComparison,
                       .left_of_either = Binding::kComparison,
                       .right_of_either = Binding::kComparison,
                       .negated = Binding::kAtom};

class InfixWriter : public Writer {
  public:
    InfixWriter(const Graph& graph, const NameMap& names, const Dialect& words)
        : Writer(graph, names, words), is_c_(&words == &kC99) {}

  protected:
    NumberText number(const Constant& c) const override {
        return is_c_ ? number_as_c(c) : number_as_text(c);
    }
    std::string name(const Symbol& symbol) const override {
        return is_c_ ? c_name(symbol) : text_name(symbol);
    }
    Binding binding_of(Expr e) const override;
    void open_product(Expr e) override;
    void open_power(Expr e) override;
    void open_choice(Expr condition, Expr yes, Expr no) override;
    void open_function(const Node& n) override;

  private:
    /// In C a small integer power is a product: x*x. Returns the number of factors, else 0.
    std::int64_t repeated_factors(Expr e) const;
    void repeat_powers(std::vector<Expr>& factors) const;

    bool is_c_;
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

Binding InfixWriter::binding_of(Expr e) const {
    switch (graph_.node(e).op) {
        case Op::kPow:
            return !is_c_                    ? Binding::kPower
                   : repeated_factors(e) > 0 ? Binding::kProduct
                                             : Binding::kAtom;
        case Op::kSelect:
            return Binding::kChoice;
        default:
            return Binding::kAtom;
    }
}

void InfixWriter::open_power(Expr e) {
    const Node& n = graph_.node(e);
    if (repeated_factors(e) > 0) {
        open_product(e);
    } else if (is_c_) {
        open_function(n);
    } else {
        value(Expr{n.a}, Binding::kAtom);
        text("^");
        value(Expr{n.b}, Binding::kPower);
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
        front = is_c_ ? "1.0" : "1";
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
    if (is_c_ && n.op == Op::kSign) {  // C has none
        text("(double)((");
        value(Expr{n.a}, Binding::kSum);
        text(" > 0.0) - (");
        value(Expr{n.a}, Binding::kSum);
        text(" < 0.0))");
        return;
    }
    const OpTraits& function = traits(n.op);
    text(is_c_ && !function.c.empty() ? function.c : function.name);
    text("(");
    value(Expr{n.a}, Binding::kChoice);
    if (arity(n.op) == 2) {
        text(", ");
        value(Expr{n.b}, Binding::kChoice);
    }
    text(")");
}

}  // namespace

std::unique_ptr<Writer> make_writer(const Graph& graph, const NameMap& names, Notation notation) {
    if (notation == Notation::kLatex) {
        return make_latex_writer(graph, names);
    }
    return std::make_unique<InfixWriter>(graph, names, notation == Notation::kC ? kC99 : kLanguage);
}

}  // namespace ananke::sym

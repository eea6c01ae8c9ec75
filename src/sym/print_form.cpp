#include "sym/print_form.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "sym/walk.h"

namespace ananke::sym {
namespace {

bool is_negative_number(const Graph& graph, Expr e) {
    return graph.is_constant(e) && std::signbit(graph.constant(e).value);
}

bool opens_as_product(const Graph& graph, const NameMap& names, Expr e) {
    const Op op = graph.node(e).op;
    return (op == Op::kMul || op == Op::kDiv) && !names.contains(e);
}

/// Place of a factor in a product: numbers, parameters, what moves, functions, sums; m*g*l*sin(th).
int place_of(const Graph& graph, const NameMap& names, Expr e) {
    if (!names.contains(e) && graph.node(e).op == Op::kPow) {
        e = Expr{graph.node(e).a};
    }
    if (names.contains(e)) {
        return 2;
    }
    switch (graph.node(e).op) {
        case Op::kConstant:
            return 0;
        case Op::kSymbol:
            return graph.is_symbol(e, SymbolKind::kParameter) ? 1 : 2;
        case Op::kAdd:
        case Op::kSub:
            return 4;
        default:
            return 3;
    }
}

void order_factors(const Graph& graph, const NameMap& names, std::vector<Expr>& factors) {
    std::ranges::stable_sort(factors, [&](Expr a, Expr b) {
        return place_of(graph, names, a) < place_of(graph, names, b);
    });
}

/// The factor a product starts with.
Expr first_factor(const Graph& graph, const NameMap& names, Expr e) {
    while (opens_as_product(graph, names, e)) {
        e = Expr{graph.node(e).a};
    }
    return e;
}

}  // namespace

bool has_sign(const Graph& graph, const NameMap& names, Expr e) {
    if (names.contains(e)) {
        return false;
    }
    const Expr first = first_factor(graph, names, e);
    return graph.node(e).op == Op::kNeg ||
           (!names.contains(first) && is_negative_number(graph, first));
}

std::vector<Term> terms_of(const Graph& graph, const NameMap& names, Expr e) {
    std::vector<Term> terms;
    struct Item {
        Expr e;
        bool negative;
    };
    std::vector<Item> stack{{e, false}};
    while (!stack.empty()) {
        const Item item = stack.back();
        stack.pop_back();
        const Node& node = graph.node(item.e);
        const bool opens = !item.negative && !names.contains(item.e);
        if (opens && (node.op == Op::kAdd || node.op == Op::kSub)) {
            stack.push_back({Expr{node.b}, node.op == Op::kSub});
            stack.push_back({Expr{node.a}, false});
        } else if (has_sign(graph, names, item.e)) {
            const bool is_negation = node.op == Op::kNeg;
            terms.push_back({is_negation ? Expr{node.a} : item.e, !item.negative, !is_negation});
        } else {
            terms.push_back({item.e, item.negative, false});
        }
    }
    return terms;
}

Product product_of(const Graph& graph, const NameMap& names, Expr e) {
    Product product;
    struct Item {
        Expr e;
        bool divides;
    };
    std::vector<Item> stack{{e, false}};
    const Expr first = first_factor(graph, names, e);
    bool at_first = true;
    while (!stack.empty()) {
        const Item item = stack.back();
        stack.pop_back();
        const Node& node = graph.node(item.e);
        if (opens_as_product(graph, names, item.e)) {
            stack.push_back({Expr{node.b}, item.divides != (node.op == Op::kDiv)});
            stack.push_back({Expr{node.a}, item.divides});
            continue;
        }
        if (at_first && graph.is_constant(first) && !names.contains(first)) {
            Constant number = graph.constant(item.e);
            if (number.value < 0.0) {
                number = {{-number.value, -number.numerator, number.denominator}, ""};
            }
            if (number.value != 1.0) {
                product.coefficient = number;
            }
        } else if (!graph.is_one(item.e)) {
            (item.divides ? product.denominator : product.numerator).push_back(item.e);
        }
        at_first = false;
    }
    order_factors(graph, names, product.numerator);
    order_factors(graph, names, product.denominator);
    return product;
}

std::size_t written_size(const Graph& graph, const NameMap& names, Expr e, std::size_t limit) {
    std::size_t count = 0;
    std::vector<Expr> stack{e};
    while (!stack.empty() && count < limit) {
        const Expr next = stack.back();
        stack.pop_back();
        ++count;
        if (!names.contains(next)) {
            for_each_operand(graph.node(next), [&](Expr operand) { stack.push_back(operand); });
        }
    }
    return count;
}

namespace {

/// The decimal form of an exact fraction where it is short and exact, else "".
std::string short_decimal(const Constant& constant) {
    constexpr std::int64_t kLargest = 10'000'000;
    constexpr int kPlaces = 7;
    if (std::abs(constant.numerator) > kLargest) {
        return constant.denominator == 1 ? fmt::format("{}", std::abs(constant.numerator)) : "";
    }
    std::int64_t rest = constant.denominator;
    int twos = 0;
    int fives = 0;
    for (; rest % 2 == 0; rest /= 2) {
        ++twos;
    }
    for (; rest % 5 == 0; rest /= 5) {
        ++fives;
    }
    return rest == 1 && std::max(twos, fives) <= kPlaces ? to_text(std::abs(constant.value)) : "";
}

}  // namespace

bool prefers_fraction(const Constant& constant) {
    if (!constant.exact() || constant.denominator == 1 || !constant.text.empty()) {
        return false;
    }
    const std::int64_t p = std::abs(constant.numerator);
    const std::int64_t q = constant.denominator;
    return (p == 1 && q <= 1000) || (p <= 12 && q <= 64) || short_decimal(constant).empty();
}

std::int64_t integer_exponent(const Graph& graph, const Node& power) {
    if (!graph.is_constant(Expr{power.b})) {
        return 0;
    }
    const Constant& exponent = graph.constant(Expr{power.b});
    return exponent.denominator == 1 ? exponent.numerator : 0;
}

NumberText number_as_text(const Constant& constant) {
    if (!constant.text.empty() && constant.text.front() != '-') {
        return {constant.text, Binding::kAtom};
    }
    if (!constant.exact()) {
        return {to_text(std::abs(constant.value)), Binding::kAtom};
    }
    const std::string decimal = short_decimal(constant);
    if (!decimal.empty()) {
        return {decimal, Binding::kAtom};
    }
    return {fmt::format("{}/{}", std::abs(constant.numerator), constant.denominator),
            Binding::kProduct};
}

NumberText number_as_c(const Constant& constant) {
    constexpr std::int64_t kExactDouble = std::int64_t{1} << 53;
    if (!std::isfinite(constant.value)) {
        return {std::isnan(constant.value) ? "NAN" : "INFINITY", Binding::kAtom};
    }
    NumberText number = number_as_text(constant);
    if (constant.text == "pi") {
        number.text = to_text(constant.value);
    }
    if (number.binding == Binding::kProduct) {
        if (std::abs(constant.numerator) < kExactDouble && constant.denominator < kExactDouble) {
            return {fmt::format("{}.0/{}.0", std::abs(constant.numerator), constant.denominator),
                    Binding::kProduct};
        }
        number = {to_text(std::abs(constant.value)), Binding::kAtom};
    }
    if (number.text.find_first_of(".eE") == std::string::npos) {
        number.text += ".0";  // an integer literal would divide as integers do
    }
    return number;
}

NumberText number_as_latex(const Constant& constant) {
    if (constant.text == "pi") {
        return {"\\pi", Binding::kAtom};
    }
    if (!std::isfinite(constant.value)) {
        return {std::isnan(constant.value) ? "\\mathrm{NaN}" : "\\infty", Binding::kAtom};
    }
    NumberText number = number_as_text(constant);
    if (number.binding == Binding::kProduct) {
        return {
            fmt::format("\\frac{{{}}}{{{}}}", std::abs(constant.numerator), constant.denominator),
            Binding::kProduct};
    }
    const std::size_t e = number.text.find_first_of("eE");
    if (e == std::string::npos) {
        return number;
    }
    const std::string mantissa = number.text.substr(0, e);
    const long exponent = std::strtol(number.text.c_str() + e + 1, nullptr, 10);
    return mantissa == "1" ? NumberText{fmt::format("10^{{{}}}", exponent), Binding::kPower}
                           : NumberText{fmt::format("{} \\cdot 10^{{{}}}", mantissa, exponent),
                                        Binding::kProduct};
}

}  // namespace ananke::sym

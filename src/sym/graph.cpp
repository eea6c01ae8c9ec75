#include "sym/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "sym/exact.h"

namespace ananke::sym {
namespace {

/// Exact numbers by their fraction, others by their bits.
std::pair<std::uint64_t, std::uint64_t> key(const Number& number) {
    return {number.exact() ? static_cast<std::uint64_t>(number.numerator)
                           : std::bit_cast<std::uint64_t>(number.value),
            static_cast<std::uint64_t>(number.denominator)};
}

std::uint64_t hash(const Number& number) {
    const auto [above, below] = key(number);
    return mix(above, below);
}

std::uint64_t hash(SymbolKind kind, std::string_view name) {
    return mix(static_cast<std::uint64_t>(kind), std::hash<std::string_view>()(name));
}

}  // namespace

Graph::Graph() {
    zero_ = integer(0);
    one_ = integer(1);
}

namespace {

inline std::uint64_t hash(const Node& node) {
    return mix(node.a + (std::uint64_t{node.b} << 32U),
               node.c + (static_cast<std::uint64_t>(node.op) << 32U));
}

std::uint8_t facts(bool finite, bool not_negative, bool not_zero) {
    return static_cast<std::uint8_t>((finite ? static_cast<int>(Fact::kFinite) : 0) |
                                     (not_negative ? static_cast<int>(Fact::kNotNegative) : 0) |
                                     (not_zero ? static_cast<int>(Fact::kNotZero) : 0));
}

std::uint8_t facts_of_number(double value) {
    return facts(std::isfinite(value), value >= 0.0, value != 0.0);
}

std::uint32_t newest_operand(const Node& node) {
    return std::max({node.a, node.b, node.c});
}

}  // namespace

/// What follows for an operation from the facts of its operands.
std::uint8_t Graph::facts_of(const Node& node) const {
    const int count = arity(node.op);
    const auto holds = [&](std::uint32_t operand, Fact fact) { return is(Expr{operand}, fact); };
    const auto finite = [&](std::uint32_t operand) { return holds(operand, Fact::kFinite); };
    const auto not_negative = [&](std::uint32_t operand) {
        return holds(operand, Fact::kNotNegative);
    };
    const auto not_zero = [&](std::uint32_t operand) { return holds(operand, Fact::kNotZero); };
    const bool both_finite = finite(node.a) && (count < 2 || finite(node.b));
    const bool both_not_negative = not_negative(node.a) && (count < 2 || not_negative(node.b));
    const bool both_not_zero = not_zero(node.a) && (count < 2 || not_zero(node.b));
    switch (node.op) {
        case Op::kConstant:
        case Op::kSymbol:
            return node.facts;
        case Op::kAdd:
            return facts(both_finite, both_not_negative,
                         both_not_negative && (not_zero(node.a) || not_zero(node.b)));
        case Op::kSub:
            return facts(both_finite, false, false);
        case Op::kNeg:
            return facts(both_finite, false, both_not_zero);
        case Op::kMul:
            return facts(both_finite, both_not_negative, both_not_zero);
        case Op::kDiv:
            return facts(both_finite && not_zero(node.b), both_not_negative,
                         not_zero(node.a) && finite(node.b));
        case Op::kPow: {
            const Constant* n = exact_constant(Expr{node.b});
            const bool whole = n != nullptr && n->denominator == 1;
            const bool even = whole && n->numerator % 2 == 0;
            const bool positive = n != nullptr && n->numerator > 0;
            const bool in_domain = whole || not_negative(node.a);
            return facts(both_finite && in_domain && (positive || not_zero(node.a)),
                         even || not_negative(node.a) || (n != nullptr && !whole),
                         not_zero(node.a) && both_finite);
        }
        case Op::kSin:
        case Op::kCos:
        case Op::kTan:
            return facts(both_finite, false, false);
        case Op::kAsin:
            return facts(false, both_not_negative, both_not_zero);
        case Op::kAcos:
            return facts(false, true, false);
        case Op::kAtan:
        case Op::kSinh:
        case Op::kTanh:
            return facts(both_finite, both_not_negative, both_not_zero);
        case Op::kCosh:
        case Op::kExp:
            return facts(both_finite, true, both_finite);
        case Op::kLog:
            return facts(both_finite && both_not_negative && both_not_zero, false, false);
        case Op::kSqrt:
            return facts(both_finite && both_not_negative, true, both_not_zero);
        case Op::kAbs:
            return facts(both_finite, true, both_not_zero);
        case Op::kSign:  // of what is not a number it is 0
            return facts(true, both_not_negative, both_not_zero && both_finite);
        case Op::kAtan2:
            return facts(both_finite, false, false);
        case Op::kMin:  // the other one where one is not a number
        case Op::kMax:
            return facts(both_finite, both_not_negative, both_not_zero);
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kEqual:
        case Op::kAnd:
        case Op::kOr:
        case Op::kNot:
            return facts(true, true, false);
        case Op::kSelect:
            return facts(finite(node.b) && finite(node.c),
                         not_negative(node.b) && not_negative(node.c),
                         not_zero(node.b) && not_zero(node.c));
    }
    return 0;
}

Expr Graph::intern(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (settled_) {
        know_all_nodes();
    }
    const Node node{.op = op, .a = a, .b = b, .c = c};
    const Expr next{static_cast<std::uint32_t>(nodes_.size())};
    const Expr e{known_nodes_.find_or_insert(newest_operand(node), hash(node), next.id,
                                             [&](std::uint32_t id) { return nodes_[id] == node; })};
    if (e == next) {
        nodes_.push_back(node);
        nodes_[e.id].facts = facts_of(node);
    }
    ANANKE_DEBUG_CHECK(e != next || is_canonical(e));
    return e;
}

void Graph::settle() {
    nodes_.shrink_to_fit();
    known_nodes_ = {};
    settled_ = true;
}

void Graph::know_all_nodes() {
    settled_ = false;
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        if (arity(nodes_[id].op) > 0) {
            known_nodes_.find_or_insert(newest_operand(nodes_[id]), hash(nodes_[id]), id,
                                        [](std::uint32_t) { return false; });
        }
    }
}

Expr Graph::intern_constant(const Number& number, std::string_view text) {
    const Expr next{static_cast<std::uint32_t>(nodes_.size())};
    const Expr e{known_constants_.find_or_insert(hash(number), next.id, [&](std::uint32_t id) {
        return key(constants_[nodes_[id].a]) == key(number);
    })};
    if (e == next) {
        nodes_.push_back({.op = Op::kConstant,
                          .facts = facts_of_number(number.value),
                          .a = static_cast<std::uint32_t>(constants_.size())});
        constants_.push_back({number, std::string(text)});
    }
    return e;
}

Expr Graph::fraction(std::int64_t numerator, std::int64_t denominator) {
    ANANKE_REQUIRE(denominator != 0);
    const std::optional<Number> exact = make_fraction(numerator, denominator);
    return intern_constant(
        exact ? *exact : Number{static_cast<double>(numerator) / static_cast<double>(denominator)});
}

Expr Graph::number(double value) {
    constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
    if (std::abs(value) <= kExactIntegers && value == std::floor(value)) {
        return integer(static_cast<std::int64_t>(value));
    }
    return intern_constant({value});
}

Expr Graph::literal(std::string_view text) {
    return intern_constant(parse_literal(text), text);
}

Expr Graph::pi() {
    return intern_constant({std::numbers::pi}, "pi");
}

Expr Graph::symbol(SymbolKind kind, std::string_view name) {
    const Expr next{static_cast<std::uint32_t>(nodes_.size())};
    const Expr e{known_symbols_.find_or_insert(hash(kind, name), next.id, [&](std::uint32_t id) {
        const Symbol& known = symbols_[nodes_[id].a];
        return known.kind == kind && known.name == name;
    })};
    if (e == next) {
        nodes_.push_back({.op = Op::kSymbol,
                          .kind = kind,
                          .facts = static_cast<std::uint8_t>(Fact::kFinite),
                          .a = static_cast<std::uint32_t>(symbols_.size())});
        symbols_.push_back({kind, std::string(name)});
    }
    return e;
}

std::optional<Expr> Graph::find_symbol(SymbolKind kind, std::string_view name) const {
    const std::optional<std::uint32_t> found =
        known_symbols_.find(hash(kind, name), [&](std::uint32_t id) {
            const Symbol& known = symbols_[nodes_[id].a];
            return known.kind == kind && known.name == name;
        });
    return found ? std::optional(Expr{*found}) : std::nullopt;
}

const Constant& Graph::constant(Expr e) const {
    ANANKE_REQUIRE(is_constant(e));
    return constants_[node(e).a];
}

const Symbol& Graph::symbol_record(Expr e) const {
    ANANKE_REQUIRE(is_symbol(e));
    return symbols_[node(e).a];
}

const Constant* Graph::exact_constant(Expr e) const {
    if (!is_constant(e)) {
        return nullptr;
    }
    const Constant& c = constants_[node(e).a];
    return c.exact() ? &c : nullptr;
}

Graph::Scaled Graph::split_coefficient(Expr e) const {
    Scaled scaled{{1.0, 1, 1}, e};
    if (const Constant* c = exact_constant(e)) {
        return {*c, one_};
    }
    if (node(e).op == Op::kNeg) {
        scaled = {{-1.0, -1, 1}, Expr{node(e).a}};
    }
    const Node& inner = node(scaled.rest);
    if (inner.op == Op::kMul) {
        if (const Constant* c = exact_constant(Expr{inner.a})) {
            scaled.coefficient = scaled.coefficient.numerator < 0 ? exact_neg(*c) : Number(*c);
            scaled.rest = Expr{inner.b};
        }
    }
    return scaled;
}

Graph::Powered Graph::split_power(Expr e) const {
    const Node& n = node(e);
    if (n.op == Op::kPow) {
        const Constant* exponent = exact_constant(Expr{n.b});
        if (exponent != nullptr && exponent->denominator == 1) {
            return {Expr{n.a}, *exponent};
        }
    }
    return {e, {1.0, 1, 1}};
}

}  // namespace ananke::sym

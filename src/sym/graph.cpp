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

struct OpInfo {
    int arity;
    std::string_view name;
};

constexpr OpInfo info(Op op) {
    switch (op) {
        case Op::kConstant:
        case Op::kSymbol:
            return {0, ""};
        case Op::kNeg:
        case Op::kNot:
            return {1, ""};
        case Op::kSin:
            return {1, "sin"};
        case Op::kCos:
            return {1, "cos"};
        case Op::kTan:
            return {1, "tan"};
        case Op::kAsin:
            return {1, "asin"};
        case Op::kAcos:
            return {1, "acos"};
        case Op::kAtan:
            return {1, "atan"};
        case Op::kSinh:
            return {1, "sinh"};
        case Op::kCosh:
            return {1, "cosh"};
        case Op::kTanh:
            return {1, "tanh"};
        case Op::kExp:
            return {1, "exp"};
        case Op::kLog:
            return {1, "log"};
        case Op::kSqrt:
            return {1, "sqrt"};
        case Op::kAbs:
            return {1, "abs"};
        case Op::kSign:
            return {1, "sign"};
        case Op::kAtan2:
            return {2, "atan2"};
        case Op::kMin:
            return {2, "min"};
        case Op::kMax:
            return {2, "max"};
        case Op::kAdd:
        case Op::kSub:
        case Op::kMul:
        case Op::kDiv:
        case Op::kPow:
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kEqual:
        case Op::kAnd:
        case Op::kOr:
            return {2, ""};
        case Op::kSelect:
            return {3, ""};
    }
    return {0, ""};
}

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

int arity(Op op) {
    return info(op).arity;
}

std::string_view function_name(Op op) {
    return info(op).name;
}

Graph::Graph() {
    zero_ = integer(0);
    one_ = integer(1);
}

Expr Graph::intern(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Node node{op, a, b, c};
    const std::uint64_t hash = mix(mix(static_cast<std::uint64_t>(op) + 1, a), mix(b, c));
    const Expr next{static_cast<std::uint32_t>(nodes_.size())};
    const Expr e{known_nodes_.find_or_insert(std::max({a, b, c}), hash, next.id,
                                             [&](std::uint32_t id) { return nodes_[id] == node; })};
    if (e == next) {
        if (nodes_.size() == nodes_.capacity()) {  // not twice the size: large graphs fill memory
            nodes_.reserve(nodes_.size() + nodes_.size() / 4 + 64);
        }
        nodes_.push_back(node);
    }
    ANANKE_DEBUG_CHECK(e != next || is_canonical(e));
    return e;
}

Expr Graph::intern_constant(const Number& number, std::string_view text) {
    const Expr next{static_cast<std::uint32_t>(nodes_.size())};
    const Expr e{known_constants_.find_or_insert(hash(number), next.id, [&](std::uint32_t id) {
        return key(constants_[nodes_[id].a]) == key(number);
    })};
    if (e == next) {
        nodes_.push_back({Op::kConstant, static_cast<std::uint32_t>(constants_.size())});
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
        nodes_.push_back({Op::kSymbol, static_cast<std::uint32_t>(symbols_.size())});
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

bool Graph::is_symbol(Expr e, SymbolKind kind) const {
    return is_symbol(e) && symbols_[node(e).a].kind == kind;
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

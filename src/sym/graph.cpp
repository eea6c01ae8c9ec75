#include "sym/graph.h"

#include <bit>
#include <cmath>
#include <numbers>

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

std::string constant_key(const Constant& c) {
    return c.exact() ? std::to_string(c.numerator) + "/" + std::to_string(c.denominator)
                     : "~" + std::to_string(std::bit_cast<std::uint64_t>(c.value));
}

std::string symbol_key(SymbolKind kind, std::string_view name) {
    std::string key(1, static_cast<char>('a' + static_cast<int>(kind)));
    return key.append(name);
}

}  // namespace

int arity(Op op) {
    return info(op).arity;
}

std::string_view function_name(Op op) {
    return info(op).name;
}

std::size_t Graph::NodeKeyHash::operator()(const NodeKey& key) const {
    std::uint64_t h = static_cast<std::uint64_t>(key.op) + 1;
    for (const std::uint32_t part : {key.a, key.b, key.c}) {
        h = (h ^ part) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29U;
    }
    return h;
}

Graph::Graph() {
    zero_ = integer(0);
    one_ = integer(1);
}

Expr Graph::intern(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto [found, is_new] =
        known_nodes_.try_emplace({op, a, b, c}, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
        nodes_.push_back({op, a, b, c});
    }
    const Expr e{found->second};
    ANANKE_DEBUG_CHECK(!is_new || is_canonical(e));
    return e;
}

Expr Graph::intern_constant(Constant constant) {
    const auto [found, is_new] = known_constants_.try_emplace(
        constant_key(constant), static_cast<std::uint32_t>(constants_.size()));
    if (is_new) {
        constants_.push_back(std::move(constant));
    }
    return intern(Op::kConstant, found->second);
}

Expr Graph::fraction(std::int64_t numerator, std::int64_t denominator) {
    ANANKE_REQUIRE(denominator != 0);
    const std::optional<Constant> exact = make_fraction(numerator, denominator);
    return exact
               ? intern_constant(*exact)
               : intern_constant(
                     {static_cast<double>(numerator) / static_cast<double>(denominator), 0, 0, ""});
}

Expr Graph::number(double value) {
    constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
    if (std::abs(value) <= kExactIntegers && value == std::floor(value)) {
        return integer(static_cast<std::int64_t>(value));
    }
    return intern_constant({value, 0, 0, ""});
}

Expr Graph::literal(std::string_view text) {
    return intern_constant(parse_literal(text));
}

Expr Graph::pi() {
    return intern_constant({std::numbers::pi, 0, 0, "pi"});
}

Expr Graph::symbol(SymbolKind kind, std::string_view name) {
    const auto [found, is_new] = known_symbols_.try_emplace(
        symbol_key(kind, name), static_cast<std::uint32_t>(symbols_.size()));
    if (is_new) {
        symbols_.push_back({kind, std::string(name)});
    }
    return intern(Op::kSymbol, found->second);
}

std::optional<Expr> Graph::find_symbol(SymbolKind kind, std::string_view name) const {
    const auto found = known_symbols_.find(symbol_key(kind, name));
    if (found == known_symbols_.end()) {
        return std::nullopt;
    }
    return Expr{known_nodes_.at({Op::kSymbol, found->second, 0, 0})};
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
    Scaled scaled{{1.0, 1, 1, ""}, e};
    if (const Constant* c = exact_constant(e)) {
        return {*c, one_};
    }
    if (node(e).op == Op::kNeg) {
        scaled = {{-1.0, -1, 1, ""}, Expr{node(e).a}};
    }
    const Node& inner = node(scaled.rest);
    if (inner.op == Op::kMul) {
        if (const Constant* c = exact_constant(Expr{inner.a})) {
            scaled.coefficient = scaled.coefficient.numerator < 0 ? exact_neg(*c) : *c;
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
    return {e, {1.0, 1, 1, ""}};
}

}  // namespace ananke::sym

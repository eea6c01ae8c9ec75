#include "sym/graph.h"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/text.h"
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

bool is_odd(Op op) {
    return op == Op::kSin || op == Op::kTan || op == Op::kAsin || op == Op::kAtan ||
           op == Op::kSinh || op == Op::kTanh || op == Op::kSign;
}

bool is_even(Op op) {
    return op == Op::kCos || op == Op::kCosh || op == Op::kAbs;
}

bool is_commutative(Op op) {
    return op == Op::kMin || op == Op::kMax || op == Op::kEqual || op == Op::kAnd || op == Op::kOr;
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

/// coefficient * rest, where rest carries no coefficient and no sign.
Expr Graph::scaled(const Constant& coefficient, Expr rest) {
    if (coefficient.numerator == 0) {
        return zero_;
    }
    if (is_one(rest)) {
        return intern_constant(coefficient);
    }
    if (coefficient.numerator < 0) {
        return neg(scaled(exact_neg(coefficient), rest));
    }
    if (coefficient.numerator == 1 && coefficient.denominator == 1) {
        return rest;
    }
    const Expr number = intern_constant(coefficient);
    return intern(Op::kMul, number.id, rest.id);
}

Expr Graph::neg(Expr a) {
    if (const Constant* c = exact_constant(a)) {
        return intern_constant(exact_neg(*c));
    }
    const Node n = node(a);
    if (n.op == Op::kNeg) {
        return Expr{n.a};
    }
    if (n.op == Op::kSub) {
        return sub(Expr{n.b}, Expr{n.a});
    }
    return intern(Op::kNeg, a.id);
}

Expr Graph::add(Expr a, Expr b) {
    if (is_zero(a) || is_zero(b)) {
        return is_zero(a) ? b : a;
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (nb.op == Op::kNeg) {
        return sub(a, Expr{nb.a});
    }
    if (na.op == Op::kNeg) {
        return sub(b, Expr{na.a});
    }
    return sum_of(a, b, false);
}

Expr Graph::sub(Expr a, Expr b) {
    if (is_zero(b)) {
        return a;
    }
    if (is_zero(a)) {
        return neg(b);
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (nb.op == Op::kNeg) {
        return add(a, Expr{nb.a});
    }
    if (na.op == Op::kNeg) {
        return neg(add(Expr{na.a}, b));
    }
    if (exact_constant(b) != nullptr) {
        return add(a, neg(b));
    }
    return sum_of(a, b, true);
}

/// a + b or a - b, neither of them 0 or a negation.
Expr Graph::sum_of(Expr a, Expr b, bool subtract) {
    // Like terms: c*x + d*x is (c + d)*x; two numbers are the case x = 1.
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    if (sa.rest == sb.rest) {
        const Constant cb = subtract ? exact_neg(sb.coefficient) : sb.coefficient;
        if (const std::optional<Constant> sum = exact_add(sa.coefficient, cb)) {
            return scaled(*sum, sa.rest);
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    const auto combine = [&](Expr x, Expr y) { return subtract ? sub(x, y) : add(x, y); };

    // Numbers are gathered at the end of a sum: (x + c) + y is (x + y) + c, a difference likewise.
    const bool a_has_number = na.op == Op::kAdd && exact_constant(Expr{na.b}) != nullptr;
    const bool b_has_number = nb.op == Op::kAdd && exact_constant(Expr{nb.b}) != nullptr;
    if (b_has_number) {
        const Expr number{nb.b};
        return add(combine(a, Expr{nb.a}), subtract ? neg(number) : number);
    }
    if (a_has_number) {
        if (exact_constant(b) != nullptr) {
            return add(Expr{na.a}, combine(Expr{na.b}, b));
        }
        return add(combine(Expr{na.a}, b), Expr{na.b});
    }
    // A number in front of a difference: (c - x) + d is (c + d) - x.
    if (na.op == Op::kSub && exact_constant(Expr{na.a}) != nullptr &&
        exact_constant(b) != nullptr) {
        return sub(combine(Expr{na.a}, b), Expr{na.b});
    }
    if (!subtract && nb.op == Op::kSub && exact_constant(Expr{nb.a}) != nullptr &&
        exact_constant(a) != nullptr) {
        return sub(add(a, Expr{nb.a}), Expr{nb.b});
    }

    // Cancellation with a direct operand.
    if (subtract && na.op == Op::kAdd && (na.a == b.id || na.b == b.id)) {
        return Expr{na.a == b.id ? na.b : na.a};
    }
    if (subtract && na.op == Op::kSub && na.a == b.id) {
        return neg(Expr{na.b});
    }
    if (subtract && nb.op == Op::kAdd && (nb.a == a.id || nb.b == a.id)) {
        return neg(Expr{nb.a == a.id ? nb.b : nb.a});
    }
    if (!subtract && na.op == Op::kSub && na.b == b.id) {
        return Expr{na.a};
    }
    if (!subtract && nb.op == Op::kSub && nb.b == a.id) {
        return Expr{nb.a};
    }

    if (subtract) {
        return intern(Op::kSub, a.id, b.id);
    }
    const bool number_first = exact_constant(a) != nullptr;
    const bool number_last = exact_constant(b) != nullptr;
    const bool in_order = number_last || (!number_first && a < b);
    return in_order ? intern(Op::kAdd, a.id, b.id) : intern(Op::kAdd, b.id, a.id);
}

Expr Graph::mul(Expr a, Expr b) {
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    if (sa.rest != a || sb.rest != b) {
        const Expr rest = mul(sa.rest, sb.rest);
        const Scaled inner = split_coefficient(rest);
        std::optional<Constant> total = exact_mul(sa.coefficient, sb.coefficient);
        total = total ? exact_mul(*total, inner.coefficient) : total;
        if (total) {
            return scaled(*total, inner.rest);
        }
        // Too large for a fraction: the numbers become one inexact number.
        const Expr number = intern_constant(
            {sa.coefficient.value * sb.coefficient.value * inner.coefficient.value, 0, 0, ""});
        return is_one(inner.rest) ? number : mul(number, inner.rest);
    }
    if (is_one(a) || is_one(b)) {
        return is_one(a) ? b : a;
    }

    // Neither operand carries a coefficient or a sign from here on.
    const Powered pa = split_power(a);
    const Powered pb = split_power(b);
    if (pa.base == pb.base) {
        const std::optional<Constant> exponent = exact_add(pa.exponent, pb.exponent);
        if (node(a).op == Op::kSqrt && a == b) {
            return Expr{node(a).a};
        }
        if (exponent) {
            return pow(pa.base, intern_constant(*exponent));
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (na.op == Op::kDiv && na.b == b.id) {
        return Expr{na.a};
    }
    if (nb.op == Op::kDiv && nb.b == a.id) {
        return Expr{nb.a};
    }
    if (na.op == Op::kDiv && na.a == one_.id) {
        return div(b, Expr{na.b});
    }
    if (nb.op == Op::kDiv && nb.a == one_.id) {
        return div(a, Expr{nb.b});
    }
    // One level of gathering: (x*y)*y is x*y^2.
    if (na.op == Op::kMul && nb.op != Op::kMul) {
        if (split_power(Expr{na.b}).base == pb.base) {
            return mul(Expr{na.a}, mul(Expr{na.b}, b));
        }
        if (split_power(Expr{na.a}).base == pb.base) {
            return mul(mul(Expr{na.a}, b), Expr{na.b});
        }
    } else if (nb.op == Op::kMul && na.op != Op::kMul) {
        return mul(b, a);
    }

    const bool in_order = is_constant(a) != is_constant(b) ? is_constant(a) : a < b;
    return in_order ? intern(Op::kMul, a.id, b.id) : intern(Op::kMul, b.id, a.id);
}

Expr Graph::div(Expr a, Expr b) {
    if (is_zero(b)) {
        return intern(Op::kDiv, a.id,
                      b.id);  // evaluates to infinity or NaN, reported where it does
    }
    if (is_zero(a)) {
        return zero_;
    }
    if (a == b) {
        return one_;
    }
    if (node(b).op == Op::kNeg) {
        return neg(div(a, Expr{node(b).a}));
    }
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    const bool plain = sa.rest == a && sb.rest == b;
    const std::optional<Constant> coefficient = exact_div(sa.coefficient, sb.coefficient);
    if (is_one(sb.rest) && coefficient) {
        return scaled(*coefficient, sa.rest);
    }
    if (!plain && coefficient && !(is_one(sa.rest) && is_one(a))) {
        return mul(intern_constant(*coefficient), div(sa.rest, sb.rest));
    }

    const Powered pa = split_power(a);
    const Powered pb = split_power(b);
    if (pa.base == pb.base) {
        if (const std::optional<Constant> e = exact_add(pa.exponent, exact_neg(pb.exponent))) {
            return pow(pa.base, intern_constant(*e));
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (na.op == Op::kMul && (na.a == b.id || na.b == b.id)) {
        return Expr{na.a == b.id ? na.b : na.a};
    }
    if (na.op == Op::kDiv) {
        return div(Expr{na.a}, mul(Expr{na.b}, b));
    }
    if (nb.op == Op::kDiv) {
        return div(mul(a, Expr{nb.b}), Expr{nb.a});
    }
    return intern(Op::kDiv, a.id, b.id);
}

Expr Graph::pow(Expr a, Expr b) {
    if (is_zero(b) || is_one(a)) {
        return one_;
    }
    if (is_one(b)) {
        return a;
    }
    const Constant* exponent = exact_constant(b);
    if (exponent == nullptr) {
        return intern(Op::kPow, a.id, b.id);
    }
    const Constant e = *exponent;
    if (is_zero(a) && e.numerator > 0) {
        return zero_;
    }
    if (e.denominator == 2 && (e.numerator == 1 || e.numerator == -1)) {
        const Expr root = apply(Op::kSqrt, a);
        return e.numerator == 1 ? root : div(one_, root);
    }
    if (e.denominator != 1) {
        return intern(Op::kPow, a.id, b.id);
    }
    if (e.numerator < 0) {
        return is_zero(a) ? intern(Op::kPow, a.id, b.id) : div(one_, pow(a, neg(b)));
    }

    // An integer exponent of 2 or more.
    const Node n = node(a);
    const Scaled s = split_coefficient(a);
    if (s.rest != a) {
        if (const std::optional<Constant> power = exact_pow(s.coefficient, e.numerator)) {
            return is_one(s.rest) ? intern_constant(*power)
                                  : mul(intern_constant(*power), pow(s.rest, b));
        }
    }
    if (n.op == Op::kPow) {
        const Powered inner = split_power(a);
        if (inner.base != a) {
            if (const std::optional<Constant> product = exact_mul(inner.exponent, e)) {
                return pow(inner.base, intern_constant(*product));
            }
        }
    }
    if (n.op == Op::kSqrt && e.numerator % 2 == 0) {
        return pow(Expr{n.a}, integer(e.numerator / 2));
    }
    return intern(Op::kPow, a.id, b.id);
}

std::optional<Expr> Graph::fold_function(Op op, Expr a) {
    const Constant* c = exact_constant(a);
    if (c == nullptr) {
        return std::nullopt;
    }
    const Constant value = *c;
    switch (op) {
        case Op::kSin:
        case Op::kTan:
        case Op::kAsin:
        case Op::kAtan:
        case Op::kSinh:
        case Op::kTanh:
            return value.numerator == 0 ? std::optional(zero_) : std::nullopt;
        case Op::kCos:
        case Op::kCosh:
        case Op::kExp:
            return value.numerator == 0 ? std::optional(one_) : std::nullopt;
        case Op::kLog:
        case Op::kAcos:
            return a == one_ ? std::optional(zero_) : std::nullopt;
        case Op::kSqrt: {
            const std::optional<Constant> root = exact_sqrt(value);
            return root ? std::optional(intern_constant(*root)) : std::nullopt;
        }
        case Op::kAbs:
            return value.numerator < 0 ? intern_constant(exact_neg(value)) : a;
        case Op::kSign:
            return value.numerator == 0 ? zero_ : integer(value.numerator < 0 ? -1 : 1);
        case Op::kNot:
            return value.numerator == 0 ? one_ : zero_;
        default:
            return std::nullopt;
    }
}

Expr Graph::apply(Op op, Expr a) {
    ANANKE_REQUIRE(arity(op) == 1);
    if (op == Op::kNeg) {
        return neg(a);
    }
    if (const std::optional<Expr> folded = fold_function(op, a)) {
        return *folded;
    }
    const Node n = node(a);
    const Constant* c = exact_constant(a);
    const bool negative = n.op == Op::kNeg || (c != nullptr && c->numerator < 0);
    if (negative && is_odd(op)) {
        return neg(apply(op, neg(a)));
    }
    if (negative && is_even(op)) {
        return apply(op, neg(a));
    }
    const bool inverse =
        (op == Op::kExp && n.op == Op::kLog) || (op == Op::kLog && n.op == Op::kExp);
    if (inverse) {
        return Expr{n.a};
    }
    if (op == Op::kAbs) {
        const Powered p = split_power(a);
        const bool never_negative = n.op == Op::kAbs || n.op == Op::kSqrt || n.op == Op::kExp ||
                                    (p.base != a && p.exponent.numerator % 2 == 0);
        if (never_negative) {
            return a;
        }
    }
    return intern(op, a.id);
}

Expr Graph::apply(Op op, Expr a, Expr b) {
    ANANKE_REQUIRE(arity(op) == 2);
    switch (op) {
        case Op::kAdd:
            return add(a, b);
        case Op::kSub:
            return sub(a, b);
        case Op::kMul:
            return mul(a, b);
        case Op::kDiv:
            return div(a, b);
        case Op::kPow:
            return pow(a, b);
        default:
            break;
    }
    const Constant* ca = exact_constant(a);
    const Constant* cb = exact_constant(b);
    if (ca != nullptr && cb != nullptr) {
        const int order = exact_compare(*ca, *cb);
        switch (op) {
            case Op::kMin:
                return order <= 0 ? a : b;
            case Op::kMax:
                return order >= 0 ? a : b;
            case Op::kLess:
                return order < 0 ? one_ : zero_;
            case Op::kLessEqual:
                return order <= 0 ? one_ : zero_;
            case Op::kEqual:
                return order == 0 ? one_ : zero_;
            case Op::kAnd:
                return ca->numerator != 0 && cb->numerator != 0 ? one_ : zero_;
            case Op::kOr:
                return ca->numerator != 0 || cb->numerator != 0 ? one_ : zero_;
            default:
                break;
        }
        if (op == Op::kAtan2 && ca->numerator == 0 && cb->numerator > 0) {
            return zero_;
        }
    }
    if (a == b && (op == Op::kMin || op == Op::kMax || op == Op::kAnd || op == Op::kOr)) {
        return a;
    }
    if (is_commutative(op) && b < a) {
        std::swap(a, b);
    }
    return intern(op, a.id, b.id);
}

Expr Graph::select(Expr condition, Expr then, Expr otherwise) {
    if (const Constant* c = exact_constant(condition)) {
        return c->numerator != 0 ? then : otherwise;
    }
    return then == otherwise ? then : intern(Op::kSelect, condition.id, then.id, otherwise.id);
}

bool Graph::is_canonical(Expr e) const {
    const Node& n = node(e);
    const Expr a{n.a};
    const Expr b{n.b};
    const auto is_neg = [&](Expr x) { return node(x).op == Op::kNeg; };
    const auto exact = [&](Expr x) { return exact_constant(x) != nullptr; };
    switch (n.op) {
        case Op::kConstant:
        case Op::kSymbol:
            return true;
        case Op::kAdd:
            return !is_zero(a) && !is_zero(b) && !is_neg(a) && !is_neg(b) && a != b && !exact(a) &&
                   (exact(b) || a < b);
        case Op::kSub:
            return !is_zero(a) && !exact(b) && !is_neg(a) && !is_neg(b) && a != b;
        case Op::kNeg:
            return !exact(a) && !is_neg(a) && node(a).op != Op::kSub;
        case Op::kMul: {
            const Constant* c = exact_constant(a);
            const bool coefficient = c != nullptr && c->numerator > 0 && !is_one(a) && !exact(b) &&
                                     split_coefficient(b).rest == b;
            const bool factors = c == nullptr && !exact(b) && split_coefficient(a).rest == a &&
                                 split_coefficient(b).rest == b && a != b &&
                                 (is_constant(a) != is_constant(b) ? is_constant(a) : a < b);
            return coefficient || factors;
        }
        case Op::kDiv:
            return is_zero(b) || (!is_zero(a) && !exact(b) && !is_neg(a) && !is_neg(b) && a != b);
        case Op::kPow: {
            const Constant* exponent = exact_constant(b);
            return exponent == nullptr || exponent->denominator != 1 || exponent->numerator > 1 ||
                   (is_zero(a) && exponent->numerator < 0);
        }
        case Op::kSelect:
            return !exact(a) && n.b != n.c;
        default:
            return !is_neg(a) || !(is_odd(n.op) || is_even(n.op));
    }
}

}  // namespace ananke::sym

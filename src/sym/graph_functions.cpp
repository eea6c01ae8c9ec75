// Functions, truth values and choices in canonical form, and the check of the form itself.
#include <utility>

#include "sym/exact.h"
#include "sym/graph.h"

namespace ananke::sym {
namespace {

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

}  // namespace

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
            const std::optional<Number> root = exact_sqrt(value);
            return root ? std::optional(intern_constant(*root)) : std::nullopt;
        }
        case Op::kAbs:
            return value.numerator < 0 ? intern_constant(exact_neg(value), value.text) : a;
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
        (op == Op::kExp && n.op == Op::kLog && (formal_ || is(Expr{n.a}, Fact::kNotNegative))) ||
        (op == Op::kLog && n.op == Op::kExp);
    if (inverse) {
        return Expr{n.a};
    }
    if (op == Op::kAbs && is(a, Fact::kNotNegative)) {
        return a;
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
    const bool chooses = op == Op::kMin || op == Op::kMax;
    const bool connects = (op == Op::kAnd || op == Op::kOr) && is_truth(node(a).op);
    if (a == b && (chooses || connects)) {
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
    // The exact numbers of a product in one, if it fits.
    const auto gathered = [&](Expr x, Expr y) {
        std::optional<Number> number = Number{1.0, 1, 1};
        for (Expr part : {x, y}) {
            for (Scaled s = split_coefficient(part); number && s.rest != part;
                 s = split_coefficient(part)) {
                number = exact_mul(*number, s.coefficient);
                part = s.rest;
            }
        }
        return number;
    };
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
            const Scaled sa = split_coefficient(a);
            const Scaled sb = split_coefficient(b);
            const bool one_number = sa.rest == a && sb.rest == b && a != b;
            // Numbers are gathered where all of them fit in one: 3*(1e8*(1e8*x)) stays.
            const bool apart =
                sa.coefficient.numerator == 0 || sb.coefficient.numerator == 0 || !gathered(a, b);
            const bool coefficient = c != nullptr && !is_one(a) && !exact(b) && !is_neg(b) &&
                                     (sb.rest == b || apart) &&
                                     (c->numerator > 0 || (is_zero(a) && !is(b, Fact::kFinite)));
            const bool factors = c == nullptr && !exact(b) && !is_neg(a) && !is_neg(b) &&
                                 (one_number || apart) &&
                                 (is_constant(a) != is_constant(b) ? is_constant(a) : a <= b);
            return coefficient || factors;
        }
        case Op::kDiv: {
            const auto number = [&](Expr x) { return split_coefficient(x).coefficient; };
            return is_zero(b) ||
                   ((!exact(b) || !exact_div(number(a), number(b))) && !is_neg(a) && !is_neg(b) &&
                    ((!is_zero(a) && a != b) || !is(b, Fact::kFinite) || !is(b, Fact::kNotZero)));
        }
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

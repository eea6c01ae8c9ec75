// Sums, products, quotients and powers in canonical form; the rules stand at the top of graph.h.
#include "sym/exact.h"
#include "sym/graph.h"

namespace ananke::sym {

bool Graph::may_drop(Expr e) const {
    return formal_ || is(e, Fact::kFinite);
}

bool Graph::may_cancel(Expr e) const {
    return formal_ || (is(e, Fact::kFinite) && is(e, Fact::kNotZero));
}

/// coefficient * rest, where rest carries no sign.
Expr Graph::scaled(const Number& coefficient, Expr rest) {
    if (coefficient.numerator == 0) {
        return may_drop(rest) ? zero_ : intern(Op::kMul, zero_.id, rest.id);
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
    const Scaled inner = split_coefficient(rest);
    if (inner.rest != rest) {  // of a rest that kept a number of its own
        if (const std::optional<Number> number = exact_mul(coefficient, inner.coefficient)) {
            return scaled(*number, inner.rest);
        }
    }
    const Expr number = intern_constant(coefficient);
    return intern(Op::kMul, number.id, rest.id);
}

Expr Graph::neg(Expr a) {
    if (const Constant* c = exact_constant(a)) {
        // The text is copied: interning may move the constants.
        return intern_constant(exact_neg(*c), std::string(c->text));
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
    return sum_of(Op::kAdd, a, b);
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
    return sum_of(Op::kSub, a, b);
}

/// a + b or a - b, neither of them 0 or a negation.
Expr Graph::sum_of(Op op, Expr a, Expr b) {
    const bool subtract = op == Op::kSub;
    // Like terms: c*x + d*x is (c + d)*x; two numbers are the case x = 1.
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    if (sa.rest == sb.rest) {
        const Number cb = subtract ? exact_neg(sb.coefficient) : sb.coefficient;
        // The difference of two infinite terms is not a number, and 0*rest is none either.
        const bool alike = sa.coefficient.numerator != 0 && cb.numerator != 0 &&
                           (sa.coefficient.numerator < 0) == (cb.numerator < 0);
        const std::optional<Number> sum = exact_add(sa.coefficient, cb);
        if (sum && (alike || sum->numerator == 0 || may_drop(sa.rest))) {
            return scaled(*sum, sa.rest);
        }
        if (!sum && sa.rest == one_) {  // too large for a fraction: one inexact number
            const double value = constant(b).value;
            return number(constant(a).value + (subtract ? -value : value));
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    const auto combine = [&](Expr x, Expr y) { return subtract ? sub(x, y) : add(x, y); };

    // One inexact number for two would round them before anything is added.
    const auto gathers = [&](Expr number) {
        const Number with = subtract ? exact_neg(constant(b)) : Number(constant(b));
        return formal_ || exact_add(constant(number), with).has_value();
    };

    // Numbers are gathered at the end of a sum: (x + c) + y is (x + y) + c, a difference likewise.
    const bool a_has_number = na.op == Op::kAdd && exact_constant(Expr{na.b}) != nullptr;
    const bool b_has_number = nb.op == Op::kAdd && exact_constant(Expr{nb.b}) != nullptr;
    if (b_has_number) {
        const Expr number{nb.b};
        return add(combine(a, Expr{nb.a}), subtract ? neg(number) : number);
    }
    if (a_has_number) {
        if (exact_constant(b) == nullptr) {
            return add(combine(Expr{na.a}, b), Expr{na.b});
        }
        if (gathers(Expr{na.b})) {
            return add(Expr{na.a}, combine(Expr{na.b}, b));
        }
    }
    // A number in front of a difference: (c - x) + d is (c + d) - x.
    if (na.op == Op::kSub && exact_constant(Expr{na.a}) != nullptr &&
        exact_constant(b) != nullptr && gathers(Expr{na.a})) {
        return sub(combine(Expr{na.a}, b), Expr{na.b});
    }
    if (!subtract && nb.op == Op::kSub && exact_constant(Expr{nb.a}) != nullptr &&
        exact_constant(a) != nullptr && (formal_ || exact_add(constant(a), constant(Expr{nb.a})))) {
        return sub(add(a, Expr{nb.a}), Expr{nb.b});
    }

    // Cancellation with a direct operand.
    if (may_drop(b)) {
        if (subtract && na.op == Op::kAdd && (na.a == b.id || na.b == b.id)) {
            return Expr{na.a == b.id ? na.b : na.a};
        }
        if (subtract && na.op == Op::kSub && na.a == b.id) {
            return neg(Expr{na.b});
        }
        if (!subtract && na.op == Op::kSub && na.b == b.id) {
            return Expr{na.a};
        }
    }
    if (may_drop(a)) {
        if (subtract && nb.op == Op::kAdd && (nb.a == a.id || nb.b == a.id)) {
            return neg(Expr{nb.a == a.id ? nb.b : nb.a});
        }
        if (!subtract && nb.op == Op::kSub && nb.b == a.id) {
            return Expr{nb.a};
        }
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
    if (is_one(a) || is_one(b)) {
        return is_one(a) ? b : a;
    }
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    const bool vanish = sa.coefficient.numerator == 0 || sb.coefficient.numerator == 0;
    if (vanish && !formal_ && !is_constant(a) && !is_constant(b)) {
        // 0*r stays where r may be no number, and r*b may overflow where (0*r)*b does not.
        return intern_signed_product(a, b);
    }
    if (sa.rest != a || sb.rest != b) {
        const Expr rest = mul(sa.rest, sb.rest);
        const Scaled inner = split_coefficient(rest);
        std::optional<Number> total = exact_mul(sa.coefficient, sb.coefficient);
        total = total ? exact_mul(*total, inner.coefficient) : total;
        if (total) {
            return scaled(*total, inner.rest);
        }
        if (!formal_ && !is_one(inner.rest)) {  // one number would move all of its size
            return intern_signed_product(a, b);
        }
        // Too large for a fraction: the numbers become one inexact number.
        const Expr number = intern_constant(
            {sa.coefficient.value * sb.coefficient.value * inner.coefficient.value});
        return is_one(inner.rest) ? number : mul(number, inner.rest);
    }

    // Neither operand carries a coefficient or a sign from here on.
    const Powered pa = split_power(a);
    const Powered pb = split_power(b);
    if (pa.base == pb.base) {
        const std::optional<Number> exponent = exact_add(pa.exponent, pb.exponent);
        if (exponent) {
            return pow(pa.base, intern_constant(*exponent));
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (na.op == Op::kDiv && na.b == b.id && may_cancel(b)) {
        return Expr{na.a};
    }
    if (nb.op == Op::kDiv && nb.b == a.id && may_cancel(a)) {
        return Expr{nb.a};
    }
    if (na.op == Op::kDiv && na.a == one_.id) {
        return div(b, Expr{na.b});
    }
    if (nb.op == Op::kDiv && nb.a == one_.id) {
        return div(a, Expr{nb.b});
    }
    // One level of gathering: (x*y)*y is x*y^2.
    if (!formal_) {
        return intern_product(a, b);
    }
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
    return intern_product(a, b);
}

/// A product of two terms that keep their numbers, its sign outside.
Expr Graph::intern_signed_product(Expr a, Expr b) {
    const bool a_negative = split_coefficient(a).coefficient.value < 0.0;
    const bool b_negative = split_coefficient(b).coefficient.value < 0.0;
    const Expr positive_a = a_negative || node(a).op == Op::kNeg ? neg(a) : a;
    const Expr positive_b = b_negative || node(b).op == Op::kNeg ? neg(b) : b;
    const Expr product = intern_product(positive_a, positive_b);
    return (positive_a == a) == (positive_b == b) ? product : neg(product);
}

/// A product as it is, its operands in their order.
Expr Graph::intern_product(Expr a, Expr b) {
    const bool in_order = is_constant(a) != is_constant(b) ? is_constant(a) : a < b;
    return in_order ? intern(Op::kMul, a.id, b.id) : intern(Op::kMul, b.id, a.id);
}

Expr Graph::div(Expr a, Expr b) {
    if (is_zero(b)) {
        return intern(Op::kDiv, a.id,
                      b.id);  // evaluates to infinity or NaN, reported where it does
    }
    if (is_zero(a) && may_cancel(b)) {
        return zero_;
    }
    if (a == b && may_cancel(a)) {
        return one_;
    }
    if (node(b).op == Op::kNeg) {
        return neg(div(a, Expr{node(b).a}));
    }
    const Scaled sa = split_coefficient(a);
    const Scaled sb = split_coefficient(b);
    const bool plain = (sa.rest == a && sb.rest == b) || sa.coefficient.numerator == 0 ||
                       sb.coefficient.numerator == 0;
    const std::optional<Number> coefficient = exact_div(sa.coefficient, sb.coefficient);
    if (is_one(sb.rest) && coefficient) {
        return scaled(*coefficient, sa.rest);
    }
    if (!plain && coefficient && !(is_one(sa.rest) && is_one(a))) {
        return mul(intern_constant(*coefficient), div(sa.rest, sb.rest));
    }
    if (node(a).op == Op::kNeg) {
        return neg(div(Expr{node(a).a}, b));
    }

    const Powered pa = split_power(a);
    const Powered pb = split_power(b);
    if (pa.base == pb.base) {
        const std::optional<Number> e = exact_add(pa.exponent, exact_neg(pb.exponent));
        if (e && may_cancel(pa.base)) {
            return pow(pa.base, intern_constant(*e));
        }
    }
    const Node na = node(a);
    const Node nb = node(b);
    if (na.op == Op::kMul && (na.a == b.id || na.b == b.id) && may_cancel(b)) {
        return Expr{na.a == b.id ? na.b : na.a};
    }
    if (formal_ && na.op == Op::kDiv) {
        return div(Expr{na.a}, mul(Expr{na.b}, b));
    }
    if (formal_ && nb.op == Op::kDiv) {
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
    const Number e = *exponent;
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
    if (s.rest != a && (s.coefficient.numerator != 0 || is_one(s.rest))) {
        if (const std::optional<Number> power = exact_pow(s.coefficient, e.numerator)) {
            return is_one(s.rest) ? intern_constant(*power)
                                  : mul(intern_constant(*power), pow(s.rest, b));
        }
    }
    if (n.op == Op::kPow) {
        const Powered inner = split_power(a);
        if (inner.base != a) {
            if (const std::optional<Number> product = exact_mul(inner.exponent, e)) {
                return pow(inner.base, intern_constant(*product));
            }
        }
    }
    if (n.op == Op::kSqrt && e.numerator % 2 == 0 &&
        (formal_ || is(Expr{n.a}, Fact::kNotNegative))) {
        return pow(Expr{n.a}, integer(e.numerator / 2));
    }
    return intern(Op::kPow, a.id, b.id);
}

}  // namespace ananke::sym

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "mech/vectors.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {

std::string Lowering::shown(const Value& value) const {
    switch (value.kind) {
        case ValueKind::kScalar:
            return "a scalar";
        case ValueKind::kVector:
            return "a vector";
        case ValueKind::kTruth:
            return "a condition";
        case ValueKind::kPoint:
            return "a point";
        case ValueKind::kBody:
            return "a body";
        case ValueKind::kRotation:
            return "a rotation";
        case ValueKind::kNone:
            break;
    }
    return "nothing";
}

// A number or vector to calculate with; points and conditions are not.
bool Lowering::usable(const Value& value, ExprId at) {
    if (value.is_point()) {
        const std::string_view name = text(expr(at).span);
        fail(expr(at).span, fmt::format("'{}' is a point, not a vector", name),
             {fmt::format("write position({}) or velocity({})", name, name)});
        return false;
    }
    if (value.is_body()) {
        const std::string_view name = text(expr(at).span);
        fail(expr(at).span, fmt::format("'{}' is a body, not a vector", name),
             {fmt::format("write position({}), velocity({}) or omega({})", name, name, name)});
        return false;
    }
    if (value.is_rotation()) {
        fail(expr(at).span, "a rotation stands only behind 'orientation'");
        return false;
    }
    if (value.is_truth()) {
        fail(expr(at).span, "a condition is not a number",
             {"a condition chooses between two values: if c then 1 else 0"});
        return false;
    }
    return !value.bad();
}

Value Lowering::evaluate_top(ExprId id) {
    places_.fill(std::nullopt);
    return evaluate(id);
}

Value Lowering::scalar_of(ExprId id, std::string_view what) {
    const Value value = evaluate_top(id);
    if (!usable(value, id)) {
        return Value::none();
    }
    if (!value.is_scalar()) {
        return fail(expr(id).span, fmt::format("{} is a scalar, this is a vector", what));
    }
    return value;
}

Value Lowering::vector_of(ExprId id, std::string_view what) {
    const Value value = evaluate_top(id);
    if (!usable(value, id)) {
        return Value::none();
    }
    if (!value.is_vector()) {
        return fail(expr(id).span, fmt::format("{} is a vector, this is a scalar", what),
                    {"a vector has three components: (x, y, 0)"});
    }
    return value;
}

Value Lowering::evaluate(ExprId id) {
    const Expr& e = expr(id);
    if (!within_limits(e.span)) {
        return Value::none();
    }
    if (depth_ >= options_.limits.call_depth) {
        return fail(e.span, fmt::format("functions call each other more than {} levels deep",
                                        options_.limits.call_depth));
    }
    ++depth_;
    const Value value = evaluate_kind(id);
    --depth_;
    if (named_points_ != nullptr && (value.is_point() || value.is_body())) {
        named_points_->push_back(value.is_point()
                                     ? value.point
                                     : model_.bodies[static_cast<std::size_t>(value.body)].centre);
    }
    switch (e.kind) {
        case ExprKind::kName:
        case ExprKind::kIndex:
        case ExprKind::kMember:
        case ExprKind::kPrime:
        case ExprKind::kCall:
        case ExprKind::kIn:
            note_places(value, e.span);
            break;
        default:
            break;
    }
    return value;
}

Value Lowering::evaluate_kind(ExprId id) {
    const Expr& e = expr(id);
    switch (e.kind) {
        case ExprKind::kNumber:
            return literal(e);
        case ExprKind::kName:
            return name_or_path(id);
        case ExprKind::kIndex:
            return index(id);
        case ExprKind::kMember:
            return member(id);
        case ExprKind::kPrime:
            return prime(id);
        case ExprKind::kCall:
            return call(id);
        case ExprKind::kVector:
            return vector_literal(e);
        case ExprKind::kMatrix:
            return fail(e.span, "a matrix stands only in 'mass' and in 'gauge G'",
                        {"a vector is written in parentheses: (x, y, z)"});
        case ExprKind::kNegate:
            return negate(e);
        case ExprKind::kSum:
            return sum(e);
        case ExprKind::kProduct:
            return product(e);
        case ExprKind::kPower:
            return power(e);
        case ExprKind::kCompare:
            return compare(e);
        case ExprKind::kAnd:
        case ExprKind::kOr:
        case ExprKind::kNot:
            return connect(e);
        case ExprKind::kIf:
            return choose(e);
        case ExprKind::kText:
            return fail(e.span, "a text cannot stand in an expression");
        case ExprKind::kAt:
            return body_place(id);
        case ExprKind::kIn:
            return in_body(id);
        case ExprKind::kNamed:
            return fail(e.span, "a named argument stands only in a call");
        case ExprKind::kError:
            break;
    }
    return Value::none();
}

Value Lowering::literal(const Expr& e) {
    const std::string written(text(e.token));
    const double value = std::strtod(written.c_str(), nullptr);
    if (!std::isfinite(value)) {
        return fail(e.span, "this number is too large", {"the largest number is about 1.8e308"});
    }
    if (value == 0.0) {
        return Value::scalar(graph_.zero());
    }
    return Value::scalar(graph_.literal(written));
}

Value Lowering::prime(ExprId id) {
    const ExprId base_id = expr(id).operands[0];
    const Value base = evaluate(base_id);
    if (base.is_point() || base.is_body()) {
        const std::string_view point = text(expr(base_id).span);
        return fail(expr(id).span, fmt::format("'{}' is {}, not a vector", point, shown(base)),
                    {fmt::format("write velocity({})", point)});
    }
    if (!usable(base, base_id)) {
        return Value::none();
    }
    if (base.is_scalar() && graph_.is_constant(base.scalar()) &&
        expr(base_id).kind == ExprKind::kNumber) {
        return fail(expr(id).span, "a number has no time derivative", {"remove the prime"});
    }
    if (base.is_scalar() && graph_.is_symbol(base.scalar(), sym::SymbolKind::kParameter)) {
        return fail(expr(id).span,
                    fmt::format("'{}' is a parameter and has no time derivative",
                                graph_.symbol_record(base.scalar()).name),
                    {"a quantity that changes in time is a coordinate or a 'let' with t"});
    }
    return time_derivative(base, id);
}

Value Lowering::vector_literal(const Expr& e) {
    if (e.operands.size() != 3) {
        return fail(e.span,
                    fmt::format("a vector has three components, this has {}", e.operands.size()),
                    {e.operands.size() == 2 ? "in the plane write (x, y, 0)" : "write (x, y, z)"});
    }
    std::array<sym::Expr, 3> parts{};
    bool good = true;
    for (std::size_t i = 0; i < 3; ++i) {
        const Value part = evaluate(e.operands[i]);
        if (!usable(part, e.operands[i])) {
            good = false;
        } else if (!part.is_scalar()) {
            fail(expr(e.operands[i]).span, "a component of a vector is a scalar, this is a vector");
            good = false;
        } else {
            parts[i] = part.scalar();
        }
    }
    return good ? Value::vector(parts) : Value::none();
}

Value Lowering::negate(const Expr& e) {
    Value value = evaluate(e.operands[0]);
    if (!usable(value, e.operands[0])) {
        return Value::none();
    }
    for (int i = 0; i < value.size(); ++i) {
        sym::Expr& part = value.parts[static_cast<std::size_t>(i)];
        part = graph_.neg(part);
    }
    return value;
}

Value Lowering::sum(const Expr& e) {
    Value total;
    bool good = true;
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
        const Value term = evaluate(e.operands[k]);
        if (!usable(term, e.operands[k])) {
            good = false;
            continue;
        }
        if (total.bad()) {
            total = term;
            if (e.inverse[k]) {
                for (int i = 0; i < total.size(); ++i) {
                    sym::Expr& part = total.parts[static_cast<std::size_t>(i)];
                    part = graph_.neg(part);
                }
            }
            continue;
        }
        if (term.kind != total.kind) {
            fail(expr(e.operands[k]).span,
                 fmt::format("{} cannot be {} {}", shown(term),
                             e.inverse[k] ? "subtracted from" : "added to", shown(total)));
            good = false;
            continue;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(term.size()); ++i) {
            total.parts[i] = e.inverse[k] ? graph_.sub(total.parts[i], term.parts[i])
                                          : graph_.add(total.parts[i], term.parts[i]);
        }
    }
    return good ? total : Value::none();
}

Value Lowering::product(const Expr& e) {
    Value total = Value::scalar(graph_.one());
    bool good = true;
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
        const Value factor = evaluate(e.operands[k]);
        const Span span = expr(e.operands[k]).span;
        if (factor.is_rotation() && !e.inverse[k] && (k == 0 || total.is_rotation())) {
            total =
                k == 0
                    ? factor
                    : Value::of_rotation(mech::multiply(graph_, total.rotation, factor.rotation));
            continue;
        }
        if (total.is_rotation()) {
            fail(span, "a rotation can only be followed by another rotation");
            good = false;
            continue;
        }
        if (!usable(factor, e.operands[k])) {
            good = false;
            continue;
        }
        if (e.inverse[k]) {
            if (!factor.is_scalar()) {
                fail(span, "nothing can be divided by a vector", {"divide by norm(v)"});
                good = false;
                continue;
            }
            if (graph_.is_zero(factor.scalar())) {
                fail(span, "division by zero");
                good = false;
                continue;
            }
            const Span quotient{e.span.file, e.span.begin, span.end};
            for (std::size_t i = 0; i < static_cast<std::size_t>(total.size()); ++i) {
                total.parts[i] = graph_.div(total.parts[i], factor.scalar());
                note_written(total.parts[i], quotient);
            }
            continue;
        }
        if (factor.is_vector() && total.is_vector()) {
            fail(span, "two vectors cannot be multiplied by '*'",
                 {"write dot(a, b) or cross(a, b)"});
            good = false;
            continue;
        }
        const sym::Expr scale = factor.is_vector() ? total.scalar() : factor.scalar();
        if (factor.is_vector()) {
            total = factor;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(total.size()); ++i) {
            total.parts[i] = factor.is_vector() ? graph_.mul(scale, total.parts[i])
                                                : graph_.mul(total.parts[i], scale);
        }
    }
    return good ? total : Value::none();
}

Value Lowering::power(const Expr& e) {
    const Value base = evaluate(e.operands[0]);
    const Value exponent = evaluate(e.operands[1]);
    if (!usable(base, e.operands[0]) || !usable(exponent, e.operands[1])) {
        return Value::none();
    }
    if (base.is_vector()) {
        return fail(e.span, "a vector has no powers",
                    {fmt::format("write dot({0}, {0}) for the square of its length",
                                 text(expr(e.operands[0]).span))});
    }
    if (exponent.is_vector()) {
        return fail(expr(e.operands[1]).span, "an exponent is a scalar, this is a vector");
    }
    return checked_constant(graph_.pow(base.scalar(), exponent.scalar()), e.span);
}

// sqrt(-1), 0^-1, log(0): wrong wherever they stand.
Value Lowering::checked_constant(sym::Expr e, Span span) {
    bool constant = !graph_.is_symbol(e);
    sym::for_each_operand(graph_.node(e),
                          [&](sym::Expr operand) { constant &= dependence(operand) == 0; });
    if (constant && !std::isfinite(sym::evaluate<double>(graph_, e, {}))) {
        return fail(span, "this is not a finite number", why_undefined(e, span));
    }
    note_written(e, span);
    return Value::scalar(e);
}

Value Lowering::compare(const Expr& e) {
    const Value left = evaluate(e.operands[0]);
    const Value right = evaluate(e.operands[1]);
    if (!usable(left, e.operands[0]) || !usable(right, e.operands[1])) {
        return Value::none();
    }
    if (!left.is_scalar() || !right.is_scalar()) {
        return fail(e.span, "only scalars can be compared", {"compare components or norm(v)"});
    }
    const sym::Expr a = left.scalar();
    const sym::Expr b = right.scalar();
    switch (e.relation) {
        case Relation::kLess:
            return Value::truth(graph_.apply(sym::Op::kLess, a, b));
        case Relation::kLessEqual:
            return Value::truth(graph_.apply(sym::Op::kLessEqual, a, b));
        case Relation::kGreater:
            return Value::truth(graph_.apply(sym::Op::kLess, b, a));
        case Relation::kGreaterEqual:
            return Value::truth(graph_.apply(sym::Op::kLessEqual, b, a));
        case Relation::kEqual:
            return Value::truth(graph_.apply(sym::Op::kEqual, a, b));
        case Relation::kNotEqual:
            return Value::truth(graph_.apply(sym::Op::kNot, graph_.apply(sym::Op::kEqual, a, b)));
    }
    return Value::none();
}

Value Lowering::connect(const Expr& e) {
    Value total;
    bool good = true;
    for (const ExprId operand : e.operands) {
        const Value value = evaluate(operand);
        if (value.bad()) {
            good = false;
        } else if (!value.is_truth()) {
            fail(expr(operand).span,
                 fmt::format("'{}' joins conditions, this is {}", text(e.token), shown(value)),
                 {"a condition is a comparison: x > 0"});
            good = false;
        } else if (e.kind == ExprKind::kNot) {
            total = Value::truth(graph_.apply(sym::Op::kNot, value.scalar()));
        } else if (total.bad()) {
            total = value;
        } else {
            const sym::Op op = e.kind == ExprKind::kAnd ? sym::Op::kAnd : sym::Op::kOr;
            total = Value::truth(graph_.apply(op, total.scalar(), value.scalar()));
        }
    }
    return good ? total : Value::none();
}

Value Lowering::choose(const Expr& e) {
    const Value condition = evaluate(e.operands[0]);
    const Value yes = evaluate(e.operands[1]);
    const Value no = evaluate(e.operands[2]);
    bool good = usable(yes, e.operands[1]) && usable(no, e.operands[2]) && !condition.bad();
    if (!condition.bad() && !condition.is_truth()) {
        fail(expr(e.operands[0]).span,
             fmt::format("after 'if' stands a condition, this is {}", shown(condition)),
             {"a condition is a comparison: x > 0"});
        good = false;
    }
    if (good && yes.kind != no.kind) {
        fail(expr(e.operands[2]).span,
             fmt::format("'then' gives {}, 'else' gives {}", shown(yes), shown(no)));
        good = false;
    }
    if (!good) {
        return Value::none();
    }
    Value value = yes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(value.size()); ++i) {
        value.parts[i] = graph_.select(condition.scalar(), yes.parts[i], no.parts[i]);
    }
    return value;
}

}  // namespace ananke::lang

#include "lang/expressions.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/directions.h"
#include "lang/functions.h"
#include "lang/paths.h"
#include "mech/undefined.h"
#include "mech/vectors.h"
#include "sym/differentiate.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {

std::string_view shown(const Value& value) {
    // In the order of the kinds.
    static constexpr std::array<std::string_view, 7> kKinds{
        "nothing", "a scalar", "a vector", "a condition", "a point", "a body", "a rotation"};
    return kKinds[static_cast<std::size_t>(value.kind)];
}

bool usable(Lowering& in, const Value& value, ExprId at) {
    const std::string_view name = in.scope.text(at);
    switch (value.kind) {
        case ValueKind::kPoint:
            return in.fail(at, fmt::format("'{}' is a point, not a vector", name),
                           {fmt::format("write position({}) or velocity({})", name, name)});
        case ValueKind::kBody:
            return in.fail(
                at, fmt::format("'{}' is a body, not a vector", name),
                {fmt::format("write position({}), velocity({}) or omega({})", name, name, name)});
        case ValueKind::kRotation:
            return in.fail(at, "a rotation stands only behind 'orientation'");
        case ValueKind::kTruth:
            return in.fail(at, "a condition is not a number",
                           {"a condition chooses between two values: if c then 1 else 0"});
        case ValueKind::kNone:
            return false;
        case ValueKind::kScalar:
        case ValueKind::kVector:
            break;
    }
    return true;
}

Span first_place(Lowering& in, Dependence kinds, ExprId at) {
    return in.evaluation.first_place(kinds).value_or(in.scope.span(at));
}

bool allow(Lowering& in, const Value& value, Dependence allowed, ExprId at, std::string_view what,
           std::string_view advice) {
    struct Quantity {
        Dependence kinds;
        std::string_view name;
        std::string_view advice;  ///< "" for that of the statement
    };
    static constexpr std::array<Quantity, 5> kQuantities{{
        {kOnAccelerations, "accelerations",
         "accelerations follow from the equations; they stand only in 'output'"},
        {kOnReactions, "reactions",
         "reactions follow from the equations; they stand in 'force', 'nonideal', 'friction' and "
         "'output'"},
        {kOnVelocities, "velocities", ""},
        {kOnPositions, "coordinates", ""},
        {kOnTime, "t", ""},
    }};
    const auto excess =
        static_cast<Dependence>(in.symbols.dependence(value) & ~allowed & ~kOnParameters);
    if (excess == 0) {
        return true;
    }
    const auto* const first =
        std::find_if(kQuantities.begin(), kQuantities.end(),
                     [&](const Quantity& one) { return (excess & one.kinds) != 0; });
    Notes notes;
    if (const std::string_view note = first->advice.empty() ? advice : first->advice;
        !note.empty()) {
        notes.emplace_back(note);
    }
    return in.fail(first_place(in, first->kinds, at),
                   fmt::format("{} cannot depend on {}", what, first->name), std::move(notes));
}

Value evaluate_top(Lowering& in, ExprId id) {
    in.evaluation.begin();
    return evaluate(in, id);
}

Value scalar_of(Lowering& in, ExprId id, std::string_view what) {
    const Value value = evaluate_top(in, id);
    if (!usable(in, value, id)) {
        return Value::none();
    }
    return value.is_scalar() ? value
                             : in.fail(id, fmt::format("{} is a scalar, this is a vector", what));
}

Value vector_of(Lowering& in, ExprId id, std::string_view what) {
    const Value value = evaluate_top(in, id);
    if (!usable(in, value, id)) {
        return Value::none();
    }
    return value.is_vector() ? value
                             : in.fail(id, fmt::format("{} is a vector, this is a scalar", what),
                                       {"a vector has three components: (x, y, 0)"});
}

std::optional<sym::Expr> scalar_over(Lowering& in, ExprId id, const Wanted& wanted) {
    const Value value = scalar_of(in, id, wanted.what);
    const bool good =
        !value.bad() && allow(in, value, wanted.allowed, id, wanted.what, wanted.advice);
    return good ? std::optional(value.scalar()) : std::nullopt;
}

std::optional<mech::Vec3> vector_over(Lowering& in, ExprId id, const Wanted& wanted) {
    const Value value = vector_of(in, id, wanted.what);
    const bool good =
        !value.bad() && allow(in, value, wanted.allowed, id, wanted.what, wanted.advice);
    return good ? std::optional(value.parts) : std::nullopt;
}

std::optional<sym::Expr> positive(Lowering& in, ExprId id, std::string_view what) {
    const std::optional<sym::Expr> value = scalar_over(in, id, {what});
    const std::optional<double> number = value ? in.symbols.number_of(*value) : std::nullopt;
    if (number && !(*number > 0.0 && std::isfinite(*number))) {
        return in.fail(id,
                       std::isfinite(*number)
                           ? fmt::format("{} must be positive, this is {:.6g}", what, *number)
                           : fmt::format("{} is not a finite number", what),
                       why_undefined(in, *value, in.scope.span(id)));
    }
    return value;
}

Notes why_undefined(Lowering& in, sym::Expr e, Span span) {
    const mech::Suspect suspect{e, in.reports.shown_at(span)};
    std::string text =
        mech::describe_undefined(in.model, &in.sources, {&suspect, 1},
                                 [&](sym::Expr symbol) { return in.symbols.value(symbol); });
    const std::string here = in.reports.place_text(suspect.span) + ": ";
    if (text.starts_with(here)) {
        text.erase(0, here.size());
    }
    const bool tells_more = text.find(" with ") != std::string::npos;
    return tells_more ? Notes{std::move(text)} : Notes{};
}

namespace {

/// Remembers where an operation is written that is not a number everywhere.
void note_written(Lowering& in, sym::Expr e, Span span) {
    const sym::Graph& graph = in.graph;
    const auto is_factor = [&](const sym::Node& node) {
        return node.op == sym::Op::kNeg ||
               (node.op == sym::Op::kMul && graph.is_constant(sym::Expr{node.a}));
    };
    while (is_factor(graph.node(e))) {
        const sym::Node& node = graph.node(e);
        e = sym::Expr{node.op == sym::Op::kNeg ? node.a : node.b};
    }
    switch (graph.node(e).op) {
        case sym::Op::kDiv:
        case sym::Op::kPow:
        case sym::Op::kExp:
        case sym::Op::kSinh:
        case sym::Op::kCosh:
            break;
        case sym::Op::kLog:
        case sym::Op::kSqrt:
        case sym::Op::kAsin:
        case sym::Op::kAcos:
            if (!graph.is(e, sym::Fact::kFinite)) {
                break;
            }
            return;
        default:
            return;
    }
    const Span shown = in.reports.shown_at(span);
    const bool verbatim =
        shown.file == span.file && shown.begin == span.begin && shown.end == span.end;
    in.model.written.push_back({e, shown, verbatim});
}

Value time_derivative(Lowering& in, const Value& value, ExprId at) {
    const Dependence kinds = in.symbols.dependence(value);
    if ((kinds & kOnAccelerations) != 0) {
        return in.fail(at, "derivatives of accelerations are not available",
                       {"x' is the velocity, x'' the acceleration, and there it ends"});
    }
    if ((kinds & kOnReactions) != 0) {
        return in.fail(at, "derivatives of reactions are not available");
    }
    Value derivative = value;
    for (sym::Expr& f : derivative.components()) {
        std::vector<sym::Replacement> seeds;
        std::vector<sym::Expr> moving;
        for (const sym::Expr symbol : sym::symbols_of(in.graph, f)) {
            if (const sym::Expr* rate = in.symbols.rate(symbol)) {
                seeds.push_back({symbol, *rate});
                moving.push_back(symbol);
            }
        }
        if (const auto kink = sym::find_kink(in.graph, f, moving)) {
            const std::string_view name = sym::function_name(in.graph.node(*kink).op);
            return in.fail(
                at,
                name.empty()
                    ? std::string("a condition that changes with the motion has no time derivative")
                    : fmt::format("'{}' has no time derivative where it bends", name),
                {"write the derivative of each side yourself, or use a smooth function"});
        }
        f = sym::directional(in.graph, f, seeds);
    }
    return derivative;
}

bool within_limits(Lowering& in, Span span) {
    const Limits& limits = in.options.limits;
    if (in.reports.stopped()) {
        return false;
    }
    if (++in.evaluation.steps > limits.expression_steps) {
        return in.reports.stop(
            span,
            fmt::format("the model takes more than {} operations to write out",
                        limits.expression_steps),
            {"a function that calls functions twice doubles at every level: name parts with "
             "'let'"});
    }
    if (in.graph.size() > limits.graph_nodes) {
        return in.reports.stop(
            span,
            fmt::format("the model has more than {} distinct expressions", limits.graph_nodes),
            {"shorten the loops or the expressions"});
    }
    return true;
}

Value literal(Lowering& in, const Expr& e) {
    const std::string written(in.reports.text(e.token));
    const double value = std::strtod(written.c_str(), nullptr);
    if (!std::isfinite(value)) {
        return in.fail(e.span, "this number is too large", {"the largest number is about 1.8e308"});
    }
    if (value == 0.0) {
        return Value::scalar(in.graph.zero());
    }
    return Value::scalar(in.graph.literal(written));
}

Value prime(Lowering& in, ExprId id) {
    const ExprId base_id = in.scope.expr(id).operands[0];
    const Value base = evaluate(in, base_id);
    if (base.is_point() || base.is_body()) {
        const std::string_view point = in.scope.text(base_id);
        return in.fail(id, fmt::format("'{}' is {}, not a vector", point, shown(base)),
                       {fmt::format("write velocity({})", point)});
    }
    if (!usable(in, base, base_id)) {
        return Value::none();
    }
    if (base.is_scalar() && in.graph.is_constant(base.scalar()) &&
        in.scope.expr(base_id).kind == ExprKind::kNumber) {
        return in.fail(id, "a number has no time derivative", {"remove the prime"});
    }
    if (base.is_scalar() && in.graph.is_symbol(base.scalar(), sym::SymbolKind::kParameter)) {
        return in.fail(id,
                       fmt::format("'{}' is a parameter and has no time derivative",
                                   in.graph.symbol_record(base.scalar()).name),
                       {"a quantity that changes in time is a coordinate or a 'let' with t"});
    }
    return time_derivative(in, base, id);
}

Value vector_literal(Lowering& in, const Expr& e) {
    if (e.operands.size() != 3) {
        return in.fail(
            e.span, fmt::format("a vector has three components, this has {}", e.operands.size()),
            {e.operands.size() == 2 ? "in the plane write (x, y, 0)" : "write (x, y, z)"});
    }
    std::array<sym::Expr, 3> parts{};
    bool good = true;
    for (std::size_t i = 0; i < 3; ++i) {
        const Value part = evaluate(in, e.operands[i]);
        if (!usable(in, part, e.operands[i])) {
            good = false;
        } else if (!part.is_scalar()) {
            good = in.fail(e.operands[i], "a component of a vector is a scalar, this is a vector");
        } else {
            parts[i] = part.scalar();
        }
    }
    return good ? Value::vector(parts) : Value::none();
}

Value negated(Lowering& in, Value value) {
    for (sym::Expr& part : value.components()) {
        part = in.graph.neg(part);
    }
    return value;
}

Value negate(Lowering& in, const Expr& e) {
    const Value value = evaluate(in, e.operands[0]);
    return usable(in, value, e.operands[0]) ? negated(in, value) : Value::none();
}

Value sum(Lowering& in, const Expr& e) {
    Value total;
    bool good = true;
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
        const Value term = evaluate(in, e.operands[k]);
        if (!usable(in, term, e.operands[k])) {
            good = false;
            continue;
        }
        if (total.bad()) {
            total = e.inverse[k] ? negated(in, term) : term;
            continue;
        }
        if (term.kind != total.kind) {
            good = in.fail(e.operands[k], fmt::format("{} cannot be {} {}", shown(term),
                                                      e.inverse[k] ? "subtracted from" : "added to",
                                                      shown(total)));
            continue;
        }
        for (std::size_t i = 0; i < term.size(); ++i) {
            total.parts[i] = e.inverse[k] ? in.graph.sub(total.parts[i], term.parts[i])
                                          : in.graph.add(total.parts[i], term.parts[i]);
        }
    }
    return good ? total : Value::none();
}

Value product(Lowering& in, const Expr& e) {
    Value total = Value::scalar(in.graph.one());
    bool good = true;
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
        const Value factor = evaluate(in, e.operands[k]);
        const Span span = in.scope.span(e.operands[k]);
        if (factor.is_rotation() && !e.inverse[k] && (k == 0 || total.is_rotation())) {
            total =
                k == 0
                    ? factor
                    : Value::of_rotation(mech::multiply(in.graph, total.rotation, factor.rotation));
            continue;
        }
        if (total.is_rotation()) {
            good = in.fail(span, "a rotation can only be followed by another rotation");
            continue;
        }
        if (!usable(in, factor, e.operands[k])) {
            good = false;
            continue;
        }
        if (e.inverse[k]) {
            if (!factor.is_scalar()) {
                good = in.fail(span, "nothing can be divided by a vector", {"divide by norm(v)"});
                continue;
            }
            if (in.graph.is_zero(factor.scalar())) {
                good = in.fail(span, "division by zero");
                continue;
            }
            const Span quotient{e.span.file, e.span.begin, span.end};
            for (sym::Expr& part : total.components()) {
                part = in.graph.div(part, factor.scalar());
                note_written(in, part, quotient);
            }
            continue;
        }
        if (factor.is_vector() && total.is_vector()) {
            good = in.fail(span, "two vectors cannot be multiplied by '*'",
                           {"write dot(a, b) or cross(a, b)"});
            continue;
        }
        const sym::Expr scale = factor.is_vector() ? total.scalar() : factor.scalar();
        total = factor.is_vector() ? factor : total;
        for (sym::Expr& part : total.components()) {
            part = factor.is_vector() ? in.graph.mul(scale, part) : in.graph.mul(part, scale);
        }
    }
    return good ? total : Value::none();
}

Value power(Lowering& in, const Expr& e) {
    const Value base = evaluate(in, e.operands[0]);
    const Value exponent = evaluate(in, e.operands[1]);
    if (!usable(in, base, e.operands[0]) || !usable(in, exponent, e.operands[1])) {
        return Value::none();
    }
    if (base.is_vector()) {
        return in.fail(e.span, "a vector has no powers",
                       {fmt::format("write dot({0}, {0}) for the square of its length",
                                    in.scope.text(e.operands[0]))});
    }
    if (exponent.is_vector()) {
        return in.fail(e.operands[1], "an exponent is a scalar, this is a vector");
    }
    return checked_constant(in, in.graph.pow(base.scalar(), exponent.scalar()), e.span);
}

Value compare(Lowering& in, const Expr& e) {
    const Value left = evaluate(in, e.operands[0]);
    const Value right = evaluate(in, e.operands[1]);
    if (!usable(in, left, e.operands[0]) || !usable(in, right, e.operands[1])) {
        return Value::none();
    }
    if (!left.is_scalar() || !right.is_scalar()) {
        return in.fail(e.span, "only scalars can be compared", {"compare components or norm(v)"});
    }
    const auto holds = [&](sym::Op op, const Value& a, const Value& b) {
        return Value::truth(in.graph.apply(op, a.scalar(), b.scalar()));
    };
    switch (e.relation) {
        case TokenKind::kLess:
            return holds(sym::Op::kLess, left, right);
        case TokenKind::kLessEqual:
            return holds(sym::Op::kLessEqual, left, right);
        case TokenKind::kGreater:
            return holds(sym::Op::kLess, right, left);
        case TokenKind::kGreaterEqual:
            return holds(sym::Op::kLessEqual, right, left);
        default:
            break;
    }
    const Value equal = holds(sym::Op::kEqual, left, right);
    return e.relation == TokenKind::kDoubleEqual
               ? equal
               : Value::truth(in.graph.apply(sym::Op::kNot, equal.scalar()));
}

Value connect(Lowering& in, const Expr& e) {
    Value total;
    bool good = true;
    for (const ExprId operand : e.operands) {
        const Value value = evaluate(in, operand);
        if (value.bad()) {
            good = false;
        } else if (!value.is_truth()) {
            good = in.fail(operand,
                           fmt::format("'{}' joins conditions, this is {}",
                                       in.reports.text(e.token), shown(value)),
                           {"a condition is a comparison: x > 0"});
        } else if (e.kind == ExprKind::kNot) {
            total = Value::truth(in.graph.apply(sym::Op::kNot, value.scalar()));
        } else if (total.bad()) {
            total = value;
        } else {
            const sym::Op op = e.kind == ExprKind::kAnd ? sym::Op::kAnd : sym::Op::kOr;
            total = Value::truth(in.graph.apply(op, total.scalar(), value.scalar()));
        }
    }
    return good ? total : Value::none();
}

Value choose(Lowering& in, const Expr& e) {
    const Value condition = evaluate(in, e.operands[0]);
    const Value yes = evaluate(in, e.operands[1]);
    const Value no = evaluate(in, e.operands[2]);
    bool good = usable(in, yes, e.operands[1]) && usable(in, no, e.operands[2]) && !condition.bad();
    if (!condition.bad() && !condition.is_truth()) {
        good = in.fail(e.operands[0],
                       fmt::format("after 'if' stands a condition, this is {}", shown(condition)),
                       {"a condition is a comparison: x > 0"});
    }
    if (good && yes.kind != no.kind) {
        good = in.fail(e.operands[2],
                       fmt::format("'then' gives {}, 'else' gives {}", shown(yes), shown(no)));
    }
    if (!good) {
        return Value::none();
    }
    Value value = yes;
    for (std::size_t i = 0; i < value.size(); ++i) {
        value.parts[i] = in.graph.select(condition.scalar(), yes.parts[i], no.parts[i]);
    }
    return value;
}

Value evaluate_kind(Lowering& in, ExprId id) {
    const Expr& e = in.scope.expr(id);
    switch (e.kind) {
        case ExprKind::kNumber:
            return literal(in, e);
        case ExprKind::kName:
            return name_value(in, id);
        case ExprKind::kIndex:
            return index_value(in, id);
        case ExprKind::kMember:
            return member_value(in, id);
        case ExprKind::kPrime:
            return prime(in, id);
        case ExprKind::kCall:
            return call(in, id);
        case ExprKind::kVector:
            return vector_literal(in, e);
        case ExprKind::kMatrix:
            return in.fail(id, "a matrix stands only in 'mass' and in 'gauge G'",
                           {"a vector is written in parentheses: (x, y, z)"});
        case ExprKind::kNegate:
            return negate(in, e);
        case ExprKind::kSum:
            return sum(in, e);
        case ExprKind::kProduct:
            return product(in, e);
        case ExprKind::kPower:
            return power(in, e);
        case ExprKind::kCompare:
            return compare(in, e);
        case ExprKind::kAnd:
        case ExprKind::kOr:
        case ExprKind::kNot:
            return connect(in, e);
        case ExprKind::kIf:
            return choose(in, e);
        case ExprKind::kText:
            return in.fail(id, "a text cannot stand in an expression");
        case ExprKind::kAt:
            return place_on_body(in, id);
        case ExprKind::kIn:
            return in_body(in, id);
        case ExprKind::kNamed:
            return in.fail(id, "a named argument stands only in a call");
        case ExprKind::kError:
            break;
    }
    return Value::none();
}

}  // namespace

Value evaluate(Lowering& in, ExprId id) {
    const Expr& e = in.scope.expr(id);
    if (!within_limits(in, e.span)) {
        return Value::none();
    }
    if (in.evaluation.depth >= in.options.limits.call_depth) {
        return in.fail(id, fmt::format("functions call each other more than {} levels deep",
                                       in.options.limits.call_depth));
    }
    ++in.evaluation.depth;
    const Value value = evaluate_kind(in, id);
    --in.evaluation.depth;
    if (std::vector<int>* points = in.evaluation.named_points();
        points != nullptr && (value.is_point() || value.is_body())) {
        points->push_back(in.bodies.point_of(value));
    }
    const bool is_quantity = e.kind == ExprKind::kName || e.kind == ExprKind::kIndex ||
                             e.kind == ExprKind::kMember || e.kind == ExprKind::kPrime ||
                             e.kind == ExprKind::kCall || e.kind == ExprKind::kIn;
    if (is_quantity && in.reports.calls() == 0) {
        in.evaluation.note_place(in.symbols.dependence(value), e.span);
    }
    return value;
}

Value checked_constant(Lowering& in, sym::Expr e, Span span) {
    bool constant = !in.graph.is_symbol(e);
    sym::for_each_operand(in.graph.node(e), [&](sym::Expr operand) {
        constant &= in.symbols.dependence(operand) == 0;
    });
    if (constant && !std::isfinite(sym::evaluate<double>(in.graph, e, {}))) {
        return in.fail(span, "this is not a finite number", why_undefined(in, e, span));
    }
    note_written(in, e, span);
    return Value::scalar(e);
}

}  // namespace ananke::lang

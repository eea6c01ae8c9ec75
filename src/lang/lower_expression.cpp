#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {
namespace {

int component(std::string_view name) {
    return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
}

}  // namespace

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
    switch (e.kind) {
        case ExprKind::kName:
        case ExprKind::kIndex:
        case ExprKind::kMember:
        case ExprKind::kPrime:
        case ExprKind::kCall:
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

const Lowering::Local* Lowering::find_local(std::string_view name) const {
    for (std::size_t i = locals_.size(); i > locals_begin_; --i) {
        if (locals_[i - 1].name == name) {
            return &locals_[i - 1];
        }
    }
    return nullptr;
}

const Entity* Lowering::find_entity(const std::string& name) const {
    return scope_->prefix.empty() ? names_.find(name) : names_.find(scope_->prefix + name);
}

std::optional<std::int64_t> Lowering::integer_of(ExprId id, std::string_view what) {
    const Value value = evaluate(id);
    if (!usable(value, id)) {
        return std::nullopt;
    }
    const Span span = expr(id).span;
    if (!value.is_scalar()) {
        fail(span, fmt::format("{} is an integer, this is a vector", what));
        return std::nullopt;
    }
    const std::optional<double> number = number_of(value.scalar());
    if (!number) {
        fail(span, fmt::format("{} must be known before the motion", what),
             {"use numbers, parameters and loop variables"});
        return std::nullopt;
    }
    constexpr double kLargest = 1e15;  // far beyond any loop, exact in double
    if (*number != std::floor(*number) || std::abs(*number) > kLargest) {
        fail(span, fmt::format("{} must be an integer, this is {}", what,
                               fmt::format("{:.6g}", *number)));
        return std::nullopt;
    }
    mark_structural(value.scalar());
    return static_cast<std::int64_t>(*number);
}

// x[i+1].y to "x[3].y". Not a path: anything else, such as (a, b, c).x.
Lowering::Lookup Lowering::flatten(ExprId id, std::string& out) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::kName) {
        out.append(text(e.token));
        return Lookup::kFlat;
    }
    if (e.kind != ExprKind::kIndex && e.kind != ExprKind::kMember) {
        return Lookup::kNotAPath;
    }
    const Lookup base = flatten(e.operands[0], out);
    if (base != Lookup::kFlat) {
        return base;
    }
    if (e.kind == ExprKind::kMember) {
        out += '.';
        out.append(text(e.token));
        return Lookup::kFlat;
    }
    const std::optional<std::int64_t> i = integer_of(e.operands[1], "an index");
    if (!i) {
        return Lookup::kError;
    }
    fmt::format_to(std::back_inserter(out), "[{}]", *i);
    return Lookup::kFlat;
}

bool Lowering::is_doubtful(std::string_view name) const {
    std::string_view first = name.substr(0, name.find_first_of(".["));
    return scope_->tree->doubtful.contains(std::string(first));
}

Value Lowering::unknown_name(ExprId id, const std::string& name) {
    const Span span = expr(id).span;
    if (reported(span) || is_doubtful(name)) {
        return Value::none();
    }
    const std::string base(base_of(name));
    if (const Names::Array* array = names_.find_base(scope_->prefix + base)) {
        if (base == name && array->indexed) {
            return fail(span, fmt::format("'{}' is an array", name),
                        {fmt::format("write {}[i] with an index from {} to {}", name,
                                     array->smallest, array->largest)});
        }
        if (array->indexed) {
            return fail(span, fmt::format("'{}' does not exist", name),
                        {fmt::format("'{}' has indices from {} to {}", base, array->smallest,
                                     array->largest)});
        }
        if (base != name) {
            return fail(span, fmt::format("'{}' is not an array", base),
                        {"components of a vector are written .x .y .z"});
        }
    }
    if (functions_.contains(scope_->prefix + name)) {
        return fail(span, fmt::format("'{}' is a function", name),
                    {fmt::format("write {}(...)", name)});
    }
    const auto later = scope_->declared_somewhere.find(base);
    if (later != scope_->declared_somewhere.end()) {
        return fail(span, fmt::format("'{}' is used before it is declared", base),
                    {declared_note(later->second) + "; move that statement up"});
    }
    std::vector<std::string> also{"t", "pi", "deg"};
    for (std::size_t i = locals_begin_; i < locals_.size(); ++i) {
        also.emplace_back(locals_[i].name);
    }
    std::string near = names_.nearest(scope_->prefix + base, also);
    if (near.starts_with(scope_->prefix)) {
        near.erase(0, scope_->prefix.size());
    }
    Notes notes;
    if (!near.empty()) {
        notes.push_back(fmt::format("did you mean '{}'?", near));
    }
    return fail(span, fmt::format("unknown name '{}'", name), std::move(notes));
}

Value Lowering::entity_value(const Entity& entity, ExprId id) {
    const Span span = expr(id).span;
    if (entity.kind == EntityKind::kConstraint) {
        return fail(span, fmt::format("'{}' is a constraint, not a value", text(span)),
                    {declared_note(entity.span)});
    }
    if (entity.kind == EntityKind::kFile) {
        return fail(span, fmt::format("'{}' is an imported file, not a value", text(span)),
                    {fmt::format("its names are reached by a dot: {}.name", text(span))});
    }
    return entity.value;
}

Value Lowering::name_or_path(ExprId id) {
    const std::string name(text(expr(id).token));
    if (const Local* local = find_local(name)) {
        return local->value;
    }
    if (const Entity* entity = find_entity(name)) {
        return entity_value(*entity, id);
    }
    if (name == "t") {
        return Value::scalar(model_.time);
    }
    if (name == "pi") {
        return Value::scalar(graph_.pi());
    }
    if (name == "deg") {
        return Value::scalar(graph_.div(graph_.pi(), graph_.integer(180)));
    }
    if (name == "ground") {
        return fail(expr(id).span, "'ground' is a body; bodies are not supported by this version",
                    {"a place at rest is a point: point O at (0, 0, 0)"});
    }
    return unknown_name(id, name);
}

Value Lowering::index(ExprId id) {
    std::string name;
    switch (flatten(id, name)) {
        case Lookup::kFlat:
            break;
        case Lookup::kNotAPath:
            return fail(expr(id).span, "only a name can have an index",
                        {"components of a vector are written .x .y .z"});
        case Lookup::kError:
            return Value::none();
    }
    if (const Entity* entity = find_entity(name)) {
        return entity_value(*entity, id);
    }
    const std::string_view base = name;
    if (find_local(base.substr(0, base.find('['))) != nullptr) {
        return fail(expr(id).span, fmt::format("'{}' is not an array", base_of(name)));
    }
    return unknown_name(id, name);
}

// A declared name with a dot, or a component of a vector.
Value Lowering::member(ExprId id) {
    const Expr& e = expr(id);
    std::string name;
    const Lookup lookup = flatten(id, name);
    if (lookup == Lookup::kError) {
        return Value::none();
    }
    if (lookup == Lookup::kFlat) {
        if (const Entity* entity = find_entity(name)) {
            return entity_value(*entity, id);
        }
        const std::string first = name.substr(0, name.find('.'));
        const Entity* owner = find_entity(first);
        if (owner != nullptr && owner->kind == EntityKind::kFile && component(text(e.token)) < 0) {
            return unknown_name(id, name);
        }
        const bool file_only = owner != nullptr && owner->kind == EntityKind::kFile &&
                               expr(e.operands[0]).kind == ExprKind::kName;
        if (file_only) {
            return unknown_name(id, name);
        }
    }
    const Value base = evaluate(e.operands[0]);
    if (base.is_point()) {
        const std::string_view point = text(expr(e.operands[0]).span);
        return fail(e.span, fmt::format("'{}' is a point, not a vector", point),
                    {fmt::format("write position({}).{}", point, text(e.token))});
    }
    if (!usable(base, e.operands[0])) {
        return Value::none();
    }
    const int part = component(text(e.token));
    if (!base.is_vector()) {
        return fail(e.span, fmt::format("a scalar has no component '.{}'", text(e.token)));
    }
    if (part < 0) {
        return fail(e.token, fmt::format("a vector has no component '.{}'", text(e.token)),
                    {"its components are .x .y .z"});
    }
    return Value::scalar(base.parts[static_cast<std::size_t>(part)]);
}

Value Lowering::prime(ExprId id) {
    const ExprId base_id = expr(id).operands[0];
    const Value base = evaluate(base_id);
    if (base.is_point()) {
        const std::string_view point = text(expr(base_id).span);
        return fail(expr(id).span, fmt::format("'{}' is a point, not a vector", point),
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
            for (std::size_t i = 0; i < static_cast<std::size_t>(total.size()); ++i) {
                total.parts[i] = graph_.div(total.parts[i], factor.scalar());
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
        return fail(span, "this is not a finite number");
    }
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

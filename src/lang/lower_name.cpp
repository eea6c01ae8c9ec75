// Names: what they stand for, and what is said when they stand for nothing.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"

namespace ananke::lang {
namespace {

int component(std::string_view name) {
    return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
}

}  // namespace

const Lowering::Local* Lowering::find_local(std::string_view name) const {
    for (std::size_t i = locals_.size(); i > locals_begin_; --i) {
        if (locals_[i - 1].name == name) {
            return &locals_[i - 1];
        }
    }
    return nullptr;
}

/// The one way from a declared name to its declaration.
Found Lowering::find(const std::string& name) const {
    for (const FileScope* scope = scope_; scope != nullptr; scope = scope->outer) {
        const Found found = names_.find(scope->prefix, name);
        if (!found.unknown()) {
            return found;
        }
    }
    return {};
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

/// x'' to x, and their number.
int Lowering::strip_primes(ExprId& id) const {
    int primes = 0;
    for (; expr(id).kind == ExprKind::kPrime; id = expr(id).operands[0]) {
        ++primes;
    }
    return primes;
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

Value Lowering::unknown_name(ExprId id, const std::string& name) {
    const Span span = expr(id).span;
    if (reported(span)) {
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
    if (later != scope_->declared_somewhere.end() && later->second.begin < span.begin &&
        later->second.begin >= statement_.begin && later->second.file == statement_.file) {
        return fail(span, fmt::format("'{}' is used in its own definition", name),
                    {"a name keeps its meaning: give the new value another name"});
    }
    if (later != scope_->declared_somewhere.end() && later->second.begin < span.begin) {
        return fail(span, fmt::format("'{}' is not declared", name),
                    {declared_note(later->second) + " in a loop that is never carried out"});
    }
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
    if (entity.kind == EntityKind::kConstraint || entity.kind == EntityKind::kEvent) {
        return fail(span, fmt::format("'{}' is {}, not a value", text(span), describe(entity.kind)),
                    {declared_note(entity.span)});
    }
    if (entity.kind == EntityKind::kJoint) {
        return fail(span, fmt::format("'{}' is a joint, not a value", text(span)),
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
    if (const Found found = find(name); !found.unknown()) {
        return found.failed ? Value::none() : entity_value(*found.entity, id);
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
        return Value::of_body(ground());
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
    if (const Found found = find(name); !found.unknown()) {
        return found.failed ? Value::none() : entity_value(*found.entity, id);
    }
    const std::string_view base = name;
    if (find_local(base.substr(0, base.find('['))) != nullptr) {
        return fail(expr(id).span, fmt::format("'{}' is not an array", base_of(name)));
    }
    return unknown_name(id, name);
}

/// A coordinate of a body that goes by another name here, as an argument of a joint does.
Value Lowering::body_member(ExprId id, int index) {
    const Expr& e = expr(id);
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(index)];
    const int count = body.kind == mech::Body::Kind::kSpatial  ? 7
                      : body.kind == mech::Body::Kind::kPlanar ? 3
                                                               : 0;
    std::vector<std::string> names;
    for (int k = 0; k < count; ++k) {
        const mech::Coordinate& coordinate = model_.coordinates[body.coordinate(k)];
        names.push_back(coordinate.name.substr(body.name.size() + 1));
        if (names.back() == text(e.token)) {
            return Value::scalar(coordinate.q);
        }
    }
    return fail(
        e.span, fmt::format("'{}' has no '{}'", text(expr(e.operands[0]).span), text(e.token)),
        {count == 0
             ? std::string("the ground has no coordinates")
             : fmt::format("it is a {} with the coordinates {}",
                           count == 3 ? "planar body" : "body in space", join_names(names))});
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
        if (const Found found = find(name); !found.unknown()) {
            return found.failed ? Value::none() : entity_value(*found.entity, id);
        }
        const std::string first = name.substr(0, name.find('.'));
        const Entity* owner = find(first).entity;
        const bool prefix_only = owner != nullptr && (owner->kind == EntityKind::kFile ||
                                                      owner->kind == EntityKind::kJoint);
        if (prefix_only && component(text(e.token)) < 0) {
            return unknown_name(id, name);
        }
        const bool file_only = prefix_only && expr(e.operands[0]).kind == ExprKind::kName;
        if (file_only) {
            return unknown_name(id, name);
        }
    }
    const Value base = evaluate(e.operands[0]);
    if (base.is_body()) {
        return body_member(id, base.body);
    }
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

}  // namespace ananke::lang

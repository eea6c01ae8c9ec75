#include "lang/paths.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/expressions.h"

namespace ananke::lang {
namespace {

int component(std::string_view name) {
    return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
}

Value entity_value(Lowering& in, const Entity& entity, ExprId id) {
    if (entity.kind == EntityKind::kBody && !in.bodies.contains(entity.index)) {
        return in.fail(id, fmt::format("'{}' is used in its own definition", in.scope.text(id)),
                       {"a body starts at a place and in an orientation made of numbers, "
                        "parameters and other bodies"});
    }
    switch (entity.kind) {
        case EntityKind::kConstraint:
        case EntityKind::kEvent:
        case EntityKind::kJoint:
        case EntityKind::kFile:
            break;
        default:
            return entity.value;
    }
    const std::string_view name = in.scope.text(id);
    return in.fail(id, fmt::format("'{}' is {}, not a value", name, describe(entity.kind)),
                   {entity.kind == EntityKind::kFile
                        ? fmt::format("its names are reached by a dot: {}.name", name)
                        : in.reports.declared_note(entity.span)});
}

Value found_value(Lowering& in, const Found& found, ExprId id) {
    return found.failed ? Value::none() : entity_value(in, *found.entity, id);
}

/// A coordinate of a body that has another name here, such as that of a joint's argument.
Value body_member(Lowering& in, ExprId id, int index) {
    const Expr& e = in.scope.expr(id);
    const mech::Body& body = in.bodies.body(index);
    const int count = body.kind == mech::Body::Kind::kSpatial  ? 7
                      : body.kind == mech::Body::Kind::kPlanar ? 3
                                                               : 0;
    std::vector<std::string> names;
    for (int k = 0; k < count; ++k) {
        const mech::Coordinate& coordinate = in.model.coordinates[body.coordinate(k)];
        names.push_back(coordinate.name.substr(body.name.size() + 1));
        if (names.back() == in.reports.text(e.token)) {
            return Value::scalar(coordinate.q);
        }
    }
    return in.fail(
        e.span,
        fmt::format("'{}' has no '{}'", in.scope.text(e.operands[0]), in.reports.text(e.token)),
        {count == 0
             ? std::string("the ground has no coordinates")
             : fmt::format("it is a {} with the coordinates {}",
                           count == 3 ? "planar body" : "body in space", join_names(names))});
}

/// The declaration that a path names; failed after a mistake in the path, which is reported.
Found find_path(Lowering& in, ExprId id, std::string& name) {
    return flatten(in, id, name) == Lookup::kFlat ? in.scope.find(name) : Found{nullptr, true};
}

std::optional<std::string> plain_name(Lowering& in, ExprId id) {
    const Expr& e = in.scope.expr(id);
    if (e.kind == ExprKind::kPrime) {
        return in.fail(e.span, "a declared name has no prime");
    }
    std::string name;
    if (e.kind != ExprKind::kMember && flatten(in, id, name) != Lookup::kFlat) {
        return std::nullopt;
    }
    const std::string_view base = base_of(name);
    if (e.kind == ExprKind::kMember || base.find('.') != std::string_view::npos) {
        return in.fail(e.span, "a declared name has no dot",
                       {"names with a dot come from imported files"});
    }
    if (is_reserved(base)) {
        return in.fail(e.span, fmt::format("'{}' is reserved and cannot be declared", base));
    }
    if (const Local* local = in.scope.find_local(base)) {
        return in.fail(e.span, fmt::format("'{}' is the loop variable", base),
                       {in.reports.declared_note(local->span)});
    }
    return name;
}

}  // namespace

std::optional<std::int64_t> integer_of(Lowering& in, ExprId id, std::string_view what) {
    const Value value = evaluate(in, id);
    if (!usable(in, value, id)) {
        return std::nullopt;
    }
    if (!value.is_scalar()) {
        return in.fail(id, fmt::format("{} is an integer, this is a vector", what));
    }
    const std::optional<double> number = in.symbols.number_of(value.scalar());
    if (!number) {
        return in.fail(id, fmt::format("{} must be known before the motion", what),
                       {"use numbers, parameters and loop variables"});
    }
    constexpr double kLargest = 1e15;  // far beyond any loop, exact in double
    if (*number != std::floor(*number) || std::abs(*number) > kLargest) {
        return in.fail(id, fmt::format("{} must be an integer, this is {:.6g}", what, *number));
    }
    in.symbols.mark_structural(value.scalar());
    return static_cast<std::int64_t>(*number);
}

int strip_primes(Lowering& in, ExprId& id) {
    int primes = 0;
    for (; in.scope.expr(id).kind == ExprKind::kPrime; id = in.scope.expr(id).operands[0]) {
        ++primes;
    }
    return primes;
}

Lookup flatten(Lowering& in, ExprId id, std::string& out) {
    const Expr& e = in.scope.expr(id);
    if (e.kind == ExprKind::kName) {
        out.append(in.reports.text(e.token));
        return Lookup::kFlat;
    }
    if (e.kind != ExprKind::kIndex && e.kind != ExprKind::kMember) {
        return Lookup::kNotAPath;
    }
    const Lookup base = flatten(in, e.operands[0], out);
    if (base != Lookup::kFlat) {
        return base;
    }
    if (e.kind == ExprKind::kMember) {
        out += '.';
        out.append(in.reports.text(e.token));
        return Lookup::kFlat;
    }
    const std::optional<std::int64_t> i = integer_of(in, e.operands[1], "an index");
    if (!i) {
        return Lookup::kError;
    }
    fmt::format_to(std::back_inserter(out), "[{}]", *i);
    return Lookup::kFlat;
}

Failed used_too_early(Lowering& in, Span span, const std::string& name, Span declared) {
    return in.fail(span, fmt::format("'{}' is used before it is declared", name),
                   {in.reports.declared_note(declared) + "; move that statement up"});
}

Failed unknown_name(Lowering& in, ExprId id, const std::string& name) {
    const Span span = in.scope.span(id);
    if (in.reports.is_reported(span)) {
        return {};
    }
    const std::string base(base_of(name));
    if (const Names::Array* array = in.scope.names().find_base(in.scope.full(base))) {
        if (base == name && array->indexed) {
            return in.fail(span, fmt::format("'{}' is an array", name),
                           {fmt::format("write {}[i] with an index from {} to {}", name,
                                        array->smallest, array->largest)});
        }
        if (array->indexed) {
            return in.fail(span, fmt::format("'{}' does not exist", name),
                           {fmt::format("'{}' has indices from {} to {}", base, array->smallest,
                                        array->largest)});
        }
        if (base != name) {
            return in.fail(span, fmt::format("'{}' is not an array", base),
                           {"components of a vector are written .x .y .z"});
        }
    }
    if (in.scope.functions.contains(in.scope.full(name))) {
        return in.fail(span, fmt::format("'{}' is a function", name),
                       {fmt::format("write {}(...)", name)});
    }
    if (const Span* written = in.scope.declared_somewhere(base)) {
        const Span statement = in.scope.statement;
        if (written->begin >= span.begin) {
            return used_too_early(in, span, base, *written);
        }
        if (written->begin >= statement.begin && written->file == statement.file) {
            return in.fail(span, fmt::format("'{}' is used in its own definition", name),
                           {"a name keeps its meaning: give the new value another name"});
        }
        return in.fail(
            span, fmt::format("'{}' is not declared", name),
            {in.reports.declared_note(*written) + " in a loop that is never carried out"});
    }
    std::vector<std::string> also{"t", "pi", "deg"};
    for (const Local& local : in.scope.locals()) {
        also.emplace_back(local.name);
    }
    std::string near = in.scope.names().nearest(in.scope.full(base), also);
    if (near.starts_with(in.scope.prefix())) {
        near.erase(0, in.scope.prefix().size());
    }
    return in.fail(span, fmt::format("unknown name '{}'", name), did_you_mean(near));
}

Value name_value(Lowering& in, ExprId id) {
    const std::string name(in.reports.text(in.scope.expr(id).token));
    if (const Local* local = in.scope.find_local(name)) {
        return local->value;
    }
    if (const Found found = in.scope.find(name); !found.unknown()) {
        return found_value(in, found, id);
    }
    if (name == "t") {
        return Value::scalar(in.model.time);
    }
    if (name == "pi") {
        return Value::scalar(in.graph.pi());
    }
    if (name == "deg") {
        return Value::scalar(in.graph.div(in.graph.pi(), in.graph.integer(180)));
    }
    if (name == "ground") {
        return Value::of_body(in.bodies.ground());
    }
    return unknown_name(in, id, name);
}

Value index_value(Lowering& in, ExprId id) {
    std::string name;
    switch (flatten(in, id, name)) {
        case Lookup::kFlat:
            break;
        case Lookup::kNotAPath:
            return in.fail(id, "only a name can have an index",
                           {"components of a vector are written .x .y .z"});
        case Lookup::kError:
            return Value::none();
    }
    if (const Found found = in.scope.find(name); !found.unknown()) {
        return found_value(in, found, id);
    }
    if (in.scope.find_local(name.substr(0, name.find('['))) != nullptr) {
        return in.fail(id, fmt::format("'{}' is not an array", base_of(name)));
    }
    return unknown_name(in, id, name);
}

// A declared name with a dot, or a component of a vector.
Value member_value(Lowering& in, ExprId id) {
    const Expr& e = in.scope.expr(id);
    std::string name;
    const Lookup lookup = flatten(in, id, name);
    if (lookup == Lookup::kError) {
        return Value::none();
    }
    if (lookup == Lookup::kFlat) {
        if (const Found found = in.scope.find(name); !found.unknown()) {
            return found_value(in, found, id);
        }
        // A file or a joint is only the prefix of its names; v in file.v.x may be a vector.
        const Entity* owner = in.scope.find(name.substr(0, name.find('.'))).entity;
        const bool is_prefix = owner != nullptr && (owner->kind == EntityKind::kFile ||
                                                    owner->kind == EntityKind::kJoint);
        if (is_prefix && (component(in.reports.text(e.token)) < 0 ||
                          in.scope.expr(e.operands[0]).kind == ExprKind::kName)) {
            return unknown_name(in, id, name);
        }
    }
    const Value base = evaluate(in, e.operands[0]);
    if (base.is_body()) {
        return body_member(in, id, base.body);
    }
    if (base.is_point()) {
        const std::string_view point = in.scope.text(e.operands[0]);
        return in.fail(e.span, fmt::format("'{}' is a point, not a vector", point),
                       {fmt::format("write position({}).{}", point, in.reports.text(e.token))});
    }
    if (!usable(in, base, e.operands[0])) {
        return Value::none();
    }
    const std::string_view name_of_part = in.reports.text(e.token);
    const int part = component(name_of_part);
    if (!base.is_vector()) {
        return in.fail(id, fmt::format("a scalar has no component '.{}'", name_of_part));
    }
    if (part < 0) {
        return in.fail(e.token, fmt::format("a vector has no component '.{}'", name_of_part),
                       {"its components are .x .y .z"});
    }
    return Value::scalar(base.parts[static_cast<std::size_t>(part)]);
}

const Entity* target(Lowering& in, ExprId id, std::string_view what) {
    std::string name;
    const Found found = find_path(in, id, name);
    if (found.unknown() && name == "ground") {
        in.fail(id, fmt::format("{} on 'ground' moves nothing", what));
    } else if (found.unknown() && (in.scope.find_local(name) != nullptr || is_reserved(name))) {
        in.fail(id, fmt::format("'{}' is not a coordinate or a point", name));
    } else if (found.unknown()) {
        unknown_name(in, id, name);
    }
    return found.entity;
}

std::optional<int> coordinate_of(Lowering& in, ExprId id, std::string_view what) {
    const Entity* entity = target(in, id, what);
    if (entity == nullptr) {
        return std::nullopt;
    }
    if (entity->kind != EntityKind::kCoordinate) {
        return in.fail(id,
                       fmt::format("{} belongs to a coordinate; '{}' is {}", what,
                                   in.scope.text(id), describe(entity->kind)),
                       {in.reports.declared_note(entity->span)});
    }
    return entity->index;
}

const Entity* constraint_or_joint(Lowering& in, ExprId id, std::string_view rule) {
    std::string name;
    const Found found = find_path(in, id, name);
    const Entity* entity = found.entity;
    if (found.unknown() && name == "ground") {
        in.fail(id, fmt::format("{}, this is the ground", rule),
                {"name the constraint that keeps something on the ground, or the joint to it"});
    } else if (found.unknown()) {
        unknown_name(in, id, name);
    } else if (entity != nullptr && entity->kind != EntityKind::kConstraint &&
               entity->kind != EntityKind::kJoint) {
        in.fail(id, fmt::format("{}; '{}' is {}", rule, name, describe(entity->kind)),
                {in.reports.declared_note(entity->span)});
        return nullptr;
    }
    return entity;
}

std::optional<std::string> declared_name(Lowering& in, ExprId id) {
    std::optional<std::string> name = plain_name(in, id);
    if (!name) {
        while (!in.scope.expr(id).operands.empty()) {
            id = in.scope.expr(id).operands[0];
        }
        in.scope.doubt(std::string(in.reports.text(in.scope.expr(id).token)));
    }
    return name;
}

}  // namespace ananke::lang

// Places and directions fixed in bodies.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "mech/vectors.h"
#include "sym/evaluate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::lang {

/// A place fixed in a body: r + x e1 + y e2 + z e3. The same place is the same point.
int Lowering::place_on(int body_index, const mech::Vec3& local, const std::string& name,
                       Span span) {
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(body_index)];
    const bool passing = name.empty();
    if (passing && graph_.is_zero(local[0]) && graph_.is_zero(local[1]) &&
        graph_.is_zero(local[2])) {
        return body.centre;
    }
    const auto text = [&](std::size_t k) -> std::string {
        std::string& known = place_texts_[local[k]];
        known = known.empty() ? sym::print(graph_, local[k]) : known;
        return known;
    };
    const std::string full =
        passing ? body.name + " at (" + text(0) + ", " + text(1) + ", " + text(2) + ")" : name;
    if (passing) {
        if (const auto found = places_on_bodies_.find(full); found != places_on_bodies_.end()) {
            return found->second;
        }
    }
    const mech::Vec3& centre = model_.points[static_cast<std::size_t>(body.centre)].r;
    const int point =
        add_point(full, mech::add(graph_, centre, mech::along(graph_, body.axes, local)), {}, span);
    model_.points.back().body = body_index;
    model_.points.back().named = !passing;
    if (passing) {
        places_on_bodies_[full] = point;
    }
    return point;
}

std::optional<mech::Vec3> Lowering::local_place(ExprId id) {
    const Value value = vector_of(id, "a place on a body");
    if (value.bad() || !allow(value, 0, id, "a place on a body",
                              "it is fixed in the body; a place that moves along it is a point: "
                              "point P at position(B) + s*axis(B, (1, 0, 0))")) {
        return std::nullopt;
    }
    return value.parts;
}

Value Lowering::body_place(ExprId id) {
    const Expr e = expr(id);
    const std::optional<int> body = body_of(e.operands[0], "a place");
    const std::optional<mech::Vec3> local = local_place(e.operands[1]);
    if (!body || !local) {
        return Value::none();
    }
    return Value::of_point(place_on(*body, *local, "", e.span));
}

std::optional<int> Lowering::body_of(ExprId id, std::string_view what) {
    const Value value = evaluate(id);
    if (value.bad()) {
        return std::nullopt;
    }
    const Span span = expr(id).span;
    if (value.is_body()) {
        return value.body;
    }
    if (value.is_point()) {
        const int body = model_.points[static_cast<std::size_t>(value.point)].body;
        if (body >= 0) {
            return body;
        }
        fail(span, fmt::format("{} belongs to a body; '{}' is a point that is fixed in none", what,
                               text(span)));
        return std::nullopt;
    }
    fail(span, fmt::format("{} belongs to a body, this is {}", what, shown(value)),
         {"declare it: body B mass 1 inertia (1, 1, 1)"});
    return std::nullopt;
}

/// Components along the axes of a body: v in B, axis(B, v).
Value Lowering::in_axes(int body, const Value& v) {
    const mech::Axes& axes = model_.bodies[static_cast<std::size_t>(body)].axes;
    return Value::vector(mech::along(graph_, axes, v.parts));
}

Value Lowering::in_body(ExprId id) {
    const Expr e = expr(id);
    const Value v = evaluate(e.operands[0]);
    const std::optional<int> body = body_of(e.operands[1], "'in'");
    if (!usable(v, e.operands[0]) || !body) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return fail(e.span, "'in' gives the axes of a vector, this is a scalar");
    }
    return in_axes(*body, v);
}

/// An expression without parameters as a number, a short one where it is one but for rounding.
sym::Expr Lowering::plain_number(sym::Expr e) {
    if (dependence(e) != 0) {
        return e;
    }
    constexpr double kRounding = 1e-15;
    const double value = sym::evaluate<double>(graph_, e, {});
    const std::string text = fmt::format("{:.14g}", std::abs(value));
    const double plain = std::strtod(text.c_str(), nullptr);
    constexpr std::size_t kShort = 8;  // digits: longer fractions soon leave 64 bits
    if (text.size() > kShort || plain == 0.0 ||
        !(std::abs(std::abs(value) - plain) <= kRounding * std::max(1.0, plain))) {
        return std::abs(value) <= kRounding ? graph_.zero() : graph_.number(value);
    }
    return value < 0.0 ? graph_.neg(graph_.literal(text)) : graph_.literal(text);
}

/// A direction as it is where all bodies have their declared orientations.
mech::Vec3 Lowering::at_start(const Value& v) {
    std::vector<sym::Replacement> at_start;
    for (const mech::Body& other : model_.bodies) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t k = 0; k < 3; ++k) {
                at_start.push_back({other.axes[axis][k], other.start[axis][k]});
            }
        }
    }
    mech::Vec3 world;
    for (std::size_t k = 0; k < 3; ++k) {
        world[k] = plain_number(sym::substitute(graph_, v.parts[k], at_start));
    }
    return world;
}

/// The direction that moves with the body and is v where the body has its declared orientation.
Value Lowering::fixed_in(int index, const Value& v) {
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(index)];
    const mech::Vec3 world = at_start(v);
    mech::Vec3 local;
    for (std::size_t k = 0; k < 3; ++k) {
        local[k] = plain_number(mech::dot(graph_, body.start[k], world));
    }
    return Value::vector(mech::along(graph_, body.axes, local));
}

Value Lowering::call_body_function(ExprId id, std::string_view name) {
    if (!check_arity(id, name, name == "omega" ? 1 : 2)) {
        return Value::none();
    }
    const std::vector<ExprId> operands = expr(id).operands;
    const std::optional<int> body = body_of(operands[1], fmt::format("'{}'", name));
    if (name == "omega") {
        return body ? Value::vector(model_.bodies[static_cast<std::size_t>(*body)].omega)
                    : Value::none();
    }
    const Value v = evaluate(operands[2]);
    if (!body || !usable(v, operands[2])) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return fail(expr(operands[2]).span,
                    fmt::format("'{}' takes a body and a vector, this is a scalar", name));
    }
    if (name == "axis") {
        return in_axes(*body, v);
    }
    if (!allow(v, kOnPositions, operands[2], "a direction fixed in a body")) {
        return Value::none();
    }
    return fixed_in(*body, v);
}

// start(v)
Value Lowering::call_start(ExprId id) {
    if (!check_arity(id, "start", 1)) {
        return Value::none();
    }
    const ExprId argument = expr(id).operands[1];
    const Value v = evaluate(argument);
    if (!usable(v, argument)) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return fail(expr(argument).span, "'start' takes a vector, this is a scalar");
    }
    const Value world = Value::vector(at_start(v));
    return allow(world, 0, argument, "a direction of the start",
                 "it is made of numbers, parameters and the axes of bodies")
               ? world
               : Value::none();
}

}  // namespace ananke::lang

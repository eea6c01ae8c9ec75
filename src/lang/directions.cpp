#include "lang/directions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/functions.h"
#include "mech/vectors.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::lang {
namespace {

constexpr std::string_view kAdvice = "it is made of numbers, parameters and the axes of bodies";

/// Components along the axes of a body: v in B, axis(B, v).
Value in_axes(Lowering& in, int body, const Value& v) {
    const mech::Axes& axes = in.bodies.body(body).axes;
    return Value::vector(mech::along(in.graph, axes, v.parts));
}

/// An expression without parameters as a number, a short one where it is one but for rounding.
sym::Expr plain_number(Lowering& in, sym::Expr e) {
    if (in.symbols.dependence(e) != 0) {
        return e;
    }
    constexpr double kRounding = 1e-15;
    const double value = sym::evaluate<double>(in.graph, e, {});
    const std::string text = fmt::format("{:.14g}", std::abs(value));
    const double plain = std::strtod(text.c_str(), nullptr);
    constexpr std::size_t kShort = 8;  // digits: longer fractions soon leave 64 bits
    if (text.size() > kShort || plain == 0.0 ||
        !(std::abs(std::abs(value) - plain) <= kRounding * std::max(1.0, plain))) {
        return std::abs(value) <= kRounding ? in.graph.zero() : in.graph.number(value);
    }
    return value < 0.0 ? in.graph.neg(in.graph.literal(text)) : in.graph.literal(text);
}

/// What the symbols of positions in a vector mean.
std::vector<const Component*> components_of(Lowering& in, const Value& v) {
    std::vector<const Component*> components;
    for (const sym::Expr e : v.parts) {
        for (const sym::Expr symbol : sym::symbols_of(in.graph, e)) {
            if (const Component* component = in.bodies.component(symbol)) {
                components.push_back(component);
            }
        }
    }
    return components;
}

/// With each symbol of a position replaced by what `replace` says of its place, unless nothing.
template <class Replace>
sym::Expr replace_positions(Lowering& in, sym::Expr e, const Replace& replace) {
    std::vector<sym::Replacement> replacements;
    for (const sym::Expr symbol : sym::symbols_of(in.graph, e)) {
        const Component* component = in.bodies.component(symbol);
        const std::optional<sym::Expr> value = component ? replace(*component) : std::nullopt;
        if (value) {
            replacements.push_back({symbol, *value});
        }
    }
    return replacements.empty() ? e : sym::substitute(in.graph, e, replacements);
}

/// A direction as it is where all bodies have these orientations.
mech::Vec3 in_orientations(Lowering& in, const Value& v, Orientations which) {
    mech::Vec3 world;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto fixed = [&](const Component& component) {
            return component.body < 0 ? std::nullopt
                                      : std::optional(in.bodies.axes(
                                            component.body, which)[component.axis][component.k]);
        };
        world[k] = plain_number(in, replace_positions(in, v.parts[k], fixed));
    }
    return world;
}

/// Its components along the axes of a body in these orientations.
mech::Vec3 components_at(Lowering& in, int body, const Value& v, Orientations which) {
    const mech::Vec3 world = in_orientations(in, v, which);
    mech::Vec3 local;
    for (std::size_t k = 0; k < 3; ++k) {
        local[k] = plain_number(in, mech::dot(in.graph, in.bodies.axes(body, which)[k], world));
    }
    return local;
}

/// The first of the body and those that a direction moves with whose orientation is a guess.
std::optional<int> guessed_body(Lowering& in, int index, const Value& v) {
    std::optional<int> first;
    const auto consider = [&](int body) {
        if (body >= 0 && in.bodies.is_guessed(body)) {
            first = std::min(body, first.value_or(body));
        }
    };
    consider(index);
    for (const Component* component : components_of(in, v)) {
        consider(component->body);
    }
    return first;
}

/// The components along the axes of a body of the direction that moves with it and is v where all
/// bodies have their reference orientations. A direction that would be another one in the body if
/// the guesses of the statements were meant is refused: a guess changes no constraint.
std::optional<mech::Vec3> components_in(Lowering& in, int index, const Value& v, ExprId at) {
    const mech::Vec3 local = components_at(in, index, v, Orientations::kReference);
    if (!allow(in, Value::vector(local), 0, at, "a direction fixed in a body", kAdvice)) {
        return std::nullopt;
    }
    const std::optional<int> guessed = guessed_body(in, index, v);
    if (!guessed) {
        return local;
    }
    const mech::Vec3 other = components_at(in, index, v, Orientations::kStated);
    std::array<double, 3> meant{};
    std::array<double, 3> there{};
    double size = 0.0;
    double difference = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        meant[k] = in.symbols.number_of(local[k]).value_or(0.0);
        there[k] = in.symbols.number_of(other[k]).value_or(0.0);
        size = std::max({size, std::abs(meant[k]), std::abs(there[k])});
        difference = std::max(difference, std::abs(meant[k] - there[k]));
    }
    constexpr double kRounding = 1e-12;  // relative, of two products with orthogonal matrices
    if (difference <= kRounding * size) {
        return local;
    }
    const std::string& name = in.bodies.body(index).name;
    const std::string& guessed_name = in.bodies.body(*guessed).name;
    const auto text = [](const std::array<double, 3>& c) {
        return fmt::format("({:.4g}, {:.4g}, {:.4g})", c[0] + 0.0, c[1] + 0.0, c[2] + 0.0);
    };
    return in.fail(
        at,
        fmt::format("the direction fixed in '{0}' would depend on a guess: in {0} it is {1} in the "
                    "reference orientations, but {2} where '{3}' has its guessed orientation",
                    name, text(meant), text(there), guessed_name),
        {fmt::format("write it in the axes of the body: {} in {}; a joint takes one for each "
                     "body: axis = ..., axis_B = ... in B",
                     text(there), name),
         fmt::format("or give the orientation of '{}' exactly, without ~", guessed_name)});
}

/// The planar body that a direction moves with, or the ground: nothing, if it moves otherwise.
std::optional<int> planar_owner(Lowering& in, const Value& v) {
    std::optional<int> owner;
    for (const Component* component : components_of(in, v)) {
        const int body = component->body;
        if (body < 0 || owner.value_or(body) != body ||
            in.bodies.body(body).kind == mech::Body::Kind::kSpatial) {
            return std::nullopt;
        }
        owner = body;
    }
    return owner ? owner : in.bodies.ground();
}

}  // namespace

std::optional<int> body_of(Lowering& in, ExprId id, std::string_view what) {
    const Value value = evaluate(in, id);
    if (value.bad()) {
        return std::nullopt;
    }
    const Span span = in.scope.span(id);
    if (value.is_body()) {
        return value.body;
    }
    if (value.is_point()) {
        const int body = in.bodies.point(value.point).body;
        if (body >= 0) {
            return body;
        }
        return in.fail(
            span, fmt::format("{} belongs to a body; '{}' is a point that is fixed in none", what,
                              in.reports.text(span)));
    }
    return in.fail(span, fmt::format("{} belongs to a body, this is {}", what, shown(value)),
                   {"declare it: body B mass 1 inertia (1, 1, 1)"});
}

std::optional<mech::Vec3> local_place(Lowering& in, ExprId id) {
    return vector_over(in, id,
                       {"a place on a body", 0,
                        "it is fixed in the body; a place that moves along it is a point: point P "
                        "at position(B) + s*axis(B, (1, 0, 0))"});
}

Value place_on_body(Lowering& in, ExprId id) {
    const Expr e = in.scope.expr(id);
    const std::optional<int> body = body_of(in, e.operands[0], "a place");
    const std::optional<mech::Vec3> local = local_place(in, e.operands[1]);
    if (!body || !local) {
        return Value::none();
    }
    return Value::of_point(in.bodies.place_on(*body, *local, e.span));
}

Value in_body(Lowering& in, ExprId id) {
    const Expr e = in.scope.expr(id);
    const Value v = evaluate(in, e.operands[0]);
    const std::optional<int> body = body_of(in, e.operands[1], "'in'");
    if (!usable(in, v, e.operands[0]) || !body) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return in.fail(e.span, "'in' gives the axes of a vector, this is a scalar");
    }
    return in_axes(in, *body, v);
}

// omega(B), axis(B, v), components(B, v), fixed(B, v)
Value call_body_function(Lowering& in, ExprId id, std::string_view name) {
    const std::vector<ExprId> operands = in.scope.expr(id).operands;
    const std::optional<int> body = body_of(in, operands[1], fmt::format("'{}'", name));
    if (name == "omega") {
        return body ? Value::vector(in.bodies.body(*body).omega) : Value::none();
    }
    const Value v = evaluate(in, operands[2]);
    if (!body || !usable(in, v, operands[2])) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return in.fail(operands[2],
                       fmt::format("'{}' takes a body and a vector, this is a scalar", name));
    }
    if (name == "axis") {
        return in_axes(in, *body, v);
    }
    const std::optional<mech::Vec3> local = components_in(in, *body, v, operands[2]);
    if (!local) {
        return Value::none();
    }
    return name == "components" ? Value::vector(*local) : in_axes(in, *body, Value::vector(*local));
}

Value call_start(Lowering& in, ExprId id) {
    const ExprId argument = in.scope.expr(id).operands[1];
    const Value v = evaluate(in, argument);
    if (!usable(in, v, argument)) {
        return Value::none();
    }
    if (!v.is_vector()) {
        return in.fail(argument, "'start' takes a vector, this is a scalar");
    }
    const Value world = Value::vector(in_orientations(in, v, Orientations::kReference));
    return allow(in, world, 0, argument, "a direction of the start", kAdvice) ? world
                                                                              : Value::none();
}

// turned(a, b, n), turned(a, b, n, s): the angle from a to b about n, both perpendicular to it,
// less s.
Value call_turned(Lowering& in, ExprId id) {
    const std::vector<ExprId> operands = in.scope.expr(id).operands;
    const bool less = operands.size() == 5;
    if (!check_arity(in, id, "turned", less ? 4 : 3)) {
        return Value::none();
    }
    std::array<Value, 4> given;
    given[3] = Value::scalar(in.graph.zero());
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        given[i] = evaluate(in, operands[i + 1]);
        if (!usable(in, given[i], operands[i + 1])) {
            return Value::none();
        }
        if (given[i].is_vector() != (i < 3)) {
            return in.fail(operands[i + 1],
                           "'turned' takes three vectors and, if wanted, an angle");
        }
    }
    const auto& [a, b, n, from] = given;
    const auto sine = [&](const mech::Vec3& first, const mech::Vec3& second,
                          const mech::Vec3& axis) {
        return mech::dot(in.graph, mech::cross(in.graph, first, second), axis);
    };
    const std::optional<int> first = planar_owner(in, a);
    const std::optional<int> second = planar_owner(in, b);
    const mech::Vec3 axis = in_orientations(in, n, Orientations::kReference);
    const double side = in.symbols.number_of(axis[2]).value_or(0.0);
    if (!first || !second || !planar_owner(in, n) || side == 0.0) {
        sym::Expr s = sine(a.parts, b.parts, n.parts);
        sym::Expr c = mech::dot(in.graph, a.parts, b.parts);
        if (less) {
            const sym::Expr s0 = in.graph.apply(sym::Op::kSin, from.scalar());
            const sym::Expr c0 = in.graph.apply(sym::Op::kCos, from.scalar());
            const sym::Expr turned = in.graph.sub(in.graph.mul(s, c0), in.graph.mul(c, s0));
            c = in.graph.add(in.graph.mul(c, c0), in.graph.mul(s, s0));
            s = turned;
        }
        return Value::scalar(in.graph.apply(sym::Op::kAtan2, s, c));
    }
    // In the plane: the angle in the reference orientations, and what the bodies have turned since.
    const mech::Vec3 a0 = in_orientations(in, a, Orientations::kReference);
    const mech::Vec3 b0 = in_orientations(in, b, Orientations::kReference);
    const sym::Expr before = plain_number(
        in, in.graph.apply(sym::Op::kAtan2, sine(a0, b0, axis), mech::dot(in.graph, a0, b0)));
    const sym::Expr since = in.graph.sub(in.bodies.turned(*second), in.bodies.turned(*first));
    return Value::scalar(in.graph.sub(
        in.graph.add(before, side > 0.0 ? since : in.graph.neg(since)), from.scalar()));
}

sym::Expr over_coordinates(Lowering& in, sym::Expr e) {
    const auto q = [&](const mech::Body& body, int k) {
        return in.model.coordinates[body.coordinate(k)].q;
    };
    const auto component = [&](const Component& place) -> std::optional<sym::Expr> {
        if (place.point >= 0) {
            return in.bodies.point(place.point).position[place.k];
        }
        const mech::Body& body = in.bodies.body(place.body);
        if (body.kind == mech::Body::Kind::kSpatial) {
            return mech::axes_of(in.graph, in.bodies.quaternion(body))[place.axis][place.k];
        }
        if (body.kind == mech::Body::Kind::kGround || place.axis == 2 || place.k == 2) {
            return place.axis == place.k ? in.graph.one() : in.graph.zero();
        }
        if (place.axis == place.k) {
            return in.graph.apply(sym::Op::kCos, q(body, 2));
        }
        const sym::Expr sine = in.graph.apply(sym::Op::kSin, q(body, 2));
        return place.axis == 0 ? sine : in.graph.neg(sine);
    };
    while ((in.symbols.dependence(e) & bit(sym::SymbolKind::kPointPosition)) != 0) {
        e = replace_positions(in, e, component);
    }
    return e;
}

}  // namespace ananke::lang

// Places and directions fixed in bodies.
#include <algorithm>
#include <array>
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

/// With each symbol of a position replaced by what `replace` says of its place, unless nothing.
template <class Replace>
sym::Expr Lowering::replace_positions(sym::Expr e, const Replace& replace) {
    std::vector<sym::Replacement> replacements;
    for (const sym::Expr symbol : sym::symbols_of(graph_, e)) {
        const Place* place = places_of_.find(symbol);
        if (place == nullptr) {
            continue;
        }
        if (const std::optional<sym::Expr> value = replace(*place)) {
            replacements.push_back({symbol, *value});
        }
    }
    return replacements.empty() ? e : sym::substitute(graph_, e, replacements);
}

/// The axes of a body in its reference orientation, or in the guess of its statement.
const mech::Axes& Lowering::axes_at(int index, bool guesses) const {
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(index)];
    const auto guess = guessed_axes_.find(body.first);
    return guesses && guess != guessed_axes_.end() ? guess->second : body.reference;
}

/// A direction as it is where all bodies have their reference orientations, or those of their
/// statements where these are guesses.
mech::Vec3 Lowering::in_orientations(const Value& v, bool guesses) {
    mech::Vec3 world;
    for (std::size_t k = 0; k < 3; ++k) {
        world[k] = plain_number(
            replace_positions(v.parts[k], [&](const Place& place) -> std::optional<sym::Expr> {
                return place.body < 0
                           ? std::nullopt
                           : std::optional(axes_at(place.body, guesses)[place.axis][place.k]);
            }));
    }
    return world;
}

/// Its components along the axes of a body in these orientations.
mech::Vec3 Lowering::components_at(int body, const Value& v, bool guesses) {
    const mech::Vec3 world = in_orientations(v, guesses);
    mech::Vec3 local;
    for (std::size_t k = 0; k < 3; ++k) {
        local[k] = plain_number(mech::dot(graph_, axes_at(body, guesses)[k], world));
    }
    return local;
}

/// The body and those that a direction moves with, as far as their orientations are guesses.
std::vector<std::string> Lowering::guessed_bodies(int index, const Value& v) {
    std::vector<int> bodies{index};
    for (const sym::Expr e : v.parts) {
        for (const sym::Expr symbol : sym::symbols_of(graph_, e)) {
            const Place* place = places_of_.find(symbol);
            if (place != nullptr && place->body >= 0) {
                bodies.push_back(place->body);
            }
        }
    }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    std::vector<std::string> names;
    for (const int body : bodies) {
        const mech::Body& one = model_.bodies[static_cast<std::size_t>(body)];
        if (guessed_axes_.contains(one.first)) {
            names.push_back(one.name);
        }
    }
    return names;
}

/// The components along the axes of a body of the direction that moves with it and is v where all
/// bodies have their reference orientations. A direction that would be another one in the body if
/// the guesses of the statements were meant is refused: a guess changes no constraint.
std::optional<mech::Vec3> Lowering::components_in(int index, const Value& v, ExprId at) {
    const mech::Vec3 local = components_at(index, v, false);
    if (!allow(Value::vector(local), 0, at, "a direction fixed in a body",
               "it is made of numbers, parameters and the axes of bodies")) {
        return std::nullopt;
    }
    const std::vector<std::string> guessed = guessed_bodies(index, v);
    if (guessed.empty()) {
        return local;
    }
    const mech::Vec3 other = components_at(index, v, true);
    std::array<double, 3> meant{};
    std::array<double, 3> there{};
    double size = 0.0;
    double difference = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        meant[k] = number_of(local[k]).value_or(0.0);
        there[k] = number_of(other[k]).value_or(0.0);
        size = std::max({size, std::abs(meant[k]), std::abs(there[k])});
        difference = std::max(difference, std::abs(meant[k] - there[k]));
    }
    constexpr double kRounding = 1e-12;
    if (difference <= kRounding * size) {
        return local;
    }
    const std::string& name = model_.bodies[static_cast<std::size_t>(index)].name;
    const auto text = [](const std::array<double, 3>& c) {
        return fmt::format("({:.4g}, {:.4g}, {:.4g})", c[0] + 0.0, c[1] + 0.0, c[2] + 0.0);
    };
    fail(
        expr(at).span,
        fmt::format("the direction fixed in '{0}' would depend on a guess: in {0} it is {1} in the "
                    "reference orientations, but {2} where '{3}' has its guessed orientation",
                    name, text(meant), text(there), guessed.front()),
        {fmt::format("write it in the axes of the body: {} in {}; a joint takes one for each "
                     "body: axis = ..., axis_B = ... in B",
                     text(there), name),
         fmt::format("or give the orientation of '{}' exactly, without ~", guessed.front())});
    return std::nullopt;
}

// omega(B), axis(B, v), components(B, v), fixed(B, v)
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
    const std::optional<mech::Vec3> local = components_in(*body, v, operands[2]);
    if (!local) {
        return Value::none();
    }
    return name == "components" ? Value::vector(*local) : in_axes(*body, Value::vector(*local));
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
    const Value world = Value::vector(at_reference(v));
    return allow(world, 0, argument, "a direction of the start",
                 "it is made of numbers, parameters and the axes of bodies")
               ? world
               : Value::none();
}

/// The planar body that a direction moves with, or the ground: nothing, if it moves otherwise.
std::optional<int> Lowering::planar_owner(const Value& v) {
    std::optional<int> owner;
    for (const sym::Expr e : v.parts) {
        for (const sym::Expr symbol : sym::symbols_of(graph_, e)) {
            const Place* place = places_of_.find(symbol);
            if (place == nullptr) {
                continue;
            }
            if (place->body < 0 || owner.value_or(place->body) != place->body ||
                model_.bodies[static_cast<std::size_t>(place->body)].kind ==
                    mech::Body::Kind::kSpatial) {
                return std::nullopt;
            }
            owner = place->body;
        }
    }
    return owner ? owner : ground();
}

// turned(a, b, n), turned(a, b, n, s): the angle from a to b about n, both perpendicular to it,
// less s.
Value Lowering::call_turned(ExprId id) {
    const std::vector<ExprId> operands = expr(id).operands;
    const bool less = operands.size() == 5;
    if (!check_arity(id, "turned", less ? 4 : 3)) {
        return Value::none();
    }
    std::array<Value, 4> given;
    given[3] = Value::scalar(graph_.zero());
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        given[i] = evaluate(operands[i + 1]);
        if (!usable(given[i], operands[i + 1])) {
            return Value::none();
        }
        if (given[i].is_vector() != (i < 3)) {
            return fail(expr(operands[i + 1]).span,
                        "'turned' takes three vectors and, if wanted, an angle");
        }
    }
    const auto& [a, b, n, from] = given;
    const auto sine = [&](const mech::Vec3& first, const mech::Vec3& second,
                          const mech::Vec3& axis) {
        return mech::dot(graph_, mech::cross(graph_, first, second), axis);
    };
    const std::optional<int> first = planar_owner(a);
    const std::optional<int> second = planar_owner(b);
    const mech::Vec3 axis = at_reference(n);
    const double side = number_of(axis[2]).value_or(0.0);
    if (!first || !second || !planar_owner(n) || side == 0.0) {
        sym::Expr s = sine(a.parts, b.parts, n.parts);
        sym::Expr c = mech::dot(graph_, a.parts, b.parts);
        if (less) {
            const sym::Expr s0 = graph_.apply(sym::Op::kSin, from.scalar());
            const sym::Expr c0 = graph_.apply(sym::Op::kCos, from.scalar());
            const sym::Expr turned = graph_.sub(graph_.mul(s, c0), graph_.mul(c, s0));
            c = graph_.add(graph_.mul(c, c0), graph_.mul(s, s0));
            s = turned;
        }
        return Value::scalar(graph_.apply(sym::Op::kAtan2, s, c));
    }
    // In the plane: the angle in the reference orientations, and what the bodies have turned since.
    const auto turn = [&](int body) {
        const mech::Body& one = model_.bodies[static_cast<std::size_t>(body)];
        if (one.kind == mech::Body::Kind::kGround) {
            return graph_.zero();
        }
        const sym::Expr now = model_.coordinates[static_cast<std::size_t>(one.first) + 2].q;
        const auto found = reference_angles_.find(one.first);
        return found == reference_angles_.end() ? now : graph_.sub(now, found->second);
    };
    const mech::Vec3 a0 = at_reference(a);
    const mech::Vec3 b0 = at_reference(b);
    const sym::Expr before =
        plain_number(graph_.apply(sym::Op::kAtan2, sine(a0, b0, axis), mech::dot(graph_, a0, b0)));
    const sym::Expr since = graph_.sub(turn(*second), turn(*first));
    return Value::scalar(
        graph_.sub(graph_.add(before, side > 0.0 ? since : graph_.neg(since)), from.scalar()));
}

/// Axes of bodies and points written out.
sym::Expr Lowering::over_coordinates(sym::Expr e) {
    const auto q = [&](const mech::Body& body, int k) {
        return model_.coordinates[body.coordinate(k)].q;
    };
    const auto component = [&](const Place& place) -> std::optional<sym::Expr> {
        if (place.point >= 0) {
            return model_.points[static_cast<std::size_t>(place.point)].position[place.k];
        }
        const mech::Body& body = model_.bodies[static_cast<std::size_t>(place.body)];
        if (body.kind == mech::Body::Kind::kSpatial) {
            const mech::Quaternion u{q(body, 3), q(body, 4), q(body, 5), q(body, 6)};
            return mech::axes_of(graph_, u)[place.axis][place.k];
        }
        if (body.kind == mech::Body::Kind::kGround || place.axis == 2 || place.k == 2) {
            return place.axis == place.k ? graph_.one() : graph_.zero();
        }
        if (place.axis == place.k) {
            return graph_.apply(sym::Op::kCos, q(body, 2));
        }
        const sym::Expr sine = graph_.apply(sym::Op::kSin, q(body, 2));
        return place.axis == 0 ? sine : graph_.neg(sine);
    };
    while ((dependence(e) & bit(sym::SymbolKind::kPointPosition)) != 0) {
        e = replace_positions(e, component);
    }
    return e;
}

}  // namespace ananke::lang

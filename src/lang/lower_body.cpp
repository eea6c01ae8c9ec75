// Bodies, the ground, places and directions fixed in them, rotations.
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
namespace {

constexpr std::array<const char*, 3> kComponents{".x", ".y", ".z"};
constexpr std::array<const char*, 3> kUnitVectors{"(1, 0, 0)", "(0, 1, 0)", "(0, 0, 1)"};

mech::Axes unit_axes(sym::Graph& graph) {
    const sym::Expr one = graph.one();
    const sym::Expr zero = graph.zero();
    return {mech::Vec3{one, zero, zero}, mech::Vec3{zero, one, zero}, mech::Vec3{zero, zero, one}};
}

mech::Vec3 unit(sym::Graph& graph, const mech::Vec3& v) {
    const sym::Expr length = graph.apply(sym::Op::kSqrt, mech::dot(graph, v, v));
    return {graph.div(v[0], length), graph.div(v[1], length), graph.div(v[2], length)};
}

/// The quaternion of three orthonormal axes: of four equivalent formulas the one that divides by
/// the largest number (Shepperd 1978).
mech::Quaternion quaternion_of(sym::Graph& graph, const mech::Axes& e) {
    const auto R = [&](std::size_t i, std::size_t j) { return e[j][i]; };
    const auto signed_trace = [&](int a, int b, int c) {
        const auto term = [&](int sign, sym::Expr value) {
            return sign > 0 ? value : graph.neg(value);
        };
        return graph.add(graph.add(term(a, R(0, 0)), term(b, R(1, 1))), term(c, R(2, 2)));
    };
    const auto half_root = [&](sym::Expr trace) {
        return graph.mul(graph.fraction(1, 2),
                         graph.apply(sym::Op::kSqrt, graph.add(graph.one(), trace)));
    };
    const auto plus = [&](std::size_t i, std::size_t j) { return graph.add(R(i, j), R(j, i)); };
    const auto minus = [&](std::size_t i, std::size_t j) { return graph.sub(R(i, j), R(j, i)); };
    std::array<mech::Quaternion, 4> formulas;
    const std::array<sym::Expr, 4> traces{signed_trace(1, 1, 1), signed_trace(1, -1, -1),
                                          signed_trace(-1, 1, -1), signed_trace(-1, -1, 1)};
    const std::array<std::array<sym::Expr, 4>, 4> numerators{{
        {graph.zero(), minus(2, 1), minus(0, 2), minus(1, 0)},
        {minus(2, 1), graph.zero(), plus(0, 1), plus(0, 2)},
        {minus(0, 2), plus(0, 1), graph.zero(), plus(1, 2)},
        {minus(1, 0), plus(0, 2), plus(1, 2), graph.zero()},
    }};
    for (std::size_t k = 0; k < 4; ++k) {
        const sym::Expr largest = half_root(traces[k]);
        for (std::size_t i = 0; i < 4; ++i) {
            formulas[k][i] =
                i == k ? largest
                       : graph.div(numerators[k][i], graph.mul(graph.integer(4), largest));
        }
    }
    mech::Quaternion u = formulas[3];
    sym::Expr best = traces[3];
    for (std::size_t k = 3; k-- > 0;) {
        const sym::Expr better = graph.apply(sym::Op::kLessEqual, best, traces[k]);
        for (std::size_t i = 0; i < 4; ++i) {
            u[i] = graph.select(better, formulas[k][i], u[i]);
        }
        best = graph.select(better, traces[k], best);
    }
    return u;
}

}  // namespace

int Lowering::ground() {
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        if (model_.bodies[b].kind == mech::Body::Kind::kGround) {
            return static_cast<int>(b);
        }
    }
    mech::Body body;
    body.name = "ground";
    body.kind = mech::Body::Kind::kGround;
    body.inertia = unit_axes(graph_);
    body.start = unit_axes(graph_);
    const sym::Expr zero = graph_.zero();
    add_body(std::move(body), {zero, zero, zero}, std::nullopt);
    return static_cast<int>(model_.bodies.size()) - 1;
}

/// Symbols of its axes and angular velocity, and its mass centre.
void Lowering::add_body(mech::Body body, const mech::Vec3& centre, std::optional<sym::Expr> mass) {
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            body.axes[axis][k] = graph_.symbol(
                sym::SymbolKind::kPointPosition,
                fmt::format("axis({}, {}){}", body.name, kUnitVectors[axis], kComponents[k]));
        }
        body.omega[k] = graph_.symbol(sym::SymbolKind::kPointVelocity,
                                      fmt::format("omega({}){}", body.name, kComponents[k]));
        body.alpha[k] = graph_.symbol(sym::SymbolKind::kPointAcceleration,
                                      fmt::format("omega({})'{}", body.name, kComponents[k]));
        rate_[body.omega[k]] = body.alpha[k];
    }
    for (const mech::Vec3& axis : body.axes) {  // e' = omega x e
        const mech::Vec3 rate = mech::cross(graph_, body.omega, axis);
        for (std::size_t k = 0; k < 3; ++k) {
            rate_[axis[k]] = rate[k];
        }
    }
    const int index = static_cast<int>(model_.bodies.size());
    body.centre = add_point(body.name, centre, mass, body.span);
    model_.points.back().body = index;
    model_.bodies.push_back(std::move(body));
}

int Lowering::add_point(const std::string& name, const mech::Vec3& position,
                        std::optional<sym::Expr> mass, Span span) {
    mech::Point point;
    point.name = name;
    point.position = position;
    point.mass = mass;
    point.span = span;
    for (std::size_t i = 0; i < 3; ++i) {
        point.r[i] = graph_.symbol(sym::SymbolKind::kPointPosition,
                                   fmt::format("position({}){}", name, kComponents[i]));
        point.v[i] = graph_.symbol(sym::SymbolKind::kPointVelocity,
                                   fmt::format("velocity({}){}", name, kComponents[i]));
        point.a[i] = graph_.symbol(sym::SymbolKind::kPointAcceleration,
                                   fmt::format("acceleration({}){}", name, kComponents[i]));
        rate_[point.r[i]] = point.v[i];
        rate_[point.v[i]] = point.a[i];
    }
    model_.points.push_back(std::move(point));
    return static_cast<int>(model_.points.size()) - 1;
}

/// A place fixed in a body: r + x e1 + y e2 + z e3. The same place is the same point.
int Lowering::place_on(int body_index, const mech::Vec3& local, const std::string& name,
                       Span span) {
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(body_index)];
    const bool passing = name.empty();
    if (passing && graph_.is_zero(local[0]) && graph_.is_zero(local[1]) &&
        graph_.is_zero(local[2])) {
        return body.centre;
    }
    const std::string full =
        passing ? fmt::format("{} at ({}, {}, {})", body.name, sym::print(graph_, local[0]),
                              sym::print(graph_, local[1]), sym::print(graph_, local[2]))
                : name;
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

// rotation(axis, angle), quaternion(u0, u1, u2, u3)
Value Lowering::call_rotation(ExprId id, std::string_view name) {
    const std::vector<ExprId> operands = expr(id).operands;
    if (name == "axes") {
        return call_axes(id);
    }
    if (!check_arity(id, name, name == "rotation" ? 2 : 4)) {
        return Value::none();
    }
    mech::Quaternion u;
    if (name == "quaternion") {
        for (std::size_t i = 0; i < 4; ++i) {
            const Value part = evaluate(operands[i + 1]);
            if (!usable(part, operands[i + 1])) {
                return Value::none();
            }
            if (!part.is_scalar()) {
                return fail(expr(operands[i + 1]).span,
                            "a quaternion has four scalars, scalar part first");
            }
            u[i] = part.scalar();
        }
        sym::Expr square = graph_.zero();
        for (const sym::Expr part : u) {
            square = graph_.add(square, graph_.square(part));
        }
        const sym::Expr length = graph_.apply(sym::Op::kSqrt, square);
        for (sym::Expr& part : u) {
            part = graph_.is_one(length) ? part : graph_.div(part, length);
        }
        return checked_rotation(u, expr(id).span);
    }
    const Value axis = evaluate(operands[1]);
    const Value angle = evaluate(operands[2]);
    if (!usable(axis, operands[1]) || !usable(angle, operands[2])) {
        return Value::none();
    }
    if (!axis.is_vector() || !angle.is_scalar()) {
        return fail(expr(id).span, "'rotation' takes an axis and an angle",
                    {"write: rotation((0, 0, 1), 30*deg)"});
    }
    const sym::Expr half = graph_.mul(graph_.fraction(1, 2), angle.scalar());
    const sym::Expr s = graph_.apply(sym::Op::kSin, half);
    const mech::Vec3 n = unit(graph_, axis.parts);
    return checked_rotation({graph_.apply(sym::Op::kCos, half), graph_.mul(s, n[0]),
                             graph_.mul(s, n[1]), graph_.mul(s, n[2])},
                            expr(id).span);
}

/// A rotation, unless its axis has no length or its axes are parallel.
Value Lowering::checked_rotation(const mech::Quaternion& u, Span span) {
    for (const sym::Expr part : u) {
        const std::optional<double> number = number_of(part);
        if (number && !std::isfinite(*number)) {
            return fail(span,
                        "this is no rotation: an axis has no length, or two axes are parallel");
        }
    }
    return Value::of_rotation(u);
}

// axes(x = (0, 1, 0), z = (0, 0, 1)): the first is met, the second lies in their common plane.
Value Lowering::call_axes(ExprId id) {
    const std::vector<ExprId> operands = expr(id).operands;
    const Notes form{"write: axes(x = (0, 1, 0), z = (0, 0, 1)), two of x, y, z"};
    if (operands.size() != 3) {
        return fail(expr(id).span, "'axes' takes two of the body's axes", form);
    }
    std::array<std::size_t, 2> which{};
    std::array<mech::Vec3, 2> given{};
    for (std::size_t i = 0; i < 2; ++i) {
        const Expr argument = expr(operands[i + 1]);
        const std::string_view name =
            argument.kind == ExprKind::kNamed ? text(argument.token) : std::string_view();
        which[i] = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : 3;
        if (which[i] == 3 || (i == 1 && which[0] == which[1])) {
            return fail(argument.span, "'axes' takes two of the body's axes", form);
        }
        const Value value = evaluate(argument.operands[0]);
        if (!usable(value, argument.operands[0])) {
            return Value::none();
        }
        if (!value.is_vector()) {
            return fail(argument.span, "an axis is a vector, this is a scalar");
        }
        given[i] = value.parts;
    }
    mech::Axes e;
    const std::size_t third = 3 - which[0] - which[1];
    e[which[0]] = unit(graph_, given[0]);
    const bool forward = (which[0] + 1) % 3 == which[1];
    e[third] = unit(graph_, forward ? mech::cross(graph_, given[0], given[1])
                                    : mech::cross(graph_, given[1], given[0]));
    e[which[1]] = forward ? mech::cross(graph_, e[third], e[which[0]])
                          : mech::cross(graph_, e[which[0]], e[third]);
    return checked_rotation(quaternion_of(graph_, e), expr(id).span);
}

std::optional<mech::Axes> Lowering::inertia(const BodyDeclaration& node) {
    const sym::Expr zero = graph_.zero();
    mech::Axes J{mech::Vec3{zero, zero, zero}, mech::Vec3{zero, zero, zero},
                 mech::Vec3{zero, zero, zero}};
    if (node.inertia.value == kNoExpr) {
        return J;
    }
    const ExprId id = node.inertia.value;
    const Expr written = expr(id);
    const auto constant = [&](const Value& value) {
        return !value.bad() &&
               allow(value, 0, id, "an inertia", "inertia is constant in body axes");
    };
    if (node.planar) {
        const Value value = scalar_of(id, "the inertia of a planar body");
        if (!constant(value)) {
            return std::nullopt;
        }
        J[2][2] = value.scalar();
    } else if (written.kind == ExprKind::kMatrix) {
        if (written.rows != 3 || written.operands.size() != 9) {
            fail(written.span, "an inertia has 3 by 3 entries",
                 {"write principal values (Jx, Jy, Jz) or [Jxx, Jxy, Jxz; Jxy, Jyy, Jyz; Jxz, "
                  "Jyz, Jzz]"});
            return std::nullopt;
        }
        for (std::size_t k = 0; k < 9; ++k) {
            const Value value = scalar_of(written.operands[k], "an inertia");
            if (!constant(value)) {
                return std::nullopt;
            }
            J[k / 3][k % 3] = value.scalar();
        }
    } else {
        const Value value = vector_of(id, "the principal inertia of a body");
        if (!constant(value)) {
            return std::nullopt;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            J[k][k] = value.parts[k];
        }
    }
    return is_inertia(J, written.span) ? std::optional(J) : std::nullopt;
}

/// Symmetric, and no negative principal value.
bool Lowering::is_inertia(const mech::Axes& J, Span span) {
    std::array<std::array<double, 3>, 3> a{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            a[i][j] = number_of(J[i][j]).value_or(0.0);
        }
    }
    const double trace = a[0][0] + a[1][1] + a[2][2];
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (J[i][j] != J[j][i] && a[i][j] != a[j][i]) {
                fail(span, fmt::format(
                               "the inertia is not symmetric: entries ({}, {}) and ({}, {}) differ",
                               i + 1, j + 1, j + 1, i + 1));
                return false;
            }
        }
    }
    // J >= 0: its principal minors, with room for rounding.
    const double room = 1e-12 * std::abs(trace);
    const auto minor = [&](std::size_t i, std::size_t j) {
        return a[i][i] * a[j][j] - a[i][j] * a[j][i];
    };
    const double determinant = a[0][0] * minor(1, 2) -
                               a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    const bool positive = a[0][0] >= -room && a[1][1] >= -room && a[2][2] >= -room &&
                          minor(0, 1) >= -room * trace && minor(0, 2) >= -room * trace &&
                          minor(1, 2) >= -room * trace && determinant >= -room * trace * trace;
    if (!positive || !std::isfinite(trace)) {
        fail(span, "no body has this inertia: a principal value is negative");
        return false;
    }
    return true;
}

void Lowering::start_value(int coordinate, bool velocity, sym::Expr value, bool exact, Span span) {
    Start& start = starts_[static_cast<std::size_t>(coordinate)][velocity ? 1 : 0];
    start.value = mech::InitialValue{coordinate, velocity, value, exact, span};
    start.imported = !scope_->prefix.empty();
}

int Lowering::add_coordinate(const std::string& name, Span span) {
    const std::string full = scope_->prefix + name;
    mech::Coordinate coordinate;
    coordinate.name = full;
    coordinate.q = graph_.symbol(sym::SymbolKind::kCoordinate, full);
    coordinate.v = graph_.symbol(sym::SymbolKind::kVelocity, full + "'");
    coordinate.a = graph_.symbol(sym::SymbolKind::kAcceleration, full + "''");
    coordinate.span = span;
    Entity entity;
    entity.kind = EntityKind::kCoordinate;
    entity.index = static_cast<int>(model_.coordinates.size());
    entity.value = Value::scalar(coordinate.q);
    entity.span = span;
    if (!declare(name, entity)) {
        return -1;
    }
    rate_[coordinate.q] = coordinate.v;
    rate_[coordinate.v] = coordinate.a;
    model_.coordinates.push_back(std::move(coordinate));
    starts_.emplace_back();
    return entity.index;
}

void Lowering::lower(const Statement&, const BodyDeclaration& node) {
    const std::optional<std::string> name = declared_name(node.name);
    const Value mass = scalar_of(node.mass.value, "a mass");
    const std::optional<mech::Axes> J = inertia(node);
    if (!name) {
        return;
    }
    Entity entity;
    entity.kind = EntityKind::kBody;
    entity.span = expr(node.name).span;
    const bool good = !mass.bad() && J &&
                      allow(mass, 0, node.mass.value, "the mass of a body",
                            "inertia that changes is given by 'kinetic'");
    const double number = good ? number_of(mass.scalar()).value_or(0.0) : 0.0;
    if (!(number >= 0.0 && std::isfinite(number))) {
        fail(expr(node.mass.value).span,
             fmt::format("the mass of a body cannot be negative, this is {:.6g}", number));
    }
    mech::Body body;
    body.name = scope_->prefix + *name;
    body.kind = node.planar ? mech::Body::Kind::kPlanar : mech::Body::Kind::kSpatial;
    body.span = entity.span;
    entity.index = static_cast<int>(model_.bodies.size());
    entity.value = good ? Value::of_body(entity.index) : Value::none();
    if (!declare(*name, entity) || !good) {
        return;
    }
    body.inertia = *J;
    body.first = static_cast<int>(model_.coordinates.size());
    static const std::vector<const char*> kPlanar{".x", ".y", ".angle"};
    static const std::vector<const char*> kSpatial{".x", ".y", ".z", ".u0", ".u1", ".u2", ".u3"};
    for (const char* part : node.planar ? kPlanar : kSpatial) {
        if (add_coordinate(*name + part, entity.span) < 0) {
            return;
        }
    }
    const auto q = [&](int k) {
        return model_.coordinates[static_cast<std::size_t>(body.first + k)].q;
    };
    start_position(node, body);
    if (!node.planar) {
        body.norm = static_cast<int>(model_.constraints.size());
        add_norm(*name, body, entity);
    }
    add_body(std::move(body), {q(0), q(1), node.planar ? graph_.zero() : q(2)}, mass.scalar());
    start_motion(node, model_.bodies.back());
}

void Lowering::add_norm(const std::string& name, const mech::Body& body, Entity entity) {
    sym::Expr norm = graph_.integer(-1);
    for (int k = 3; k < 7; ++k) {
        norm = graph_.add(
            norm, graph_.square(model_.coordinates[static_cast<std::size_t>(body.first + k)].q));
    }
    mech::Constraint constraint;
    constraint.name = body.name + ".unit";
    constraint.rows = {norm};
    constraint.span = entity.span;
    constraint.norm_of = static_cast<int>(model_.bodies.size());
    entity.kind = EntityKind::kConstraint;
    entity.index = body.norm;
    entity.value = Value::none();
    if (declare(name + ".unit", entity)) {
        model_.constraints.push_back(std::move(constraint));
    }
}

/// Where the body starts and how it stands there.
void Lowering::start_position(const BodyDeclaration& node, mech::Body& body) {
    const std::size_t dimensions = node.planar ? 2 : 3;
    if (const std::optional<mech::Vec3> r = body_vector(node.at, "the place of a body", node)) {
        for (std::size_t k = 0; k < dimensions; ++k) {
            start_value(body.first + static_cast<int>(k), false, (*r)[k], !node.at.guess,
                        expr(node.at.value).span);
        }
    }
    body.start = unit_axes(graph_);
    const Clause& orientation = node.orientation;
    const Span span = orientation.value == kNoExpr ? body.span : expr(orientation.value).span;
    if (node.planar && orientation.value != kNoExpr) {
        const Value angle = scalar_of(orientation.value, "an angle");
        if (angle.bad() || !allow(angle, 0, orientation.value, "an initial angle")) {
            return;
        }
        const sym::Expr c = graph_.apply(sym::Op::kCos, angle.scalar());
        const sym::Expr s = graph_.apply(sym::Op::kSin, angle.scalar());
        body.start[0] = {c, s, graph_.zero()};
        body.start[1] = {graph_.neg(s), c, graph_.zero()};
        start_value(body.first + 2, false, angle.scalar(), !orientation.guess, span);
    } else if (!node.planar) {
        const sym::Expr zero = graph_.zero();
        Value value = Value::of_rotation({graph_.one(), zero, zero, zero});
        if (orientation.value != kNoExpr) {
            value = evaluate_top(orientation.value);
            if (!value.bad() && !value.is_rotation()) {
                fail(span, fmt::format("an orientation is a rotation, this is {}", shown(value)),
                     {"write rotation((0, 0, 1), 30*deg), quaternion(u0, u1, u2, u3) or "
                      "axes(x = (0, 1, 0), z = (0, 0, 1))"});
                return;
            }
            if (value.bad() || !allow(value, 0, orientation.value, "an initial orientation")) {
                return;
            }
            body.start = mech::axes_of(graph_, value.rotation);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            start_value(body.first + 3 + static_cast<int>(k), false, value.rotation[k],
                        orientation.value != kNoExpr && !orientation.guess, span);
        }
    }
}

/// Its velocities; u' = omega (x) u / 2 for the orientation that assembly arrives at.
void Lowering::start_motion(const BodyDeclaration& node, const mech::Body& body) {
    const std::size_t dimensions = node.planar ? 2 : 3;
    if (const std::optional<mech::Vec3> v =
            body_vector(node.velocity, "the velocity of a body", node)) {
        for (std::size_t k = 0; k < dimensions; ++k) {
            start_value(body.first + static_cast<int>(k), true, (*v)[k], !node.velocity.guess,
                        expr(node.velocity.value).span);
        }
    }
    if (node.omega.value == kNoExpr) {
        return;
    }
    const Span span = expr(node.omega.value).span;
    if (node.planar) {
        const Value omega = scalar_of(node.omega.value, "the omega of a planar body");
        if (!omega.bad() && allow(omega, 0, node.omega.value, "an initial omega")) {
            start_value(body.first + 2, true, omega.scalar(), !node.omega.guess, span);
        }
        return;
    }
    const Value omega = vector_of(node.omega.value, "the omega of a body");
    if (omega.bad() || !allow(omega, kOnPositions, node.omega.value, "an initial omega")) {
        return;
    }
    mech::Quaternion u;
    for (std::size_t k = 0; k < 4; ++k) {
        u[k] = model_.coordinates[static_cast<std::size_t>(body.first) + 3 + k].q;
    }
    // `omega (..) in B` is written with the axes of B, which are known by its quaternion.
    const mech::Axes axes = mech::axes_of(graph_, u);
    std::vector<sym::Replacement> own_axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t k = 0; k < 3; ++k) {
            own_axes.push_back({body.axes[axis][k], axes[axis][k]});
        }
    }
    mech::Quaternion w{graph_.zero(), {}, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
        w[k + 1] = sym::substitute(graph_, omega.parts[k], own_axes);
        if ((dependence(w[k + 1]) & bit(sym::SymbolKind::kPointPosition)) != 0) {
            fail(span, "an initial omega is given in world axes or in those of its own body");
            return;
        }
    }
    const mech::Quaternion rate = mech::multiply(graph_, w, u);
    for (std::size_t k = 0; k < 4; ++k) {
        start_value(body.first + 3 + static_cast<int>(k), true,
                    graph_.mul(graph_.fraction(1, 2), rate[k]), !node.omega.guess, span);
    }
}

/// A vector over the parameters; of a planar body two components will do.
std::optional<mech::Vec3> Lowering::body_vector(const Clause& clause, std::string_view what,
                                                const BodyDeclaration& node) {
    if (clause.value == kNoExpr) {
        return std::nullopt;
    }
    const Expr written = expr(clause.value);
    if (node.planar && written.kind == ExprKind::kVector && written.operands.size() == 2) {
        mech::Vec3 v{graph_.zero(), graph_.zero(), graph_.zero()};
        for (std::size_t k = 0; k < 2; ++k) {
            const Value part = scalar_of(written.operands[k], "a component");
            if (part.bad() || !allow(part, 0, written.operands[k], what)) {
                return std::nullopt;
            }
            v[k] = part.scalar();
        }
        return v;
    }
    const Value value = vector_of(clause.value, what);
    if (value.bad() || !allow(value, 0, clause.value, what,
                              "it is a start value, made of numbers and parameters")) {
        return std::nullopt;
    }
    if (node.planar && !graph_.is_zero(value.parts[2])) {
        fail(written.span, "a planar body moves in the plane z = 0",
             {"write two components, or z = 0"});
        return std::nullopt;
    }
    return value.parts;
}

}  // namespace ananke::lang

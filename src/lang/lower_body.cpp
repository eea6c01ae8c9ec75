// Bodies and the ground: their points, coordinates, inertia and start.
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "lang/lowering.h"
#include "mech/vectors.h"
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
    body.reference = unit_axes(graph_);
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
                "axis(" + body.name + ", " + kUnitVectors[axis] + ")" + kComponents[k]);
        }
        body.omega[k] = graph_.symbol(sym::SymbolKind::kPointVelocity,
                                      "omega(" + body.name + ")" + kComponents[k]);
        body.alpha[k] = graph_.symbol(sym::SymbolKind::kPointAcceleration,
                                      "omega(" + body.name + ")'" + kComponents[k]);
        rate_[body.omega[k]] = body.alpha[k];
    }
    for (const mech::Vec3& axis : body.axes) {  // e' = omega x e
        const mech::Vec3 rate = mech::cross(graph_, body.omega, axis);
        for (std::size_t k = 0; k < 3; ++k) {
            rate_[axis[k]] = rate[k];
        }
    }
    const int index = static_cast<int>(model_.bodies.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t k = 0; k < 3; ++k) {
            places_of_[body.axes[axis][k]] = {index, -1, axis, k};
        }
    }
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
                                   "position(" + name + ")" + kComponents[i]);
        point.v[i] = graph_.symbol(sym::SymbolKind::kPointVelocity,
                                   "velocity(" + name + ")" + kComponents[i]);
        point.a[i] = graph_.symbol(sym::SymbolKind::kPointAcceleration,
                                   "acceleration(" + name + ")" + kComponents[i]);
        places_of_[point.r[i]] = {-1, static_cast<int>(model_.points.size()), 0, i};
        rate_[point.r[i]] = point.v[i];
        rate_[point.v[i]] = point.a[i];
    }
    model_.points.push_back(std::move(point));
    return static_cast<int>(model_.points.size()) - 1;
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
    for (const mech::Vec3& line : J) {
        for (const sym::Expr entry : line) {
            if (!std::isfinite(number_of(entry).value_or(0.0))) {
                fail(span, "the inertia is not a finite number", why_undefined(entry, span));
                return false;
            }
        }
    }
    if (!positive) {
        fail(span, "no body has this inertia: a principal value is negative");
        return false;
    }
    // The sum of y^2 + z^2 and z^2 + x^2 over the body is at least that of x^2 + y^2, along any
    // axes: trace(J) 1 - 2 J >= 0, by the diagonal.
    for (std::size_t k = 0; k < 3 && (a[0][0] != 0.0 || a[1][1] != 0.0); ++k) {
        if (2.0 * a[k][k] - trace > 1e-9 * trace) {
            warn(span,
                 "no rigid body has this inertia: one moment is larger than the other two "
                 "together",
                 {fmt::format("about {}: {:.6g}, about the others: {:.6g} and {:.6g}", "xyz"[k],
                              a[k][k], a[(k + 1) % 3][(k + 1) % 3], a[(k + 2) % 3][(k + 2) % 3])});
            break;
        }
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
    const Span span = expr(node.name).span;
    const bool good = !mass.bad() && J &&
                      allow(mass, 0, node.mass.value, "the mass of a body",
                            "inertia that changes is given by 'kinetic'");
    if (!good) {
        declare_failed(*name, {EntityKind::kBody, span});
        return;
    }
    check_mass(mass.scalar(), node.mass.value, "a body");
    const int index = static_cast<int>(model_.bodies.size());
    if (!declare(*name, {EntityKind::kBody, index, Value::of_body(index), span})) {
        return;
    }
    mech::Body body;
    body.name = scope_->prefix + *name;
    body.kind = node.planar ? mech::Body::Kind::kPlanar : mech::Body::Kind::kSpatial;
    body.span = span;
    body.place = place_text(span);
    body.inertia = *J;
    body.first = static_cast<int>(model_.coordinates.size());
    static const std::vector<const char*> kPlanar{".x", ".y", ".angle"};
    static const std::vector<const char*> kSpatial{".x", ".y", ".z", ".u0", ".u1", ".u2", ".u3"};
    for (const char* part : node.planar ? kPlanar : kSpatial) {
        // A name with a dot belongs to whatever has the name before the dot: this body.
        const int coordinate = add_coordinate(*name + part, span);
        ANANKE_REQUIRE(coordinate >= 0);
    }
    const auto q = [&](int k) { return model_.coordinates[body.coordinate(k)].q; };
    start_position(node, body);
    if (!node.planar) {
        body.norm = static_cast<int>(model_.constraints.size());
        add_norm(*name, body);
    }
    add_body(std::move(body), {q(0), q(1), node.planar ? graph_.zero() : q(2)}, mass.scalar());
    start_motion(node, model_.bodies.back());
}

void Lowering::add_norm(const std::string& name, const mech::Body& body) {
    sym::Expr norm = graph_.integer(-1);
    for (int k = 3; k < 7; ++k) {
        norm = graph_.add(norm, graph_.square(model_.coordinates[body.coordinate(k)].q));
    }
    mech::Constraint constraint;
    constraint.name = body.name + ".unit";
    constraint.rows = {norm};
    constraint.span = body.span;
    constraint.norm_of = static_cast<int>(model_.bodies.size());
    const bool is_new =
        declare(name + ".unit", {EntityKind::kConstraint, body.norm, Value::none(), body.span});
    ANANKE_REQUIRE(is_new);
    model_.constraints.push_back(std::move(constraint));
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
    body.reference = unit_axes(graph_);
    const Clause& orientation = node.orientation;
    const Span span = orientation.value == kNoExpr ? body.span : expr(orientation.value).span;
    if (node.planar && orientation.value != kNoExpr) {
        const Value angle = scalar_of(orientation.value, "an angle");
        if (angle.bad() || !allow(angle, 0, orientation.value, "an initial angle")) {
            return;
        }
        const sym::Expr c = graph_.apply(sym::Op::kCos, angle.scalar());
        const sym::Expr s = graph_.apply(sym::Op::kSin, angle.scalar());
        mech::Axes stated = unit_axes(graph_);
        stated[0] = {c, s, graph_.zero()};
        stated[1] = {graph_.neg(s), c, graph_.zero()};
        (orientation.guess ? guessed_axes_[body.first] : body.reference) = stated;
        if (!orientation.guess) {
            reference_angles_[body.first] = angle.scalar();
        }
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
            (orientation.guess ? guessed_axes_[body.first] : body.reference) =
                mech::axes_of(graph_, value.rotation);
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

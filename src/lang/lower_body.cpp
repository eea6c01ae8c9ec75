// Particles, points and bodies: their coordinates, inertia and start.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "lang/directions.h"
#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"
#include "mech/vectors.h"
#include "sym/walk.h"

namespace ananke::lang {
namespace {

void check_mass(Lowering& in, sym::Expr mass, ExprId at, std::string_view of) {
    const double number = in.symbols.number_of(mass).value_or(0.0);
    if (!(number >= 0.0 && std::isfinite(number))) {
        in.fail(at,
                std::isfinite(number)
                    ? fmt::format("the mass of {} cannot be negative, this is {:.6g}", of, number)
                    : fmt::format("the mass of {} is not a finite number", of),
                why_undefined(in, mass, in.scope.span(at)));
    }
}

void declare_point(Lowering& in, ExprId name_id, ExprId position, std::optional<sym::Expr> mass) {
    const std::optional<std::string> name = declared_name(in, name_id);
    const Value value = vector_of(in, position, "a position");
    if (!name) {
        return;
    }
    const EntityKind kind = mass ? EntityKind::kParticle : EntityKind::kPoint;
    const Span span = in.scope.span(name_id);
    if (value.bad() ||
        !allow(in, value, kOnConfiguration, position, "a position",
               "a place that is steered by its velocity is a coordinate with a constraint")) {
        in.scope.declare_failed(*name, {kind, span});
        return;
    }
    const int index = static_cast<int>(in.model.points.size());
    if (in.scope.declare(*name, {kind, index, Value::of_point(index), span})) {
        in.bodies.add_point(in.scope.full(*name), value.parts, mass, span);
    }
}

/// point P on B at (x, y, z)
void declare_place(Lowering& in, const PointDeclaration& node) {
    const std::optional<std::string> name = declared_name(in, node.name);
    const std::optional<int> body = body_of(in, node.body, "the place of a point");
    const std::optional<mech::Vec3> local = local_place(in, node.position);
    if (!name) {
        return;
    }
    const Span span = in.scope.span(node.name);
    if (!body || !local) {
        in.scope.declare_failed(*name, {EntityKind::kPoint, span});
        return;
    }
    const int index = static_cast<int>(in.model.points.size());
    if (in.scope.declare(*name, {EntityKind::kPoint, index, Value::of_point(index), span})) {
        in.bodies.add_place(*body, *local, in.scope.full(*name), span);
    }
}

/// Symmetric, and no negative principal value.
bool is_inertia(Lowering& in, const mech::Axes& J, Span span) {
    std::array<std::array<double, 3>, 3> a{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            a[i][j] = in.symbols.number_of(J[i][j]).value_or(0.0);
        }
    }
    const double trace = a[0][0] + a[1][1] + a[2][2];
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (J[i][j] != J[j][i] && a[i][j] != a[j][i]) {
                return in.fail(
                    span, fmt::format(
                              "the inertia is not symmetric: entries ({}, {}) and ({}, {}) differ",
                              i + 1, j + 1, j + 1, i + 1));
            }
        }
    }
    // J >= 0: its principal minors, with room for rounding of products of three entries.
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
            if (!std::isfinite(in.symbols.number_of(entry).value_or(0.0))) {
                return in.fail(span, "the inertia is not a finite number",
                               why_undefined(in, entry, span));
            }
        }
    }
    if (!positive) {
        return in.fail(span, "no body has this inertia: a principal value is negative");
    }
    // The sum of y^2 + z^2 and z^2 + x^2 over the body is at least that of x^2 + y^2, along any
    // axes: trace(J) 1 - 2 J >= 0, by the diagonal.
    for (std::size_t k = 0; k < 3 && (a[0][0] != 0.0 || a[1][1] != 0.0); ++k) {
        if (2.0 * a[k][k] - trace > 1e-9 * trace) {
            in.reports.warn(
                span,
                "no rigid body has this inertia: one moment is larger than the other two "
                "together",
                {fmt::format("about {}: {:.6g}, about the others: {:.6g} and {:.6g}", "xyz"[k],
                             a[k][k], a[(k + 1) % 3][(k + 1) % 3], a[(k + 2) % 3][(k + 2) % 3])});
            break;
        }
    }
    return true;
}

std::optional<mech::Axes> inertia(Lowering& in, const BodyDeclaration& node) {
    const sym::Expr zero = in.graph.zero();
    mech::Axes J{mech::Vec3{zero, zero, zero}, mech::Vec3{zero, zero, zero},
                 mech::Vec3{zero, zero, zero}};
    if (node.inertia.value == kNoExpr) {
        return J;
    }
    const ExprId id = node.inertia.value;
    const Expr written = in.scope.expr(id);
    const auto constant = [&](const Value& value) {
        return !value.bad() &&
               allow(in, value, 0, id, "an inertia", "inertia is constant in body axes");
    };
    if (node.planar) {
        const Value value = scalar_of(in, id, "the inertia of a planar body");
        if (!constant(value)) {
            return std::nullopt;
        }
        J[2][2] = value.scalar();
    } else if (written.kind == ExprKind::kMatrix) {
        if (written.rows != 3 || written.operands.size() != 9) {
            return in.fail(
                written.span, "an inertia has 3 by 3 entries",
                {"write principal values (Jx, Jy, Jz) or [Jxx, Jxy, Jxz; Jxy, Jyy, Jyz; Jxz, "
                 "Jyz, Jzz]"});
        }
        for (std::size_t k = 0; k < 9; ++k) {
            const Value value = scalar_of(in, written.operands[k], "an inertia");
            if (!constant(value)) {
                return std::nullopt;
            }
            J[k / 3][k % 3] = value.scalar();
        }
    } else {
        const Value value = vector_of(in, id, "the principal inertia of a body");
        if (!constant(value)) {
            return std::nullopt;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            J[k][k] = value.parts[k];
        }
    }
    return is_inertia(in, J, written.span) ? std::optional(J) : std::nullopt;
}

void add_norm(Lowering& in, const std::string& name, const mech::Body& body) {
    sym::Expr norm = in.graph.integer(-1);
    for (int k = 3; k < 7; ++k) {
        norm = in.graph.add(norm, in.graph.square(in.model.coordinates[body.coordinate(k)].q));
    }
    mech::Constraint constraint;
    constraint.name = body.name + ".unit";
    constraint.rows = {norm};
    constraint.span = body.span;
    constraint.norm_of = static_cast<int>(in.model.bodies.size());
    const bool is_new = in.scope.declare(
        name + ".unit", {EntityKind::kConstraint, body.norm, Value::none(), body.span});
    ANANKE_REQUIRE(is_new);
    in.model.constraints.push_back(std::move(constraint));
}

/// A vector over the parameters; of a planar body two components will do.
std::optional<mech::Vec3> body_vector(Lowering& in, const Clause& clause, std::string_view what,
                                      const BodyDeclaration& node) {
    if (clause.value == kNoExpr) {
        return std::nullopt;
    }
    const Expr written = in.scope.expr(clause.value);
    if (node.planar && written.kind == ExprKind::kVector && written.operands.size() == 2) {
        mech::Vec3 v{in.graph.zero(), in.graph.zero(), in.graph.zero()};
        for (std::size_t k = 0; k < 2; ++k) {
            const Value part = scalar_of(in, written.operands[k], "a component");
            if (part.bad() || !allow(in, part, 0, written.operands[k], what)) {
                return std::nullopt;
            }
            v[k] = part.scalar();
        }
        return v;
    }
    const Value value = vector_of(in, clause.value, what);
    if (value.bad() || !allow(in, value, 0, clause.value, what,
                              "it is a start value, made of numbers and parameters")) {
        return std::nullopt;
    }
    if (node.planar && !in.graph.is_zero(value.parts[2])) {
        return in.fail(written.span, "a planar body moves in the plane z = 0",
                       {"write two components, or z = 0"});
    }
    return value.parts;
}

/// The first coordinates of the body, or their velocities, start with the components of a vector.
void start_vector(Lowering& in, const BodyDeclaration& node, const Clause& clause,
                  std::string_view what, const mech::InitialValue& first) {
    const std::optional<mech::Vec3> v = body_vector(in, clause, what, node);
    for (std::size_t k = 0; v && k < (node.planar ? 2U : 3U); ++k) {
        in.starts.add({first.coordinate + static_cast<int>(k), first.velocity, (*v)[k],
                       !clause.guess, in.scope.span(clause.value)},
                      in.origin());
    }
}

/// The orientation in which directions are fixed in the body, unless it is a guess.
void set_axes(Lowering& in, const Clause& orientation, const mech::Axes& axes, mech::Body& body) {
    if (orientation.guess) {
        in.bodies.guess_axes(body.first, axes);
    } else {
        body.reference = axes;
    }
}

void start_angle(Lowering& in, const Clause& clause, mech::Body& body) {
    if (clause.value == kNoExpr) {
        return;
    }
    const Value angle = scalar_of(in, clause.value, "an angle");
    if (angle.bad() || !allow(in, angle, 0, clause.value, "an initial angle")) {
        return;
    }
    const sym::Expr c = in.graph.apply(sym::Op::kCos, angle.scalar());
    const sym::Expr s = in.graph.apply(sym::Op::kSin, angle.scalar());
    mech::Axes axes = unit_axes(in.graph);
    axes[0] = {c, s, in.graph.zero()};
    axes[1] = {in.graph.neg(s), c, in.graph.zero()};
    set_axes(in, clause, axes, body);
    if (!clause.guess) {
        in.bodies.set_angle(body.first, angle.scalar());
    }
    in.starts.add(
        {body.first + 2, false, angle.scalar(), !clause.guess, in.scope.span(clause.value)},
        in.origin());
}

/// Without a statement a guess: no rotation.
void start_orientation(Lowering& in, const Clause& clause, mech::Body& body) {
    const sym::Expr zero = in.graph.zero();
    Value value = Value::of_rotation({in.graph.one(), zero, zero, zero});
    const bool given = clause.value != kNoExpr;
    const Span span = given ? in.scope.span(clause.value) : body.span;
    if (given) {
        value = evaluate_top(in, clause.value);
        if (!value.bad() && !value.is_rotation()) {
            in.fail(span, fmt::format("an orientation is a rotation, this is {}", shown(value)),
                    {"write rotation((0, 0, 1), 30*deg), quaternion(u0, u1, u2, u3) or "
                     "axes(x = (0, 1, 0), z = (0, 0, 1))"});
            return;
        }
        if (value.bad() || !allow(in, value, 0, clause.value, "an initial orientation")) {
            return;
        }
        set_axes(in, clause, mech::axes_of(in.graph, value.rotation), body);
    }
    for (std::size_t k = 0; k < 4; ++k) {
        in.starts.add({body.first + 3 + static_cast<int>(k), false, value.rotation[k],
                       given && !clause.guess, span},
                      in.origin());
    }
}

/// Where the body starts and how it stands there.
void start_position(Lowering& in, const BodyDeclaration& node, mech::Body& body) {
    start_vector(in, node, node.at, "the place of a body", {body.first, false, {}, true, {}});
    body.reference = unit_axes(in.graph);
    if (node.planar) {
        start_angle(in, node.orientation, body);
    } else {
        start_orientation(in, node.orientation, body);
    }
}

/// Its velocities; u' = omega (x) u / 2 for the orientation that assembly arrives at.
void start_motion(Lowering& in, const BodyDeclaration& node, const mech::Body& body) {
    start_vector(in, node, node.velocity, "the velocity of a body",
                 {body.first, true, {}, true, {}});
    const ExprId id = node.omega.value;
    if (id == kNoExpr) {
        return;
    }
    const auto start = [&](int k, sym::Expr value) {
        in.starts.add({body.first + k, true, value, !node.omega.guess, in.scope.span(id)},
                      in.origin());
    };
    if (node.planar) {
        const Value omega = scalar_of(in, id, "the omega of a planar body");
        if (!omega.bad() && allow(in, omega, 0, id, "an initial omega")) {
            start(2, omega.scalar());
        }
        return;
    }
    const Value omega = vector_of(in, id, "the omega of a body");
    if (omega.bad() || !allow(in, omega, kOnPositions, id, "an initial omega")) {
        return;
    }
    // `omega (..) in B` is written with the axes of B, which are known by its quaternion.
    const mech::Axes axes = mech::axes_of(in.graph, in.bodies.quaternion(body));
    std::vector<sym::Replacement> own_axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t k = 0; k < 3; ++k) {
            own_axes.push_back({body.axes[axis][k], axes[axis][k]});
        }
    }
    mech::Vec3 w;
    for (std::size_t k = 0; k < 3; ++k) {
        w[k] = sym::substitute(in.graph, omega.parts[k], own_axes);
        if ((in.symbols.dependence(w[k]) & bit(sym::SymbolKind::kPointPosition)) != 0) {
            in.fail(id, "an initial omega is given in world axes or in those of its own body");
            return;
        }
    }
    const mech::Quaternion rate = in.bodies.quaternion_rate(body, w);
    for (int k = 0; k < 4; ++k) {
        start(3 + k, rate[static_cast<std::size_t>(k)]);
    }
}

}  // namespace

void lower(Lowering& in, const Statement&, const ParticleDeclaration& node) {
    const Value mass = scalar_of(in, node.mass, "a mass");
    const bool good = !mass.bad() && allow(in, mass, 0, node.mass, "the mass of a particle",
                                           "inertia that changes is given by 'kinetic'");
    if (good) {
        check_mass(in, mass.scalar(), node.mass, "a particle");
    }
    declare_point(in, node.name, node.position, good ? mass.scalar() : in.graph.zero());
}

void lower(Lowering& in, const Statement&, const PointDeclaration& node) {
    if (node.body != kNoExpr) {
        declare_place(in, node);
    } else {
        declare_point(in, node.name, node.position, std::nullopt);
    }
}

void lower(Lowering& in, const Statement&, const BodyDeclaration& node) {
    const std::optional<std::string> name = declared_name(in, node.name);
    const Value mass = scalar_of(in, node.mass.value, "a mass");
    const std::optional<mech::Axes> J = inertia(in, node);
    if (!name) {
        return;
    }
    const Span span = in.scope.span(node.name);
    const bool good = !mass.bad() && J &&
                      allow(in, mass, 0, node.mass.value, "the mass of a body",
                            "inertia that changes is given by 'kinetic'");
    if (!good) {
        in.scope.declare_failed(*name, {EntityKind::kBody, span});
        return;
    }
    check_mass(in, mass.scalar(), node.mass.value, "a body");
    const int index = static_cast<int>(in.model.bodies.size());
    if (!in.scope.declare(*name, {EntityKind::kBody, index, Value::of_body(index), span})) {
        return;
    }
    mech::Body body;
    body.name = in.scope.full(*name);
    body.kind = node.planar ? mech::Body::Kind::kPlanar : mech::Body::Kind::kSpatial;
    body.span = span;
    body.place = in.reports.place_text(span);
    body.inertia = *J;
    body.first = static_cast<int>(in.model.coordinates.size());
    static const std::vector<const char*> kPlanar{".x", ".y", ".angle"};
    static const std::vector<const char*> kSpatial{".x", ".y", ".z", ".u0", ".u1", ".u2", ".u3"};
    for (const char* part : node.planar ? kPlanar : kSpatial) {
        // A name with a dot belongs to whatever has the name before the dot: this body.
        const int coordinate = add_coordinate(in, *name + part, span);
        ANANKE_REQUIRE(coordinate >= 0);
    }
    const auto q = [&](int k) { return in.model.coordinates[body.coordinate(k)].q; };
    start_position(in, node, body);
    if (!node.planar) {
        body.norm = static_cast<int>(in.model.constraints.size());
        add_norm(in, *name, body);
    }
    in.bodies.add_body(std::move(body), {q(0), q(1), node.planar ? in.graph.zero() : q(2)},
                       mass.scalar());
    start_motion(in, node, in.model.bodies.back());
}

}  // namespace ananke::lang

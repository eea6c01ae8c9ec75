// Energies, masses and forces.
#include <algorithm>

#include <fmt/format.h>

#include "lang/directions.h"
#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

void add_energy(Lowering& in, ExprId id, const Wanted& wanted,
                std::vector<mech::EnergyTerm>& terms) {
    if (const std::optional<sym::Expr> value = scalar_over(in, id, wanted)) {
        terms.push_back({*value, in.reports.shown_at(in.scope.span(id))});
    }
}

/// Whether a component that does not follow the motion is there for nothing.
bool is_given(Lowering& in, sym::Expr e) {
    const std::optional<double> number = in.symbols.number_of(e);
    return !in.graph.is_zero(e) && (!number || *number != 0.0) &&
           (in.symbols.dependence(e) & (kOnPositions | kOnVelocities | kOnReactions)) == 0;
}

/// A planar body has no use for components out of its plane.
void warn_out_of_plane(Lowering& in, int body, sym::Expr a, sym::Expr b, ExprId at,
                       std::string_view why) {
    if (body < 0 || (!is_given(in, a) && !is_given(in, b))) {
        return;
    }
    const mech::Body& one = in.bodies.body(body);
    if (one.kind == mech::Body::Kind::kPlanar) {
        in.reports.warn(in.scope.span(at), fmt::format("the planar body '{}' {}", one.name, why));
    }
}

/// A vector; on a planar body also the component out of its plane.
Value torque_on(Lowering& in, int body, ExprId id) {
    const Value value = evaluate_top(in, id);
    if (!usable(in, value, id)) {
        return Value::none();
    }
    const bool planar = in.bodies.body(body).kind == mech::Body::Kind::kPlanar;
    if (value.is_scalar() && planar) {
        return Value::vector({in.graph.zero(), in.graph.zero(), value.scalar()});
    }
    if (!value.is_vector()) {
        return in.fail(id, "a torque on a body is a vector, this is a scalar",
                       {"a vector has three components: (0, 0, T)"});
    }
    return value;
}

}  // namespace

void lower(Lowering& in, const Statement&, const KineticTerm& node) {
    add_energy(in, node.value, {"a kinetic energy", kOnState}, in.model.kinetic);
}

void lower(Lowering& in, const Statement&, const PotentialTerm& node) {
    add_energy(in, node.value,
               {"a potential", kOnConfiguration,
                "a force that depends on velocities is given by 'force on'"},
               in.model.potential);
}

void lower(Lowering& in, const Statement&, const MassTerm& node) {
    std::vector<int> coordinates;
    for (const ExprId name : node.names) {
        const std::optional<int> coordinate = coordinate_of(in, name, "a mass");
        if (!coordinate) {
            return;
        }
        coordinates.push_back(*coordinate);
    }
    const std::size_t n = coordinates.size();
    const Expr matrix = in.scope.expr(node.matrix);
    const bool is_matrix = matrix.kind == ExprKind::kMatrix;
    const std::size_t rows = is_matrix ? matrix.rows : 1;
    const std::size_t columns = is_matrix ? matrix.operands.size() / rows : 1;
    if (rows != n || columns != n) {
        in.fail(matrix.span,
                fmt::format("the mass matrix of {} coordinate{} has {} by {} entries", n,
                            n == 1 ? "" : "s", rows, columns),
                {fmt::format("it must have {} by {}: for two coordinates [a, b; b, c]", n, n)});
        return;
    }
    std::vector<sym::Expr> values(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
        const ExprId entry = is_matrix ? matrix.operands[i] : node.matrix;
        const Value value = scalar_of(in, entry, "a mass");
        if (value.bad() || !allow(in, value, kOnConfiguration, entry, "a mass matrix")) {
            return;
        }
        values[i] = value.scalar();
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) {
            if (values[i * n + j] != values[j * n + i]) {
                in.fail(
                    matrix.operands[j * n + i],
                    fmt::format(
                        "the mass matrix is not symmetric: entries ({}, {}) and ({}, {}) differ",
                        i + 1, j + 1, j + 1, i + 1));
                return;
            }
            if (!in.graph.is_zero(values[i * n + j])) {
                in.model.mass.push_back(
                    {coordinates[i], coordinates[j], values[i * n + j],
                     is_matrix ? in.scope.span(matrix.operands[i * n + j]) : matrix.span});
            }
        }
    }
}

std::optional<ForceTarget> force_target(Lowering& in, ExprId id, ForceKind kind,
                                        std::string_view what) {
    using Kind = ForceTarget::Kind;
    const bool is_torque = kind == ForceKind::kTorque;
    if (in.scope.expr(id).kind == ExprKind::kAt) {
        const Value place = place_on_body(in, id);
        return place.bad() ? std::nullopt : std::optional(ForceTarget{Kind::kPoint, place.point});
    }
    std::string name;
    const bool flat = flatten(in, id, name) == Lookup::kFlat;
    if (const Local* local = flat ? in.scope.find_local(name) : nullptr) {
        const Value& value = local->value;
        if (value.bad()) {
            return std::nullopt;
        }
        if (is_torque && (value.is_body() || value.is_point())) {
            const std::optional<int> body = body_of(in, id, what);
            return body ? std::optional(ForceTarget{Kind::kBody, *body}) : std::nullopt;
        }
        if (value.is_point() || value.is_body()) {
            return ForceTarget{Kind::kPoint, in.bodies.point_of(value)};
        }
    }
    const Entity* entity = target(in, id, what);
    if (entity == nullptr) {
        return std::nullopt;
    }
    const bool is_point =
        entity->kind == EntityKind::kPoint || entity->kind == EntityKind::kParticle;
    if (entity->kind == EntityKind::kCoordinate) {
        return ForceTarget{Kind::kCoordinate, entity->index};
    }
    if (entity->kind == EntityKind::kBody && is_torque) {
        return ForceTarget{Kind::kBody, entity->index};
    }
    if (entity->kind == EntityKind::kBody || (is_point && !is_torque)) {
        return ForceTarget{Kind::kPoint, in.bodies.point_of(entity->value)};
    }
    return in.fail(id,
                   fmt::format("{} acts on {}; '{}' is {}", what,
                               is_torque ? "a body or an angle"
                                         : "a coordinate, a particle, a point or a body",
                               in.scope.text(id), describe(entity->kind)),
                   {in.reports.declared_note(entity->span)});
}

void lower(Lowering& in, const Statement&, const ForceTerm& node) {
    const std::string_view what = node.torque     ? "a torque"
                                  : node.nonideal ? "a non-ideal force"
                                                  : "a force";
    const std::optional<ForceTarget> target =
        force_target(in, node.target, node.torque ? ForceKind::kTorque : ForceKind::kForce, what);
    if (!target) {
        evaluate_top(in, node.value);  // its own mistakes are reported all the same
        return;
    }
    mech::Forces& forces = node.nonideal ? in.model.nonideal : in.model.forces;
    const int index = target->index;
    const Span span = in.reports.shown_at(in.scope.span(node.value));
    if (target->kind == ForceTarget::Kind::kBody) {
        const Value value = torque_on(in, index, node.value);
        if (!value.bad() && allow(in, value, kOnState, node.value, what)) {
            warn_out_of_plane(in, index, value.parts[0], value.parts[1], node.value,
                              "turns only about z: the other components of the torque do nothing");
            forces.on_bodies.push_back({index, value.parts, span});
        }
        return;
    }
    const bool on_point = target->kind == ForceTarget::Kind::kPoint;
    const std::string target_text =
        fmt::format("{} on a {}", node.nonideal ? "a non-ideal force" : "a force",
                    on_point ? "point" : "coordinate");
    const Value value =
        on_point ? vector_of(in, node.value, target_text) : scalar_of(in, node.value, target_text);
    if (value.bad() || !allow(in, value, kOnState | kOnReactions, node.value, what)) {
        return;
    }
    if (on_point) {
        warn_out_of_plane(
            in, in.bodies.point(index).body, value.parts[2], in.graph.zero(), node.value,
            "moves in the plane z = 0: the third component of the force does nothing");
        forces.on_points.push_back({index, value.parts, span});
    } else {
        forces.on_coordinates.push_back({index, value.scalar(), span});
    }
}

void lower(Lowering& in, const Statement& statement, const GravityTerm& node) {
    const Value value = vector_of(in, node.value, "gravity");
    if (in.given.gravity) {
        in.fail(statement.span, "gravity is given once",
                {in.reports.declared_note(*in.given.gravity)});
        return;
    }
    in.given.gravity = statement.span;
    if (!value.bad() && allow(in, value, kOnTime, node.value, "gravity",
                              "a field that changes in space is a 'potential' or a 'force on'")) {
        in.model.gravity = value.parts;
    }
}

void finish_gravity(Lowering& in) {
    const auto planar =
        std::find_if(in.model.bodies.begin(), in.model.bodies.end(),
                     [](const mech::Body& body) { return body.kind == mech::Body::Kind::kPlanar; });
    if (in.model.gravity && planar != in.model.bodies.end() &&
        is_given(in, (*in.model.gravity)[2])) {
        in.reports.warn(*in.given.gravity,
                        fmt::format("the planar body '{}' moves in the plane z = 0: the third "
                                    "component of gravity does nothing to it",
                                    planar->name));
    }
}

}  // namespace ananke::lang

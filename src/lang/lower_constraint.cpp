// Constraints, servos with their actuators, and compliances, by which dependent constraints share
// their force.
#include <cmath>

#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

std::optional<mech::Actuator> actuator_of(Lowering& in, const ActuatorNode& node) {
    using Kind = mech::Actuator::Kind;
    const std::optional<ForceTarget> on =
        node.torque ? force_target(in, node.target, ForceKind::kTorque, "a torque")
                    : force_target(in, node.target, ForceKind::kForce, "a force");
    if (!on) {
        return std::nullopt;
    }
    const std::string_view name = in.scope.text(node.target);
    mech::Actuator actuator;
    actuator.target = on->index;
    actuator.span = node.span;
    actuator.place = in.reports.place_text(node.span);
    if (on->kind == ForceTarget::Kind::kCoordinate) {
        if (node.direction != kNoExpr) {
            return in.fail(node.direction,
                           fmt::format("'{}' is a coordinate and has a direction of its own", name),
                           {fmt::format("write: force on {}", name)});
        }
        return actuator;
    }
    actuator.kind = on->kind == ForceTarget::Kind::kPoint ? Kind::kPointForce : Kind::kBodyTorque;
    if (node.direction == kNoExpr) {
        return in.fail(node.span, "the direction of the actuator is missing",
                       {node.torque ? fmt::format("write: torque on {} about (0, 0, 1)", name)
                                    : fmt::format("write: force on {} along (1, 0, 0)", name)});
    }
    const std::optional<mech::Vec3> direction =
        vector_over(in, node.direction, {"the direction of an actuator", kOnConfiguration});
    actuator.direction = direction.value_or(mech::Vec3{});
    return direction ? std::optional(actuator) : std::nullopt;
}

std::optional<std::vector<mech::Actuator>> actuators_of(Lowering& in,
                                                        const ConstraintDeclaration& node) {
    std::vector<mech::Actuator> actuators;
    bool good = true;
    for (const ActuatorNode& one : node.actuators) {
        const std::optional<mech::Actuator> actuator = actuator_of(in, one);
        good = good && actuator;
        if (actuator) {
            actuators.push_back(*actuator);
        }
    }
    return good ? std::optional(actuators) : std::nullopt;
}

/// Whether both sides of the equation may stand in a constraint.
bool check_sides(Lowering& in, const ConstraintDeclaration& node, const Value& left,
                 const Value& right) {
    if (left.kind != right.kind) {
        return in.fail(node.equation, fmt::format("the left side is {}, the right side is {}",
                                                  shown(left), shown(right)));
    }
    const auto both =
        static_cast<Dependence>(in.symbols.dependence(left) | in.symbols.dependence(right));
    if ((both & kOnAccelerations) != 0) {
        return in.fail(
            first_place(in, kOnAccelerations, node.left),
            "an acceleration cannot stand in a constraint: no linear acceleration form is "
            "supported",
            {"constrain positions or velocities; a constraint on x' fixes x'' by its derivative",
             "an acceleration of given size can be stated by its integral, or as a force"});
    }
    if ((both & kOnReactions) != 0) {
        return in.fail(first_place(in, kOnReactions, node.left),
                       "a reaction cannot stand in a constraint",
                       {"a reaction follows from the equations; it stands in 'force', 'nonideal', "
                        "'friction' and 'output'"});
    }
    return true;
}

/// Left minus right, component by component. A vector may be set to 0. Nothing after a mistake,
/// which is reported.
std::optional<std::vector<sym::Expr>> rows_of(Lowering& in, const ConstraintDeclaration& node,
                                              Value left, Value right) {
    const Value zero = Value::vector({in.graph.zero(), in.graph.zero(), in.graph.zero()});
    if (left.is_vector() && right.is_scalar() && in.graph.is_zero(right.scalar())) {
        right = zero;
    } else if (right.is_vector() && left.is_scalar() && in.graph.is_zero(left.scalar())) {
        left = zero;
    }
    if (!check_sides(in, node, left, right)) {
        return std::nullopt;
    }
    std::vector<sym::Expr> rows;
    for (std::size_t i = 0; i < left.size(); ++i) {
        rows.push_back(in.graph.sub(left.parts[i], right.parts[i]));
    }
    return rows;
}

/// Of a constraint, or of the translations or rotations of a joint.
std::optional<sym::Expr> compliance_value(Lowering& in, ExprId id) {
    const std::optional<sym::Expr> value = scalar_over(in, id, {"a compliance"});
    const std::optional<double> number = value ? in.symbols.number_of(*value) : std::nullopt;
    if (number && !(*number >= 0.0 && std::isfinite(*number))) {
        return in.fail(
            id, fmt::format("a compliance must not be negative, this is {:.6g}", *number),
            {"it is the displacement per unit of the reaction: m/N, of rotations rad/(N m)"});
    }
    return value;
}

}  // namespace

void lower(Lowering& in, const Statement&, const ConstraintDeclaration& node) {
    const std::optional<std::string> name = declared_name(in, node.name);
    std::optional<std::vector<mech::Actuator>> actuators = actuators_of(in, node);
    mech::Constraint constraint;
    if (in.joint >= 0) {
        const std::vector<int>& called = in.model.joints[static_cast<std::size_t>(in.joint)].points;
        constraint.named_points.assign(called.rbegin(), called.rend());
    }
    in.evaluation.begin();
    in.evaluation.name_points_into(&constraint.named_points);
    const Value left = evaluate(in, node.left);
    const Value right = evaluate(in, node.right);
    in.evaluation.name_points_into(nullptr);
    const bool good = usable(in, left, node.left) && usable(in, right, node.right) && actuators;
    if (!name) {
        return;
    }
    const Span span = in.scope.span(node.name);
    std::optional<std::vector<sym::Expr>> rows;
    if (good) {
        rows = rows_of(in, node, left, right);
    }
    if (!rows) {
        in.scope.declare_failed(*name, {EntityKind::kConstraint, span});
        return;
    }
    constraint.name = in.scope.full(*name);
    constraint.servo = node.servo;
    constraint.joint = in.joint;
    constraint.span = in.reports.shown_at(node.equation);
    constraint.place = in.reports.place_text(constraint.span);
    constraint.actuators = std::move(*actuators);
    constraint.rows = std::move(*rows);
    const int index = static_cast<int>(in.model.constraints.size());
    if (in.scope.declare(*name, {EntityKind::kConstraint, index, Value::none(), span})) {
        in.model.constraints.push_back(std::move(constraint));
    }
}

void lower(Lowering& in, const Statement& statement, const ComplianceTerm& node) {
    const Entity* entity =
        constraint_or_joint(in, node.target, "a constraint or a joint gives way");
    if (entity == nullptr) {
        return;
    }
    const bool is_joint = entity->kind == EntityKind::kJoint;
    const std::string name(in.scope.text(node.target));
    if (is_joint && node.value != kNoExpr) {
        in.fail(node.value, "a joint gives way to its force and to its torque",
                {fmt::format("write: compliance on {}: translation 1e-6 rotation 1e-4", name)});
        return;
    }
    if (!is_joint && node.value == kNoExpr) {
        const ExprId first = node.translation != kNoExpr ? node.translation : node.rotation;
        in.fail(first, "the compliance of a constraint is one number",
                {fmt::format("write: compliance on {}: 1e-6", name)});
        return;
    }
    for (const mech::Compliance& other : in.model.compliances) {
        if ((is_joint ? other.joint : other.constraint) == entity->index) {
            in.fail(node.target, fmt::format("'{}' has a compliance already", name),
                    {in.reports.declared_note(other.span)});
            return;
        }
    }
    mech::Compliance compliance;
    (is_joint ? compliance.joint : compliance.constraint) = entity->index;
    compliance.span = statement.span;
    bool good = true;
    const auto read = [&](ExprId id, std::optional<sym::Expr>& into) {
        if (id != kNoExpr) {
            into = compliance_value(in, id);
            good = good && into.has_value();
        }
    };
    read(node.value, compliance.value);
    read(node.translation, compliance.translation);
    read(node.rotation, compliance.rotation);
    if (good) {
        in.model.compliances.push_back(compliance);
    }
}

}  // namespace ananke::lang

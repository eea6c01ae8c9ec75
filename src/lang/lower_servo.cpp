#include <fmt/format.h>

#include "lang/lowering.h"

namespace ananke::lang {

std::optional<mech::Actuator> Lowering::actuator_of(const ActuatorNode& node) {
    using Kind = mech::Actuator::Kind;
    ForceTerm term;
    term.target = node.target;
    term.value = node.direction;
    term.torque = node.torque;
    const std::optional<ForceTarget> on = force_target(term, node.torque ? "a torque" : "a force");
    if (!on) {
        return std::nullopt;
    }
    const std::string_view name = text(expr(node.target).span);
    mech::Actuator actuator;
    actuator.target = on->index;
    actuator.span = node.span;
    actuator.place = place_text(node.span);
    if (on->kind == ForceTarget::Kind::kCoordinate) {
        if (node.direction != kNoExpr) {
            fail(expr(node.direction).span,
                 fmt::format("'{}' is a coordinate and has a direction of its own", name),
                 {fmt::format("write: force on {}", name)});
            return std::nullopt;
        }
        return actuator;
    }
    actuator.kind = on->kind == ForceTarget::Kind::kPoint ? Kind::kPointForce : Kind::kBodyTorque;
    if (node.direction == kNoExpr) {
        fail(node.span, "the direction of the actuator is missing",
             {node.torque ? fmt::format("write: torque on {} about (0, 0, 1)", name)
                          : fmt::format("write: force on {} along (1, 0, 0)", name)});
        return std::nullopt;
    }
    const Value direction = vector_of(node.direction, "the direction of an actuator");
    if (direction.bad() ||
        !allow(direction, kOnTime | kOnPositions, node.direction, "the direction of an actuator")) {
        return std::nullopt;
    }
    actuator.direction = direction.parts;
    return actuator;
}

std::optional<std::vector<mech::Actuator>> Lowering::actuators_of(
    const ConstraintDeclaration& node) {
    std::vector<mech::Actuator> actuators;
    bool good = true;
    for (const ActuatorNode& one : node.actuators) {
        const std::optional<mech::Actuator> actuator = actuator_of(one);
        good = good && actuator;
        if (actuator) {
            actuators.push_back(*actuator);
        }
    }
    return good ? std::optional(actuators) : std::nullopt;
}

}  // namespace ananke::lang

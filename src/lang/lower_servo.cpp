#include <fmt/format.h>

#include "lang/lowering.h"

namespace ananke::lang {

std::optional<mech::Actuator> Lowering::actuator_of(const ActuatorNode& node) {
    const Entity* entity = target(node.target, node.torque ? "a torque" : "a force");
    if (entity == nullptr) {
        return std::nullopt;
    }
    const std::string_view name = text(expr(node.target).span);
    mech::Actuator actuator;
    actuator.target = entity->index;
    actuator.span = node.span;
    if (node.torque) {
        fail(node.span,
             fmt::format("a torque acts on a body; '{}' is {}", name, describe(entity->kind)),
             entity->kind == EntityKind::kCoordinate
                 ? Notes{fmt::format("on an angle write: force on {}", name)}
                 : Notes{declared_note(entity->span)});
        return std::nullopt;
    }
    if (entity->kind == EntityKind::kCoordinate) {
        if (node.direction != kNoExpr) {
            fail(expr(node.direction).span,
                 fmt::format("'{}' is a coordinate and has a direction of its own", name),
                 {fmt::format("write: force on {}", name)});
            return std::nullopt;
        }
        return actuator;
    }
    if (entity->kind != EntityKind::kPoint && entity->kind != EntityKind::kParticle) {
        fail(expr(node.target).span,
             fmt::format("an actuator pushes a coordinate, a particle or a point; '{}' is {}", name,
                         describe(entity->kind)),
             {declared_note(entity->span)});
        return std::nullopt;
    }
    if (node.direction == kNoExpr) {
        fail(node.span, "the direction of the actuator is missing",
             {fmt::format("write: force on {} along (1, 0, 0)", name)});
        return std::nullopt;
    }
    const Value direction = vector_of(node.direction, "the direction of an actuator");
    if (direction.bad() ||
        !allow(direction, kOnTime | kOnPositions, node.direction, "the direction of an actuator")) {
        return std::nullopt;
    }
    actuator.kind = mech::Actuator::Kind::kPointForce;
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

#include "mech/controls.h"

#include <algorithm>

#include <fmt/format.h>

#include "mech/collect.h"
#include "mech/forces.h"
#include "sym/print.h"

namespace ananke::mech {

using sym::Graph;

namespace {

Vec3 unit(Graph& graph, const Vec3& v) {
    const Expr square =
        graph.add(graph.add(graph.mul(v[0], v[0]), graph.mul(v[1], v[1])), graph.mul(v[2], v[2]));
    if (graph.is_zero(square)) {
        return v;
    }
    const Expr length = graph.apply(sym::Op::kSqrt, square);
    return {graph.div(v[0], length), graph.div(v[1], length), graph.div(v[2], length)};
}

std::string target_name(const Model& model, const Actuator& actuator) {
    const std::size_t target = actuator.target;
    if (actuator.kind == Actuator::Kind::kCoordinateForce) {
        return model.coordinates[target].name;
    }
    if (actuator.kind == Actuator::Kind::kBodyTorque) {
        return model.bodies[target].name;
    }
    const Point& point = model.points[target];
    return point.named || point.body < 0 ? point.name : model.bodies[point.body].name;
}

std::string describe_actuator(const Model& model, const Actuator& actuator) {
    const bool on_point = actuator.kind == Actuator::Kind::kPointForce;
    const std::string name =
        on_point ? model.points[actuator.target].name : target_name(model, actuator);
    if (actuator.kind == Actuator::Kind::kCoordinateForce) {
        return fmt::format("force on {}", name);
    }
    const sym::Printer printer(model.graph, sym::Notation::kText);
    const bool torque = actuator.kind == Actuator::Kind::kBodyTorque;
    return fmt::format("{} on {} {} ({}, {}, {})", torque ? "torque" : "force", name,
                       torque ? "about" : "along", printer.print(actuator.direction[0]),
                       printer.print(actuator.direction[1]), printer.print(actuator.direction[2]));
}

Control control_of(Model& model, const TimeFlow& flow, const PointTable& points,
                   const Actuator& actuator) {
    Graph& graph = model.graph;
    Control control;
    control.kind = actuator.kind;
    control.target = actuator.target;
    control.target_name = target_name(model, actuator);
    control.description = describe_actuator(model, actuator);
    control.direction = {graph.zero(), graph.zero(), graph.zero()};
    Forces unit_force;
    if (actuator.kind == Actuator::Kind::kCoordinateForce) {
        unit_force.on_coordinates.push_back({actuator.target, graph.one(), actuator.span});
    } else {
        control.direction = unit(graph, points.replace(graph, actuator.direction));
        if (actuator.kind == Actuator::Kind::kPointForce) {
            unit_force.on_points.push_back({actuator.target, control.direction, actuator.span});
        } else {
            unit_force.on_bodies.push_back({actuator.target, control.direction, actuator.span});
        }
    }
    const std::vector<Expr> force = generalized_forces(model, flow, points, unit_force);
    for (std::size_t i = 0; i < force.size(); ++i) {
        const Expr value = collect(graph, force[i]);
        if (!graph.is_zero(value)) {
            control.D.push_back({static_cast<int>(i), value});
        }
    }
    return control;
}

}  // namespace

std::vector<Control> controls_of(Model& model, const TimeFlow& flow, const PointTable& points) {
    std::vector<Control> controls;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        for (std::size_t k = 0; k < model.constraints[c].actuators.size(); ++k) {
            const Actuator& actuator = model.constraints[c].actuators[k];
            Control control = control_of(model, flow, points, actuator);
            control.constraint = static_cast<int>(c);
            control.place = actuator.place;
            control.name = fmt::format("{}:{}", model.constraints[c].name, k + 1);
            controls.push_back(std::move(control));
        }
    }
    return controls;
}

}  // namespace ananke::mech

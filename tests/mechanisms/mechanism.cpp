#include "mechanism.h"

#include <set>

namespace mechanisms {

int Mechanism::add_coordinate(const std::string& name, Dimension dimension, bool of_body) {
    coordinates.push_back({name, dimension, positions++, speeds++, of_body});
    return static_cast<int>(coordinates.size()) - 1;
}

int Mechanism::add_parameter(const std::string& name, double value, Dimension dimension) {
    parameters.push_back({name, value, dimension});
    return static_cast<int>(parameters.size()) - 1;
}

Place Mechanism::add_particle(const std::string& suffix, double mass, const std::string& axes) {
    Ex3 at;
    for (const char axis : axes) {
        const int index = add_coordinate(std::string(1, axis) + suffix, kLength);
        at[static_cast<std::size_t>(axis - 'x')] = mechanisms::coordinate(index);
    }
    return add_particle_at("P" + suffix, mass, at);
}

Place Mechanism::add_particle_at(const std::string& name, double mass, const Ex3& at) {
    particles.push_back({name, mass, at});
    return {Frame::kParticle, static_cast<int>(particles.size()) - 1, Vector3d::Zero()};
}

Place Mechanism::add_planar(const std::string& name, double mass, double inertia) {
    const int first = add_coordinate(name + ".x", kLength, true);
    add_coordinate(name + ".y", kLength, true);
    add_coordinate(name + ".angle", kNone, true);
    planar.push_back({name, mass, inertia, first});
    return {Frame::kPlanar, static_cast<int>(planar.size()) - 1, Vector3d::Zero()};
}

Place Mechanism::add_spatial(const std::string& name, double mass, const Matrix3d& inertia) {
    spatial.push_back({name, mass, inertia, positions, speeds});
    positions += 7;
    speeds += 6;
    return {Frame::kSpatial, static_cast<int>(spatial.size()) - 1, Vector3d::Zero()};
}

void Mechanism::add_force(const Place& place, const Ex3& value) {
    forces.push_back({Target::kPlace, 0, place, value, false});
}

void Mechanism::add_force(int coordinate, const Ex& value) {
    forces.push_back({Target::kCoordinate, coordinate, {}, {value, Ex(), Ex()}, false});
}

bool Mechanism::orientation_is_exact(const Place& place) const {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kSpatial) {
        return exact_bodies || spatial[index].exact_orientation;
    }
    return place.frame != Frame::kPlanar ||
           said_q[static_cast<std::size_t>(planar[index].first + 2)].exact;
}

void Mechanism::make_orientation_exact(const Place& place) {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.frame == Frame::kSpatial) {
        spatial[index].exact_orientation = true;
    } else if (place.frame == Frame::kPlanar) {
        said_q[static_cast<std::size_t>(planar[index].first + 2)].exact = true;
    }
}

void Mechanism::number_switches() {
    switches.clear();
    std::set<const Node*> seen;
    const auto visit = [&](const auto& self, const NodeHandle& node) -> void {
        if (!seen.insert(node.get()).second) {
            return;
        }
        for (const NodeHandle& operand : node->operands) {
            self(self, operand);
        }
        const bool switching = node->op == Op::kAbsolute || node->op == Op::kLeast ||
                               node->op == Op::kGreatest || node->op == Op::kChoice;
        if (switching) {
            node->switching = static_cast<int>(switches.size());
            switches.push_back(node);
        }
    };
    for (const Force& force : forces) {
        for (const Ex& value : force.value) {
            visit(visit, value.handle());
        }
    }
}

std::vector<std::string> position_names(const Mechanism& mechanism) {
    std::vector<std::string> names(static_cast<std::size_t>(mechanism.positions));
    for (const Coordinate& c : mechanism.coordinates) {
        names[static_cast<std::size_t>(c.q)] = c.name;
    }
    for (const SpatialBody& body : mechanism.spatial) {
        std::size_t k = static_cast<std::size_t>(body.q);
        for (const char* part : {".x", ".y", ".z", ".u0", ".u1", ".u2", ".u3"}) {
            names[k++] = body.name + part;
        }
    }
    return names;
}

std::vector<Dimension> position_dimensions(const Mechanism& mechanism) {
    std::vector<Dimension> dimensions(static_cast<std::size_t>(mechanism.positions));
    for (const Coordinate& c : mechanism.coordinates) {
        dimensions[static_cast<std::size_t>(c.q)] = c.dimension;
    }
    for (const SpatialBody& body : mechanism.spatial) {
        for (int i = 0; i < 3; ++i) {
            dimensions[static_cast<std::size_t>(body.q + i)] = kLength;
        }
    }
    return dimensions;
}

}  // namespace mechanisms

// Arrows of the scene: forces and torques of constraint, by constraint or joint and by what they
// act on, each with the three columns that hold its components.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/ranges.h"
#include "base/text.h"
#include "report/drawing.h"
#include "report/uniqueness.h"

namespace ananke::report {
namespace {

std::array<int, 3> columns_of(const Drawing& drawing, const std::string& vector) {
    return {drawing.find_column(vector + ".x"), drawing.find_column(vector + ".y"),
            drawing.find_column(vector + ".z")};
}

bool all_found(const std::array<int, 3>& columns) {
    return std::ranges::count(columns, -1) == 0;
}

std::string sharing_note(const Drawing& drawing, const compile::ReactionShare& share) {
    std::vector<std::string> others = transformed(share.shared_with, [&](const int owner) {
        return drawing.states.prepared().compiled->reactions.owners[owner].name;
    });
    return others.empty() ? "one of many"
                          : fmt::format("one of many: shared with {}", join_names(others));
}

/// A joint that measures and holds nothing.
bool only_measures(const Drawing& drawing, const std::string& owner) {
    const auto& joints = drawing.model().joints;
    return std::ranges::any_of(joints, [&](const mech::Joint& joint) {
        return joint.name == owner && joint.definition == "angle";
    });
}

/// What the recorder gives as force[c:P] and torque[c:B].
void draw_recorded(Drawing& drawing, const Uniqueness& judged) {
    const compile::ReactionMap& map = drawing.states.prepared().compiled->reactions;
    for (std::size_t i = 0; i < map.targets.size(); ++i) {
        const compile::ReactionMap::Target& target = map.targets[i];
        const bool ground = target.body >= 0 &&
                            drawing.model().bodies[target.body].kind == mech::Body::Kind::kGround;
        const std::string& owner = map.owners[target.owner].name;
        if (ground || only_measures(drawing, owner)) {
            continue;  // the ground takes the opposite of what the others get
        }
        const compile::ReactionShare share =
            i < judged.shares.size() ? judged.shares[i] : compile::ReactionShare{};
        const int reference = map.points[target.reference];
        const auto contact = drawing.contacts.find(static_cast<int>(i));
        for (const bool torque : {false, true}) {
            // A force drawn where it touches has no torque there.
            if (!(torque ? target.torque && contact == drawing.contacts.end() : target.force)) {
                continue;
            }
            SceneArrow arrow{owner, target.name, torque, {}};
            arrow.columns = columns_of(
                drawing, fmt::format("{}[{}:{}]", torque ? "torque" : "force", owner, target.name));
            if (!all_found(arrow.columns)) {
                continue;
            }
            const std::array<bool, 3>& unique = torque ? share.torque : share.force;
            arrow.unique = std::ranges::count(unique, false) == 0;
            arrow.note = arrow.unique ? "" : sharing_note(drawing, share);
            arrow.at = contact != drawing.contacts.end()
                           ? contact->second.track
                           : drawing.track_of(drawing.position(reference));
            drawing.scene().arrows.push_back(std::move(arrow));
        }
    }
}

/// Forces and torques of actuators.
void draw_controls(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    std::vector<std::string> drawn;
    for (const mech::Control& control : drawing.equations().controls) {
        if (control.kind == mech::Actuator::Kind::kCoordinateForce) {
            continue;
        }
        const bool torque = control.kind == mech::Actuator::Kind::kBodyTorque;
        const std::string& owner = model.constraints[control.constraint].name;
        const std::string name =
            fmt::format("{}[{}:{}]", torque ? "torque" : "force", owner, control.target_name);
        const std::array<int, 3> columns = columns_of(drawing, name);
        if (!all_found(columns) || contains(drawn, name)) {
            continue;
        }
        drawn.push_back(name);
        const int point = torque ? model.bodies[control.target].centre : control.target;
        drawing.scene().arrows.push_back({owner, control.target_name, torque,
                                          drawing.track_of(drawing.position(point)), columns, -1,
                                          true, "control of an actuator"});
    }
}

/// lambda_k A_k of the rows of one constraint written in coordinates, on one particle.
struct CoordinateForce {
    std::array<std::vector<double>, 3> components;  ///< empty: zero
    bool unique = true;
};

void add_row_force(const Drawing& drawing, const mech::Row& row, std::size_t index,
                   const CoordinateParticle& particle, const Uniqueness& judged,
                   CoordinateForce& force) {
    const std::vector<double> lambda = drawing.states.column(fmt::format("lambda[{}]", row.name));
    for (const mech::Entry& entry : row.A) {
        const auto axis = std::ranges::find(particle.coordinates, entry.column);
        const bool open = contains(row.unattributed, entry.column);
        if (axis == particle.coordinates.end() || !open || lambda.empty()) {
            continue;
        }
        const std::vector<double> A = drawing.states.evaluate({&entry.value, 1});
        std::vector<double>& component = force.components[axis - particle.coordinates.begin()];
        component.resize(A.size(), 0.0);
        for (std::size_t i = 0; i < A.size(); ++i) {
            component[i] += lambda[i] * A[i];
        }
        force.unique =
            force.unique && (index >= judged.lambda_unique.size() || judged.lambda_unique[index]);
    }
}

void draw_coordinate_forces(Drawing& drawing, const Uniqueness& judged) {
    const std::vector<mech::Row>& rows = drawing.equations().rows;
    for (const CoordinateParticle& particle : drawing.coordinate_particles) {
        const ScenePoint& point = drawing.scene().points[particle.point];
        const std::string on = point.name;
        const Track track = point.track;
        std::map<int, CoordinateForce> forces;  // by constraint
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (!rows[k].actuated) {
                add_row_force(drawing, rows[k], k, particle, judged, forces[rows[k].constraint]);
            }
        }
        for (const auto& [constraint, force] : forces) {
            const std::string& owner = drawing.model().constraints[constraint].name;
            std::array<int, 3> columns{-1, -1, -1};
            for (std::size_t k = 0; k < 3; ++k) {
                if (!force.components[k].empty()) {
                    columns[k] = drawing.add_column(
                        fmt::format("force[{}:{}].{}", owner, on, "xyz"[k]), force.components[k]);
                }
            }
            if (columns != std::array<int, 3>{-1, -1, -1}) {
                drawing.scene().arrows.push_back({owner, on, false, track, columns, -1,
                                                  force.unique, force.unique ? "" : "one of many"});
            }
        }
    }
}

/// Sizes of forces that have more than one component, as columns of their own.
void add_sizes(Drawing& drawing) {
    for (SceneArrow& arrow : drawing.scene().arrows) {
        if (std::ranges::count(arrow.columns, -1) == 2) {
            arrow.size = *std::ranges::max_element(arrow.columns);
            continue;
        }
        std::vector<double> size(drawing.states.count(), 0.0);
        for (const int column : arrow.columns) {
            const std::vector<double> values =
                column < 0 ? std::vector<double>{} : drawing.values_of(column);
            for (std::size_t i = 0; i < values.size(); ++i) {
                size[i] = std::hypot(size[i], values[i]);
            }
        }
        arrow.size = drawing.add_column(
            fmt::format("|{}[{}:{}]|", arrow.torque ? "torque" : "force", arrow.owner, arrow.on),
            size);
    }
}

}  // namespace

void draw_arrows(Drawing& drawing) {
    const Uniqueness judged = judge_uniqueness(drawing.states, drawing.check);
    draw_recorded(drawing, judged);
    draw_controls(drawing);
    draw_coordinate_forces(drawing, judged);
    add_sizes(drawing);
}

}  // namespace ananke::report

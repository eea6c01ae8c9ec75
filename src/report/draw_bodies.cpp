// Bodies of the scene: places, rotations, and shapes from inertia with lines to their joints.
#include <algorithm>
#include <cmath>

#include "base/ranges.h"
#include "report/drawing.h"
#include "report/shapes.h"

namespace ananke::report {
namespace {

constexpr double kFlat = 1e-9;  ///< of a unit vector, taken as zero
constexpr double kRodThickness = 1e-6;

/// Quaternions of the axes at every state, without jumps between u and -u.
std::vector<double> quaternion_path(const std::vector<double>& axes) {
    std::vector<double> path;
    path.reserve(axes.size() / 9 * 4);
    for (std::size_t i = 0; i + 9 <= axes.size(); i += 9) {
        // Nine numbers are the columns of R, one after another.
        const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix3d>(axes.data() + i);
        std::array<double, 4> u = quaternion_of(R);
        double along = 0.0;
        for (std::size_t k = 0; k < 4 && i > 0; ++k) {
            along += u[k] * path[path.size() - 4 + k];
        }
        for (double& component : u) {
            component = along < 0.0 ? -component : component;
        }
        append(path, u);
    }
    return path;
}

bool turns_about_z_alone(const std::vector<double>& axes) {
    for (std::size_t i = 0; i + 9 <= axes.size(); i += 9) {
        if (std::hypot(axes[i + 6], axes[i + 7]) > kFlat) {
            return false;
        }
    }
    return true;
}

/// Places that belong to the body, in its axes: those of joints and declared points.
std::vector<Vector> places_on(const Drawing& drawing, int body) {
    const mech::Model& model = drawing.model();
    std::vector<bool> wanted(model.points.size(), false);
    for (const mech::Joint& joint : model.joints) {
        for (const int point : joint.points) {
            wanted[point] = true;
        }
    }
    std::vector<sym::Expr> values;
    append(values, drawing.position(model.bodies[body].centre));
    for (const mech::Vec3& axis : drawing.equations().bodies[body].axes) {
        append(values, axis);
    }
    for (int i = 0; i < static_cast<int>(model.points.size()); ++i) {
        const mech::Point& point = model.points[i];
        if (point.body == body && (wanted[i] || point.named) && model.bodies[body].centre != i) {
            append(values, drawing.position(i));
        }
    }
    const std::vector<double> numbers = drawing.states.evaluate_at_start(values);
    std::vector<Vector> places;
    for (std::size_t i = 12; i + 3 <= numbers.size(); i += 3) {
        Vector place{};
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t j = 0; j < 3; ++j) {
                place[k] += numbers[3 + 3 * k + j] * (numbers[i + j] - numbers[j]);
            }
        }
        places.push_back(place);
    }
    return places;
}

std::vector<Shape> shapes_of(const Drawing& drawing, int index, double mass) {
    const mech::Body& body = drawing.model().bodies[index];
    std::vector<sym::Expr> entries;
    for (const mech::Vec3& column : body.inertia) {
        append(entries, column);
    }
    const bool planar = body.kind == mech::Body::Kind::kPlanar;
    if (planar) {
        entries = {body.inertia[2][2]};
    }
    const std::vector<double> J = drawing.states.evaluate_at_start(entries);
    const std::vector<Vector> places = places_on(drawing, index);
    double reach = 0.0;
    for (const Vector& place : places) {
        reach = std::max(reach, std::hypot(place[0], place[1], place[2]));
    }
    const double least = reach > 0.0 ? 0.08 * reach : 0.05;
    std::vector<Shape> shapes;
    if (J.empty()) {
        return shapes;
    }
    shapes.push_back(
        planar ? planar_solid(mass, J.front(), places, least)
               : solid_of_inertia(mass, Eigen::Map<const Eigen::Matrix3d>(J.data()), least));
    for (const Vector& place : places) {
        if (std::hypot(place[0], place[1], place[2]) > kRodThickness * reach) {
            Shape line;
            line.kind = Shape::Kind::kLine;
            line.to = place;
            shapes.push_back(line);
        }
    }
    return shapes;
}

/// Places of a joint that is met at one place stand there on both sides. Of a contact that moves
/// along the ground only the body's place means something.
bool meet(const Drawing& drawing, const std::vector<int>& points) {
    std::vector<sym::Expr> values;
    for (const int point : points) {
        append(values, drawing.position(point));
    }
    const std::vector<double> places = drawing.states.evaluate_at_start(values);
    double size = 1.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        size = std::max(size, std::abs(places[i]));
        apart = std::max(apart, std::abs(places[i] - places[i % 3]));
    }
    return apart <= 1e-6 * size;
}

/// Its constraints are in the model and not in the run: --without.
bool is_left_out(const Drawing& drawing, const mech::Joint& joint) {
    const auto belongs = [&](const auto& named) {
        return named.name.starts_with(joint.name + ".");
    };
    const auto& written = drawing.model().constraints;
    const auto& rows = drawing.equations().rows;
    return std::ranges::any_of(written, belongs) && std::ranges::none_of(rows, belongs);
}

/// A joint that touches beside its places, as a wheel does, is drawn where it touches, with the
/// path of that place. False for any other joint.
bool add_contact(Drawing& drawing, SceneJoint& drawn) {
    const compile::ReactionMap& map = drawing.states.prepared().compiled->reactions;
    for (const auto& [index, contact] : drawing.contacts) {
        const compile::ReactionMap::Target& target = map.targets[index];
        if (map.owners[target.owner].name != drawn.name) {
            continue;
        }
        drawn.places.push_back({drawing.body_of[target.body], contact.track});
        if (drawn.places.size() > 1) {
            continue;  // both sides of it touch at one place
        }
        ScenePoint trace{"", contact.track};
        trace.trail = true;
        trace.size = 0.0;
        drawing.scene().points.push_back(std::move(trace));
        drawing.point_paths.push_back(contact.path);
    }
    return !drawn.places.empty();
}

}  // namespace

void draw_bodies(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    drawing.body_of.assign(model.bodies.size(), -1);
    for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
        const mech::Body& body = model.bodies[i];
        if (body.kind == mech::Body::Kind::kGround) {
            continue;
        }
        drawing.body_of[i] = static_cast<int>(drawing.scene().bodies.size());
        SceneBody drawn{body.name, drawing.track_of(drawing.position(body.centre))};
        std::vector<sym::Expr> axes;
        for (const mech::Vec3& axis : drawing.equations().bodies[i].axes) {
            append(axes, axis);
        }
        const std::vector<double> values = drawing.states.evaluate(axes);
        drawing.turns_out_of_plane = drawing.turns_out_of_plane || !turns_about_z_alone(values);
        drawn.rotation = drawing.add_track(quaternion_path(values), 4);
        if (const std::optional<sym::Expr>& mass = model.points[body.centre].mass) {
            drawn.mass = drawing.value_at_start(*mass);
        }
        drawn.shapes = shapes_of(drawing, i, drawn.mass);
        drawing.scene().bodies.push_back(std::move(drawn));
    }
}

void draw_joints(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    for (const mech::Joint& joint : model.joints) {
        if (joint.definition == "angle" || is_left_out(drawing, joint)) {
            continue;  // measures and holds nothing, or is not there in this run
        }
        SceneJoint drawn{joint.name, joint.definition, {}};
        if (add_contact(drawing, drawn)) {
            drawing.scene().joints.push_back(std::move(drawn));
            continue;
        }
        const bool one_place = meet(drawing, joint.points);
        for (const int point : joint.points) {
            const int body = model.points[point].body;
            const int in_scene = body < 0 ? -1 : drawing.body_of[body];
            if (one_place || in_scene >= 0) {
                drawn.places.push_back({in_scene, drawing.track_of(drawing.position(point))});
            }
        }
        if (!drawn.places.empty()) {
            drawing.scene().joints.push_back(std::move(drawn));
        }
    }
}

}  // namespace ananke::report

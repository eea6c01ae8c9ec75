// Points of the scene. Where a model has neither points nor bodies its coordinates are drawn: those
// called x, y, z (x1, y1; p1x, p1y) as a particle, any others as beads on rails.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "report/drawing.h"
#include "sym/walk.h"

namespace ananke::report {
namespace {

constexpr std::size_t kMostTrails = 6;  ///< more of them hide what moves
constexpr std::size_t kMostRails = 12;
constexpr double kAtRest = 1e-12;

bool rests(const std::vector<double>& path) {
    double size = 0.0;
    double moved = 0.0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        size = std::max(size, std::abs(path[i]));
        moved = std::max(moved, std::abs(path[i] - path[i % 3]));
    }
    return moved <= kAtRest * size;
}

/// Made of numbers and parameters alone.
bool stands_still(const mech::Model& model, sym::Expr e) {
    return !sym::depends_on_kind(model.graph, e, sym::SymbolKind::kCoordinate) &&
           !sym::depends_on_kind(model.graph, e, sym::SymbolKind::kTime);
}

/// The coordinate x of a component x, x + a or x - a, a at rest; -1: another one.
int coordinate_in(const mech::Model& model, sym::Expr component) {
    const auto find = [&](sym::Expr e) {
        const auto& all = model.coordinates;
        const auto found = std::ranges::find(all, e, &mech::Coordinate::q);
        return found == all.end() ? -1 : static_cast<int>(found - all.begin());
    };
    const sym::Node& node = model.graph.node(component);
    const bool sum = node.op == sym::Op::kAdd;
    if (!sum && node.op != sym::Op::kSub) {
        return find(component);
    }
    const sym::Expr a{node.a};
    const sym::Expr b{node.b};
    if (find(a) >= 0 && stands_still(model, b)) {
        return find(a);
    }
    return sum && find(b) >= 0 && stands_still(model, a) ? find(b) : -1;
}

/// Which coordinate moves each component of a position, as it is; nothing if one moves otherwise.
std::optional<std::array<int, 3>> coordinates_of(const Drawing& drawing,
                                                 const mech::Vec3& position) {
    std::array<int, 3> result{-1, -1, -1};
    bool any = false;
    for (std::size_t k = 0; k < 3; ++k) {
        result[k] = coordinate_in(drawing.model(), position[k]);
        any = any || result[k] >= 0;
        if (result[k] < 0 && !stands_still(drawing.model(), position[k])) {
            return std::nullopt;
        }
    }
    return any ? std::optional(result) : std::nullopt;
}

/// M(i, i) where it is the same for all the coordinates and nothing couples them.
std::optional<double> common_mass(const Drawing& drawing, const std::array<int, 3>& coordinates) {
    std::optional<sym::Expr> mass;
    const auto among = [&](int i) { return contains(coordinates, i); };
    for (const mech::MassEntry& entry : drawing.equations().M) {
        if (!among(entry.row) && !among(entry.column)) {
            continue;
        }
        if (entry.row != entry.column || (mass && *mass != entry.value)) {
            return std::nullopt;
        }
        mass = entry.value;
    }
    return mass ? std::optional(drawing.value_at_start(*mass)) : std::nullopt;
}

bool taken(const Drawing& drawing, const std::array<int, 3>& coordinates) {
    for (const CoordinateParticle& particle : drawing.coordinate_particles) {
        for (const int coordinate : coordinates) {
            const auto& own = particle.coordinates;
            if (coordinate >= 0 && contains(own, coordinate)) {
                return true;
            }
        }
    }
    return false;
}

void draw_declared(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    for (std::size_t i = 0; i < model.points.size(); ++i) {
        const mech::Point& point = model.points[i];
        const bool centre =
            point.body >= 0 && model.bodies[point.body].centre == static_cast<int>(i);
        if (!point.named || centre) {
            continue;
        }
        const mech::Vec3& position = drawing.position(i);
        std::vector<double> path = drawing.states.evaluate(position);
        ScenePoint drawn{point.name, {}};
        const auto coordinates = point.body < 0 ? coordinates_of(drawing, position) : std::nullopt;
        bool particle = point.mass && point.body < 0;
        // A point that moves with coordinates of one mass, none of them a particle's, is that mass.
        if (!particle && coordinates && !taken(drawing, *coordinates)) {
            drawn.mass = common_mass(drawing, *coordinates);
            particle = drawn.mass.has_value();
        }
        drawn.kind = particle      ? ScenePoint::Kind::kParticle
                     : rests(path) ? ScenePoint::Kind::kGround
                                   : ScenePoint::Kind::kPoint;
        drawn.trail = particle;
        if (point.mass && particle) {
            drawn.mass = drawing.value_at_start(*point.mass);
        }
        drawing.point_of[i] = drawing.add_point(std::move(drawn), std::move(path));
        if (particle && coordinates && !taken(drawing, *coordinates)) {
            drawing.coordinate_particles.push_back({drawing.point_of[i], *coordinates});
        }
    }
}

/// Coordinates whose names differ only in a letter x, y, z, by the axis that the letter names.
std::vector<std::array<int, 3>> places_by_name(const mech::Model& model) {
    std::map<std::string, std::array<int, 3>> groups;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        const std::string& name = model.coordinates[i].name;
        const std::size_t letter = name.find_first_of("xyz");
        if (letter == std::string::npos) {
            continue;
        }
        std::string key = name;
        key[letter] = '*';
        const auto [group, is_new] = groups.try_emplace(key, std::array<int, 3>{-1, -1, -1});
        if (is_new) {
            order.push_back(key);
        }
        group->second[name[letter] - 'x'] = static_cast<int>(i);
    }
    std::vector<std::array<int, 3>> places;
    for (const std::string& key : order) {
        const std::array<int, 3>& group = groups.at(key);
        if (std::ranges::count(group, -1) <= 1) {
            places.push_back(group);
        }
    }
    return places;
}

std::vector<double> column_of(const Drawing& drawing, int coordinate) {
    return drawing.states.column(drawing.model().coordinates[coordinate].name);
}

void draw_places(Drawing& drawing, const std::vector<std::array<int, 3>>& places) {
    for (const std::array<int, 3>& place : places) {
        std::vector<double> path(3 * drawing.states.count(), 0.0);
        std::vector<std::string> names;
        for (std::size_t k = 0; k < 3; ++k) {
            if (place[k] < 0) {
                continue;
            }
            names.push_back(drawing.model().coordinates[place[k]].name);
            const std::vector<double> values = column_of(drawing, place[k]);
            for (std::size_t i = 0; i < values.size(); ++i) {
                path[3 * i + k] = values[i];
            }
        }
        ScenePoint point{fmt::format("({})", fmt::join(names, ", ")), {}};
        point.mass = common_mass(drawing, place);
        point.kind = point.mass ? ScenePoint::Kind::kParticle : ScenePoint::Kind::kPoint;
        point.trail = true;
        drawing.coordinate_particles.push_back(
            {drawing.add_point(std::move(point), std::move(path)), place});
    }
}

void draw_rails(Drawing& drawing) {
    const std::size_t count = std::min(kMostRails, drawing.model().coordinates.size());
    double largest = 0.0;
    std::vector<std::vector<double>> motions;
    for (std::size_t i = 0; i < count; ++i) {
        motions.push_back(column_of(drawing, static_cast<int>(i)));
        for (const double value : motions.back()) {
            largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
        }
    }
    const double spacing = largest > 0.0 ? 0.5 * largest : 1.0;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<double> path(3 * motions[i].size(), 0.0);
        for (std::size_t k = 0; k < motions[i].size(); ++k) {
            path[3 * k] = motions[i][k];
            path[3 * k + 1] = 0.0 - spacing * static_cast<double>(i);
        }
        const std::array<int, 3> own{static_cast<int>(i), -1, -1};
        ScenePoint bead{drawing.model().coordinates[i].name, {}};
        bead.mass = common_mass(drawing, own);
        bead.kind = ScenePoint::Kind::kParticle;
        const int place = drawing.add_point(std::move(bead), std::move(path));
        drawing.coordinate_particles.push_back({place, own});
        drawing.scene().rails.push_back(place);
    }
}

}  // namespace

void draw_points(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    drawing.point_of.assign(model.points.size(), -1);
    draw_declared(drawing);
    if (model.points.empty() && model.bodies.empty()) {
        const std::vector<std::array<int, 3>> places = places_by_name(model);
        if (places.empty()) {
            draw_rails(drawing);
        } else {
            draw_places(drawing, places);
        }
    }
    std::vector<ScenePoint>& points = drawing.scene().points;
    const auto trails = std::ranges::count_if(points, [](const ScenePoint& p) { return p.trail; });
    if (static_cast<std::size_t>(trails) > kMostTrails) {
        for (ScenePoint& point : points) {
            point.trail = false;
        }
    }
}

}  // namespace ananke::report

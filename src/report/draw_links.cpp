// Rods of the scene, found in the numbers: a scalar constraint that pushes two points along the
// line between them, or one point along the line to a fixed place, holds their distance.
#include <algorithm>
#include <cmath>

#include "base/ranges.h"
#include "report/drawing.h"

namespace ananke::report {
namespace {

constexpr double kSame = 1e-6;         ///< relative
constexpr std::size_t kLookedAt = 64;  ///< states

/// Something that a row pushes: where it is and along what, three numbers per state.
struct End {
    int point = -1;  ///< of the scene
    std::vector<double> place, push;
};

std::vector<End> ends_of(Drawing& drawing, const mech::Row& row) {
    std::vector<End> ends;
    for (const mech::Direction& direction : row.directions) {
        const int point = drawing.point_of[direction.point];
        End end{point, {}, drawing.states.evaluate(direction.W)};
        end.place = point >= 0 ? drawing.point_paths[point]
                               : drawing.states.evaluate(drawing.position(direction.point));
        ends.push_back(std::move(end));
    }
    if (!ends.empty()) {
        return row.unattributed.empty() ? ends : std::vector<End>{};
    }
    std::size_t used = 0;
    for (const CoordinateParticle& particle : drawing.coordinate_particles) {
        End end{particle.point, drawing.point_paths[particle.point], {}};
        end.push.assign(end.place.size(), 0.0);
        const std::size_t before = used;
        for (const mech::Entry& entry : row.A) {
            const auto axis = std::ranges::find(particle.coordinates, entry.column);
            if (axis == particle.coordinates.end()) {
                continue;
            }
            ++used;
            const std::vector<double> values = drawing.states.evaluate({&entry.value, 1});
            for (std::size_t i = 0; i < values.size(); ++i) {
                end.push[3 * i + static_cast<std::size_t>(axis - particle.coordinates.begin())] =
                    values[i];
            }
        }
        if (used > before) {
            ends.push_back(std::move(end));
        }
    }
    return used == row.A.size() ? ends : std::vector<End>{};
}

std::vector<std::size_t> some_states(std::size_t count) {
    std::vector<std::size_t> chosen;
    const std::size_t step = std::max<std::size_t>(1, count / kLookedAt);
    for (std::size_t i = 0; i < count; i += step) {
        chosen.push_back(i);
    }
    return chosen;
}

Vector vector_at(const std::vector<double>& path, std::size_t state) {
    return {path[3 * state], path[3 * state + 1], path[3 * state + 2]};
}

Vector difference(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Vector& a) {
    return std::sqrt(dot(a, a));
}

/// Equal and opposite pushes along the line between the two, all the time.
bool holds_distance(const End& a, const End& b) {
    for (const std::size_t i : some_states(a.place.size() / 3)) {
        const Vector between = difference(vector_at(a.place, i), vector_at(b.place, i));
        const Vector push = vector_at(a.push, i);
        const Vector other = vector_at(b.push, i);
        const double size = length(push);
        const Vector sum{push[0] + other[0], push[1] + other[1], push[2] + other[2]};
        const double along = std::abs(dot(between, push));
        if (!(size > 0.0) || length(sum) > kSame * size ||
            along < (1.0 - kSame) * size * length(between) || !(length(between) > 0.0)) {
            return false;
        }
    }
    return !a.place.empty();
}

/// The place c with push = s (r - c), s and c constant; nothing if there is none.
std::optional<Vector> fixed_centre(const End& end) {
    const std::vector<std::size_t> states = some_states(end.place.size() / 3);
    if (states.size() < 3) {
        return std::nullopt;
    }
    const Vector r0 = vector_at(end.place, 0);
    const Vector g0 = vector_at(end.push, 0);
    double along = 0.0;
    double squares = 0.0;
    for (const std::size_t i : states) {
        const Vector dr = difference(vector_at(end.place, i), r0);
        along += dot(difference(vector_at(end.push, i), g0), dr);
        squares += dot(dr, dr);
    }
    const double radius = squares > 0.0 ? length(g0) * squares / std::abs(along) : 0.0;
    // Sizes of the motion below a thousandth of the distance say little about the curvature.
    if (!(radius > 0.0) || !std::isfinite(radius) || squares < 1e-6 * radius * radius) {
        return std::nullopt;
    }
    const double s = along / squares;
    const auto centre_at = [&](std::size_t i) {
        Vector centre = vector_at(end.place, i);
        const Vector g = vector_at(end.push, i);
        for (std::size_t k = 0; k < 3; ++k) {
            centre[k] -= g[k] / s;
        }
        return centre;
    };
    const Vector centre = centre_at(0);
    for (const std::size_t i : states) {
        if (!(length(difference(centre_at(i), centre)) <= kSame * radius)) {
            return std::nullopt;
        }
    }
    return centre;
}

/// A point of the scene at rest at that place, added if there is none.
int ground_point(Drawing& drawing, Vector place) {
    for (double& component : place) {
        component = std::abs(component) < 1e-9 ? 0.0 : component;
    }
    for (std::size_t i = 0; i < drawing.scene().points.size(); ++i) {
        if (drawing.scene().points[i].kind == ScenePoint::Kind::kGround &&
            length(difference(vector_at(drawing.point_paths[i], 0), place)) < kSame) {
            return static_cast<int>(i);
        }
    }
    std::vector<double> path;
    for (std::size_t i = 0; i < drawing.states.count(); ++i) {
        append(path, place);
    }
    ScenePoint point{"", {}, ScenePoint::Kind::kGround};
    return drawing.add_point(std::move(point), std::move(path));
}

}  // namespace

void draw_links(Drawing& drawing) {
    const mech::Model& model = drawing.model();
    if (drawing.states.count() == 0 || !drawing.scene().rails.empty()) {
        return;
    }
    for (const mech::Row& row : drawing.equations().rows) {
        const mech::Constraint& constraint = model.constraints[row.constraint];
        if (!row.holonomic || row.integrable || constraint.joint >= 0 || constraint.norm_of >= 0 ||
            constraint.rows.size() > 1 || row.actuated) {
            continue;
        }
        const std::vector<End> ends = ends_of(drawing, row);
        SceneLink link;
        link.label = constraint.name;
        if (ends.size() == 2 && ends[0].point >= 0 && ends[1].point >= 0 &&
            holds_distance(ends[0], ends[1])) {
            link.from = ends[0].point;
            link.to = ends[1].point;
        } else if (const auto centre = ends.size() == 1 && ends[0].point >= 0
                                           ? fixed_centre(ends[0])
                                           : std::nullopt) {
            link.from = ground_point(drawing, *centre);
            link.to = ends[0].point;
        } else {
            continue;
        }
        drawing.scene().links.push_back(std::move(link));
    }
}

}  // namespace ananke::report

#include "report/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/contacts.h"
#include "report/drawing.h"
#include "report/shapes.h"
#include "sym/walk.h"

namespace ananke::report {
namespace {

constexpr double kFlat = 1e-9;

struct Box {
    Vector low, high;
    Box() {
        low.fill(std::numeric_limits<double>::infinity());
        high.fill(-std::numeric_limits<double>::infinity());
    }
    void add(const double* place) {
        for (std::size_t k = 0; k < 3; ++k) {
            if (std::isfinite(place[k])) {
                low[k] = std::min(low[k], place[k]);
                high[k] = std::max(high[k], place[k]);
            }
        }
    }
    double size(std::size_t k) const { return high[k] >= low[k] ? high[k] - low[k] : 0.0; }
    double diagonal() const { return std::hypot(size(0), size(1), size(2)); }
};

/// The places of everything that is drawn, point by point, three numbers per state; without those
/// places of the ground that only a joint knows.
std::vector<std::vector<double>> all_paths(const Drawing& drawing) {
    std::vector<std::vector<double>> paths = drawing.point_paths;
    const mech::Model& model = drawing.model();
    for (std::size_t i = 0; i < model.points.size(); ++i) {
        const int body = model.points[i].body;
        if (drawing.point_of[i] < 0 && body >= 0 && drawing.body_of[body] >= 0) {
            paths.push_back(drawing.states.evaluate(drawing.position(i)));
        }
    }
    return paths;
}

/// Size of the drawing: the median over time of the extent of all points, so that a vehicle that
/// drives far away counts with its own size.
double typical_length(const Drawing& drawing, const std::vector<std::vector<double>>& paths) {
    double bodies = 0.0;
    for (const SceneBody& body : drawing.report.scene.bodies) {
        for (const Shape& shape : body.shapes) {
            bodies = std::max(bodies, 2.0 * extent(shape));
        }
    }
    std::vector<double> sizes;
    Box everything;
    const std::size_t count = drawing.states.count();
    for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / 256)) {
        Box now;
        for (const std::vector<double>& path : paths) {
            now.add(path.data() + 3 * i);
            everything.add(path.data() + 3 * i);
        }
        sizes.push_back(now.diagonal());
    }
    double together = 0.0;
    if (!sizes.empty()) {
        std::nth_element(sizes.begin(),
                         sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                         sizes.end());
        together = sizes[sizes.size() / 2];
    }
    const double size = std::max(together, bodies);
    return size > 0.0 ? size : everything.diagonal() > 0.0 ? everything.diagonal() : 1.0;
}

bool all_in_plane(const std::vector<std::vector<double>>& paths, double length) {
    Box box;
    for (const std::vector<double>& path : paths) {
        for (std::size_t i = 0; i + 3 <= path.size(); i += 3) {
            box.add(path.data() + i);
        }
    }
    return box.size(2) <= kFlat * length;
}

/// A constant force on a particle that its coordinates give: where no `force` is declared, its
/// weight.
std::optional<Vector> weight_of(const Drawing& drawing, const CoordinateParticle& particle) {
    std::vector<sym::Expr> forces;
    std::vector<std::size_t> axes;
    for (std::size_t k = 0; k < 3; ++k) {
        if (particle.coordinates[k] >= 0) {
            forces.push_back(drawing.equations().Q[particle.coordinates[k]]);
            axes.push_back(k);
        }
    }
    const sym::Graph& graph = drawing.model().graph;
    for (const sym::Expr force : forces) {
        if (sym::depends_on_kind(graph, force, sym::SymbolKind::kReaction)) {
            return std::nullopt;
        }
    }
    const std::vector<double> values = drawing.states.evaluate(forces);
    Vector weight{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t component = i % forces.size();
        if (std::abs(values[i] - values[component]) > kFlat * (1.0 + std::abs(values[i]))) {
            return std::nullopt;
        }
        weight[axes[component]] = values[component];
    }
    return weight;
}

Vector upwards(const Drawing& drawing) {
    Vector down{};
    if (drawing.model().gravity) {
        down = drawing.vector_at_start(*drawing.model().gravity);
    } else if (drawing.report.scene.rails.empty() && drawing.model().forces.empty()) {
        for (const CoordinateParticle& particle : drawing.coordinate_particles) {
            down = weight_of(drawing, particle).value_or(down);
        }
    }
    const double size = std::hypot(down[0], down[1], down[2]);
    if (size > 0.0 && std::isfinite(size)) {
        Vector up{};
        for (std::size_t k = 0; k < 3; ++k) {
            up[k] = down[k] == 0.0 ? 0.0 : -down[k] / size;
        }
        return up;
    }
    return drawing.report.scene.planar ? Vector{0.0, 1.0, 0.0} : Vector{0.0, 0.0, 1.0};
}

}  // namespace

void draw_scene(const States& states, const inspect::CheckReport& check, Report& report) {
    Drawing drawing(states, check, report);
    draw_points(drawing);
    draw_bodies(drawing);
    find_contacts(drawing);
    draw_joints(drawing);
    draw_links(drawing);
    draw_arrows(drawing);
    apply_views(drawing);
    const std::vector<std::vector<double>> paths = all_paths(drawing);
    report.scene.length = typical_length(drawing, paths);
    report.scene.planar = !drawing.turns_out_of_plane && all_in_plane(paths, report.scene.length);
    report.scene.up = upwards(drawing);
    // Seen from above, weight and the forces that carry it would point at the reader.
    if (report.scene.planar && std::abs(report.scene.up[2]) > kFlat) {
        report.scene.planar = false;
    }
    hide_points(drawing);
}

}  // namespace ananke::report

#include "report/default_plots.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/ranges.h"
#include "base/text.h"

namespace ananke::report {
namespace {

constexpr std::size_t kMostCurves = 8;  ///< of one plot: as many as there are colours
constexpr std::size_t kFewCurves = 4;   ///< that go into one plot though they are of two kinds
constexpr std::size_t kMostForcePlots = 6;
constexpr double kZero = 1e-9;  ///< of the size of a force: nothing

/// Adds a plot; curves beyond those that can be told apart are counted in its note.
void add(std::vector<PlotSpec>& plots, PlotSpec plot) {
    if (plot.y.empty()) {
        return;
    }
    if (plot.y.size() > kMostCurves) {
        const std::size_t more = plot.y.size() - kMostCurves;
        plot.note += fmt::format("{}{} more can be added.", plot.note.empty() ? "" : " ", more);
        plot.y.resize(kMostCurves);
    }
    plots.push_back(std::move(plot));
}

std::vector<std::string> names_of_kind(const Report& report, std::string_view kind,
                                       std::string_view prefix = "") {
    std::vector<std::string> names;
    for (const Series& column : report.columns) {
        if (column.kind == kind && column.name.starts_with(prefix)) {
            names.push_back(column.name);
        }
    }
    return names;
}

bool tells_an_error(const std::string& name) {
    return name.find("miss") != std::string::npos || name.find("error") != std::string::npos;
}

/// Coordinates worth a curve: those of no body (angles and slides of joints, say),
/// and those of bodies without the components of quaternions.
struct Coordinates {
    std::vector<std::string> free, of_bodies;
};

Coordinates plain_coordinates(const mech::Model& model) {
    std::map<std::size_t, bool> of_body;  // place: belongs to a quaternion
    for (const mech::Body& body : model.bodies) {
        const bool spatial = body.kind == mech::Body::Kind::kSpatial;
        for (std::size_t k = 0; body.first >= 0 && k < (spatial ? 7U : 3U); ++k) {
            of_body[body.first + k] = spatial && k >= 3;
        }
    }
    Coordinates names;
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        const auto found = of_body.find(i);
        if (found == of_body.end()) {
            names.free.push_back(model.coordinates[i].name);
        } else if (!found->second) {
            names.of_bodies.push_back(model.coordinates[i].name);
        }
    }
    return names;
}

std::vector<std::string> rates(const std::vector<std::string>& coordinates) {
    return transformed(coordinates, [](const std::string& name) { return name + "'"; });
}

/// What moves.
void add_response(std::vector<PlotSpec>& plots, const Report& report, const mech::Model& model) {
    const Coordinates names = plain_coordinates(model);
    std::vector<std::string> outputs = names_of_kind(report, "output");
    std::erase_if(outputs, tells_an_error);
    std::vector<std::string> coordinates = names.free;
    if (!names.of_bodies.empty()) {
        // Of bodies the declared outputs and the joints tell more than coordinates of mass centres.
        if (outputs.size() + names.free.size() <= kFewCurves) {
            append(outputs, names.free);
            add(plots, {.title = "Response", .y = outputs});
        } else {
            add(plots, {.title = "Outputs", .y = outputs});
            add(plots, {.title = "Joint coordinates", .y = names.free});
        }
        if (outputs.empty() && names.free.empty()) {
            add(plots, {.title = "Response: mass centres", .y = names.of_bodies});
        }
        append(coordinates, names.of_bodies);
    } else {
        add(plots, {.title = "Response", .y = names.free});
    }
    if (report.compare) {
        add(plots, {.title = fmt::format("With and {}", report.compare->label),
                    .y = coordinates,
                    .compare = true,
                    .note = "Lines: the whole model. Dashed: " + report.compare->label + "."});
    }
}

/// More of the motion, below what holds it.
void add_motion(std::vector<PlotSpec>& plots, const Report& report, const mech::Model& model) {
    const Coordinates names = plain_coordinates(model);
    std::vector<std::string> outputs = names_of_kind(report, "output");
    std::erase_if(outputs, tells_an_error);
    if (names.of_bodies.empty()) {
        add(plots, {.title = "Outputs", .y = outputs});
        add(plots, {.title = "Velocities", .y = rates(names.free)});
        return;
    }
    if (!outputs.empty() || !names.free.empty()) {
        add(plots, {.title = "Response: mass centres", .y = names.of_bodies});
    }
    add(plots, {.title = "Velocities of mass centres", .y = rates(names.of_bodies)});
}

/// y against x of places in a plane that two coordinates give.
void add_paths(std::vector<PlotSpec>& plots, const Report& report, const mech::Model& model) {
    if (!report.scene.planar || model.coordinates.size() > 2 * kMostCurves) {
        return;
    }
    std::size_t drawn = 0;
    for (std::size_t i = 0; i + 1 < model.coordinates.size() && drawn < 3; ++i) {
        const std::string& x = model.coordinates[i].name;
        const std::string& y = model.coordinates[i + 1].name;
        std::string as_y = x;
        const std::size_t letter = as_y.find('x');
        if (letter == std::string::npos) {
            continue;
        }
        as_y[letter] = 'y';
        if (as_y == y) {
            add(plots, {.title = fmt::format("Path: {} against {}", y, x), .x = x, .y = {y}});
            ++drawn;
        }
    }
}

double largest_of(const Report& report, int column) {
    const std::string_view bytes = report.data.bytes();
    double largest = 0.0;
    for (std::size_t i = 0; i < report.rows; ++i) {
        float value = 0.0F;
        std::memcpy(&value, bytes.data() + report.columns[column].offset + i * sizeof value,
                    sizeof value);
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    return largest;
}

/// Components of an arrow worth a curve: in a plane forces have no z, torques only z, unless
/// these are not zero.
std::vector<std::string> components(const Report& report, const SceneArrow& arrow) {
    std::vector<std::string> names;
    const double largest = arrow.size >= 0 ? largest_of(report, arrow.size) : 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        const bool out_of_plane = k == 2;
        const bool in_picture = !report.scene.planar || out_of_plane == arrow.torque;
        if (arrow.columns[k] >= 0 &&
            (in_picture || largest_of(report, arrow.columns[k]) > kZero * largest)) {
            names.push_back(report.columns[arrow.columns[k]].name);
        }
    }
    return names;
}

/// Per constraint or joint one arrow: the side of it that the animation draws, which is the last.
std::vector<const SceneArrow*> drawn_arrows(const Report& report, bool torque) {
    std::vector<const SceneArrow*> drawn;
    for (const SceneArrow& arrow : report.scene.arrows) {
        if (arrow.torque != torque) {
            continue;
        }
        const auto known = std::ranges::find_if(
            drawn, [&](const SceneArrow* other) { return other->owner == arrow.owner; });
        if (known == drawn.end()) {
            drawn.push_back(&arrow);
        } else {
            *known = &arrow;
        }
    }
    return drawn;
}

PlotSpec components_plot(const Report& report, const SceneArrow& arrow) {
    return {.title = fmt::format("{} of {} on {}", arrow.torque ? "Torque" : "Force", arrow.owner,
                                 arrow.on),
            .y = components(report, arrow),
            .note = arrow.note};
}

/// Size of the force of each constraint, one curve each, as the arrows show it. A single force is
/// shown by its components.
void add_force_sizes(std::vector<PlotSpec>& plots, const Report& report) {
    const std::vector<const SceneArrow*> forces = drawn_arrows(report, false);
    if (forces.size() == 1) {
        add(plots, components_plot(report, *forces.front()));
        return;
    }
    PlotSpec plot{.title = "Forces of constraint", .y = {}};
    for (const SceneArrow* force : forces) {
        if (force->size >= 0) {
            plot.y.push_back(report.columns[force->size].name);
        }
    }
    add(plots, std::move(plot));
}

/// The components of each force, then those of the torques of what has no force.
void add_force_arrows(std::vector<PlotSpec>& plots, const Report& report) {
    std::vector<const SceneArrow*> arrows = drawn_arrows(report, false);
    std::set<std::string> owners;
    for (const SceneArrow* force : arrows) {
        owners.insert(force->owner);
    }
    arrows.resize(arrows.size() > 1 ? std::min(arrows.size(), kMostForcePlots) : 0);
    for (const SceneArrow* torque : drawn_arrows(report, true)) {
        if (!owners.contains(torque->owner) && arrows.size() < 2 * kMostForcePlots) {
            arrows.push_back(torque);
        }
    }
    for (const SceneArrow* arrow : arrows) {
        add(plots, components_plot(report, *arrow));
    }
}

void add_forces(std::vector<PlotSpec>& plots, const Report& report, bool has_bodies) {
    add_force_arrows(plots, report);
    const std::vector<std::string> forces = names_of_kind(report, "force", "Qc[");
    if (forces.size() <= kMostCurves && !has_bodies) {
        add(plots, {.title = "Forces of constraint by coordinate", .y = forces});
    }
    const std::vector<std::string> multipliers = names_of_kind(report, "multiplier");
    if (multipliers.size() <= kMostCurves && !has_bodies) {
        add(plots, {.title = "Multipliers", .y = multipliers});
    }
    add(plots, {.title = "Friction", .y = names_of_kind(report, "pointForce", "friction[")});
    add(plots, {.title = "Controls", .y = names_of_kind(report, "control")});
}

/// The largest first, so that what is worst is seen.
void sort_by_size(std::vector<std::string>& names, const io::Trajectory& trajectory) {
    std::map<std::string, double> sizes;
    for (const std::string& name : names) {
        double largest = 0.0;
        for (const double value : trajectory.column(name)) {
            largest = std::max(largest, std::abs(value));
        }
        sizes[name] = largest;
    }
    std::ranges::stable_sort(
        names, [&](const std::string& a, const std::string& b) { return sizes[a] > sizes[b]; });
}

void add_accuracy(std::vector<PlotSpec>& plots, const Report& report,
                  const io::Trajectory& trajectory) {
    std::vector<std::string> residuals = names_of_kind(report, "residual", "residual[");
    if (residuals.size() > kMostCurves) {
        sort_by_size(residuals, trajectory);
    }
    add(plots, {.title = "Constraint satisfaction",
                .y = std::move(residuals),
                .log = true,
                .note = "Left less right side of each constraint, over the size of its terms."});
    std::vector<std::string> errors = names_of_kind(report, "output");
    std::erase_if(errors, [](const std::string& name) { return !tells_an_error(name); });
    add(plots, {.title = "Numerical error", .y = std::move(errors), .log = true});
    add(plots, {.title = "Energy balance",
                .y = names_of_kind(report, "energy", "energy_balance"),
                .log = true,
                .note = "Energy less what it was at the start and the work done since."});
}

void add_energy(std::vector<PlotSpec>& plots, const Report& report) {
    std::vector<std::string> energies = names_of_kind(report, "energy");
    std::erase(energies, "energy_balance");
    add(plots, {.title = "Energy", .y = std::move(energies)});
}

}  // namespace

std::vector<PlotSpec> default_plots(const Report& report, const compile::Prepared& prepared,
                                    const io::Trajectory& trajectory) {
    std::vector<PlotSpec> plots;
    add_response(plots, report, prepared.model);
    add_force_sizes(plots, report);
    add_paths(plots, report, prepared.model);
    add_motion(plots, report, prepared.model);
    add_forces(plots, report, !prepared.model.bodies.empty());
    add_accuracy(plots, report, trajectory);
    add_energy(plots, report);
    return plots;
}

std::vector<PlotSpec> plain_plots(const Report& report, const io::Trajectory& trajectory) {
    std::vector<PlotSpec> plots;
    add(plots, {.title = "Response", .y = names_of_kind(report, "position")});
    add(plots, {.title = "Outputs", .y = names_of_kind(report, "output")});
    add(plots, {.title = "Forces of constraint by coordinate",
                .y = names_of_kind(report, "force", "Qc[")});
    add_accuracy(plots, report, trajectory);
    add_energy(plots, report);
    return plots;
}

}  // namespace ananke::report

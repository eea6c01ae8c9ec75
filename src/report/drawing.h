// The scene while it is built: what the functions that draw its parts share.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "inspect/check.h"
#include "report/report.h"
#include "report/states.h"

namespace ananke::report {

/// A particle whose place is given by coordinates themselves: forces on them are forces on it.
struct CoordinateParticle {
    int point = 0;                               ///< in Scene::points
    std::array<int, 3> coordinates{-1, -1, -1};  ///< -1: that component does not move with one
};

/// Where two bodies touch: three numbers per state.
struct Contact {
    Track track;
    std::vector<double> path;
};

struct Drawing {
    Drawing(const States& states_, const inspect::CheckReport& check_, Report& report_)
        : states(states_), check(check_), report(report_) {}

    const States& states;
    const inspect::CheckReport& check;
    Report& report;

    // Filled by draw_points() and draw_bodies().
    std::vector<std::vector<double>> point_paths;  ///< per point of the scene: 3 per state
    std::vector<int> point_of;                     ///< per point of the model; -1: not drawn
    std::vector<int> body_of;                      ///< per body of the model; -1: the ground
    std::vector<CoordinateParticle> coordinate_particles;
    std::vector<int> hidden_points;  ///< in Scene::points
    /// Per target of reactions whose force acts beside its reference: where. By find_contacts().
    std::map<int, Contact> contacts;
    bool turns_out_of_plane = false;  ///< a body turns about something else than z

    const mech::Model& model() const { return states.prepared().model; }
    const mech::Equations& equations() const { return states.prepared().equations; }
    const mech::Vec3& position(std::size_t point) const {
        return equations().points[point].position;
    }
    Scene& scene() { return report.scene; }

    /// The track of a place, stored once however often it is asked for.
    Track track_of(const mech::Vec3& position);
    Track add_track(const std::vector<double>& path, int width);
    /// Adds a point with its path; returns its place in the scene.
    int add_point(ScenePoint point, std::vector<double> path);
    /// Adds a column that the recorder did not have; returns its place.
    int add_column(const std::string& name, const std::vector<double>& values);
    /// Numbers of a column of the report, as the recorder or add_column() had them.
    std::vector<double> values_of(int column) const;
    double value_at_start(sym::Expr e) const;  ///< 0 of a run without rows
    Vector vector_at_start(const mech::Vec3& v) const;
    /// Place of a column in the report; -1: none.
    int find_column(const std::string& name) const;

  private:
    std::map<std::array<sym::Expr, 3>, Track> tracks_;
    std::map<int, std::vector<double>> added_;  ///< by add_column()
};

/// Particles, declared points, and what stands for coordinates where a model has neither points
/// nor bodies.
void draw_points(Drawing& drawing);
void draw_bodies(Drawing& drawing);
void draw_joints(Drawing& drawing);
/// Rods: constraints that hold a distance between two points, or to a fixed place.
void draw_links(Drawing& drawing);
/// Forces and torques of constraint.
void draw_arrows(Drawing& drawing);
/// The `view` statements; then, when nothing refers to points any more, those that they hide.
void apply_views(Drawing& drawing);
void hide_points(Drawing& drawing);

}  // namespace ananke::report

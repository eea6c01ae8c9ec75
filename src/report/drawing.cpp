#include "report/drawing.h"

#include <algorithm>

namespace ananke::report {

Track Drawing::add_track(const std::vector<double>& path, int width) {
    return {report.data.add_floats(path), width};
}

Track Drawing::track_of(const mech::Vec3& position) {
    const auto found = tracks_.find(position);
    if (found != tracks_.end()) {
        return found->second;
    }
    const Track track = add_track(states.evaluate(position), 3);
    tracks_.emplace(position, track);
    return track;
}

int Drawing::add_point(ScenePoint point, std::vector<double> path) {
    point.track = add_track(path, 3);
    scene().points.push_back(std::move(point));
    point_paths.push_back(std::move(path));
    return static_cast<int>(scene().points.size()) - 1;
}

int Drawing::add_column(const std::string& name, const std::vector<double>& values) {
    const bool torque = name.starts_with("torque[") || name.starts_with("|torque[");
    report.columns.push_back(
        {name, "pointForce", report.data.add_floats(values), false, torque ? "N m" : "N"});
    const int column = static_cast<int>(report.columns.size()) - 1;
    added_[column] = values;
    return column;
}

std::vector<double> Drawing::values_of(int column) const {
    const auto found = added_.find(column);
    return found != added_.end() ? found->second : states.column(report.columns[column].name);
}

double Drawing::value_at_start(sym::Expr e) const {
    const std::vector<double> value = states.evaluate_at_start({&e, 1});
    return value.empty() ? 0.0 : value.front();
}

Vector Drawing::vector_at_start(const mech::Vec3& v) const {
    return {value_at_start(v[0]), value_at_start(v[1]), value_at_start(v[2])};
}

int Drawing::find_column(const std::string& name) const {
    const auto found = std::ranges::find(report.columns, name, &Series::name);
    return found == report.columns.end() ? -1 : static_cast<int>(found - report.columns.begin());
}

}  // namespace ananke::report

#include "report/make_report.h"

#include <algorithm>
#include <array>

#include "io/figure.h"
#include "report/default_plots.h"
#include "report/scene.h"
#include "report/states.h"
#include "report/tables.h"

namespace ananke::report {
namespace {

std::string kind_name(ColumnKind kind) {
    constexpr std::array<const char*, 12> kNames{
        "time",    "position", "velocity",   "acceleration", "force",  "multiplier",
        "control", "residual", "pointForce", "energy",       "output", "principle"};
    return kNames.at(static_cast<std::size_t>(kind));
}

/// SI, where the kind of quantity is known. Coordinates of bodies are places and angles; those that
/// a model declares by itself may be anything.
std::string unit_of_column(const Column& column, const mech::Model* model) {
    std::string unit = io::unit_of(column.name);
    if (!unit.empty() || model == nullptr) {
        return unit;
    }
    const std::size_t primes =
        column.name.size() - std::min(column.name.find('\''), column.name.size());
    const std::string name = column.name.substr(0, column.name.size() - primes);
    constexpr std::array<const char*, 3> kPer{"", "/s", "/s\u00b2"};
    for (const mech::Body& body : model->bodies) {
        for (int k = 0; body.first >= 0 && k < 3 && primes < kPer.size(); ++k) {
            const std::size_t place = body.coordinate(k);
            if (model->coordinates[place].name == name) {
                const bool angle = k == 2 && body.kind == mech::Body::Kind::kPlanar;
                return std::string(angle ? "rad" : "m") + kPer[primes];
            }
        }
    }
    return "";
}

/// All columns, the time in full.
std::vector<StoredColumn> add_columns(const io::Trajectory& trajectory, const mech::Model* model,
                                      DataBlock& data) {
    std::vector<StoredColumn> columns;
    std::vector<double> values(trajectory.rows());
    for (std::size_t k = 0; k < trajectory.columns(); ++k) {
        const Column& column = trajectory.header.columns[k];
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = trajectory.values[i * trajectory.columns() + k];
        }
        const bool wide = column.kind == ColumnKind::kTime;
        columns.push_back({column.name, kind_name(column.kind),
                           wide ? data.add_doubles(values) : data.add_floats(values), wide,
                           unit_of_column(column, model)});
    }
    return columns;
}

Report columns_and_facts(const io::Trajectory& trajectory, const mech::Model* model,
                         const std::string& file) {
    Report report;
    report.version = trajectory.header.version;
    report.title = trajectory.header.title;
    report.model_text = trajectory.header.model_text;
    report.file = file;
    report.parameters = trajectory.header.parameters;
    report.ending = trajectory.ending;
    report.rows = trajectory.rows();
    report.columns = add_columns(trajectory, model, report.data);
    for (const Event& event : trajectory.events) {
        report.events.push_back({event.t, event.name, event.kind, event.detail});
    }
    return report;
}

}  // namespace

Report plain_report(const io::Trajectory& trajectory, const std::string& file) {
    Report report = columns_and_facts(trajectory, nullptr, file);
    report.plots = plain_plots(report, trajectory);
    return report;
}

Result<Report> make_report(const compile::Prepared& prepared, const inspect::CheckReport* check,
                           const io::Trajectory& trajectory, const std::string& file,
                           const Compared& compared) {
    const Result<States> states = States::of(prepared, trajectory);
    if (!states) {
        return states.error();
    }
    Report report = columns_and_facts(trajectory, &prepared.model, file);
    if (compared.trajectory != nullptr) {
        report.compare =
            Comparison{compared.label, compared.trajectory->rows(),
                       add_columns(*compared.trajectory, &prepared.model, report.data)};
    }
    draw_scene(states.value(), check != nullptr ? *check : inspect::CheckReport{}, report);
    if (check != nullptr) {
        report.tables = check_tables(*check, prepared);
    }
    report.plots = default_plots(report, prepared, trajectory);
    return report;
}

}  // namespace ananke::report

#include "ananke/show.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ananke {
namespace {

/// The columns of these names over another one; an error that proposes the nearest for a name that
/// is none.
Result<std::vector<Series>> curves_of(const Trajectory& trajectory,
                                      const std::vector<std::string>& names,
                                      const std::string& over) {
    std::vector<std::string> known;
    for (const Column& column : trajectory.header.columns) {
        known.push_back(column.name);
    }
    std::vector<std::string> wanted = names;
    wanted.push_back(over);
    for (const std::string& name : wanted) {
        if (!trajectory.find(name)) {
            const std::string near = nearest_name(name, known);
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("there is no column '{}'{}", name,
                                     near.empty() ? "; see `ananke check` for the list"
                                                  : fmt::format("; did you mean '{}'?", near))};
        }
    }
    std::vector<Series> series;
    series.reserve(names.size());
    for (const std::string& name : names) {
        series.push_back({name, trajectory.column(over), trajectory.column(name)});
    }
    return series;
}

}  // namespace

Result<std::string> plot_columns(const Trajectory& trajectory,
                                 const std::vector<std::string>& names,
                                 const PlotOptions& options) {
    const Result<std::vector<Series>> series = curves_of(trajectory, names, "t");
    if (!series) {
        return series.error();
    }
    return plot(series.value(), options);
}

Result<void> draw_columns(const Trajectory& trajectory, const std::vector<std::string>& names,
                          const std::string& path, const FigureOptions& options) {
    const Result<std::vector<Series>> series = curves_of(trajectory, names, options.x_name);
    if (!series) {
        return series.error();
    }
    return draw(series.value(), path, options);
}

}  // namespace ananke

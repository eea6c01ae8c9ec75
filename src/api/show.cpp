#include "ananke/show.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "base/text.h"

namespace ananke {
namespace {

/// The columns of these names over another one; an error that proposes the nearest for a name that
/// is none.
Result<std::vector<Series>> curves_of(const Trajectory& trajectory,
                                      const std::vector<std::string>& names,
                                      const std::string& over) {
    std::vector<std::string> known = transformed(trajectory.header.columns, &Column::name);
    if (names.empty()) {
        constexpr std::size_t kSome = 12;
        const bool more = known.size() > kSome;
        known.resize(std::min(known.size(), kSome));
        return Error{ErrorCode::kInvalidInput,
                     fmt::format("no column is named to draw; give some, as in \"x, y\", of: {}{}",
                                 fmt::join(known, ", "), more ? ", ..." : "")};
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
    return transformed(names, [&](const std::string& name) {
        return Series{name, trajectory.column(over), trajectory.column(name)};
    });
}

/// Whether these are all coordinates of places, along axes of one drawing.
bool are_places(const Trajectory& trajectory, const std::vector<std::string>& names) {
    return std::ranges::all_of(names, [&](const std::string& name) {
        const auto& columns = trajectory.header.columns;
        const auto found = std::ranges::find(columns, name, &Column::name);
        return found != columns.end() && found->kind == ColumnKind::kPosition &&
               std::string_view("xyzXYZ").find(name.back()) != std::string_view::npos;
    });
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
    FigureOptions fitting = options;
    fitting.equal |=
        !options.log && are_places(trajectory, names) && are_places(trajectory, {options.x_name});
    return draw(series.value(), path, fitting);
}

}  // namespace ananke

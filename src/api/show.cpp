#include "ananke/show.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ananke {

Result<std::string> plot_columns(const Trajectory& trajectory,
                                 const std::vector<std::string>& names,
                                 const PlotOptions& options) {
    std::vector<std::string> known;
    for (const Column& column : trajectory.header.columns) {
        known.push_back(column.name);
    }
    std::vector<Series> series;
    for (const std::string& wanted : names) {
        if (!trajectory.find(wanted)) {
            const std::string near = nearest_name(wanted, known);
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("there is no column '{}'{}", wanted,
                                     near.empty() ? "; see `ananke check` for the list"
                                                  : fmt::format("; did you mean '{}'?", near))};
        }
        series.push_back({wanted, trajectory.column("t"), trajectory.column(wanted)});
    }
    return plot(series, options);
}

}  // namespace ananke

// A run kept in memory: for tests, printed tables, plots and sweeps.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record.h"

namespace ananke::io {

/// The columns and rows of a run. Values are row-major.
struct Trajectory {
    sim::Header header;
    std::vector<double> values;
    std::vector<sim::Event> events;
    std::string ending;  ///< empty while the run goes

    std::size_t columns() const { return header.columns.size(); }
    std::size_t rows() const { return columns() == 0 ? 0 : values.size() / columns(); }
    std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * columns(), columns());
    }
    std::optional<std::size_t> find(std::string_view name) const;
    /// Requires a column of that name.
    std::vector<double> column(std::string_view name) const;
};

/// Writes into `trajectory`, which must outlive the recorder.
///
/// `row_limit` bounds memory: when more rows arrive, every other one is dropped and from then on
/// only each second (fourth, ...) is taken, so that at least half the limit stays, evenly spaced,
/// with the first and the last row of the run. 0 keeps all.
std::unique_ptr<sim::Recorder> record_in_memory(Trajectory& trajectory, std::size_t row_limit = 0);

}  // namespace ananke::io

// Keeps the columns and the last row of a run.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "ananke/record.h"
#include "base/check.h"

namespace ananke::bench {

class LastRow final : public Recorder {
  public:
    Result<void> begin(const Header& header) override {
        columns_ = header.columns;
        return {};
    }
    Result<void> row(std::span<const double> values) override {
        row_.assign(values.begin(), values.end());
        return {};
    }
    Result<void> event(const Event& /*event*/) override { return {}; }
    Result<void> finish(const std::string& /*ending*/) override { return {}; }

    /// t, q, v, ...
    const std::vector<double>& values() const { return row_; }
    /// Requires a column of that name and a row.
    double value(std::string_view name) const {
        const auto found = std::find_if(columns_.begin(), columns_.end(),
                                        [&](const Column& c) { return c.name == name; });
        ANANKE_REQUIRE(found != columns_.end() && row_.size() == columns_.size());
        return row_[static_cast<std::size_t>(found - columns_.begin())];
    }

  private:
    std::vector<Column> columns_;
    std::vector<double> row_;
};

}  // namespace ananke::bench

// A run kept in memory: record_in_memory(), for tests, printed tables, plots and sweeps.
#include <algorithm>

#include "ananke/record.h"
#include "base/check.h"
#include "base/ranges.h"

namespace ananke::io {
namespace {

class Memory final : public Recorder {
  public:
    Memory(Trajectory& trajectory, std::size_t row_limit)
        : trajectory_(trajectory), row_limit_(row_limit) {}

    Result<void> begin(const Header& header) override {
        trajectory_ = Trajectory{header, {}, {}, {}};
        return {};
    }

    Result<void> row(std::span<const double> values) override {
        ANANKE_REQUIRE(values.size() == trajectory_.columns());
        if (last_is_extra_) {
            trajectory_.values.resize(trajectory_.values.size() - values.size());
        }
        if (row_limit_ > 0 && trajectory_.rows() + 1 > row_limit_) {
            thin();
        }
        append(trajectory_.values, values);
        last_is_extra_ = count_ % stride_ != 0;
        ++count_;
        return {};
    }

    Result<void> event(const Event& event) override {
        trajectory_.events.push_back(event);
        return {};
    }

    Result<void> finish(const std::string& ending) override {
        trajectory_.ending = ending;
        return {};
    }

  private:
    void thin() {
        const auto width = static_cast<std::ptrdiff_t>(trajectory_.columns());
        const auto rows = static_cast<std::ptrdiff_t>(trajectory_.rows());
        const auto begin = trajectory_.values.begin();
        for (std::ptrdiff_t i = 2; i < rows; i += 2) {
            std::copy_n(begin + i * width, width, begin + i / 2 * width);
        }
        trajectory_.values.resize(static_cast<std::size_t>((rows + 1) / 2 * width));
        stride_ *= 2;
    }

    Trajectory& trajectory_;
    std::size_t row_limit_;
    std::size_t count_ = 0;
    std::size_t stride_ = 1;
    bool last_is_extra_ = false;  // the latest row, kept only until the next one arrives
};

}  // namespace

std::optional<std::size_t> Trajectory::find(std::string_view name) const {
    for (std::size_t i = 0; i < columns(); ++i) {
        if (header.columns[i].name == name) {
            return i;
        }
    }
    return std::nullopt;
}

std::vector<double> Trajectory::column(std::string_view name) const {
    const auto index = find(name);
    ANANKE_REQUIRE(index.has_value());
    std::vector<double> result;
    result.reserve(rows());
    for (std::size_t i = *index; i < values.size(); i += columns()) {
        result.push_back(values[i]);
    }
    return result;
}

std::unique_ptr<Recorder> record_in_memory(Trajectory& trajectory, std::size_t row_limit) {
    return std::make_unique<Memory>(trajectory, row_limit);
}

}  // namespace ananke::io

// The short table that a run prints when its results go to no file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ananke/show.h"
#include "base/check.h"
#include "base/ranges.h"
#include "base/text.h"

namespace ananke::io {
namespace {

constexpr std::size_t kGap = 2;
constexpr int kDigits = 6;
constexpr double kLargestFixed = 1e6;
constexpr double kSmallestFixed = 1e-3;

// What a reader looks for first.
constexpr std::array kPriority{
    ColumnKind::kTime,       ColumnKind::kPosition,     ColumnKind::kVelocity,
    ColumnKind::kOutput,     ColumnKind::kForce,        ColumnKind::kEnergy,
    ColumnKind::kControl,    ColumnKind::kAcceleration, ColumnKind::kPointForce,
    ColumnKind::kMultiplier, ColumnKind::kResidual,     ColumnKind::kPrinciple};

std::vector<std::size_t> by_priority(const Trajectory& trajectory) {
    std::vector<std::size_t> order;
    for (const ColumnKind kind : kPriority) {
        for (std::size_t i = 0; i < trajectory.columns(); ++i) {
            if (trajectory.header.columns[i].kind == kind) {
                order.push_back(i);
            }
        }
    }
    return order;
}

std::vector<std::size_t> even_choice(std::size_t count, std::size_t wanted) {
    std::vector<std::size_t> chosen;
    const std::size_t rows = std::min(count, wanted);
    for (std::size_t i = 0; i < rows; ++i) {
        chosen.push_back(rows == 1 ? count - 1 : (i * (count - 1) + (rows - 1) / 2) / (rows - 1));
    }
    return chosen;
}

/// Digits after the point that give the largest value six significant ones; -1: scientific.
int decimals_for(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            largest = std::max(largest, std::abs(value));
        }
    }
    if (largest >= kLargestFixed || (largest > 0.0 && largest < kSmallestFixed)) {
        return -1;
    }
    const int before_point = largest < 1.0 ? 1 : static_cast<int>(std::log10(largest)) + 1;
    return kDigits - before_point;
}

std::string cell_text(double value, int decimals) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
    }
    if (value == 0.0) {
        return decimals < 0 ? "0" : fmt::format("{:.{}f}", 0.0, decimals);
    }
    // A value that the column's digits would show as zero is not zero: say how small it is.
    if (decimals < 0 || std::abs(value) < 0.5 * std::pow(10.0, -decimals)) {
        return fmt::format("{:.{}e}", value, decimals < 0 ? kDigits - 1 : 1);
    }
    return fmt::format("{:.{}f}", value, decimals);
}

/// Drops the zeros at the end that all fixed numbers of the column have in common.
void trim_common_zeros(std::vector<std::string>& cells) {
    const auto is_fixed = [](const std::string& cell) {
        return cell.find('.') != std::string::npos && cell.find('e') == std::string::npos;
    };
    while (true) {
        bool any = false;
        for (const std::string& cell : cells) {
            if (is_fixed(cell)) {
                any = true;
                const std::size_t end = cell.size();
                if (cell[end - 1] != '0' || cell[end - 2] == '.') {
                    return;
                }
            }
        }
        if (!any) {
            return;
        }
        for (std::string& cell : cells) {
            if (is_fixed(cell)) {
                cell.pop_back();
            }
        }
    }
}

std::vector<std::string> column_cells(const Trajectory& trajectory, std::size_t column,
                                      const std::vector<std::size_t>& rows) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const std::size_t row : rows) {
        values.push_back(trajectory.row(row)[column]);
    }
    const int decimals = decimals_for(values);
    std::vector<std::string> cells =
        transformed(values, [&](const double value) { return cell_text(value, decimals); });
    trim_common_zeros(cells);
    cells.insert(cells.begin(), trajectory.header.columns[column].name);
    return cells;
}

}  // namespace

std::string table(const Trajectory& trajectory, const TableOptions& options) {
    const std::vector<std::size_t> rows = even_choice(trajectory.rows(), options.rows);
    if (rows.empty()) {
        return "  no rows\n";
    }
    std::vector<std::string> lines(rows.size() + 1);
    std::size_t used = 0;
    std::size_t shown = 0;
    const std::vector<std::size_t> order = by_priority(trajectory);
    for (const std::size_t column : order) {
        const std::vector<std::string> cells = column_cells(trajectory, column, rows);
        std::size_t width = 0;
        for (const std::string& cell : cells) {
            width = std::max(width, display_width(cell));
        }
        if (shown > 0 && used + kGap + width > options.width) {
            break;
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            lines[i].append(kGap + width - display_width(cells[i]), ' ');
            lines[i] += cells[i];
        }
        used += kGap + width;
        ++shown;
    }
    std::string text;
    for (const std::string& line : lines) {
        text += line;
        text += '\n';
    }
    if (const std::size_t hidden = order.size() - shown; hidden > 0) {
        text += fmt::format("  and {} more {}\n", hidden, hidden == 1 ? "column" : "columns");
    }
    return text;
}

}  // namespace ananke::io

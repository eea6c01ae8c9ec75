#include <charconv>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "io/input.h"
#include "io/read_results.h"

namespace ananke::io {
namespace {

/// The fields of one line from `at`, which moves to the next one. RFC 4180
std::vector<std::string> fields(const std::string& text, std::size_t& at) {
    std::vector<std::string> result(1);
    bool quoted = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            if (quoted && at + 1 < text.size() && text[at + 1] == '"') {
                result.back() += c;
                ++at;
            } else {
                quoted = !quoted;
            }
        } else if (c == ',' && !quoted) {
            result.emplace_back();
        } else if (c == '\n' && !quoted) {
            ++at;
            break;
        } else if (c != '\r' || quoted) {
            result.back() += c;
        }
    }
    return result;
}

bool read_number(const std::string& field, double& value) {
    const char* begin = field.data();
    const char* end = begin + field.size();
    while (begin < end && (*begin == ' ' || *begin == '+')) {
        ++begin;
    }
    if (std::string_view(begin, static_cast<std::size_t>(end - begin)) == "nan") {
        value = std::nan("");
        return true;
    }
    const std::from_chars_result read = std::from_chars(begin, end, value);
    return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

ColumnKind kind_of_name(std::string_view name) {
    struct Known {
        std::string_view beginning;
        ColumnKind kind;
    };
    constexpr Known kKnown[] = {{"Qc", ColumnKind::kForce},
                                {"lambda[", ColumnKind::kMultiplier},
                                {"control[", ColumnKind::kControl},
                                {"residual", ColumnKind::kResidual},
                                {"force[", ColumnKind::kPointForce},
                                {"torque[", ColumnKind::kPointForce},
                                {"power[", ColumnKind::kPointForce},
                                {"friction[", ColumnKind::kPointForce},
                                {"kinetic", ColumnKind::kEnergy},
                                {"potential", ColumnKind::kEnergy},
                                {"energy", ColumnKind::kEnergy},
                                {"a0[", ColumnKind::kPrinciple},
                                {"deviation[", ColumnKind::kPrinciple}};
    if (name == "t") {
        return ColumnKind::kTime;
    }
    for (const Known& known : kKnown) {
        if (name.starts_with(known.beginning)) {
            return known.kind;
        }
    }
    return name.ends_with("''")   ? ColumnKind::kAcceleration
           : name.ends_with('\'') ? ColumnKind::kVelocity
                                  : ColumnKind::kOutput;
}

Result<Trajectory> read_csv(const std::string& path) {
    const Result<std::string> read = read_whole(path);
    if (!read) {
        return read.error();
    }
    const std::string& text = read.value();
    Trajectory trajectory;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    const std::vector<std::string> names = fields(text, at);
    if (at == 0 || text[at - 1] != '\n') {
        return Error{ErrorCode::kInvalidInput, fmt::format("{} holds no rows", path)};
    }
    for (const std::string& name : names) {
        trajectory.header.columns.push_back({name, kind_of_name(name)});
    }
    const std::unordered_set<std::string> known(names.begin(), names.end());
    for (Column& column : trajectory.header.columns) {
        // A quantity whose velocity is there is a coordinate.
        if (column.kind == ColumnKind::kOutput && known.contains(column.name + "'")) {
            column.kind = ColumnKind::kPosition;
        }
    }
    trajectory.ending = "done";
    for (std::size_t line = 2; at < text.size(); ++line) {
        const std::vector<std::string> row = fields(text, at);
        if (text[at - 1] != '\n') {
            // A run that was killed, or has just written a part: the last number may be cut too.
            trajectory.ending = "the file ends within a line, which is left out";
            break;
        }
        if (row.size() == 1 && row.front().empty()) {
            continue;
        }
        if (row.size() != trajectory.columns()) {
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("{}:{}: {} values in a table of {} columns", path, line,
                                     row.size(), trajectory.columns())};
        }
        for (const std::string& field : row) {
            double value = 0.0;
            if (!read_number(field, value)) {
                return Error{ErrorCode::kInvalidInput,
                             fmt::format("{}:{}: '{}' is not a number", path, line, field)};
            }
            trajectory.values.push_back(value);
        }
    }
    return trajectory;
}

}  // namespace ananke::io

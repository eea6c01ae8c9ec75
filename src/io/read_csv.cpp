#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

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
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return Error{ErrorCode::kIo, fmt::format("cannot read {}", path)};
    }
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Trajectory trajectory;
    std::size_t at = 0;
    for (std::string& name : fields(text, at)) {
        const ColumnKind kind = kind_of_name(name);
        trajectory.header.columns.push_back({std::move(name), kind});
    }
    for (Column& column : trajectory.header.columns) {
        // A quantity whose velocity is there is a coordinate.
        if (column.kind == ColumnKind::kOutput && trajectory.find(column.name + "'")) {
            column.kind = ColumnKind::kPosition;
        }
    }
    for (std::size_t line = 2; at < text.size(); ++line) {
        const std::vector<std::string> row = fields(text, at);
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
    trajectory.ending = "done";
    return trajectory;
}

}  // namespace ananke::io

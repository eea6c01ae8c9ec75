#include "table.h"

#include <algorithm>

#include <fmt/format.h>

namespace ananke::bench {
namespace {

std::vector<std::size_t> widths(const Table& table) {
    std::vector<std::size_t> widest;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
        std::size_t width = table.columns[k].name.size();
        for (const std::vector<std::string>& row : table.rows) {
            width = std::max(width, row[k].size());
        }
        widest.push_back(width);
    }
    return widest;
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + "\"";
}

std::string row_name(const Table& table, const std::vector<std::string>& row) {
    std::string name;
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (table.columns[k].is_text && !row[k].empty()) {
            name += (name.empty() ? "" : ", ") + row[k];
        }
    }
    return name;
}

}  // namespace

std::string markdown(const Table& table) {
    const std::vector<std::size_t> width = widths(table);
    std::string text = fmt::format("### {}\n\n", table.title);
    if (!table.note.empty()) {
        text += table.note + "\n\n";
    }
    const auto put_row = [&](const auto& cell_of) {
        for (std::size_t k = 0; k < width.size(); ++k) {
            text += table.columns[k].is_text ? fmt::format("| {:<{}} ", cell_of(k), width[k])
                                             : fmt::format("| {:>{}} ", cell_of(k), width[k]);
        }
        text += "|\n";
    };
    put_row([&](std::size_t k) { return table.columns[k].name; });
    for (std::size_t k = 0; k < width.size(); ++k) {
        text += "|" + std::string(width[k] + 1, '-') + (table.columns[k].is_text ? "-" : ":");
    }
    text += "|\n";
    for (const std::vector<std::string>& row : table.rows) {
        put_row([&](std::size_t k) { return row[k]; });
    }
    return text;
}

std::string csv(const std::vector<Table>& tables) {
    std::string text = "table,row,quantity,value\n";
    for (const Table& table : tables) {
        for (const std::vector<std::string>& row : table.rows) {
            for (std::size_t k = 0; k < row.size(); ++k) {
                if (!table.columns[k].is_text) {
                    text += fmt::format("{},{},{},{}\n", quoted(table.title),
                                        quoted(row_name(table, row)), quoted(table.columns[k].name),
                                        quoted(row[k]));
                }
            }
        }
    }
    return text;
}

std::string ratio(double ours, double other) {
    return ours > 0.0 && other > 0.0 ? fmt::format("{:.2f}", ours / other) : "-";
}

}  // namespace ananke::bench

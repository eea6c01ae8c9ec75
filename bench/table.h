// A table of the benchmark: printed as Markdown, which reads well in a terminal, and as CSV.
#pragma once

#include <string>
#include <vector>

namespace ananke::bench {

struct TableColumn {
    std::string name;
    bool is_text = false;  ///< aligned left; part of the row's name in the CSV
};

struct Table {
    std::string title;
    std::string note;  ///< a paragraph below the title, may be empty
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows = {};  ///< one cell per column
};

/// Title, note and rows.
std::string markdown(const Table& table);
/// One line per cell that is not text: table, row, quantity, value.
std::string csv(const std::vector<Table>& tables);

/// "3.2", or "-" where nothing was measured.
std::string ratio(double ours, double other);

}  // namespace ananke::bench

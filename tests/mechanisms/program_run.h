// Runs the program under test as a process of its own and reads what it wrote.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mechanisms {

struct Table {
    std::map<std::string, std::size_t> columns;
    std::vector<std::vector<double>> rows;

    bool has(const std::string& column) const { return columns.contains(column); }
    double at(std::size_t row, const std::string& column) const {
        return rows[row][columns.at(column)];
    }
};

struct ProgramRun {
    int exit_code = 0;     ///< 128 + signal where one ended it
    double seconds = 0.0;  ///< of processor time
    std::string messages;  ///< standard output and standard error
    Table table;
};

/// Where files of runs and of failing models are written.
const std::filesystem::path& work_folder();

/// `ananke run` on a model text with a row at each of `times`.
ProgramRun run_program(const std::string& text, const std::vector<double>& times,
                       const std::vector<std::string>& options);

/// A number as the program reads it back.
std::string exact_text(double value);

}  // namespace mechanisms

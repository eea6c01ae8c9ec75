// Models of other projects against the numbers that those publish (tests/foreign/README.md).
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "pipeline.h"
#include "program.h"

namespace ananke::pipeline {
namespace {

using Json = nlohmann::json;

const fs::path kFolder = source_directory() / "tests" / "foreign";

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) {
        found.push_back(cell);
    }
    return found;
}

struct Table {
    std::map<std::string, std::size_t> columns;
    std::vector<std::vector<double>> rows;

    /// The row at time t, which the output times meet but for rounding.
    const std::vector<double>* at(double t) const {
        for (const std::vector<double>& row : rows) {
            if (std::abs(row[0] - t) <= 1e-12 * std::max(std::abs(t), rows.back()[0])) {
                return &row;
            }
        }
        return nullptr;
    }
};

Table read_table(const std::string& text) {
    Table table;
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    for (const std::string& name : cells(line)) {
        table.columns.emplace(name, table.columns.size());
    }
    while (std::getline(in, line)) {
        std::vector<double> row;
        for (const std::string& cell : cells(line)) {
            row.push_back(std::stod(cell));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string shell_line(const Json& command) {
    std::string line = "ananke";
    for (const Json& word : command) {
        line += " '" + word.get<std::string>() + "'";
    }
    return line + " --quiet --csv rows.csv";
}

void compare(const std::string& name) {
    const Json expected = Json::parse(contents(kFolder / (name + ".json")));
    const tests::Scratch scratch;
    scratch.write(name + ".ank", contents(kFolder / (name + ".ank")));
    const tests::Outcome outcome = scratch.run(shell_line(expected.at("command")));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
    const Table table = read_table(scratch.read("rows.csv"));
    ASSERT_FALSE(expected.at("checks").empty());
    for (const Json& check : expected.at("checks")) {
        const double t = check.at("t");
        const std::string column = check.at("column");
        const std::vector<double>* row = table.at(t);
        ASSERT_NE(row, nullptr) << "no row at t = " << t;
        ASSERT_TRUE(table.columns.contains(column)) << "no column " << column;
        EXPECT_NEAR((*row)[table.columns.at(column)], check.at("value").get<double>(),
                    check.at("tolerance").get<double>())
            << column << " at t = " << t;
    }
}

TEST(Foreign, EveryModelHasItsNumbers) {
    EXPECT_EQ(stems(kFolder, ".ank"), stems(kFolder, ".json"));
    EXPECT_GE(stems(kFolder, ".ank").size(), 38U);
}

class Foreign : public testing::TestWithParam<std::string> {};

TEST_P(Foreign, MeetsThePublishedNumbers) {
    compare(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Foreign, testing::ValuesIn(stems(kFolder, ".ank")),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace ananke::pipeline

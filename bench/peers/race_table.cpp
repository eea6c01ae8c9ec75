// The lines of all programs of the race as one table: printed, written as CSV and into
// docs/benchmarks.md.
//   race_table OUTPUT.csv OURS.csv [PEER.csv ...]
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "../page.h"
#include "../table.h"
#include "race.h"

namespace ananke::bench {
namespace {

struct Row {
    std::string engine, problem, remark;
    int n = 0;
    double seconds = 0.0;  ///< 0 if it was not finished
    double error = 0.0;
};

struct Race {
    std::vector<std::string> builds;  ///< engine and build
    std::vector<Row> rows;
};

/// A release build of a peer (-O3, no assertions) on two AVX-512 cores, measured once, by another
/// program than this one.
struct ReleaseBuild {
    const char* engine;
    const char* problem;
    int n;
    double seconds;
};
constexpr ReleaseBuild kReleaseBuilds[] = {
    {"Simbody", kOpenChain, 100, 93e-6},      {"DART", kOpenChain, 100, 63e-6},
    {"MuJoCo", kOpenChain, 100, 1500e-6},     {"Simbody", kRedundantChain, 100, 15800e-6},
    {"MuJoCo", kRedundantChain, 100, 412e-6}, {"Simbody", kClosedChain, 100, 171e-6},
    {"DART", kClosedChain, 100, 376e-6},      {"Simbody", kFourBars, 100, 42000e-6},
    {"DART", kFourBars, 100, 16000e-6},       {"MuJoCo", kFourBars, 100, 175e-6},
    {"MuJoCo", kFourBarsMotion, 1, 0.105},    {"MuJoCo", kFourBarsMotion, 10, 0.92},
    {"MuJoCo", kFourBarsMotion, 100, 7.5},
};

std::optional<double> release_build(const Row& row) {
    for (const ReleaseBuild& known : kReleaseBuilds) {
        if (row.engine == known.engine && row.problem == known.problem && row.n == known.n) {
            return known.seconds;
        }
    }
    return std::nullopt;
}

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) {
        found.push_back(cell);
    }
    found.resize(std::max<std::size_t>(found.size(), 5));
    return found;
}

void read(const std::string& path, Race& race) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) {
        return;  // a peer that is not there
    }
    const std::vector<std::string> build = cells(line);
    race.builds.push_back(build[0] + ": " + build[1]);
    while (std::getline(file, line)) {
        const std::vector<std::string> cell = cells(line);
        race.rows.push_back({build[0], cell[0], cell[4], std::stoi(cell[1]), std::stod(cell[2]),
                             std::stod(cell[3])});
    }
}

double our_seconds(const Race& race, const Row& row) {
    for (const Row& ours : race.rows) {
        if (ours.engine == "Ananke" && ours.problem == row.problem && ours.n == row.n) {
            return ours.seconds;
        }
    }
    return 0.0;
}

std::string note(const Race& race) {
    std::string text = "Raced:";
    for (const std::string& build : race.builds) {
        text += " " + build + ".";
    }
    return text +
           " Debian builds the peers with -O2 and assertions; its Simbody is 1.6 to 3.2 times "
           "slower "
           "than a release build. The times of these builds are therefore not the peers' speed. "
           "What "
           "a release build took stands beside where it is known. It was measured once, by another "
           "program on problems of the same kind but not the same numbers, so that those ratios "
           "are "
           "rough: in some rows Debian's build is the faster one. Our runs of 10 s take the "
           "loosest "
           "tolerance that meets 1e-9; the peers' are at one setting, not tuned. Our chains are "
           "always in redundant coordinates, also where the peers use joint coordinates.";
}

std::string micro(double seconds) {
    return seconds > 0.0 ? fmt::format("{:.2f}", 1e6 * seconds) : "-";
}

Table race_table(const Race& race) {
    Table table{"Peers",
                note(race),
                {{"problem", true},
                 {"N", true},
                 {"engine", true},
                 {"us, this build"},
                 {"error"},
                 {"ours / this build"},
                 {"us, release build"},
                 {"ours / release build"},
                 {"remark", true}}};
    for (const char* problem :
         {kOpenChain, kRedundantChain, kClosedChain, kFourBars, kFourBarsMotion}) {
        for (const int n : kSizes) {
            for (const Row& row : race.rows) {
                if (row.problem != problem || row.n != n) {
                    continue;
                }
                const double ours = our_seconds(race, row);
                const double release = release_build(row).value_or(0.0);
                table.rows.push_back(
                    {row.problem, fmt::to_string(n), row.engine, micro(row.seconds),
                     row.seconds > 0.0 ? fmt::format("{:.1e}", row.error) : "-",
                     row.engine == "Ananke" ? "" : ratio(ours, row.seconds),
                     row.engine == "Ananke" ? "" : micro(release),
                     row.engine == "Ananke" ? "" : ratio(ours, release), row.remark});
            }
        }
    }
    return table;
}

Result<void> run(const std::vector<std::string>& paths) {
    Race race;
    for (std::size_t i = 1; i < paths.size(); ++i) {
        read(paths[i], race);
    }
    const Table table = race_table(race);
    const std::string text = machine() + "\n\n" + markdown(table);
    fmt::print("{}", text);
    const Result<void> written = write_file(paths[0], csv({table}));
    return written ? replace_part(ANANKE_SOURCE_DIR "/docs/benchmarks.md", "make bench-peers",
                                  "\n" + text + "\n")
                   : written;
}

}  // namespace
}  // namespace ananke::bench

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: race_table OUTPUT.csv OURS.csv [PEER.csv ...]\n");
        return 1;
    }
    const ananke::Result<void> done = ananke::bench::run({argv + 1, argv + argc});
    if (!done) {
        fmt::print(stderr, "race_table: {}\n", done.error().message);
        return 1;
    }
    return 0;
}

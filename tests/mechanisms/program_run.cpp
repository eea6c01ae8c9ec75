#include "program_run.h"
#include "places.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace mechanisms {

namespace fs = std::filesystem;

namespace {

constexpr rlim_t kMostSeconds = 60;

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Table read_table(const std::string& text) {
    Table table;
    std::istringstream in(text);
    std::string line;
    const auto cells = [](const std::string& of) {
        std::vector<std::string> found;
        std::istringstream parts(of);
        for (std::string cell; std::getline(parts, cell, ',');) {
            found.push_back(cell);
        }
        return found;
    };
    std::getline(in, line);
    for (const std::string& name : cells(line)) {
        table.columns.emplace(name, table.columns.size());
    }
    while (std::getline(in, line)) {
        std::vector<double> row;
        for (const std::string& cell : cells(line)) {
            row.push_back(std::strtod(cell.c_str(), nullptr));
        }
        if (row.size() == table.columns.size()) {
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

/// The program of this build, or another one by hand.
std::string program() {
    const char* other = std::getenv("ANANKE_PROGRAM");
    return other != nullptr ? other : ananke::places::program();
}

}  // namespace

std::string exact_text(double value) {
    return fmt::format("{:.17g}", value);
}

const fs::path& work_folder() {
    static const fs::path folder = [] {
        const fs::path made = fs::path(ananke::places::build_dir()) / "mechanisms";
        fs::create_directories(made);
        return made;
    }();
    return folder;
}

ProgramRun run_program(const std::string& text, const std::vector<double>& times,
                       const std::vector<std::string>& options) {
    const std::string stem = (work_folder() / ("run-" + std::to_string(getpid()))).string();
    const std::string model = stem + ".ank";
    const std::string rows = stem + ".csv";
    const std::string messages = stem + ".txt";
    fs::remove(rows);
    std::ofstream(model, std::ios::binary) << text;
    std::string at;
    for (const double t : times) {
        at += (at.empty() ? "" : ",") + exact_text(t);
    }
    std::vector<std::string> words{program(), "run", model, "--at", at, "--csv", rows, "--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{kMostSeconds, kMostSeconds};
        setrlimit(RLIMIT_CPU, &limit);
        const int out = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    ProgramRun run;
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    run.messages = contents(messages);
    // Messages name the model; its place says nothing.
    for (std::size_t i = run.messages.find(stem); i != std::string::npos;
         i = run.messages.find(stem)) {
        run.messages.replace(i, stem.size(), "model");
    }
    run.table = read_table(contents(rows));
    for (const std::string& file : {model, rows, messages, rows + ".events.csv",
                                    stem + ".csv.events.csv", stem + ".events.csv"}) {
        fs::remove(file);
    }
    return run;
}

}  // namespace mechanisms

// The verbs of the command line. Each adds its options to the program and returns an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load.h"

namespace ananke::cli {

// Exit codes: the contract of the command line.
constexpr int kDone = 0;
constexpr int kWrongInput = 1;  ///< the model or the command line is wrong
constexpr int kRunFailed = 2;   ///< the simulation failed; results so far are kept
constexpr int kInterrupted = 130;

/// Adds MODEL, --set and --without, which every verb takes.
void add_model_arguments(CLI::App& verb, ModelArguments& arguments);

/// An option that takes names with commas between them.
CLI::Option* add_list(CLI::App& verb, const std::string& option, std::vector<std::string>& list,
                      const std::string& help, const std::string& type = "NAME,...");

/// Says on standard error what is wrong with the input; the exit code.
int complain(std::string_view message);

/// Each registers its verb; the callback stores the exit code.
void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_derive(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);

}  // namespace ananke::cli

// From a model text to a recorded run, as the program does it, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "ananke/record.h"
#include "base/text.h"
#include "compile/prepare.h"
#include "dynamics/evaluator.h"
#include "dynamics/start.h"
#include "lang/parse_model.h"
#include "simulate/row_writer.h"
#include "simulate/run.h"

namespace ananke::pipeline {

namespace fs = std::filesystem;

const fs::path& source_directory();

std::string contents(const fs::path& path);

/// Names of the files of a folder with this extension, without it, sorted.
std::vector<std::string> stems(const fs::path& folder, const std::string& extension);

/// The text of models/<name>.ank.
std::string model_text(const std::string& name);

struct Loaded {
    std::shared_ptr<compile::Prepared> prepared;  ///< absent if anything is wrong
    std::string messages;                         ///< what a person would read
};

Loaded load_text(const std::string& name, std::string text, std::vector<std::string> settings = {});

Loaded load_model(const std::string& name, std::vector<std::string> settings = {});

/// "name=value" that reads back exactly.
std::string setting(const std::string& name, double value);

double end_of(const compile::Prepared& prepared);

struct Recording {
    io::Trajectory rows;
    simulate::RunSummary summary;
    std::optional<Error> error;  ///< of the start or of the run

    double at(std::size_t row, std::string_view column) const;
};

struct Settings {
    std::vector<double> times;
    double tolerance = 1e-12;
    solve::Form form = solve::Form::kAuto;
    std::optional<bool> stiff = {};  ///< as the model says if absent
    Drift drift = Drift::kProject;
    std::optional<double> until = {};  ///< the last of the times if absent
};

Recording run_from(const compile::Prepared& prepared, const dynamics::StartState& start,
                   const Settings& settings);

Recording run_model(const compile::Prepared& prepared, const Settings& settings);

/// The run of a model text that must be right, with other values of parameters.
Recording run_text(const std::string& text, const Settings& settings,
                   std::vector<std::string> values = {});

/// `count` + 1 times from 0 to `until`.
std::vector<double> even_times(double until, int count);

double scaled_error(double value, double expected);

/// The events of one kind.
std::vector<Event> events_of(const Recording& run, std::string_view kind);

/// Largest scaled difference of the columns of some kinds between two runs with the same rows.
double largest_difference(const Recording& a, const Recording& b,
                          std::initializer_list<ColumnKind> kinds);

/// Largest scaled residual of any constraint, as written, over all rows.
double largest_residual(const Recording& run);

}  // namespace ananke::pipeline

#include "pipeline.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/diagnostic.h"
#include "base/text.h"
#include "lang/parse_model.h"
#include "places.h"
#include "simulate/row_writer.h"

namespace ananke::pipeline {

const fs::path& source_directory() {
    static const fs::path path(places::source_dir());
    return path;
}

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> stems(const fs::path& folder, const std::string& extension) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == extension) {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string model_text(const std::string& name) {
    return contents(source_directory() / "models" / (name + ".ank"));
}

Loaded load_text(const std::string& name, std::string text, std::vector<std::string> settings) {
    lang::Options options;
    options.settings = std::move(settings);
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(sources, name, std::move(text), options);
    Loaded loaded;
    loaded.messages = parsed.diagnostics.empty() ? "" : render(parsed.diagnostics, sources);
    if (!parsed.model) {
        return loaded;
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
    if (!preparation.diagnostics.empty()) {
        loaded.messages += render(preparation.diagnostics, sources);
    }
    for (const Error& error : preparation.errors) {
        loaded.messages += error.message + "\n";
    }
    loaded.prepared = std::move(preparation.prepared);
    return loaded;
}

Loaded load_model(const std::string& name, std::vector<std::string> settings) {
    return load_text("models/" + name + ".ank", model_text(name), std::move(settings));
}

std::string setting(const std::string& name, double value) {
    return name + "=" + to_text(value);
}

double end_of(const compile::Prepared& prepared) {
    return prepared.model.simulate
               ? compile::parameter_expression(prepared, prepared.model.simulate->until)
               : 1.0;
}

double Recording::at(std::size_t row, std::string_view column) const {
    const std::optional<std::size_t> place = rows.find(column);
    if (!place) {
        ADD_FAILURE() << "no column " << column;
        return std::nan("");
    }
    return rows.row(row)[*place];
}

Recording run_from(const compile::Prepared& prepared, const dynamics::StartState& start,
                   const Settings& settings) {
    Recording run;
    simulate::RunOptions options;
    options.output_times = settings.times;
    options.until = settings.until.value_or(settings.times.back());
    options.tolerance = settings.tolerance;
    options.dynamics.form = settings.form;
    options.dynamics.drift = settings.drift;
    const auto& simulate = prepared.model.simulate;
    options.stiff = settings.stiff.value_or(simulate && simulate->stiff);
    const std::unique_ptr<Recorder> recorder = io::record_in_memory(run.rows);
    Header header;
    header.columns = simulate::columns_of(*prepared.compiled);
    EXPECT_TRUE(recorder->begin(header));
    run.summary = simulate::run(prepared.compiled, prepared.parameters, start, options, *recorder);
    run.error = run.summary.error;
    return run;
}

Recording run_model(const compile::Prepared& prepared, const Settings& settings) {
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(evaluator, prepared.initial);
    if (!start) {
        Recording run;
        run.error = start.error();
        return run;
    }
    return run_from(prepared, start.value(), settings);
}

Recording run_text(const std::string& text, const Settings& settings,
                   std::vector<std::string> values) {
    const Loaded loaded = load_text("test.ank", text, std::move(values));
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    return loaded.prepared ? run_model(*loaded.prepared, settings) : Recording{};
}

std::vector<double> even_times(double until, int count) {
    std::vector<double> times;
    for (int i = 0; i <= count; ++i) {
        times.push_back(until * i / count);
    }
    return times;
}

double scaled_error(double value, double expected) {
    return std::abs(value - expected) / std::max(1.0, std::abs(expected));
}

std::vector<Event> events_of(const Recording& run, std::string_view kind) {
    std::vector<Event> events;
    for (const Event& event : run.rows.events) {
        if (event.kind == kind) {
            events.push_back(event);
        }
    }
    return events;
}

double largest_difference(const Recording& a, const Recording& b,
                          std::initializer_list<ColumnKind> kinds) {
    EXPECT_EQ(a.rows.rows(), b.rows.rows());
    double largest = 0.0;
    for (const Column& column : a.rows.header.columns) {
        if (std::find(kinds.begin(), kinds.end(), column.kind) == kinds.end() ||
            !b.rows.find(column.name)) {
            continue;
        }
        for (std::size_t i = 0; i < std::min(a.rows.rows(), b.rows.rows()); ++i) {
            const double difference = scaled_error(a.at(i, column.name), b.at(i, column.name));
            largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
        }
    }
    return largest;
}

double largest_residual(const Recording& run) {
    double largest = 0.0;
    for (const Column& column : run.rows.header.columns) {
        if (column.name.rfind("residual[", 0) != 0) {
            continue;
        }
        for (std::size_t i = 0; i < run.rows.rows(); ++i) {
            const double value = std::abs(run.at(i, column.name));
            largest = std::isnan(value) ? HUGE_VAL : std::max(largest, value);
        }
    }
    return largest;
}

}  // namespace ananke::pipeline

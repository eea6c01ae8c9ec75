// What keeps one input short, so that many are tried: small limits of the language, few steps, few
// rows. Where an input passes one of them, it is left at that.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ananke/ananke.h"
#include "api/load.h"

namespace ananke::fuzz {

constexpr std::size_t kMostBytes = 8'000;  ///< of a text
/// Coordinates and constraint rows of a model that runs, and of one that is checked and written
/// out.
constexpr std::size_t kMostUnknowns = 24;
constexpr std::size_t kMostWritten = 10;
constexpr std::size_t kMostSteps = 8;
constexpr double kMostRows = 50.0;

inline Bounds bounds() {
    Bounds bounds;
    bounds.limits.loop_statements = 500;
    bounds.limits.expression_steps = 100'000;
    bounds.limits.graph_nodes = 10'000;
    bounds.read = [](const std::string& path, const std::string&) -> Result<std::string> {
        return Error{ErrorCode::kIo, "there is no file " + path};
    };
    return bounds;
}

inline bool is_small(const Model& model, std::size_t most) {
    return model.coordinates().size() + model.constraints().size() <= most;
}

/// Limits what a run may cost; false if its rows alone are too many.
inline bool limit(const Model& model, RunOptions& options) {
    options.max_steps = std::min(options.max_steps, kMostSteps);
    const std::optional<Simulation> said = model.simulation();
    if (!options.every && said) {
        options.every = said->every;
    }
    const double until = options.until ? *options.until : said ? said->until : 0.0;
    if (!options.every && until > 0.0) {
        options.every = until / kMostRows;
    }
    return !options.every || !(until / *options.every > kMostRows);
}

/// Everything that a person gets to see of a run.
inline void run_and_show(const Model& model, RunOptions options,
                         const std::vector<std::string>& kept = {},
                         const std::vector<std::string>& plotted = {}) {
    if (!limit(model, options)) {
        return;
    }
    Trajectory rows;
    std::unique_ptr<Recorder> recorder = record_in_memory(rows);
    if (!kept.empty()) {
        recorder = only(std::move(recorder), kept);
    }
    const Result<RunSummary> done = run(model, options, *recorder);
    if (done) {
        static_cast<void>(to_text(done.value()));
        static_cast<void>(table(rows));
        static_cast<void>(plot_columns(rows, plotted));
    }
}

}  // namespace ananke::fuzz

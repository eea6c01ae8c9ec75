// A run: from the initial values to the last row.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ananke/record.h"
#include "base/result.h"
#include "compile/compiled_model.h"
#include "dynamics/motion_solver.h"
#include "dynamics/start.h"
#include "dynamics/surface.h"
#include "mech/values.h"
#include "ode/stepper.h"

namespace ananke::simulate {

struct RunOptions {
    double start = 0.0;
    double until = 1.0;
    std::vector<double> output_times;  ///< ascending, within [start, until]; one row each
    double tolerance = 1e-9;  ///< relative, per step; of sizes (dynamics/scales.h) a tenth of it
    double max_step = std::numeric_limits<double>::infinity();
    bool stiff = false;  ///< integrate implicitly
    /// Implicit steps without full matrices, or with them; absent: whichever costs less.
    std::optional<bool> sparse_steps = {};
    dynamics::MethodOptions dynamics;
    std::size_t max_steps = 10'000'000;
    bool principle = false;                ///< columns a0, deviation, e; needs M > 0
    std::function<bool()> stop_requested;  ///< polled before every step
    std::function<void(double)> progress;  ///< called now and then with the time reached
};

/// Largest scaled violation of a constraint row over all rows of the run.
struct RowSummary {
    std::string name;
    double residual = 0.0;
    double rate = 0.0;
};

struct RunSummary {
    double reached = 0.0;  ///< time
    std::size_t rows = 0;
    int coordinates = 0;
    int constraint_rows = 0;
    int rank = 0;  ///< at the start
    int degrees_of_freedom = 0;
    ode::Statistics steps;
    double wall_seconds = 0.0;
    std::vector<RowSummary> constraints;
    dynamics::ProjectionSummary projection;
    double largest_energy_imbalance = 0.0;  ///< |energy_balance| over all rows
    double energy_scale = 0.0;              ///< largest |T| + |V| over all rows
    bool rank_warning = false;
    std::string not_finite;  ///< first value of a row that is not finite: "energy at t = 2"
    std::vector<std::string>
        warnings;  ///< numbers that a reader should not trust blindly, and when
    std::size_t events = 0;
    std::string stopped;         ///< "stopped at t = 2 by the event landed", or ""
    std::optional<Error> error;  ///< why the run ended early; rows so far are recorded
};

/// Runs from the assembled state and hands every row to the recorder. Fails only where nothing
/// could be recorded; a run that ends early is a summary with an error.
RunSummary run(std::shared_ptr<const compile::CompiledModel> model,
               std::span<const double> parameters, const dynamics::StartState& start,
               const RunOptions& options, Recorder& recorder);

/// Records the programs that runs from this state need, for the model to keep, before the first of
/// them starts. Where the state has no acceleration nothing is recorded; the run says why.
void record_programs(std::shared_ptr<const compile::CompiledModel> model,
                     std::span<const double> parameters, const dynamics::StartState& start,
                     const RunOptions& options);

/// 0, dt, 2 dt, ... up to and including `until`.
Result<std::vector<double>> regular_times(double until, double every);

}  // namespace ananke::simulate

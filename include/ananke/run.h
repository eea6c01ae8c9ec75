// A run: from the initial values to the last row.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ananke/check.h"
#include "ananke/method.h"
#include "ananke/model.h"
#include "ananke/record.h"
#include "ananke/result.h"

namespace ananke {

struct RunOptions {
    std::optional<double> until{};     ///< instead of the model's
    std::optional<double> every{};     ///< interval between rows; the model's, or 500 intervals
    std::vector<double> at{};          ///< rows at these times exactly, ascending, from 0 on
    double tolerance = 1e-9;           ///< relative, per step; a tenth of it by typical sizes
    std::optional<double> max_step{};  ///< longest step, instead of the model's
    bool stiff = false;                ///< integrate implicitly; also if the model says so
    Form form = Form::kAuto;
    Drift drift = Drift::kProject;
    double baumgarte_rate = 10.0;  ///< g, 1/s
    std::size_t max_steps = 10'000'000;
    bool principle = false;  ///< columns a0[x], deviation[x], e[c] of UK02's principle; needs M > 0
    bool full_check = false;  ///< Header::check also compares all forms, as `ananke check` does
    std::function<bool()> stop_requested{};                  ///< polled before every step
    std::function<void(double t, double until)> progress{};  ///< called now and then
};

/// Largest scaled violation of a constraint row over all rows of the run.
struct RowViolation {
    std::string name;
    double residual = 0.0;
    double rate = 0.0;
};

/// What projection did to accepted steps and outputs.
struct ProjectionSummary {
    std::size_t calls = 0;
    std::size_t corrections = 0;    ///< calls that moved the state
    double largest_position = 0.0;  ///< largest change of a coordinate
    double largest_velocity = 0.0;
};

struct RunSummary {
    double reached = 0.0;  ///< time
    std::size_t rows = 0;
    int coordinates = 0;
    int constraint_rows = 0;
    int rank = 0;  ///< at the start
    int degrees_of_freedom = 0;
    std::size_t steps = 0;
    std::size_t rejected_steps = 0;
    std::size_t evaluations = 0;  ///< of the acceleration
    std::size_t jacobians = 0;    ///< evaluations of its derivatives, in implicit runs
    double wall_seconds = 0.0;
    std::vector<MovedValue> moved;  ///< by the assembly of initial values
    std::vector<RowViolation> constraints;
    ProjectionSummary projection;
    double largest_energy_imbalance = 0.0;  ///< |energy_balance| over all rows
    double energy_scale = 0.0;              ///< largest |T| + |V| over all rows
    bool rank_warning = false;
    std::vector<std::string> warnings;  ///< numbers not to be trusted blindly, and when
    std::string not_finite;  ///< first value of a row that is not finite: "energy at t = 2"
    /// Columns of reactions that are one of many at the start: "force[A:a]".
    std::vector<std::string> shared_reactions;
    std::size_t events = 0;
    std::string stopped;         ///< "stopped at t = 2 by the event landed", or ""
    std::optional<Error> error;  ///< why the run ended early; rows so far are recorded
};

/// A run with everything decided but its rows: times, start, columns.
class Plan {
  public:
    double until() const;
    const std::vector<double>& times() const;  ///< of the rows
    const Header& header() const;

    struct Data;
    explicit Plan(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

/// Fails where the options cannot be right, or the model has no initial state or no motion there.
Result<Plan> plan(const Model& model, const RunOptions& options);

/// Hands the header, every row and the ending to the recorder. Fails only where nothing could be
/// recorded; a run that ends early is a summary with an error.
Result<RunSummary> run(const Plan& plan, Recorder& recorder);
Result<RunSummary> run(const Model& model, const RunOptions& options, Recorder& recorder);

/// The summary for a person.
std::string to_text(const RunSummary& summary);

}  // namespace ananke

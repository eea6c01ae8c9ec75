#include "dynamics/projection_program.h"

#include <algorithm>
#include <cmath>

#include "base/fresh_numbers.h"
#include "code/replay.h"
#include "dynamics/recorded_elimination.h"

namespace ananke::dynamics {
namespace {

using code::Recorded;

/// Scaled residual that is good enough in the end.
constexpr double kAccept = 1e-12;
/// What an iteration that goes on corrects once only: its square is left.
constexpr double kNear = 1e-4;
constexpr int kMostCorrections = 4;
/// Where the last digit counts.
constexpr double kLastDigit = 2e-16;
constexpr int kMostClosest = 12;
constexpr std::size_t kMostRecordings = 64;

}  // namespace

ProjectionProgram::ProjectionProgram(Evaluator& evaluator)
    : evaluator_(&evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      varies_(entries_that_vary(evaluator.model())),
      kept_q_(n_),
      kept_v_(n_),
      before_(n_) {}

bool ProjectionProgram::take(const RowOrder& order, double t, const double* q, const double* v) {
    const bool stale = parameter_changes_ != evaluator_->parameter_changes();
    if (!stale && active_ != nullptr && active_->order == order) {
        return true;
    }
    if (stale || recordings_.size() >= kMostRecordings) {
        recordings_.clear();
        parameter_changes_ = evaluator_->parameter_changes();
    }
    const auto known = std::find_if(recordings_.begin(), recordings_.end(),
                                    [&](const auto& one) { return one->order == order; });
    if (known != recordings_.end()) {
        active_ = known->get();
        return true;
    }
    active_ = nullptr;
    if (std::unique_ptr<Recording> made = record(order, t, q, v)) {
        active_ = made.get();
        recordings_.push_back(std::move(made));
    }
    return active_ != nullptr;
}

std::unique_ptr<ProjectionProgram::Recording> ProjectionProgram::record(const RowOrder& order,
                                                                        double t, const double* q,
                                                                        const double* v) const {
    const compile::CompiledModel& model = evaluator_->model();
    // Integrals that are held have a constant of their own.
    if (evaluator_->rows(solve::Level::kPositions) != static_cast<int>(model.holonomic.size())) {
        return nullptr;
    }
    RowOrder positions;  // rows counted among the holonomic ones
    std::vector<int> rows;
    for (std::size_t k = 0; k < model.holonomic.size(); ++k) {
        const int row = model.holonomic[k];
        if (std::binary_search(order.rows.begin(), order.rows.end(), row)) {
            positions.rows.push_back(static_cast<int>(k));
            rows.push_back(row);
        }
    }
    if (rows == order.rows) {
        positions.pivots = order.pivots;
    } else {
        std::optional<std::vector<solve::Pivot>> own = own_pivots(rows, t, q, v);
        if (!own) {
            return nullptr;
        }
        positions.pivots = std::move(*own);
    }
    auto made = std::unique_ptr<Recording>(
        new Recording{order, make_level(false, positions), make_level(true, order)});
    take_slopes(made->position, false, t, q, v);
    take_slopes(made->velocity, true, t, q, v);
    return made;
}

std::optional<std::vector<solve::Pivot>> ProjectionProgram::own_pivots(std::span<const int> rows,
                                                                       double t, const double* q,
                                                                       const double* v) const {
    const compile::SparseValues at = evaluator_->sparse_system(t, q, v);
    return choose_pivots(*evaluator_, EntryValues{at.M, at.A}, rows, varies_);
}

/// Rows of an order of positions are counted among the holonomic ones.
ProjectionProgram::Level ProjectionProgram::make_level(bool velocity, const RowOrder& order) const {
    const compile::CompiledModel& model = evaluator_->model();
    const std::size_t rows = velocity ? model.rows.size() : model.holonomic.size();
    const std::vector<compile::Place>& places =
        velocity ? model.row_entries : model.holonomic_entries;
    const code::Program& program = velocity ? model.velocity.program() : model.position.program();
    std::vector<int> norms = norm_rows(model);
    for (int& norm : norms) {
        if (!velocity) {
            const auto place =
                std::lower_bound(model.holonomic.begin(), model.holonomic.end(), norm);
            norm = place == model.holonomic.end() || *place != norm
                       ? -1
                       : static_cast<int>(place - model.holonomic.begin());
        }
    }
    const compile::RecordKey key =
        compile::RecordKey(velocity ? compile::RecordKey::Kind::kVelocity
                                    : compile::RecordKey::Kind::kPosition)
            .add(parameters_of(*evaluator_))
            .add(order.rows)
            .add(order.pivots);
    const auto kernel = model.programs->get<code::RecordedKernel>(
        key, [&] { return record_level(program, rows, places, order, norms); });
    return {*kernel, rows};
}

/// `program` gives residuals, entries of J at `places`, magnitudes.
code::RecordedKernel ProjectionProgram::record_level(const code::Program& program, std::size_t rows,
                                                     std::span<const compile::Place> places,
                                                     const RowOrder& order,
                                                     std::span<const int> norms) const {
    const compile::CompiledModel& model = evaluator_->model();
    code::Recorder recorder(static_cast<std::uint32_t>(model.layout.size()));
    const std::vector<Recorded> inputs = recorded_inputs(recorder, *evaluator_);
    const std::vector<std::uint32_t> colors = input_colors(model);
    code::Replay mass(recorder, model.mass.program(), inputs, colors);
    code::Replay level(recorder, program, inputs, colors);
    const std::size_t all = (program.outputs.size() - places.size()) / 2;  // and integrals not held
    RecordedElimination elimination(recorder, *evaluator_, inputs,
                                    {places, [&](std::size_t i) { return mass.output(i); },
                                     [&](std::size_t i) { return level.output(all + i); }},
                                    order, norms);
    std::vector<Recorded> outputs = elimination.eliminate(
        {[](std::size_t) { return Recorded(0.0); },
         [&](std::size_t k) {
             return Recorded(0.0) - level.output(static_cast<std::size_t>(order.rows[k]));
         }});
    outputs.resize(n_);
    std::vector<Recorded> magnitudes;
    int constraint = -1;
    for (std::size_t k = 0; k < rows; ++k) {
        if (std::exchange(constraint, model.rows[k].constraint) != model.rows[k].constraint) {
            recorder.cut();
        }
        outputs.push_back(level.output(k));
        magnitudes.push_back(level.output(all + places.size() + k));
    }
    outputs.insert(outputs.end(), magnitudes.begin(), magnitudes.end());
    return recorder.kernel(outputs, model.most_operations);
}

void ProjectionProgram::take_slopes(Level& level, bool velocity, double t, const double* q,
                                    const double* v) const {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<double> residual(level.rows);
    std::vector<double> scale(level.rows);
    const std::span<const double> entries =
        evaluator_->residuals(velocity ? solve::Level::kVelocities : solve::Level::kPositions, t, q,
                              v, residual.data(), scale.data());
    const std::vector<compile::Place>& places =
        velocity ? model.row_entries : model.holonomic_entries;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (static_cast<std::size_t>(places[i].row) < level.rows && entries[i] != 0.0) {
            level.slopes.push_back({places[i], std::abs(entries[i])});
        }
    }
    level.floors.assign(level.rows, 0.0);
}

void ProjectionProgram::follow_sizes(Level& level, std::span<const double> sizes,
                                     std::span<const double> tied) {
    std::fill(level.floors.begin(), level.floors.end(), 0.0);
    for (const Slope& slope : level.slopes) {
        const auto column = static_cast<std::size_t>(slope.place.column);
        level.floors[static_cast<std::size_t>(slope.place.row)] +=
            kPartOfSize * slope.size * std::max(sizes[column], tied[column]);
    }
}

/// Runs the program; returns the largest scaled residual.
double ProjectionProgram::measure(Level& level, double t, std::span<double> q,
                                  std::span<double> v) {
    outputs_.resize(level.kernel.output_count());
    level.kernel.run(evaluator_->system_inputs(t, q.data(), v.data()).data(), outputs_.data());
    const double* f = outputs_.data() + n_;
    const double* magnitude = f + level.rows;
    const auto constraints = static_cast<std::size_t>(evaluator_->model().constraint_rows);
    double residual = 0.0;
    for (std::size_t k = 0; k < level.rows; ++k) {
        if (k >= constraints && !evaluator_->row_sticks(static_cast<int>(k))) {
            continue;
        }
        const double scaled =
            std::abs(f[k]) / solve::divisor(std::max(magnitude[k], level.floors[k]));
        residual = scaled <= residual ? residual : scaled;  // NaN stays
    }
    return residual;
}

/// Newton's method; a residual below `one_correction` needs no more. False if it does not come down
/// to kAccept.
bool ProjectionProgram::descend(Level& level, double t, std::span<double> q, std::span<double> v,
                                bool velocity, double one_correction, double& residual,
                                double& correction) {
    if (level.rows == 0) {
        return true;
    }
    const std::span<double> x = velocity ? v : q;
    double before = HUGE_VAL;
    for (int i = 0; i < kMostCorrections; ++i) {
        residual = measure(level, t, q, v);
        if (residual <= kSmallResidual || (residual <= kAccept && residual >= 0.5 * before)) {
            return true;
        }
        if (!(residual < before)) {
            return false;
        }
        before = residual;
        double largest = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            x[k] += outputs_[k];
            largest = std::max(largest, std::abs(outputs_[k]));
        }
        correction += largest;
        if (residual <= one_correction) {
            return true;
        }
    }
    return false;
}

/// The same, until a correction no longer helps; that one is taken back.
bool ProjectionProgram::descend_closest(Level& level, double t, std::span<double> q,
                                        std::span<double> v, bool velocity) {
    if (level.rows == 0) {
        return true;
    }
    const std::span<double> x = velocity ? v : q;
    double residual = measure(level, t, q, v);
    for (int i = 0; i < kMostClosest && residual > kLastDigit; ++i) {
        copy_few(x.data(), n_, before_.data());
        for (std::size_t k = 0; k < n_; ++k) {
            x[k] += outputs_[k];
        }
        const double now = measure(level, t, q, v);
        if (!(now < residual)) {
            copy_few(before_.data(), n_, x.data());
            break;
        }
        residual = now;
    }
    return residual <= kAccept;
}

std::optional<solve::ProjectionReport> ProjectionProgram::project(double t, std::span<double> q,
                                                                  std::span<double> v, Aim aim) {
    copy_few(q.data(), n_, kept_q_.data());
    copy_few(v.data(), n_, kept_v_.data());
    if (const Scales& scales = evaluator_->scales(); active_->sizes != scales.version()) {
        active_->sizes = scales.version();
        follow_sizes(active_->position, scales.positions(), scales.tied_positions());
        follow_sizes(active_->velocity, scales.velocities(), scales.tied_velocities());
    }
    solve::ProjectionReport report;
    const double once = aim == Aim::kOnce ? kNear : kOneCorrection;
    const bool done = aim == Aim::kClosest
                          ? descend_closest(active_->position, t, q, v, false) &&
                                descend_closest(active_->velocity, t, q, v, true)
                          : descend(active_->position, t, q, v, false, once,
                                    report.position_residual, report.position_correction) &&
                                descend(active_->velocity, t, q, v, true, once,
                                        report.velocity_residual, report.velocity_correction);
    if (!done) {
        copy_few(kept_q_.data(), n_, q.data());
        copy_few(kept_v_.data(), n_, v.data());
        return std::nullopt;
    }
    report.position_changed = report.position_correction > 0.0;
    report.velocity_changed = report.velocity_correction > 0.0;
    return report;
}

}  // namespace ananke::dynamics

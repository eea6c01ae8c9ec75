#include "sim/output_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::sim {

OutputRows::OutputRows(Evaluator& evaluator, StateEquation& equation, Surface& surface,
                       Journal& journal, const RunOptions& options)
    : evaluator_(&evaluator),
      equation_(&equation),
      surface_(&surface),
      journal_(&journal),
      options_(&options),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      dynamics_(evaluator, options.dynamics),
      writer_(evaluator, dynamics_, options.principle),
      dense_y_(equation.size()),
      y_(equation.size()),
      slope_(equation.size()) {}

void OutputRows::start(double t, std::span<const double> y) {
    writer_.set_start_h(evaluator_->energy(t, y.data(), y.data() + n_).h);
}

ode::Status OutputRows::write_until(double until, SingularStepper& stepper) {
    for (std::size_t rows = 0; is_due(until); ++next_, ++rows) {
        const double t = options_->output_times[next_];
        if (rows > 0 && options_->stop_requested && options_->stop_requested()) {
            journal_->fail(
                {ErrorCode::kInterrupted,
                 fmt::format("interrupted at t = {}", to_text(journal_->summary().reached))});
            return ode::Status::kOk;
        }
        const ode::Status status = inside_step(t, stepper);
        if (status != ode::Status::kOk) {
            return status;
        }
        write(t, dense_y_, stepper);
    }
    return ode::Status::kOk;
}

/// dense_y_ at t.
ode::Status OutputRows::inside_step(double t, SingularStepper& stepper) {
    const RightHandSide::Aside aside = equation_->aside();
    return stepper.dense(t, dense_y_);
}

void OutputRows::write_at(double t, std::span<const double> y, SingularStepper& stepper) {
    for (; is_due(t); ++next_) {
        write(options_->output_times[next_], y, stepper);
    }
}

/// A row under the law of its own state, which need not be the one held for the step.
void OutputRows::write(double t, std::span<const double> y, SingularStepper& stepper) {
    evaluator_->suspend_hold();
    write_by_own_law(t, y, stepper);
    evaluator_->resume_hold();
}

void OutputRows::write_by_own_law(double t, std::span<const double> y, SingularStepper& stepper) {
    const double pivot = stepper.pivot_at(t, y);
    if (!surface_->put_back_inside(t, y, y_, pivot, equation_->order())) {
        journal_->fail({ErrorCode::kNotConverged,
                        fmt::format("the output at t = {} could not be put back onto the "
                                    "constraints",
                                    to_text(t))});
        return;
    }
    const double* position = y_.data();
    const double* velocity = y_.data() + n_;
    if (accelerate(t, pivot, stepper) != solve::SolveStatus::kOk) {
        Error why = dynamics_.explain(t, position, velocity);
        journal_->fail({why.code, fmt::format("at t = {}: {}", to_text(t), why.message)});
        return;
    }
    journal_->summary().reached = t;
    note_rank(t);
    const std::span<const double> row = writer_.fill(t, position, velocity, y_[2 * n_]);
    if (writer_.lacks_principle()) {
        journal_->fail({ErrorCode::kNotApplicable,
                        fmt::format("at t = {}: the mass matrix is singular, so that there is no "
                                    "unconstrained acceleration for --principle",
                                    to_text(t))});
        return;
    }
    note_not_finite(t, row);
    journal_->row(row);
    summarize();
}

/// The acceleration of y_; next to a singular configuration that of the motion which passes it.
solve::SolveStatus OutputRows::accelerate(double t, double pivot, const SingularStepper& stepper) {
    const double* position = y_.data();
    const double* velocity = y_.data() + n_;
    if (surface_->spoils_acceleration(pivot)) {
        stepper.slope(t, slope_);
        return dynamics_.attribute(t, position, velocity, slope_.data() + n_,
                                   surface_->smallest_pivot());
    }
    // Where a friction holds, the ideal part of the forces is that of other rows.
    const bool regular = pivot >= 1.0 && surface_->projects() && !evaluator_->any_sticks();
    if (regular && equation_->give_forces(t, position, velocity, dynamics_)) {
        return solve::SolveStatus::kOk;
    }
    // Without projection the state drifts off the constraints: the rows chosen at the start stay.
    const bool on_constraints = surface_->projects() || journal_->summary().rows == 0;
    return on_constraints ? dynamics_.accelerate(t, position, velocity)
                          : dynamics_.accelerate_in_step(t, position, velocity);
}

void OutputRows::note_rank(double t) {
    RunSummary& summary = journal_->summary();
    summary.rank_warning = summary.rank_warning || dynamics_.rank_warning();
    if (rank_ >= 0 && dynamics_.rank() != rank_) {
        journal_->event({t, "rank", "rank change",
                         fmt::format("rank of the constraints {} -> {}", rank_, dynamics_.rank())});
    }
    rank_ = dynamics_.rank();
}

void OutputRows::note_not_finite(double t, std::span<const double> row) {
    std::string& first = journal_->summary().not_finite;
    for (std::size_t i = 0; i < row.size() && first.empty(); ++i) {
        if (!std::isfinite(row[i])) {
            first = fmt::format("{} at t = {}", writer_.columns()[i].name, to_short_text(t, 9));
        }
    }
}

void OutputRows::summarize() {
    RunSummary& summary = journal_->summary();
    const std::span<const Violation> violations = writer_.violations();
    for (std::size_t i = 0; i < violations.size(); ++i) {
        RowSummary& row = summary.constraints[i];
        row.residual = std::max(row.residual, std::abs(violations[i].residual));
        row.rate = std::max(row.rate, std::abs(violations[i].rate));
    }
    const double imbalance = std::abs(writer_.energy_balance());
    if (!(imbalance <= summary.largest_energy_imbalance)) {  // also when it is not a number
        summary.largest_energy_imbalance = imbalance;
    }
    const Energy energy = evaluator_->energy(summary.reached, y_.data(), y_.data() + n_);
    summary.energy_scale =
        std::max(summary.energy_scale, std::abs(energy.kinetic) + std::abs(energy.potential));
}

}  // namespace ananke::sim

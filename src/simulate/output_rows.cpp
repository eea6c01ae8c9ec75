#include "simulate/output_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/not_finite.h"

namespace ananke::simulate {
namespace {

/// Dense output misses the motion by about the tolerance, its slope by some ten of it over a step.
constexpr double kLargestDefect = 1e3;
/// A row is no result if a constraint is off by more tolerances, and by more than rounding.
constexpr double kLargestResidual = 100.0;
constexpr double kRoundingOfResiduals = 1e-11;
/// Of the energy, per step: what the balance may be off by.
constexpr double kTolerancesPerStep = 100.0;
/// Energy that has grown by more has lost all digits of what it was: 1/epsilon.
constexpr double kGrowth = 4.5e15;
/// if the motion has also become larger by so much: energies may cancel at the start.
constexpr double kFarther = 1e6;

}  // namespace

OutputRows::OutputRows(dynamics::Evaluator& evaluator, dynamics::StateEquation& equation,
                       dynamics::Surface& surface, Journal& journal, const RunOptions& options)
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

std::optional<OutputRows::Doubt> OutputRows::doubt(SingularStepper& stepper) {
    const dynamics::Acceleration::ScratchScope scratch(equation_->acceleration());
    const std::vector<double>& times = options_->output_times;
    double trusted = stepper.t_previous();
    for (std::size_t k = next_; k < times.size() && times[k] < stepper.t(); ++k) {
        const double t = times[k];
        if (stepper.dense(t, dense_y_) != ode::Status::kOk ||
            equation_->rhs(t, dense_y_, slope_).kind != ode::Evaluation::Kind::kOk) {
            return std::nullopt;  // writing will tell
        }
        if (stepper.defect(t, slope_) > kLargestDefect ||
            (surface_->projects() &&
             surface_->violation(t, dense_y_) > kLargestDefect * options_->tolerance)) {
            return Doubt{t, trusted};
        }
        trusted = t;
    }
    return std::nullopt;
}

ode::Status OutputRows::write_until(double until, SingularStepper& stepper) {
    steps_ = journal_->summary().steps.steps + stepper.statistics().steps;
    for (std::size_t rows = 0; is_due(until); ++next_, ++rows) {
        const double t = options_->output_times[next_];
        if (rows > 0 && options_->stop_requested && options_->stop_requested()) {
            journal_->fail(
                {ErrorCode::kInterrupted,
                 fmt::format("interrupted at t = {}", to_text(journal_->summary().reached))});
            return ode::Status::kOk;
        }
        const ode::Status status = find_state(t, stepper);
        if (status != ode::Status::kOk) {
            return status;
        }
        write(t, dense_y_, stepper);
    }
    return ode::Status::kOk;
}

/// The state inside the step, into dense_y_. Evaluations of f for it leave no trace in the
/// equation.
ode::Status OutputRows::find_state(double t, SingularStepper& stepper) {
    const dynamics::Acceleration::ScratchScope scratch(equation_->acceleration());
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
    const double h = stepper.t() - stepper.t_previous();
    if (surface_->project_inside(t, h, y, y_, pivot, equation_->acceleration().order()) ==
        dynamics::Surface::Inside::kFailed) {
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
    report_rank(t);
    const std::span<const double> row = writer_.fill(t, position, velocity, y_[2 * n_]);
    if (writer_.lacks_principle()) {
        journal_->fail({ErrorCode::kNotApplicable,
                        fmt::format("at t = {}: the mass matrix is singular, so that there is no "
                                    "unconstrained acceleration for --principle",
                                    to_text(t))});
        return;
    }
    if (is_off_constraints(t)) {
        return;
    }
    record_not_finite(t, row);
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
    if (regular && equation_->acceleration().forces_by_program(t, position, velocity, dynamics_)) {
        return solve::SolveStatus::kOk;
    }
    // Without projection the state drifts off the constraints: the rows chosen at the start stay.
    const bool on_constraints = surface_->projects() || journal_->summary().rows == 0;
    return on_constraints ? dynamics_.accelerate(t, position, velocity)
                          : dynamics_.accelerate_in_step(t, position, velocity);
}

void OutputRows::report_rank(double t) {
    RunSummary& summary = journal_->summary();
    summary.rank_warning = summary.rank_warning || dynamics_.rank_warning();
    if (rank_ >= 0 && dynamics_.rank() != rank_) {
        journal_->event({t, "rank", "rank change",
                         fmt::format("rank of the constraints {} -> {}", rank_, dynamics_.rank())});
    }
    rank_ = dynamics_.rank();
}

void OutputRows::record_not_finite(double t, std::span<const double> row) {
    std::string& first = journal_->summary().not_finite;
    for (std::size_t i = 0; i < row.size() && first.empty(); ++i) {
        if (!std::isfinite(row[i])) {
            const double* const v = y_.data() + n_;
            first =
                fmt::format("{} at t = {}{}", writer_.columns()[i].name, to_short_text(t, 9),
                            dynamics::why_not_finite(
                                *evaluator_, {t, y_.data(), v, dynamics_.a().data()},
                                dynamics::quantity_of(evaluator_->model(), writer_.columns(), i)));
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
    const dynamics::Energy energy = evaluator_->energy(summary.reached, y_.data(), y_.data() + n_);
    const double size = std::abs(energy.kinetic) + std::abs(energy.potential);
    summary.energy_scale = std::max(summary.energy_scale, size);
    watch_energy(summary.reached, size, imbalance);
}

/// True, with a failure, if a constraint is off by more than the tolerance can explain.
bool OutputRows::is_off_constraints(double t) {
    if (options_->dynamics.drift == Drift::kNone) {
        return false;  // how far it is off is then the result
    }
    const double largest = std::max(kLargestResidual * options_->tolerance, kRoundingOfResiduals);
    const std::span<const Violation> violations = writer_.violations();
    for (std::size_t i = 0; i < violations.size(); ++i) {
        const double residual = std::abs(violations[i].residual);
        if (residual > largest) {
            journal_->fail({ErrorCode::kNotConverged,
                            fmt::format("at t = {}: the constraint {} is off by {} of its size, "
                                        "more than the tolerance explains; try another tolerance, "
                                        "or --max-step",
                                        to_short_text(t, 9), evaluator_->model().rows[i].name,
                                        to_short_text(residual))});
            return true;
        }
    }
    return false;
}

void OutputRows::watch_energy(double t, double energy, double imbalance) {
    RunSummary& summary = journal_->summary();
    const std::span<const double> sizes = evaluator_->scales().positions();
    const double reach = sizes.empty() ? 0.0 : *std::max_element(sizes.begin(), sizes.end());
    if (summary.rows == 1) {
        first_energy_ = energy;
        first_reach_ = reach;
    }
    const double steps = 1.0 + static_cast<double>(steps_);
    const double explained =
        kTolerancesPerStep * options_->tolerance * steps * summary.energy_scale;
    if (!warned_of_balance_ && imbalance > explained) {
        warned_of_balance_ = true;
        summary.warnings.push_back(
            fmt::format("the energy balance is off by {} at t = {} (energy up to {}), more than "
                        "{} steps of this tolerance explain: see energy_balance, and try a smaller "
                        "--tolerance or --max-step",
                        to_short_text(imbalance), to_short_text(t, 9),
                        to_short_text(summary.energy_scale), steps_));
    }
    if (!warned_of_growth_ && energy > kGrowth * first_energy_ && first_reach_ > 0.0 &&
        reach > kFarther * first_reach_) {
        warned_of_growth_ = true;
        summary.warnings.push_back(
            fmt::format("the energy has grown from {} to {} up to t = {}: nothing of the start is "
                        "left in the digits; is the sign of a force or a potential wrong?",
                        to_short_text(first_energy_), to_short_text(energy), to_short_text(t, 9)));
    }
}

}  // namespace ananke::simulate

#include "dynamics/state_equation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::dynamics {
namespace {

/// The integral that balances the energy is carried along but never limits the step.
constexpr double kNoErrorControl = std::numeric_limits<double>::max();
/// A coordinate is known to so much of its size.
constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
/// The same of sizes that a kind has from elsewhere: they are known to their order only.
constexpr double kTiedRounding = 1e3 * kRounding;
/// Tolerance of what is nothing and stays so: only that it can be divided by.
constexpr double kNothing = 1e-290;

}  // namespace

StateEquation::StateEquation(Evaluator& evaluator, const MethodOptions& options)
    : evaluator_(&evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      stick_rows_(
          static_cast<std::size_t>(evaluator.model().m() - evaluator.model().constraint_rows)),
      acceleration_(evaluator, options),
      ties_(evaluator),
      failed_y_(size()),
      reach_(n_) {}

std::vector<double> StateEquation::state(const StartState& start) const {
    std::vector<double> y(size(), 0.0);
    std::copy(start.q.begin(), start.q.end(), y.begin());
    std::copy(start.v.begin(), start.v.end(), y.begin() + static_cast<std::ptrdiff_t>(n_));
    return y;
}

void StateEquation::set_tolerances(double tolerance, const ode::StepAhead& step,
                                   std::span<double> atol) {
    Scales& scales = evaluator_->scales();
    scales.see(step.y.data(), step.y.data() + n_);
    scales.see_accelerations(step.slope.data() + n_);
    const double part = kPartOfSize * tolerance;
    const double h = std::abs(step.h);
    // Where nothing has moved yet the size is what the step leads to: v = h a, q = h v. Where
    // friction held it the step leads to as much as friction took away.
    for (std::size_t i = 0; i < n_; ++i) {
        const double size = scales.velocities()[i];
        reach_[i] =
            std::max(size > 0.0 ? size : h * std::abs(step.slope[n_ + i]), h * scales.pulls()[i]);
    }
    const std::span<const double> velocities = scales.velocities_with(reach_.data());
    for (std::size_t i = 0; i < n_; ++i) {
        atol[n_ + i] = part * velocities[i];
        const double size = scales.positions()[i];
        reach_[i] = std::max(size > 0.0 ? size : h * velocities[i], h * h * scales.pulls()[i]);
    }
    const std::span<const double> positions = scales.positions_with(reach_.data());
    for (std::size_t i = 0; i < n_; ++i) {
        atol[i] = (part + kRounding) * positions[i];
    }
    if (step.rounding && h > 0.0) {
        if (h > tied_step_ || h < tied_step_ / 16.0) {  // rounding grows with the step's length
            tied_step_ = 2.0 * h;
            ties_.measure(step.t, step.y.data(), step.y.data() + n_, tied_step_);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            atol[i] += kTiedRounding * scales.tied_positions()[i];
            atol[n_ + i] +=
                kTiedRounding * scales.tied_velocities()[i] + kRounding * positions[i] / h;
        }
    }
    atol[2 * n_] = kNoErrorControl;
    for (std::size_t i = 2 * n_ + 1; i < atol.size(); ++i) {
        atol[i] = (part + (step.rounding ? kTiedRounding : 0.0)) * h * largest_hold_;
    }
    for (double& each : atol) {
        each = h > 0.0 ? std::max(each, kNothing) : each;
    }
}

ode::Evaluation StateEquation::rhs(double t, std::span<const double> y, std::span<double> dydt) {
    const double* position = y.data();
    const double* velocity = y.data() + n_;
    const solve::SolveStatus status = choose_rows_
                                          ? acceleration_.on_constraints(t, position, velocity)
                                          : acceleration_.in_step(t, position, velocity);
    if (status != solve::SolveStatus::kOk) {
        failed_t_ = t;
        std::copy(y.begin(), y.end(), failed_y_.begin());
        return choose_rows_ && status != solve::SolveStatus::kNotFinite
                   ? ode::Evaluation::fatal(static_cast<int>(status))
                   : ode::Evaluation::retry(static_cast<int>(status));
    }
    choose_rows_ = false;
    acceleration_.rates(velocity, dydt);
    return ode::Evaluation::ok();
}

ode::Evaluation StateEquation::rhs_on_surface(double t, std::span<const double> y,
                                              std::span<double> dydt) {
    const bool choose = std::exchange(choose_rows_, true);
    acceleration_.request_rank_check();
    const ode::Evaluation evaluation = rhs(t, y, dydt);
    choose_rows_ = choose;
    return evaluation;
}

ode::Evaluation StateEquation::rhs_across(double t, std::span<const double> y,
                                          std::span<double> dydt) {
    const double* velocity = y.data() + n_;
    if (!acceleration_.across(t, y.data(), velocity)) {
        return rhs_on_surface(t, y, dydt);
    }
    acceleration_.rates(velocity, dydt);
    return ode::Evaluation::ok();
}

WeakestRow StateEquation::weakest(std::span<double> direction) const {
    if (!acceleration_.rank_was_checked()) {
        return {.known = false};
    }
    const MotionSolver& solver = acceleration_.motion_solver();
    return {solver.weakest_pivot(), solver.rows().weakest_row(direction), solver.rank()};
}

const double* StateEquation::restart_acceleration(double t, std::span<const double> y) {
    acceleration_.on_constraints(t, y.data(), y.data() + n_);
    return acceleration_.a();
}

Error StateEquation::explain_failure() {
    Error why =
        acceleration_.motion_solver().explain(failed_t_, failed_y_.data(), failed_y_.data() + n_);
    return {why.code, fmt::format("at t = {}: {}", to_short_text(failed_t_, 9), why.message)};
}

}  // namespace ananke::dynamics

#include "sim/state_equation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::sim {
namespace {

/// The integral that balances the energy is carried along but never limits the step.
constexpr double kNoErrorControl = 1e100;

}  // namespace

StateEquation::StateEquation(Evaluator& evaluator, const DynamicsOptions& options)
    : evaluator_(&evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      stick_rows_(
          static_cast<std::size_t>(evaluator.model().m() - evaluator.model().constraint_rows)),
      acceleration_(evaluator, options),
      failed_y_(size()) {}

std::vector<double> StateEquation::state(const StartState& start) const {
    std::vector<double> y(size(), 0.0);
    std::copy(start.q.begin(), start.q.end(), y.begin());
    std::copy(start.v.begin(), start.v.end(), y.begin() + static_cast<std::ptrdiff_t>(n_));
    return y;
}

ode::Options StateEquation::integrator_options(double tolerance) const {
    ode::Options options;
    options.rtol = tolerance;
    options.atol = 0.1 * tolerance;
    options.atol_each.assign(size(), options.atol);
    options.atol_each[2 * n_] = kNoErrorControl;
    return options;
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
    look_closely();
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
    if (!looked_closely()) {
        return {.known = false};
    }
    const Dynamics& dynamics = acceleration_.dynamics();
    return {dynamics.weakest_pivot(), dynamics.weakest_row(direction.data()), dynamics.rank()};
}

const double* StateEquation::acceleration(double t, std::span<const double> y) {
    acceleration_.on_constraints(t, y.data(), y.data() + n_);
    return acceleration_.a();
}

Error StateEquation::explain_failure() {
    Error why = dynamics().explain(failed_t_, failed_y_.data(), failed_y_.data() + n_);
    return {why.code, fmt::format("at t = {}: {}", to_short_text(failed_t_, 9), why.message)};
}

}  // namespace ananke::sim

#include "dynamics/feedback.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

/// Relative change of a multiplier that is rounding.
constexpr double kConverged = 1e-14;
/// What is accepted when rounding keeps the residual from falling further.
constexpr double kAccepted = 1e-9;
constexpr int kMostIterations = 50;
/// Halvings of a step of Newton's method that leads to where a force is not a number.
constexpr int kMostHalvings = 40;

}  // namespace

Feedback::Feedback(const compile::CompiledModel& model)
    : rows_(model.feedback),
      x_(static_cast<std::size_t>(model.constraint_rows), 0.0),
      change_(static_cast<std::size_t>(model.m()), 0.0),
      residual_(rows_.size(), 0.0) {}

void Feedback::start_from(const double* lambda) {
    std::copy_n(lambda, x_.size(), x_.begin());
    has_start_ = true;
}

void Feedback::forget() {
    std::fill(x_.begin(), x_.end(), 0.0);
    has_start_ = false;
}

SolveStatus Feedback::close(Evaluator& evaluator, KktSolver& solver,
                            const compile::SparseValues& at, Motion& motion) {
    evaluator.update_reactive();
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        double worst = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto row = static_cast<std::size_t>(rows_[i]);
            const double now = motion.lambda[row];
            residual_[i] = now - x_[row];
            worst = std::max(worst, std::abs(residual_[i]));
            size = std::max(size, std::abs(now));
        }
        solver.take_slopes();
        if (iteration > 2 && worst >= last) {  // what the given forces alone would need
            solver.response(at.Q, change_);
            for (const int row : rows_) {
                size = std::max(size, std::abs(change_[static_cast<std::size_t>(row)]));
            }
        }
        if (worst <= kConverged * size || (worst >= last && worst <= kAccepted * size)) {
            slope_ = solver.feedback_radius();
            has_start_ = true;
            return slope_ < 1.0 ? SolveStatus::kOk : SolveStatus::kNoFeedback;
        }
        last = worst;
        if (!solver.feedback_step(residual_)) {
            break;
        }
        SolveStatus status = SolveStatus::kNotFinite;
        double part = 1.0;
        for (int halving = 0; halving < kMostHalvings && status == SolveStatus::kNotFinite;
             ++halving) {
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                x_[static_cast<std::size_t>(rows_[i])] += part * residual_[i];
            }
            evaluator.set_multipliers(x_.data());
            evaluator.update_reactive();
            status = solver.solve_forces(at, motion);
            part = halving == 0 ? -0.5 : 0.5 * part;  // back by half of what is left
        }
        if (status != SolveStatus::kOk) {
            forget();
            return status;
        }
    }
    slope_ = solver.feedback_radius();
    forget();
    return SolveStatus::kNoFeedback;
}

Error describe_feedback(Evaluator& evaluator, KktSolver& solver, const Motion& motion,
                        const Feedback& feedback, double t, const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    const auto n = static_cast<std::size_t>(model.n());
    std::vector<double> push(n);
    std::vector<double> change(static_cast<std::size_t>(model.m()));
    const std::vector<double>& lambda = motion.lambda;
    const compile::CompiledFriction* strongest = nullptr;
    int acting = 0;
    double largest = 0.0;
    double coefficient = 0.0;
    for (const compile::CompiledFriction& friction : model.frictions) {
        const auto first = static_cast<std::size_t>(friction.first_value);
        const auto size = static_cast<std::size_t>(friction.components);
        evaluator.set_multipliers(lambda.data());
        const std::span<const double> values = evaluator.friction_values(t, q, v);
        double total = 0.0;
        for (std::size_t k = 0; k < size; ++k) {
            total = std::hypot(total, values[first + size + k]);
        }
        if (total == 0.0) {
            continue;
        }
        ++acting;
        // The multipliers when this friction grows by one unit, and how much it then grows itself.
        std::fill(push.begin(), push.end(), 0.0);
        for (std::size_t k = 0; k < size; ++k) {
            const std::span<const double> row =
                evaluator.slip_row(friction.first_row + static_cast<int>(k));
            for (std::size_t i = 0; i < n; ++i) {
                push[i] -= values[first + size + k] / total * row[i];
            }
        }
        solver.response(push, change);
        double reach = 0.0;
        double scale = 0.0;
        for (std::size_t i = 0; i < lambda.size(); ++i) {
            reach = std::max(reach, std::abs(change[i]));
            scale = std::max(scale, std::abs(lambda[i]));
        }
        const double step = reach > 0.0 ? 1e-6 * scale / reach : 0.0;
        if (step == 0.0) {
            continue;
        }
        const auto load_at = [&](double s) {
            std::vector<double> moved = lambda;
            for (std::size_t i = 0; i < moved.size(); ++i) {
                moved[i] += s * change[i];
            }
            evaluator.set_multipliers(moved.data());
            const std::span<const double> there = evaluator.friction_values(t, q, v);
            return there[first + 2 * size + 2] * there[first + 2 * size + 3];
        };
        const double gain = std::abs(load_at(step) - load_at(-step)) / (2.0 * step);
        if (gain >= largest) {
            largest = gain;
            strongest = &friction;
            coefficient = values[first + 2 * size + 3];
        }
    }
    if (strongest == nullptr && !(feedback.slope() >= 1.0)) {
        return {ErrorCode::kNotUnique,
                "no reactions were found that fit the forces that depend on them: where such a law "
                "jumps or has no value, none need exist"};
    }
    if (strongest == nullptr) {
        return {ErrorCode::kNotUnique,
                fmt::format("the forces that depend on reactions have no unique solution: they "
                            "change these reactions by {} times as much",
                            to_short_text(feedback.slope(), 4))};
    }
    // Several act on each other's loads: only all of them in proportion have a critical size.
    const std::string critical =
        acting == 1
            ? fmt::format("mu = {}, critical mu = {} in this state", to_short_text(coefficient, 6),
                          to_short_text(coefficient / largest, 6))
            : fmt::format(
                  "with its mu = {} and the other frictions the loads change by {} "
                  "times as much as the friction; all coefficients times {} are "
                  "critical in this state",
                  to_short_text(coefficient, 6), to_short_text(feedback.slope(), 3),
                  to_short_text(1.0 / feedback.slope(), 3));
    return {ErrorCode::kNotUnique,
            fmt::format("friction on {} has no unique solution: it changes the load that it "
                        "depends on by more than it is (Painleve's paradox); {}",
                        strongest->name, critical)};
}

}  // namespace ananke::dynamics

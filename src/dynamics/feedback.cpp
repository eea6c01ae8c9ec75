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
/// J^(2^12): its size to the power 2^-12 is the spectral radius to three digits or more.
constexpr int kSquarings = 12;

}  // namespace

Feedback::Feedback(const compile::CompiledModel& model)
    : n_(model.n()),
      rows_(model.feedback),
      x_(static_cast<std::size_t>(model.constraint_rows), 0.0),
      change_(static_cast<std::size_t>(model.m()), 0.0),
      J_(rows_.size() * rows_.size(), 0.0),
      power_(J_),
      work_(J_),
      residual_(rows_.size(), 0.0) {}

void Feedback::start_from(const double* lambda) {
    std::copy_n(lambda, x_.size(), x_.begin());
    has_start_ = true;
}

void Feedback::forget() {
    std::fill(x_.begin(), x_.end(), 0.0);
    has_start_ = false;
}

/// Column k of J: response of the multipliers to the slope of the forces by multiplier k.
template <class Solver>
void Feedback::find_slope(Evaluator& evaluator, Solver& solver) {
    const std::size_t u = rows_.size();
    for (std::size_t k = 0; k < u; ++k) {
        solver.response(evaluator.feedback_slope(static_cast<int>(k)), change_.data());
        for (std::size_t i = 0; i < u; ++i) {
            const double value = change_[static_cast<std::size_t>(rows_[i])];
            // A load like |N| has no slope where N = 0: there the plain iteration goes on.
            J_[i * u + k] = std::isfinite(value) ? value : 0.0;
        }
    }
}

/// lim |J^k|^(1/k) by repeated squaring.
void Feedback::find_radius() {
    const std::size_t u = rows_.size();
    if (u == 1) {
        slope_ = std::abs(J_[0]);
        return;
    }
    power_ = J_;
    double logarithm = 0.0;  // of the size taken out, per power of J
    double weight = 1.0;
    for (int squaring = 0;; ++squaring) {
        double size = 0.0;
        for (const double entry : power_) {
            size = std::max(size, std::abs(entry));
        }
        if (size == 0.0) {
            slope_ = 0.0;
            return;
        }
        logarithm += weight * std::log(size);
        if (squaring == kSquarings) {
            slope_ = std::exp(logarithm);
            return;
        }
        for (std::size_t i = 0; i < u; ++i) {
            for (std::size_t j = 0; j < u; ++j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < u; ++k) {
                    sum += power_[i * u + k] / size * (power_[k * u + j] / size);
                }
                work_[i * u + j] = sum;
            }
        }
        power_.swap(work_);
        weight *= 0.5;
    }
}

/// residual <- (1 - J)^-1 residual by elimination with pivoting; false if 1 - J is singular.
bool Feedback::newton_step() {
    const std::size_t u = rows_.size();
    for (std::size_t i = 0; i < u; ++i) {
        for (std::size_t j = 0; j < u; ++j) {
            work_[i * u + j] = (i == j ? 1.0 : 0.0) - J_[i * u + j];
        }
    }
    for (std::size_t k = 0; k < u; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < u; ++i) {
            pivot = std::abs(work_[i * u + k]) > std::abs(work_[pivot * u + k]) ? i : pivot;
        }
        if (work_[pivot * u + k] == 0.0) {
            return false;
        }
        for (std::size_t j = 0; j < u && pivot != k; ++j) {
            std::swap(work_[k * u + j], work_[pivot * u + j]);
        }
        std::swap(residual_[k], residual_[pivot]);
        for (std::size_t i = k + 1; i < u; ++i) {
            const double factor = work_[i * u + k] / work_[k * u + k];
            for (std::size_t j = k; j < u; ++j) {
                work_[i * u + j] -= factor * work_[k * u + j];
            }
            residual_[i] -= factor * residual_[k];
        }
    }
    for (std::size_t k = u; k-- > 0;) {
        for (std::size_t j = k + 1; j < u; ++j) {
            residual_[k] -= work_[k * u + j] * residual_[j];
        }
        residual_[k] /= work_[k * u + k];
    }
    return true;
}

template <class Solver>
SolveStatus Feedback::close(Evaluator& evaluator, Solver& solver, const solve::System& at) {
    evaluator.update_reactive();
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        double worst = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double now = solver.lambda()[rows_[i]];
            residual_[i] = now - x_[static_cast<std::size_t>(rows_[i])];
            worst = std::max(worst, std::abs(residual_[i]));
            size = std::max(size, std::abs(now));
        }
        find_slope(evaluator, solver);
        if (iteration > 2 && worst >= last) {  // what the given forces alone would need
            solver.response(at.Q.data(), change_.data());
            for (const int row : rows_) {
                size = std::max(size, std::abs(change_[static_cast<std::size_t>(row)]));
            }
        }
        if (worst <= kConverged * size || (worst >= last && worst <= kAccepted * size)) {
            find_radius();
            has_start_ = true;
            return slope_ < 1.0 ? SolveStatus::kOk : SolveStatus::kNoFeedback;
        }
        last = worst;
        if (!newton_step()) {
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
            status = solver.solve_forces(at);
            part = halving == 0 ? -0.5 : 0.5 * part;  // back by half of what is left
        }
        if (status != SolveStatus::kOk) {
            forget();
            return status;
        }
    }
    find_radius();
    forget();
    return SolveStatus::kNoFeedback;
}

template <class Solver>
Error describe_feedback(Evaluator& evaluator, Solver& solver, const Feedback& feedback, double t,
                        const double* q, const double* v) {
    const compile::CompiledModel& model = evaluator.model();
    const auto n = static_cast<std::size_t>(model.n());
    std::vector<double> push(n);
    std::vector<double> change(static_cast<std::size_t>(model.m()));
    std::vector<double> lambda(solver.lambda().data(), solver.lambda().data() + model.m());
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
            const std::span<const double> row = evaluator.slip_row(
                friction.first_row - model.constraint_rows + static_cast<int>(k));
            for (std::size_t i = 0; i < n; ++i) {
                push[i] -= values[first + size + k] / total * row[i];
            }
        }
        solver.response(push.data(), change.data());
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

template SolveStatus Feedback::close(Evaluator&, solve::AccelerationSolver&, const solve::System&);
template SolveStatus Feedback::close(Evaluator&, solve::ActuatedSolver&, const solve::System&);
template Error describe_feedback(Evaluator&, solve::AccelerationSolver&, const Feedback&, double,
                                 const double*, const double*);
template Error describe_feedback(Evaluator&, solve::ActuatedSolver&, const Feedback&, double,
                                 const double*, const double*);

}  // namespace ananke::dynamics

#include "sim/event_actions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::sim {
namespace {

/// Positions that miss the constraints by more than this after a change of parameters, scaled, are
/// not on them: the same limit as for exact initial values.
constexpr double kOffTheConstraints = 1e-9;
/// A velocity moved by the constraints by less than this part of its size (at least 1) met them.
constexpr double kMoved = 1e-9;

Error at_event(ErrorCode code, double t, const std::string& name, const std::string& what) {
    return {code, fmt::format("at t = {}: the event {} {}", to_short_text(t, 9), name, what)};
}

Error off_the_constraints(Evaluator& evaluator, double t, const std::string& name,
                          std::span<const double> q, std::span<const double> v) {
    const std::span<const double> residuals = evaluator.scaled_residuals(t, q.data(), v.data());
    std::string rows;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        const mech::Row& row = evaluator.model().rows[i];
        if (row.holonomic && std::abs(residuals[i]) > kOffTheConstraints) {
            rows += fmt::format("{}{} by {}", rows.empty() ? "" : ", ", row.name,
                                to_short_text(residuals[i]));
        }
    }
    return at_event(ErrorCode::kInconsistent, t, name,
                    fmt::format("changes a parameter so that the positions no longer meet the "
                                "constraints ({}); let the parameter enter forces, masses or "
                                "velocities, or change it smoothly in time",
                                rows));
}

/// The friction that a change of parameters has given a negative coefficient.
std::optional<Error> negative_friction(Evaluator& evaluator, double t, const std::string& name,
                                       std::span<const double> q, std::span<const double> v) {
    const std::span<const double> values = evaluator.friction_values(t, q.data(), v.data());
    for (const CompiledFriction& friction : evaluator.model().frictions) {
        const auto last = static_cast<std::size_t>(friction.first_value + 2 * friction.components);
        const double coefficient = values[last + 3];
        if (coefficient < 0.0) {
            return at_event(ErrorCode::kInvalidInput, t, name,
                            fmt::format("makes the coefficient of the friction on {} negative: {}",
                                        friction.name, to_short_text(coefficient, 6)));
        }
    }
    return std::nullopt;
}

/// "; the constraints make it x' 0.5, y' 0.5" of the velocities that projection moved.
std::string moved_text(const CompiledModel& model, std::span<const double> before,
                       std::span<const double> after) {
    std::string text;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (std::abs(after[i] - before[i]) > kMoved * std::max(1.0, std::abs(before[i]))) {
            text += fmt::format("{}{}' {}", text.empty() ? "; the constraints make it " : ", ",
                                model.coordinate_names[i], to_text(after[i]));
        }
    }
    return text;
}

}  // namespace

Result<EventOutcome> carry_out_events(EventWatch& watch, Evaluator& evaluator,
                                      solve::Projector& projector, double t, std::span<double> y) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const std::span<double> q = y.first(n);
    const std::span<double> v = y.subspan(n, n);
    const double h_before = evaluator.energy(t, q.data(), v.data()).h;
    EventOutcome outcome;
    bool changed = false;
    for (const int which : watch.due()) {
        const CompiledEvents::One& one = watch.event(which);
        Result<EventEffect> effect = watch.carry_out(which, t, q.data(), v.data());
        if (!effect) {
            return effect.error();
        }
        const bool finite =
            std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }) &&
            std::all_of(one.parameters.begin(), one.parameters.end(),
                        [&](int p) { return std::isfinite(evaluator.parameter(p)); });
        if (!finite) {
            return at_event(
                ErrorCode::kNotFinite, t, one.name,
                fmt::format("sets a value that is not a finite number: {}", effect.value().detail));
        }
        if (effect.value().changes) {
            if (const auto negative = negative_friction(evaluator, t, one.name, q, v)) {
                return *negative;
            }
        }
        if (effect.value().changes && projector.position_violation(t, q) > kOffTheConstraints) {
            return off_the_constraints(evaluator, t, one.name, q, v);
        }
        if (effect.value().resets || effect.value().changes) {
            changed = true;
            const std::vector<double> wanted(v.begin(), v.end());
            if (projector.project(t, q, v).status != solve::ProjectionStatus::kOk) {
                return at_event(ErrorCode::kNotConverged, t, one.name,
                                "sets velocities that cannot be put onto the constraints");
            }
            effect.value().detail += moved_text(evaluator.model(), wanted, v);
        }
        if (one.stop && outcome.stopped_by.empty()) {
            outcome.stopped_by = one.name;
        }
        outcome.entries.push_back({t, one.name, effect.value().kind, effect.value().detail});
    }
    if (changed) {
        y[2 * n] += evaluator.energy(t, q.data(), v.data()).h - h_before;
    }
    return outcome;
}

}  // namespace ananke::sim

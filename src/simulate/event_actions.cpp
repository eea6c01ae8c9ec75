#include "simulate/event_actions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/dynamics.h"
#include "dynamics/not_finite.h"
#include "solve/assembly.h"

namespace ananke::simulate {
namespace {

/// Positions that miss the constraints by more than this after a change of parameters, scaled, are
/// not on them: the same limit as for exact initial values.
constexpr double kOffTheConstraints = 1e-9;
/// A velocity moved by the constraints by less than this part of its size (at least 1) met them.
constexpr double kMoved = 1e-9;

Error at_event(ErrorCode code, double t, const std::string& name, const std::string& what) {
    return {code, fmt::format("at t = {}: the event {} {}", to_short_text(t, 9), name, what)};
}

Error set_off_again(double t, const std::vector<std::string>& names) {
    return {ErrorCode::kNotUnique,
            fmt::format("at t = {}: the events {} set each other off again and again at this time, "
                        "without an end; let one event express what they do together",
                        to_short_text(t, 9), join_names(names))};
}

Error off_the_constraints(dynamics::Evaluator& evaluator, double t, const std::string& name,
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
std::optional<Error> negative_friction(dynamics::Evaluator& evaluator, double t,
                                       const std::string& name, std::span<const double> q,
                                       std::span<const double> v) {
    const std::span<const double> values = evaluator.friction_values(t, q.data(), v.data());
    for (const compile::CompiledFriction& friction : evaluator.model().frictions) {
        const int behind_components = friction.first_value + 2 * friction.components;
        const auto last = static_cast<std::size_t>(behind_components);
        const double coefficient = values[last + 3];
        if (coefficient < 0.0) {
            return at_event(ErrorCode::kInvalidInput, t, name,
                            fmt::format("makes the coefficient of the friction on {} negative: {}",
                                        friction.name, to_short_text(coefficient, 6)));
        }
    }
    return std::nullopt;
}

/// "; by the constraints x' 0.5, y' 0.5" of the velocities that the constraints moved.
std::string moved_text(const compile::CompiledModel& model, std::span<const double> before,
                       std::span<const double> after) {
    std::string text;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (std::abs(after[i] - before[i]) > kMoved * std::max(1.0, std::abs(before[i]))) {
            text += fmt::format("{}{}' {}", text.empty() ? "; by the constraints " : ", ",
                                model.coordinate_names[i], to_text(after[i]));
        }
    }
    return text;
}

/// "x'" of the velocities with which M < 0, or "".
std::string motion_of_negative_mass(dynamics::Evaluator& evaluator, double t,
                                    std::span<const double> q) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes{
        Eigen::MatrixXd(solve::full_mass(evaluator, t, q.data()))};
    const double largest = modes.eigenvalues().cwiseAbs().maxCoeff();
    if (modes.info() != Eigen::Success || !(modes.eigenvalues()[0] < -kMoved * largest)) {
        return "";
    }
    constexpr double kTakesPart = 1e-3;
    const Eigen::VectorXd mode = modes.eigenvectors().col(0);
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < mode.size(); ++i) {
        if (std::abs(mode[i]) > kTakesPart) {
            names.push_back(evaluator.model().coordinate_names[static_cast<std::size_t>(i)] + "'");
        }
    }
    return join_names(names);
}

/// Why the velocities that an event sets cannot be.
Error refused(const compile::CompiledModel& model, double t,
              const compile::CompiledEvents::One& one, const solve::AssemblyFailure& failure) {
    std::vector<std::string> rows;
    for (const int row : failure.contradictory_rows) {
        rows.push_back(model.rows[static_cast<std::size_t>(row)].name);
    }
    for (std::size_t i = 0; failure.contradictory_rows.empty() && i < model.rows.size(); ++i) {
        if (!(std::abs(failure.scaled_residual[i]) <= kOffTheConstraints)) {
            rows.push_back(model.rows[i].name);
        }
    }
    std::vector<std::string> set;
    for (const int coordinate : one.coordinates) {
        set.push_back(model.coordinate_names[static_cast<std::size_t>(coordinate)] + "'");
    }
    return at_event(
        ErrorCode::kInconsistent, t, one.name,
        fmt::format("sets velocities ({}) that the constraint{} {} {} not allow; set fewer of "
                    "them, the others follow by the constraints",
                    join_names(set), rows.size() == 1 ? "" : "s", join_names(rows),
                    rows.size() == 1 ? "does" : "do"));
}

/// v onto the constraints, those that the event sets held fixed: the least change of the others in
/// the metric of their masses, as for exact initial values.
std::optional<Error> adapt_others(dynamics::Evaluator& evaluator, double t,
                                  const compile::CompiledEvents::One& one, std::span<double> q,
                                  std::span<double> v) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<bool> set(v.size(), false);
    for (const int coordinate : one.coordinates) {
        set[static_cast<std::size_t>(coordinate)] = true;
    }
    const solve::Assembly assembly = solve::assemble(
        evaluator,
        {t, {q.begin(), q.end()}, {v.begin(), v.end()}, std::vector<bool>(q.size(), true), set, {}},
        {}, {}, dynamics::row_names(model));
    if (assembly.failure) {
        return refused(model, t, one, *assembly.failure);
    }
    std::copy(assembly.q.begin(), assembly.q.end(), q.begin());
    std::copy(assembly.v.begin(), assembly.v.end(), v.begin());
    return std::nullopt;
}

}  // namespace

Result<EventOutcome> carry_out_events(EventWatch& watch, dynamics::Evaluator& evaluator,
                                      solve::Projector& projector, double t, std::span<double> y) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const std::span<double> q = y.first(n);
    const std::span<double> v = y.subspan(n, n);
    const double h_before = evaluator.energy(t, q.data(), v.data()).h;
    EventOutcome outcome;
    bool changed = false;
    EventInstant& instant = watch.begin_instant(t, q.data(), v.data());
    while (const std::optional<int> which = instant.next()) {
        if (instant.is_endless()) {
            return set_off_again(t, instant.names_of_last_round());
        }
        const compile::CompiledEvents::One& one = watch.event(*which);
        const std::vector<double> v_before(v.begin(), v.end());
        std::vector<double> parameters_before;
        for (const int parameter : one.parameters) {
            parameters_before.push_back(evaluator.parameter(parameter));
        }
        Result<EventEffect> effect = watch.carry_out(*which, t, q.data(), v.data());
        if (!effect) {
            return effect.error();
        }
        const bool finite =
            std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }) &&
            std::all_of(one.parameters.begin(), one.parameters.end(),
                        [&](int p) { return std::isfinite(evaluator.parameter(p)); });
        if (!finite) {
            for (std::size_t i = 0; i < one.parameters.size(); ++i) {
                evaluator.set_parameter(one.parameters[i], parameters_before[i]);
            }
            return at_event(
                ErrorCode::kNotFinite, t, one.name,
                fmt::format("sets a value that is not a finite number: {}{}", effect.value().detail,
                            dynamics::why_not_finite(evaluator, {t, q.data(), v_before.data()},
                                                     {dynamics::Quantity::Of::kEvent, *which})));
        }
        if (effect.value().changes) {
            if (const auto negative = negative_friction(evaluator, t, one.name, q, v)) {
                return *negative;
            }
            if (const std::string motion = motion_of_negative_mass(evaluator, t, q);
                !motion.empty()) {
                return at_event(ErrorCode::kInvalidInput, t, one.name,
                                fmt::format("makes the kinetic energy negative for a motion of "
                                            "{}: {}",
                                            motion, effect.value().detail));
            }
        }
        if (effect.value().changes &&
            projector.violation(solve::Level::kPositions, t, q, v) > kOffTheConstraints) {
            return off_the_constraints(evaluator, t, one.name, q, v);
        }
        if (effect.value().resets || effect.value().changes) {
            changed = true;
            const std::vector<double> wanted(v.begin(), v.end());
            if (effect.value().resets) {
                if (std::optional<Error> error = adapt_others(evaluator, t, one, q, v)) {
                    return *error;
                }
            } else if (projector.project(t, q, v).status != solve::ProjectionStatus::kOk) {
                return at_event(ErrorCode::kNotConverged, t, one.name,
                                "leaves velocities that cannot be put onto the constraints");
            }
            effect.value().detail += moved_text(evaluator.model(), wanted, v);
            instant.follow(t, q.data(), v.data());
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

}  // namespace ananke::simulate

// What the events of an instant do to the state of a run.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/motion_solver.h"
#include "dynamics/not_finite.h"
#include "dynamics/sparse_rows.h"
#include "simulate/event_watch.h"
#include "solve/assembly.h"

namespace ananke::simulate {
namespace {

/// Positions that miss the constraints by more than this after a change of parameters, scaled, are
/// not on them: the same limit as for exact initial values.
constexpr double kOffTheConstraints = 1e-9;
/// A velocity moved by the constraints by less than this part of its size (at least 1) met them.
constexpr double kMoved = 1e-9;
/// An event that happens so often without progress has no end.
constexpr int kMostPiled = 8;

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

/// Adds to a list in a text.
void append(std::string& text, const char* separator, const std::string& more) {
    text += text.empty() ? more : separator + more;
}

}  // namespace

Error endless_events(double t, const std::string& name) {
    return {ErrorCode::kNotUnique,
            fmt::format("at t = {}: the event {} happens again and again at ever shorter "
                        "intervals, infinitely often up to this time, and the model does not say "
                        "how the motion goes on; let an event stop the run before",
                        to_short_text(t, 9), name)};
}

Result<double> EventWatch::change(double t, std::span<double> y, double next_step) {
    frictions_->release();  // an event may set in motion what sticks
    const std::span<double> q = y.first(n_);
    const std::span<double> v = y.subspan(n_, n_);
    const double h_before = evaluator_->energy(t, q.data(), v.data()).h;
    std::vector<Event> entries;
    std::string stopped_by;
    bool changed = false;
    instant_.begin(t, q.data(), v.data(), due_, side_, rounding_);
    while (const std::optional<int> which = instant_.next()) {
        if (instant_.is_endless()) {
            return set_off_again(t, instant_.names_of_last_round());
        }
        Result<Effect> effect = carry_out(*which, t, q, v);
        if (!effect) {
            return effect.error();
        }
        const compile::CompiledEvents::One& one = event(*which);
        changed = changed || effect.value().resets || effect.value().changes;
        stopped_by = one.stop && stopped_by.empty() ? one.name : stopped_by;
        entries.push_back({t, one.name, effect.value().kind, effect.value().detail});
    }
    if (changed) {
        const double jump = evaluator_->energy(t, q.data(), v.data()).h - h_before;
        y[2 * n_] += jump;
        surface_->shift_energy(jump);
    }
    for (const Event& entry : entries) {
        journal_->event(entry);
    }
    if (!stopped_by.empty()) {
        journal_->summary().stopped =
            fmt::format("stopped at t = {} by the event {}", to_text(t), stopped_by);
    }
    follow_laws(t, y);
    return std::min(next_step, resume(t, y));
}

/// The force laws of a state that no step has led to.
void EventWatch::follow_laws(double t, std::span<const double> y) {
    evaluator_->release_switches();
    if (evaluator_->model().switches_by_reactions()) {
        equation_->acceleration().motion_solver().accelerate(t, y.data(), y.data() + n_);
    }
    evaluator_->hold_switches(t, y.data(), y.data() + n_);
}

/// Fails when the times of an event pile up. Once more at one instant does not count.
Result<void> EventWatch::count_progress(int which, double t) {
    const auto k = static_cast<std::size_t>(which);
    if (t != last_[k]) {
        const bool progress = t - last_[k] > kNoProgress * (1.0 + std::abs(t));
        piled_[k] = progress ? 0 : piled_[k] + 1;
        last_[k] = t;
    }
    if (piled_[k] >= kMostPiled) {
        return endless_events(t, event(which).name);
    }
    return {};
}

/// One event: sets velocities and parameters, and moves the other velocities onto the constraints.
Result<EventWatch::Effect> EventWatch::carry_out(int which, double t, std::span<double> q,
                                                 std::span<double> v) {
    if (const Result<void> progress = count_progress(which, t); !progress) {
        return progress.error();
    }
    const compile::CompiledEvents::One& one = event(which);
    const std::vector<double> v_before(v.begin(), v.end());
    std::vector<double> parameters_before;
    for (const int parameter : one.parameters) {
        parameters_before.push_back(evaluator_->parameter(parameter));
    }
    Effect effect = set_values(which, t, q, v);
    const bool finite =
        std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }) &&
        std::all_of(one.parameters.begin(), one.parameters.end(),
                    [&](int p) { return std::isfinite(evaluator_->parameter(p)); });
    if (!finite) {
        for (std::size_t i = 0; i < one.parameters.size(); ++i) {
            evaluator_->set_parameter(one.parameters[i], parameters_before[i]);
        }
        return at_event(
            ErrorCode::kNotFinite, t, one.name,
            fmt::format("sets a value that is not a finite number: {}{}", effect.detail,
                        dynamics::why_not_finite(*evaluator_, {t, q.data(), v_before.data()},
                                                 {dynamics::Quantity::Of::kEvent, which})));
    }
    if (effect.changes) {
        if (const auto negative = negative_friction(*evaluator_, t, one.name, q, v)) {
            return *negative;
        }
        if (const std::string motion = motion_of_negative_mass(*evaluator_, t, q);
            !motion.empty()) {
            return at_event(ErrorCode::kInvalidInput, t, one.name,
                            fmt::format("makes the kinetic energy negative for a motion of {}: {}",
                                        motion, effect.detail));
        }
        if (surface_->projector().violation(solve::Level::kPositions, t, q, v) >
            kOffTheConstraints) {
            return off_the_constraints(*evaluator_, t, one.name, q, v);
        }
    }
    if (effect.resets || effect.changes) {
        const std::vector<double> wanted(v.begin(), v.end());
        if (effect.resets) {
            if (std::optional<Error> error = adapt_others(which, t, q, v)) {
                return *error;
            }
        } else if (surface_->projector().project(t, q, v).status != solve::ProjectionStatus::kOk) {
            return at_event(ErrorCode::kNotConverged, t, one.name,
                            "leaves velocities that cannot be put onto the constraints");
        }
        effect.detail += moved_text(evaluator_->model(), wanted, v);
        instant_.follow(t, q.data(), v.data());
    }
    return effect;
}

/// Sets what the event says, from the values before.
EventWatch::Effect EventWatch::set_values(int which, double t, std::span<const double> q,
                                          std::span<double> v) {
    const compile::CompiledEvents::One& one = event(which);
    const compile::CompiledModel& model = evaluator_->model();
    Effect effect;
    if (one.record || one.stop) {
        for (std::size_t i = 0; i < 2 * n_; ++i) {
            append(effect.detail, ", ",
                   fmt::format("{}{} = {}", model.coordinate_names[i % n_], i < n_ ? "" : "'",
                               to_text(i < n_ ? q[i] : v[i - n_])));
        }
    }
    actions_.run(evaluator_->inputs(t, q.data(), v.data()).data(), action_.data());
    const double* next = action_.data() + one.first_action;
    for (const int coordinate : one.coordinates) {
        const auto i = static_cast<std::size_t>(coordinate);
        append(
            effect.detail, ", ",
            fmt::format("{}' {} -> {}", model.coordinate_names[i], to_text(v[i]), to_text(*next)));
        v[i] = *next++;
    }
    for (const int parameter : one.parameters) {
        const auto p = static_cast<std::size_t>(parameter);
        append(effect.detail, ", ",
               fmt::format("{} {} -> {}", model.parameter_names[p],
                           to_text(evaluator_->parameter(parameter)), to_text(*next)));
        evaluator_->set_parameter(parameter, *next++);
        follows_[p] = false;
    }
    effect.resets = !one.coordinates.empty();
    effect.changes = !one.parameters.empty();
    if (effect.changes) {
        follow_parameters();
        evaluator_->hold_integrals(t, q.data());
    }
    const std::pair<bool, const char*> kinds[] = {{effect.resets, "reset"},
                                                  {effect.changes, "parameter"},
                                                  {one.record, "record"},
                                                  {one.stop, "stop"}};
    for (const auto& [done, kind] : kinds) {
        if (done) {
            append(effect.kind, "+", kind);
        }
    }
    return effect;
}

/// Moves the velocities that the event does not set onto the constraints: their least change in the
/// metric of their masses, as for exact initial values.
std::optional<Error> EventWatch::adapt_others(int which, double t, std::span<double> q,
                                              std::span<double> v) {
    const compile::CompiledModel& model = evaluator_->model();
    const compile::CompiledEvents::One& one = event(which);
    std::vector<bool> set(v.size(), false);
    for (const int coordinate : one.coordinates) {
        set[static_cast<std::size_t>(coordinate)] = true;
    }
    const solve::Assembly assembly = solve::assemble(
        *evaluator_,
        {t, {q.begin(), q.end()}, {v.begin(), v.end()}, std::vector<bool>(q.size(), true), set, {}},
        {}, {}, dynamics::row_names(model));
    if (assembly.failure) {
        return refused(model, t, one, *assembly.failure);
    }
    std::copy(assembly.q.begin(), assembly.q.end(), q.begin());
    std::copy(assembly.v.begin(), assembly.v.end(), v.begin());
    return std::nullopt;
}

/// Parameters computed from changed ones follow them. Formulas use earlier parameters only, so
/// that each pass settles at least one more.
void EventWatch::follow_parameters() {
    bool moved = true;
    for (std::size_t pass = 0; moved && pass < formula_.size(); ++pass) {
        moved = false;
        parameters_.run(evaluator_->inputs().data(), formula_.data());
        for (std::size_t p = 0; p < formula_.size(); ++p) {
            const auto which = static_cast<int>(p);
            if (follows_[p] && formula_[p] != evaluator_->parameter(which)) {
                evaluator_->set_parameter(which, formula_[p]);
                moved = true;
            }
        }
    }
}

}  // namespace ananke::simulate

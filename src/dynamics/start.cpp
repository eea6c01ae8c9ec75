#include "dynamics/start.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/motion_solver.h"
#include "dynamics/not_finite.h"
#include "dynamics/some_names.h"
#include "dynamics/ties.h"
#include "solve/assembly.h"

namespace ananke::dynamics {
namespace {

using solve::Level;

/// Values, and changes of values, below this part of their size are rounding.
constexpr double kRounding = 1e-15;
/// A scaled residual up to this counts as met.
constexpr double kMet = 1e-9;
/// Residuals listed in a message.
constexpr std::size_t kMostListed = 20;

std::vector<std::string> level_names(const compile::CompiledModel& model, Level level) {
    if (level == Level::kVelocities) {
        return row_names(model);
    }
    std::vector<std::string> names;
    for (const int row : model.holonomic) {
        names.push_back(model.rows[static_cast<std::size_t>(row)].name);
    }
    return names;
}

std::vector<std::string> value_names(const compile::CompiledModel& model,
                                     const std::vector<int>& values, Level level) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const int i : values) {
        names.push_back(model.coordinate_names[static_cast<std::size_t>(i)] +
                        (level == Level::kVelocities ? "'" : ""));
    }
    return names;
}

std::string residual_table(const solve::AssemblyFailure& failure,
                           const std::vector<std::string>& names) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < names.size(); ++i) {
        order.push_back(i);
    }
    const auto size = [&](std::size_t i) { return std::abs(failure.scaled_residual[i]); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    std::vector<std::vector<std::string>> table{{"constraint", "left - right", "scaled"}};
    std::size_t missed = 0;
    for (const std::size_t i : order) {
        missed += size(i) > kMet ? 1 : 0;
    }
    for (std::size_t k = 0; k < std::min(missed, kMostListed); ++k) {
        const std::size_t i = order[k];
        table.push_back({names[i], to_short_text(failure.residual[i], 6),
                         to_short_text(failure.scaled_residual[i])});
    }
    std::string text = format_table(table, "    ");
    if (missed > kMostListed) {
        text += fmt::format("    and {} more\n", missed - kMostListed);
    }
    if (order.size() > missed) {
        text += fmt::format("    the other {} are met\n", order.size() - missed);
    }
    return text;
}

/// How the start of a coordinate is written: `initial x`, or the clause of its body.
std::string start_clause(const compile::CompiledModel& model, int coordinate, Level level) {
    const bool velocity = level == Level::kVelocities;
    for (const compile::CompiledModel::BodyCoordinates& body : model.bodies) {
        const int k = coordinate - body.first;
        if (k < 0 || k >= body.count) {
            continue;
        }
        const bool turning = k >= (body.planar ? 2 : 3);
        return fmt::format("body {} ... {}", body.name,
                           velocity      ? (turning ? "omega" : "velocity")
                           : !turning    ? "at"
                           : body.planar ? "angle"
                                         : "orientation");
    }
    return fmt::format("initial {}{}", model.coordinate_names[static_cast<std::size_t>(coordinate)],
                       velocity ? "'" : "");
}

Error describe(const compile::CompiledModel& model, const solve::AssemblyFailure& failure) {
    const std::vector<std::string> names = level_names(model, failure.level);
    const bool velocities = failure.level == Level::kVelocities;
    const char* what = velocities ? "velocities" : "positions";
    std::string text;
    if (failure.contradictory_rows.empty()) {
        text = fmt::format("the initial {} do not satisfy the constraints", what);
    } else {
        std::vector<std::string> rows;
        for (const int row : failure.contradictory_rows) {
            rows.push_back(names[static_cast<std::size_t>(row)]);
        }
        text =
            rows.size() == 1
                ? fmt::format("the constraint {} cannot be met from the initial {}", rows[0], what)
                : fmt::format("the constraints {} contradict each other at the initial {}",
                              some_names(rows), what);
    }
    text += ":\n" + residual_table(failure, names);
    if (!failure.exact_values.empty()) {
        const std::vector<std::string> values =
            value_names(model, failure.exact_values, failure.level);
        text += fmt::format(
            "    {} given exactly; write `{} ~ ...` to let it move",
            values.size() == 1 ? values[0] + " is" : "any one of " + some_names(values) + " is",
            start_clause(model, failure.exact_values[0], failure.level));
    } else if (!failure.exact_values_together.empty()) {
        const std::vector<std::string> values =
            value_names(model, failure.exact_values_together, failure.level);
        text += fmt::format("    {} are given exactly; write ~ instead of = to let them move",
                            some_names(values));
    } else if (failure.contradictory_rows.empty()) {
        text += "    give guesses (~) nearer to a configuration that satisfies them";
    } else {
        text += "    remove or correct one of them";
    }
    std::vector<int> rows;
    for (const int row : failure.contradictory_rows) {
        rows.push_back(velocities || row >= static_cast<int>(model.holonomic.size())
                           ? row
                           : model.holonomic[static_cast<std::size_t>(row)]);
    }
    return {failure.code, text + places_text(model, rows)};
}

/// Guesses that assembly has brought to nothing but rounding are nothing.
void clear_rounding(const std::vector<bool>& exact, std::span<const double> sizes,
                    std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!exact[i] && std::abs(x[i]) <= kRounding * sizes[i]) {
            x[i] = 0.0;
        }
    }
}

void note_moves(StartState& state, const compile::CompiledModel& model,
                const mech::InitialState& initial, const solve::Assembly& assembly) {
    const auto note = [&](const char* prime, const solve::AssembledLevel& level,
                          const std::vector<double>& from, const std::vector<bool>& exact,
                          std::vector<double>& to) {
        clear_rounding(exact, level.units, to);
        for (std::size_t i = 0; i < from.size(); ++i) {
            const bool projected = std::binary_search(level.moved_exact.begin(),
                                                      level.moved_exact.end(), static_cast<int>(i));
            const double change = std::abs(to[i] - from[i]);
            if (change > kRounding * level.units[i] && (projected || !exact[i])) {
                state.moved.push_back(
                    {model.coordinate_names[i] + prime, from[i], to[i], projected});
            }
        }
    };
    note("", assembly.positions, initial.q, initial.q_exact, state.q);
    note("'", assembly.velocities, initial.v, initial.v_exact, state.v);
}

Error not_finite_at_start(Evaluator& evaluator, const MotionAt& state, Level level) {
    const bool velocities = level == Level::kVelocities;
    return {ErrorCode::kNotFinite,
            describe_constraint_not_finite(
                evaluator, state, velocities,
                velocities ? "at the initial velocities" : "at the initial positions")};
}

/// The constraints that are not met where the search ended, and where the worst is written: for
/// models too large for a search for the causes.
Error describe_end(const compile::CompiledModel& model, const solve::AssemblyFailure& failure) {
    const std::vector<std::string> names = level_names(model, failure.level);
    const auto worst = static_cast<std::size_t>(std::max(failure.worst_row, 0));
    const bool velocities = failure.level == Level::kVelocities;
    const int row = velocities ? static_cast<int>(worst) : model.holonomic[worst];
    return {ErrorCode::kNotConverged,
            fmt::format("no initial {} were found that satisfy the constraints: where the search "
                        "from the guesses ended {} is off by {} of its size; give better guesses, "
                        "or see whether it can hold:\n{}{}",
                        velocities ? "velocities" : "positions", names[worst],
                        to_short_text(std::abs(failure.scaled_residual[worst])),
                        residual_table(failure, names), places_text(model, {&row, 1}))};
}

}  // namespace

Result<StartState> assemble(Evaluator& evaluator, const mech::InitialState& initial, double t) {
    const compile::CompiledModel& model = evaluator.model();
    evaluator.scales().start({initial.q_scale, initial.v_scale});
    evaluator.scales().see(initial.q.data(), initial.v.data());
    mech::InitialState wanted = initial;
    solve::InitialValues given{t, initial.q, initial.v, initial.q_exact, initial.v_exact, {}};
    if (!model.following.empty()) {
        given.follow_positions = [&](const double* q, double* v) {
            const std::vector<double> values = evaluator.start_velocities(t, q);
            for (std::size_t k = 0; k < values.size(); ++k) {
                const auto i = static_cast<std::size_t>(model.following[k]);
                if (initial.v_follows[i]) {
                    v[i] = values[k];
                    wanted.v[i] = values[k];
                }
            }
        };
    }
    // The causes are found with full matrices.
    const solve::AssemblyOptions options{.explanation = model.is_large()
                                                            ? solve::Explanation::kResiduals
                                                            : solve::Explanation::kCauses};
    const auto attempt = [&] {
        return solve::assemble(evaluator, given, options, level_names(model, Level::kPositions),
                               level_names(model, Level::kVelocities));
    };
    solve::Assembly assembly = attempt();
    if (assembly.failure && assembly.failure->level == Level::kVelocities) {
        // Velocities that contradict each other may be rounding of a motion that is not theirs.
        Ties(evaluator).measure_start(t, assembly.q.data(), given.v.data());
        assembly = attempt();
    }
    if (assembly.failure && assembly.failure->code == ErrorCode::kNotFinite) {
        const Level level = assembly.failure->level;
        const double* const q = level == Level::kVelocities ? assembly.q.data() : initial.q.data();
        return not_finite_at_start(evaluator, {t, q, initial.v.data()}, level);
    }
    if (assembly.failure) {
        return model.is_large() ? describe_end(model, *assembly.failure)
                                : describe(model, *assembly.failure);
    }
    StartState state;
    state.t = t;
    state.scales = {initial.q_scale, initial.v_scale};
    state.q = assembly.q;
    state.v = assembly.v;
    note_moves(state, model, wanted, assembly);
    return state;
}

}  // namespace ananke::dynamics

#include "dynamics/start.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/dynamics.h"
#include "dynamics/not_finite.h"
#include "dynamics/some_names.h"
#include "dynamics/sparse_assembly.h"
#include "dynamics/sparse_rows.h"
#include "dynamics/ties.h"
#include "solve/assembly.h"

namespace ananke::dynamics {
namespace {

/// Values, and changes of values, below this part of their size are rounding.
constexpr double kRounding = 1e-15;
/// A scaled residual up to this counts as met.
constexpr double kMet = 1e-9;
/// Residuals listed in a message.
constexpr std::size_t kMostListed = 20;

std::vector<std::string> level_names(const compile::CompiledModel& model, bool velocities) {
    if (velocities) {
        return row_names(model);
    }
    std::vector<std::string> names;
    for (const int row : model.holonomic) {
        names.push_back(model.rows[static_cast<std::size_t>(row)].name);
    }
    return names;
}

std::vector<std::string> value_names(const compile::CompiledModel& model, const std::vector<int>& values,
                                     bool velocities) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const int i : values) {
        names.push_back(model.coordinate_names[static_cast<std::size_t>(i)] +
                        (velocities ? "'" : ""));
    }
    return names;
}

std::string residual_table(const solve::AssemblyFailure& failure,
                           const std::vector<std::string>& names) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < names.size(); ++i) {
        order.push_back(i);
    }
    const auto size = [&](std::size_t i) {
        return std::abs(failure.scaled_residual[static_cast<Eigen::Index>(i)]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    std::vector<std::vector<std::string>> table{{"constraint", "left - right", "scaled"}};
    std::size_t missed = 0;
    for (const std::size_t i : order) {
        missed += size(i) > kMet ? 1 : 0;
    }
    for (std::size_t k = 0; k < std::min(missed, kMostListed); ++k) {
        const auto i = static_cast<Eigen::Index>(order[k]);
        table.push_back({names[order[k]], to_short_text(failure.residual[i], 6),
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
std::string start_clause(const compile::CompiledModel& model, int coordinate, bool velocity) {
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
    const std::vector<std::string> names = level_names(model, failure.velocities);
    const char* what = failure.velocities ? "velocities" : "positions";
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
            value_names(model, failure.exact_values, failure.velocities);
        text += fmt::format(
            "    {} given exactly; write `{} ~ ...` to let it move",
            values.size() == 1 ? values[0] + " is" : "any one of " + some_names(values) + " is",
            start_clause(model, failure.exact_values[0], failure.velocities));
    } else if (!failure.exact_values_together.empty()) {
        const std::vector<std::string> values =
            value_names(model, failure.exact_values_together, failure.velocities);
        text += fmt::format("    {} are given exactly; write ~ instead of = to let them move",
                            some_names(values));
    } else if (failure.contradictory_rows.empty()) {
        text += "    give guesses (~) nearer to a configuration that satisfies them";
    } else {
        text += "    remove or correct one of them";
    }
    std::vector<int> rows;
    for (const int row : failure.contradictory_rows) {
        rows.push_back(failure.velocities || row >= static_cast<int>(model.holonomic.size())
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

void note_moves(StartState& state, const compile::CompiledModel& model, const mech::InitialState& initial,
                const solve::Assembly& assembly) {
    const auto note = [&](const char* prime, std::span<const double> sizes,
                          const std::vector<double>& from, const std::vector<double>& to,
                          const std::vector<bool>& exact, const std::vector<int>& moved_exact) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            const bool projected =
                std::binary_search(moved_exact.begin(), moved_exact.end(), static_cast<int>(i));
            const double change = std::abs(to[i] - from[i]);
            if (change > kRounding * sizes[i] && (projected || !exact[i])) {
                state.moved.push_back(
                    {model.coordinate_names[i] + prime, from[i], to[i], projected});
            }
        }
    };
    const std::span<const double> positions = assembly.q_units;
    const std::span<const double> velocities = assembly.v_units;
    clear_rounding(initial.q_exact, positions, state.q);
    clear_rounding(initial.v_exact, velocities, state.v);
    note("", positions, initial.q, state.q, initial.q_exact, assembly.moved_exact_q);
    note("'", velocities, initial.v, state.v, initial.v_exact, assembly.moved_exact_v);
}

}  // namespace

namespace {

Error not_finite_at_start(Evaluator& evaluator, const MotionAt& state, bool velocities) {
    return {ErrorCode::kNotFinite,
            describe_constraint_not_finite(
                evaluator, state, velocities,
                velocities ? "at the initial velocities" : "at the initial positions")};
}

/// Where a search among many coordinates ended: the constraints that are not met there, and where
/// the worst is written.
Error describe_end(const compile::CompiledModel& model, SparseAssembly& search, bool velocity) {
    const std::vector<std::string> names = level_names(model, velocity);
    const int worst = std::max(search.worst_row(), 0);
    const std::span<const double> residuals = search.level().residuals();
    solve::AssemblyFailure end;
    end.residual = Eigen::Map<const Eigen::VectorXd>(residuals.data(),
                                                     static_cast<Eigen::Index>(residuals.size()));
    end.scaled_residual = end.residual;
    for (std::size_t k = 0; k < residuals.size(); ++k) {
        end.scaled_residual[static_cast<Eigen::Index>(k)] /= search.level().scales()[k];
    }
    const int row = velocity ? worst : model.holonomic[static_cast<std::size_t>(worst)];
    return {ErrorCode::kNotConverged,
            fmt::format("no initial {} were found that satisfy the constraints: where the search "
                        "from the guesses ended {} is off by {} of its size; give better guesses, "
                        "or see whether it can hold:\n{}{}",
                        velocity ? "velocities" : "positions",
                        names[static_cast<std::size_t>(worst)], to_short_text(search.residual()),
                        residual_table(end, names), places_text(model, {&row, 1}))};
}

/// Many coordinates: the same least change by sparse systems, without a search for the values to
/// blame.
Result<StartState> assemble_large(Evaluator& evaluator, const mech::InitialState& initial,
                                  double t) {
    const compile::CompiledModel& model = evaluator.model();
    const solve::AssemblyOptions limits;
    SparseAssembly search(evaluator);
    mech::InitialState wanted = initial;
    StartState state;
    state.t = t;
    state.scales = {initial.q_scale, initial.v_scale};
    state.q = initial.q;
    state.v = initial.v;
    solve::Assembly moved;
    for (const bool velocity : {false, true}) {
        if (velocity && !model.following.empty()) {
            const std::vector<double> values = evaluator.start_velocities(t, state.q.data());
            for (std::size_t k = 0; k < values.size(); ++k) {
                const auto i = static_cast<std::size_t>(model.following[k]);
                if (initial.v_follows[i]) {
                    state.v[i] = wanted.v[i] = values[k];
                }
            }
        }
        std::vector<double>& x = velocity ? state.v : state.q;
        const std::vector<double> given = x;
        const std::vector<bool>& exact = velocity ? initial.v_exact : initial.q_exact;
        const solve::LevelValues level{velocity, t, state.q, limits.tolerance};
        bool done = search.nearest(level, x, exact);
        if (!done && search.residual() <= limits.exact_mismatch) {
            const std::vector<bool> none(exact.size(), false);
            done = search.nearest(level, x, none);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                if (exact[i] && x[i] != given[i]) {
                    (velocity ? moved.moved_exact_v : moved.moved_exact_q)
                        .push_back(static_cast<int>(i));
                }
            }
        }
        if (!done && velocity) {
            Ties(evaluator).measure_start(t, state.q.data(), given.data());
            x = given;
            done = search.nearest(level, x, exact);
        }
        if (!done && !std::isfinite(search.residual())) {
            return not_finite_at_start(evaluator, {t, state.q.data(), initial.v.data()}, velocity);
        }
        if (!done) {
            return describe_end(model, search, velocity);
        }
        const std::span<const double> units = search.level().units();
        (velocity ? moved.v_units : moved.q_units).assign(units.begin(), units.end());
    }
    note_moves(state, model, wanted, moved);
    return state;
}

}  // namespace

Result<StartState> assemble(Evaluator& evaluator, const mech::InitialState& initial, double t) {
    const compile::CompiledModel& model = evaluator.model();
    evaluator.scales().start({initial.q_scale, initial.v_scale});
    evaluator.scales().see(initial.q.data(), initial.v.data());
    if (model.is_large()) {
        return assemble_large(evaluator, initial, t);
    }
    const auto vector = [](const std::vector<double>& values) {
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
            values.data(), static_cast<Eigen::Index>(values.size())));
    };
    mech::InitialState wanted = initial;
    solve::InitialValues given{
        t, vector(initial.q), vector(initial.v), initial.q_exact, initial.v_exact, {}};
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
    SparseAssembly search(evaluator);
    solve::AssemblyOptions options;
    options.search = has_sparse_rows(model) ? &search : nullptr;
    const auto attempt = [&] {
        return solve::assemble(evaluator, given, options, level_names(model, false),
                               level_names(model, true));
    };
    solve::Assembly assembly = attempt();
    if (assembly.failure && assembly.failure->velocities) {
        // Velocities that contradict each other may be rounding of a motion that is not theirs.
        Ties(evaluator).measure_start(t, assembly.q.data(), given.v.data());
        assembly = attempt();
    }
    if (assembly.failure && assembly.failure->code == ErrorCode::kNotFinite) {
        const bool velocities = assembly.failure->velocities;
        const double* const q = velocities ? assembly.q.data() : initial.q.data();
        return not_finite_at_start(evaluator, {t, q, initial.v.data()}, velocities);
    }
    if (assembly.failure) {
        return describe(model, *assembly.failure);
    }
    StartState state;
    state.t = t;
    state.scales = {initial.q_scale, initial.v_scale};
    state.q.assign(assembly.q.data(), assembly.q.data() + assembly.q.size());
    state.v.assign(assembly.v.data(), assembly.v.data() + assembly.v.size());
    note_moves(state, model, wanted, assembly);
    return state;
}

}  // namespace ananke::dynamics

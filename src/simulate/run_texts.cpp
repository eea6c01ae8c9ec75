#include "simulate/run_texts.h"
#include "dynamics/some_names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "dynamics/actuation.h"
#include "dynamics/motion_solver.h"
#include "dynamics/row_entries.h"
#include "dynamics/sparse_rows.h"
#include "solve/analysis.h"
#include "solve/constraint_level.h"

namespace ananke::simulate {
namespace {

/// Rows that are this near to dependent are named when a run cannot go on.
constexpr solve::RankPolicy kNearlyDependent{1e-3, 1e-3};
/// Rows at a start that a search ended at: beside a singular configuration positions are uncertain
/// to the root of rounding.
constexpr solve::RankPolicy kNearlySingularStart{1e-5, 1e-5};
/// A place beside the start, by the largest coordinate.
constexpr double kAside = 1e-2;
/// A row that changes by so much of its length where the residual changes by so many roundings is
/// no gradient: the search has ended at a double root.
constexpr double kOtherGradient = 10.0;
constexpr double kSomeRoundings = 1e5 * std::numeric_limits<double>::epsilon();
constexpr const char* kDryStop =
    "the forces oppose the motion as strongly however slow it is, in both directions, as dry "
    "friction does: it comes to rest where they have no value; write `friction on`";
/// Cosine of an influence that counts as lost next to where it vanishes.
constexpr double kLostInfluence = 1e-2;

std::string names_of(const compile::CompiledModel& model, std::span<const int> rows) {
    std::vector<std::string> names;
    for (const int row : rows) {
        names.push_back(model.rows[static_cast<std::size_t>(row)].name);
    }
    return dynamics::some_names(names);
}

solve::System system_at(dynamics::Evaluator& evaluator, double t, const double* y) {
    return evaluator.system(t, y, y + evaluator.model().n());
}

std::vector<int> rows_without_gradient(dynamics::Evaluator& evaluator, double t,
                                       const dynamics::StartState& start) {
    std::vector<int> rows;
    solve::ConstraintLevel level(evaluator);
    level.evaluate(solve::Level::kPositions, t, start.q, start.v);
    const std::vector<double> entries(level.entries().begin(), level.entries().end());
    const std::vector<double> scales(level.scales().begin(), level.scales().end());
    std::vector<double> q;
    for (int row = 0; row < level.rows(); ++row) {
        double squares = 0.0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            squares += level.places()[i].row == row ? entries[i] * entries[i] : 0.0;
        }
        if (!(squares > 0.0)) {
            continue;  // that it has vanished is told elsewhere
        }
        q = start.q;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (level.places()[i].row == row) {
                q[static_cast<std::size_t>(level.places()[i].column)] +=
                    kSomeRoundings * scales[static_cast<std::size_t>(row)] / squares * entries[i];
            }
        }
        level.evaluate(solve::Level::kPositions, t, q, start.v);
        double change = 0.0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const double difference = level.entries()[i] - entries[i];
            change += level.places()[i].row == row ? difference * difference : 0.0;
        }
        if (change > kOtherGradient * kOtherGradient * squares) {
            rows.push_back(evaluator.model().holonomic[static_cast<std::size_t>(row)]);
        }
    }
    return rows;
}

std::vector<int> rows_dependent_here_alone(dynamics::Evaluator& evaluator, double t,
                                           const dynamics::StartState& start) {
    std::vector<double> y(start.q);
    y.insert(y.end(), start.v.begin(), start.v.end());
    const solve::Analysis here =
        solve::analyse(system_at(evaluator, t, y.data()), kNearlySingularStart);
    if (here.dependent_sets.empty()) {
        return {};
    }
    double largest = 0.0;
    for (const double value : start.q) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < start.q.size(); ++i) {  // in no direction that means anything
        y[i] += kAside * largest * std::sin(1.0 + static_cast<double>(i));
    }
    const int beside = solve::analyse(system_at(evaluator, t, y.data()), kNearlySingularStart).rank;
    return beside > here.rank ? here.dependent_sets.front() : std::vector<int>{};
}

/// The velocity that changes most over the last step, measured by its size, and how it does so.
std::string fastest_change(dynamics::Evaluator& evaluator, const ode::Stepper& stepper) {
    const auto n = static_cast<std::size_t>(evaluator.model().n());
    const std::span<const double> sizes = evaluator.scales().velocities();
    std::size_t fastest = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double change = std::abs(stepper.y()[n + i] - stepper.y_previous()[n + i]);
        if (sizes[i] > 0.0 && change / sizes[i] > largest) {
            largest = change / sizes[i];
            fastest = i;
        }
    }
    const std::string& name = evaluator.model().coordinate_names[fastest];
    return fmt::format("{}' = {} there, of {} before, changes fastest", name,
                       to_short_text(stepper.y()[n + fastest]), to_short_text(sizes[fastest]));
}

/// The largest acceleration: why a motion overflows although every force is a number.
std::string largest_acceleration(dynamics::Evaluator& evaluator, double t, const double* y) {
    const compile::CompiledModel& model = evaluator.model();
    dynamics::MotionSolver dynamics(evaluator, {});
    if (dynamics.accelerate(t, y, y + model.n()) != solve::SolveStatus::kOk) {
        return "";
    }
    Eigen::Index largest = 0;
    const double size = dynamics.a().cwiseAbs().maxCoeff(&largest);
    return fmt::format("; {}'' = {} there is the largest acceleration, of {}' = {}",
                       model.coordinate_names[static_cast<std::size_t>(largest)],
                       to_short_text(std::copysign(size, dynamics.a()[largest])),
                       model.coordinate_names[static_cast<std::size_t>(largest)],
                       to_short_text(y[model.n() + static_cast<int>(largest)]));
}

}  // namespace

Error describe_stop(dynamics::Evaluator& evaluator, ode::Status status,
                    const SingularStepper& stepper, int rank) {
    Error error = ode::describe_failure(status, stepper);
    const double* y = stepper.y().data();
    if ((status == ode::Status::kStepTooSmall || status == ode::Status::kTooManySteps) &&
        is_dry_stop(evaluator, stepper.t(), y, y + evaluator.model().n())) {
        error.message += fmt::format("; {}", kDryStop);
        return error;
    }
    if (status == ode::Status::kNotFinite) {
        error.message += largest_acceleration(evaluator, stepper.t(), y);
        return error;
    }
    if (stepper.is_lost() && !stepper.may_cross()) {
        error.message = fmt::format(
            "at t = {}: a singular configuration is ahead, from which several motions branch off; "
            "without projection states are not near enough to the constraints to tell them apart: "
            "leave out `--drift`",
            to_short_text(stepper.t()));
        return error;
    }
    const bool stuck =
        status == ode::Status::kStepTooSmall || status == ode::Status::kProjectionFailed;
    if (!stuck) {
        return error;
    }
    const double* position = stepper.y().data();
    error.message += dynamics::controls_nearly_lost(evaluator, stepper.t(), position,
                                                    position + evaluator.model().n());
    const solve::Analysis near =
        solve::analyse(system_at(evaluator, stepper.t(), position), kNearlyDependent);
    if (near.rank < rank && !near.dependent_sets.empty()) {
        error.message += fmt::format(
            "; the constraints {} become dependent there (a singular configuration, which another "
            "tolerance may pass, or a motion that they cannot continue)",
            names_of(evaluator.model(), near.dependent_sets.front()));
    } else if (stepper.is_lost()) {
        error.message +=
            "; a singular configuration is there, from which several motions branch off, and no "
            "step leads across it with this tolerance: try another";
    }
    return error;
}

std::optional<Error> describe_singular_start(dynamics::Evaluator& evaluator,
                                             const TimedState& start, const TimedState& beside) {
    const solve::Analysis at_start = solve::analyse(system_at(evaluator, start.t, start.y));
    const solve::Analysis behind = solve::analyse(system_at(evaluator, beside.t, beside.y));
    std::vector<int> rows;
    for (const std::vector<int>& set : at_start.dependent_sets) {
        for (const int row : set) {
            if (behind.lambda_unique[static_cast<std::size_t>(row)]) {
                rows.push_back(row);
            }
        }
    }
    if (rows.empty()) {
        return std::nullopt;
    }
    return Error{
        ErrorCode::kNotUnique,
        fmt::format("at the start: the constraints {} are dependent, but no longer beside it "
                    "(rank {}, then {}); from such a singular configuration several motions "
                    "branch off and the model does not choose between them; start before or "
                    "behind it",
                    names_of(evaluator.model(), rows), start.rank, beside.rank)};
}

std::optional<Error> describe_start_near_singular(dynamics::Evaluator& evaluator, double t,
                                                  const dynamics::StartState& start, double pivot) {
    const compile::CompiledModel& model = evaluator.model();
    if (dynamics::has_sparse_rows(model)) {
        return std::nullopt;
    }
    std::vector<int> rows = rows_without_gradient(evaluator, t, start);
    if (rows.empty() && pivot < kNearlySingularStart.keep) {
        rows = rows_dependent_here_alone(evaluator, t, start);
    }
    if (rows.empty()) {
        return std::nullopt;
    }
    return Error{
        ErrorCode::kNotUnique,
        fmt::format("at the start: {} {} but for rounding, and not beside it; the guesses "
                    "led into a singular configuration, from which several motions branch "
                    "off; start before or behind it",
                    names_of(model, rows), rows.size() == 1 ? "has no gradient" : "are dependent")};
}

std::optional<Error> describe_vanished_start(dynamics::Evaluator& evaluator, double t,
                                             const dynamics::StartState& start) {
    const compile::CompiledModel& model = evaluator.model();
    std::vector<double> y(start.q);
    y.insert(y.end(), start.v.begin(), start.v.end());
    std::vector<double> entries, lengths;
    dynamics::find_row_entries(evaluator, t, y, entries);
    dynamics::find_row_lengths(model, entries, lengths);
    std::vector<int> rows;
    for (int k = 0; k < model.constraint_rows; ++k) {
        const auto row = static_cast<std::size_t>(k);
        if (model.rows[row].kind == mech::ConstraintKind::kNonholonomicNonlinear &&
            !(lengths[row] > 0.0)) {
            rows.push_back(k);
        }
    }
    if (rows.empty()) {
        return std::nullopt;
    }
    return Error{ErrorCode::kNotUnique,
                 fmt::format("at the start: the derivative of the constraint {} by the velocities "
                             "vanishes, because those in it are zero: it does not tell in which "
                             "direction the motion begins; give initial velocities that fit it{}",
                             names_of(model, rows), dynamics::places_text(model, rows))};
}

Error describe_vanished_row(const compile::CompiledModel& model, const VanishedRow& row) {
    return {
        ErrorCode::kNotUnique,
        fmt::format("at t = {}: the gradient of the constraint {} vanishes, so that it no "
                    "longer determines the motion; end the run before, or state the "
                    "constraint in a form that stays regular there",
                    to_short_text(row.t, 9), model.rows[static_cast<std::size_t>(row.row)].name)};
}

Error describe_lost_control(dynamics::Evaluator& evaluator, double t, std::span<const double> y) {
    const Error why = dynamics::explain_controls(evaluator, t, y.data(),
                                                 y.data() + evaluator.model().n(), kLostInfluence);
    return {ErrorCode::kNotControlled,
            fmt::format("at t = {}: {}", to_short_text(t, 9), why.message)};
}

Error describe_stagnation(dynamics::Evaluator& evaluator, const ode::Stepper& stepper,
                          const Stagnation& measured, const RunOptions& options) {
    const std::string begin = fmt::format(
        "at t = {}: the run makes no progress: steps are {} long on average, and {} "
        "more would be needed; ",
        to_short_text(stepper.t(), 9), to_short_text(measured.pace), to_short_text(measured.ahead));
    if (measured.dry) {
        return {ErrorCode::kStepTooSmall, begin + kDryStop};
    }
    return {ErrorCode::kStepTooSmall,
            fmt::format("{}{}; {}", begin, fastest_change(evaluator, stepper),
                        options.stiff
                            ? "a force that jumps or has no limit there, or a tolerance below "
                              "rounding, is the usual cause"
                            : "a force that jumps or has no limit there is the usual cause (dry "
                              "friction is written `friction on`), or something that decays fast "
                              "(then try --stiff)")};
}

Error describe_too_many_steps(double t, std::size_t steps, std::size_t events) {
    return {ErrorCode::kTooManySteps,
            fmt::format("the limit on steps is reached at t = {} after {} steps and {} events",
                        to_text(t), steps, events)};
}

Event describe_passage(const compile::CompiledModel& model, const SingularPoint& point) {
    const std::string names = names_of(model, point.rows);
    const std::string what = point.rows.size() == 1
                                 ? fmt::format("the gradient of {} vanishes", names)
                                 : fmt::format("{} become dependent", names);
    return {point.t, "rank", "singular",
            fmt::format("rank of the constraints {} -> {} -> {}: {}; passed on the smooth branch",
                        point.rank_before, point.rank, point.rank_before, what)};
}

}  // namespace ananke::simulate

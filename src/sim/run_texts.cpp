#include "sim/run_texts.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sim/actuation.h"
#include "solve/analysis.h"

namespace ananke::sim {
namespace {

/// Rows that are this near to dependent are named when a run cannot go on.
constexpr solve::RankPolicy kNearlyDependent{1e-3, 1e-3};
/// Cosine of an influence that counts as lost next to where it vanishes.
constexpr double kLostInfluence = 1e-2;

std::string names_of(const CompiledModel& model, std::span<const int> rows) {
    std::vector<std::string> names;
    for (const int row : rows) {
        names.push_back(model.rows[static_cast<std::size_t>(row)].name);
    }
    return join_names(names);
}

solve::System system_at(Evaluator& evaluator, double t, const double* y) {
    return evaluator.system(t, y, y + evaluator.model().n());
}

}  // namespace

Error describe_stop(Evaluator& evaluator, ode::Status status, const ode::Stepper& stepper,
                    int rank) {
    Error error = ode::describe_failure(status, stepper);
    const bool stuck =
        status == ode::Status::kStepTooSmall || status == ode::Status::kProjectionFailed;
    if (!stuck) {
        return error;
    }
    const double* position = stepper.y().data();
    error.message +=
        controls_nearly_lost(evaluator, stepper.t(), position, position + evaluator.model().n());
    const solve::Analysis near =
        solve::analyse(system_at(evaluator, stepper.t(), position), kNearlyDependent);
    if (near.rank < rank && !near.dependent_sets.empty()) {
        error.message += fmt::format(
            "; the constraints {} become dependent there (a singular configuration, which another "
            "tolerance may pass, or a motion that they cannot continue)",
            names_of(evaluator.model(), near.dependent_sets.front()));
    }
    return error;
}

std::optional<Error> describe_singular_start(Evaluator& evaluator, const TimedState& start,
                                             const TimedState& beside) {
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

Error describe_vanished_row(const CompiledModel& model, const VanishedRow& row) {
    return {
        ErrorCode::kNotUnique,
        fmt::format("at t = {}: the gradient of the constraint {} vanishes, so that it no "
                    "longer determines the motion; end the run before, or state the "
                    "constraint in a form that stays regular there",
                    to_short_text(row.t, 9), model.rows[static_cast<std::size_t>(row.row)].name)};
}

Error describe_lost_control(Evaluator& evaluator, double t, std::span<const double> y) {
    const Error why =
        explain_controls(evaluator, t, y.data(), y.data() + evaluator.model().n(), kLostInfluence);
    return {ErrorCode::kNotControlled,
            fmt::format("at t = {}: {}", to_short_text(t, 9), why.message)};
}

Error describe_too_many_steps(double t, std::size_t steps, std::size_t events) {
    return {ErrorCode::kTooManySteps,
            fmt::format("the limit on steps is reached at t = {} after {} steps and {} events",
                        to_text(t), steps, events)};
}

Event describe_passage(const CompiledModel& model, const SingularPoint& point) {
    const std::string names = names_of(model, point.rows);
    const std::string what = point.rows.size() == 1
                                 ? fmt::format("the gradient of {} vanishes", names)
                                 : fmt::format("{} become dependent", names);
    return {point.t, "rank", "singular",
            fmt::format("rank of the constraints {} -> {} -> {}: {}; passed on the smooth branch",
                        point.rank_before, point.rank, point.rank_before, what)};
}

}  // namespace ananke::sim

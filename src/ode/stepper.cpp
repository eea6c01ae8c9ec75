#include "ode/stepper.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace ananke::ode {

void add(Statistics& sum, const Statistics& later) {
    if (sum.steps == 0) {
        sum.smallest_step = later.smallest_step;
    } else if (later.steps > 0) {
        sum.smallest_step = std::min(sum.smallest_step, later.smallest_step);
    }
    sum.steps += later.steps;
    sum.rejected += later.rejected;
    sum.rhs_evaluations += later.rhs_evaluations;
    sum.jacobians += later.jacobians;
    sum.factorisations += later.factorisations;
    sum.largest_step = std::max(sum.largest_step, later.largest_step);
    sum.last_error = later.last_error;
}

Error describe_failure(Status status, const Stepper& stepper) {
    const std::string at = fmt::format("at t = {}", to_text(stepper.t()));
    const Statistics& statistics = stepper.statistics();
    switch (status) {
        case Status::kInterrupted:
            return {ErrorCode::kInterrupted, "interrupted " + at};
        case Status::kStepTooSmall:
            return {ErrorCode::kStepTooSmall,
                    fmt::format("the motion cannot be followed beyond t = {}: steps below {} would "
                                "be needed",
                                to_text(stepper.t()), to_short_text(stepper.next_step()))};
        case Status::kTooManySteps:
            return {ErrorCode::kTooManySteps,
                    fmt::format("the limit on steps is reached {} after {} accepted and {} "
                                "rejected steps",
                                at, statistics.steps, statistics.rejected)};
        case Status::kNotFinite:
            return {ErrorCode::kNotFinite,
                    fmt::format("the motion is not finite beyond t = {}", to_text(stepper.t()))};
        case Status::kRhsRetry:
            return {ErrorCode::kNotConverged,
                    fmt::format("the equations cannot be evaluated beyond t = {} (code {})",
                                to_text(stepper.t()), stepper.rhs_code())};
        case Status::kRhsFailed:
            return {ErrorCode::kNotConverged,
                    fmt::format("the equations failed in the step that starts {} (code {})", at,
                                stepper.rhs_code())};
        case Status::kProjectionFailed:
            return {
                ErrorCode::kNotConverged,
                fmt::format("the state cannot be projected beyond t = {}", to_text(stepper.t()))};
        case Status::kInvalidInput:
            return {ErrorCode::kInvalidInput, "the times of the integration are out of order"};
        case Status::kOk:
        case Status::kStopped:
            break;
    }
    ANANKE_REQUIRE(status != Status::kOk && status != Status::kStopped);
    return {ErrorCode::kInvalidInput, {}};
}

}  // namespace ananke::ode

#include "ode/integrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "ode/dop853.h"

namespace ananke::ode {
namespace {

bool is_between(double t, double from, double to) {
    return from <= to ? from <= t && t <= to : to <= t && t <= from;
}

std::optional<Error> check_times(double t0, double t_end, std::span<const double> outputs) {
    if (!std::isfinite(t0) || !std::isfinite(t_end)) {
        return Error{ErrorCode::kInvalidInput, fmt::format("cannot integrate from t = {} to t = {}",
                                                           to_text(t0), to_text(t_end))};
    }
    double last = t0;
    for (const double t : outputs) {
        if (!is_between(t, last, t_end)) {
            return Error{ErrorCode::kInvalidInput,
                         fmt::format("output time {} does not lie between {} and {}", to_text(t),
                                     to_text(last), to_text(t_end))};
        }
        last = t;
    }
    return std::nullopt;
}

/// The run so far: hands out what the last step covers.
class Run {
  public:
    Run(Stepper& stepper, std::span<double> y, std::span<const double> outputs, Sink sink)
        : stepper_(stepper), y_(y), outputs_(outputs), sink_(sink) {}

    Status deliver() {
        while (next_ < outputs_.size() &&
               is_between(outputs_[next_], stepper_.t_previous(), stepper_.t())) {
            const double t = outputs_[next_];
            if (const Status status = stepper_.dense(t, y_); status != Status::kOk) {
                return status;
            }
            ++next_;
            if (sink_ && sink_(t, y_) == Flow::kStop) {
                stopped_at_ = t;
                return Status::kStopped;
            }
        }
        return Status::kOk;
    }

    Outcome finish(Status status) {
        Outcome outcome{.status = status, .t = stopped_at_};
        if (status != Status::kStopped) {
            outcome.t = stepper_.t();
            std::ranges::copy(stepper_.y(), y_.begin());
        }
        outcome.statistics = stepper_.statistics();
        if (status != Status::kOk && status != Status::kStopped) {
            outcome.error = describe_failure(status, stepper_);
        }
        return outcome;
    }

  private:
    Stepper& stepper_;
    std::span<double> y_;
    std::span<const double> outputs_;
    Sink sink_;
    std::size_t next_ = 0;
    double stopped_at_ = 0.0;  ///< by the sink; then y_ is the state there
};

}  // namespace

Outcome integrate(Stepper& stepper, double t0, double t_end, std::span<double> y,
                  std::span<const double> outputs, Sink sink) {
    if (std::optional<Error> error = check_times(t0, t_end, outputs)) {
        return {.status = Status::kInvalidInput, .t = t0, .error = std::move(error)};
    }
    stepper.start(t0, y);
    Run run(stepper, y, outputs, sink);
    Status status = run.deliver();
    // Ends: step() bounds the attempts since start().
    while (status == Status::kOk && stepper.t() != t_end) {
        status = stepper.step(t_end);
        if (status == Status::kOk) {
            status = run.deliver();
        }
    }
    return run.finish(status);
}

Outcome integrate(const Problem& problem, const Options& options, double t0, double t_end,
                  std::span<double> y, std::span<const double> outputs, Sink sink) {
    Result<Dop853> stepper = Dop853::create(problem, options);
    if (!stepper) {
        return {.status = Status::kInvalidInput, .t = t0, .error = stepper.error()};
    }
    return integrate(stepper.value(), t0, t_end, y, outputs, sink);
}

}  // namespace ananke::ode

#include "simulate/journal.h"

#include <algorithm>

namespace ananke::simulate {

void Journal::row(std::span<const double> values) {
    ++summary_.rows;
    const Result<void> recorded = recorder_->row(values);
    if (!recorded) {
        fail(recorded.error());
    }
}

void Journal::event(const Event& event) {
    ++summary_.events;
    const Result<void> recorded = recorder_->event(event);
    if (!recorded) {
        fail(recorded.error());
    }
}

void Journal::add(const ode::Statistics& part) {
    ode::Statistics& sum = summary_.steps;
    const bool first = sum.steps == 0;
    sum.steps += part.steps;
    sum.rejected += part.rejected;
    sum.rhs_evaluations += part.rhs_evaluations;
    sum.jacobians += part.jacobians;
    sum.factorisations += part.factorisations;
    sum.smallest_step =
        first ? part.smallest_step : std::min(sum.smallest_step, part.smallest_step);
    sum.largest_step = std::max(sum.largest_step, part.largest_step);
    sum.last_error = part.last_error;
}

void Journal::finish() {
    const Result<void> finished = recorder_->finish(failure_                   ? failure_->message
                                                    : summary_.stopped.empty() ? "done"
                                                                               : summary_.stopped);
    if (!finished) {
        fail(finished.error());
    }
    summary_.error = failure_;
}

}  // namespace ananke::simulate

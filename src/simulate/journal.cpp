#include "simulate/journal.h"

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

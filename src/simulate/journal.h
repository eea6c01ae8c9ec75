// What a run leaves behind: rows and events for the recorder, the summary, the first failure.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "ananke/record.h"
#include "ode/stepper.h"
#include "simulate/run.h"

namespace ananke::simulate {

class Journal {
  public:
    explicit Journal(Recorder& recorder) : recorder_(&recorder) {}

    RunSummary& summary() { return summary_; }
    const RunSummary& summary() const { return summary_; }

    /// The first failure counts; those after it are its consequences.
    void fail(Error error) {
        if (!failure_) {
            failure_ = std::move(error);
        }
    }
    bool failed() const { return failure_.has_value(); }

    void row(std::span<const double> values);
    void event(const Event& event);
    /// Counts the steps since the integrator last started.
    void add(const ode::Statistics& part) { ode::add(summary_.steps, part); }
    /// Ends the record with the reason for the end.
    void finish();

  private:
    Recorder* recorder_;
    RunSummary summary_;
    std::optional<Error> failure_;
};

}  // namespace ananke::simulate

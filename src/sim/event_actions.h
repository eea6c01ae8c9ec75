// What happens to the state of a run at an event.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/evaluator.h"
#include "sim/event_watch.h"
#include "sim/record.h"
#include "solve/projection.h"

namespace ananke::sim {

struct EventOutcome {
    std::vector<Event> entries;  ///< for the recorder, in the order of the text
    std::string stopped_by;      ///< name of the event that ends the run, or ""
};

/// Carries out the events that are due at a state on the constraints, each on what the one before
/// it left. y: q, v, and the work done on the system, which takes up the jump of the energy.
/// Velocities that no longer meet the constraints are put back by the least change in the metric of
/// M, which is the impulse of ideal constraints. Fails when positions no longer meet them, when
/// a value is not finite, or when events pile up.
Result<EventOutcome> carry_out_events(EventWatch& watch, Evaluator& evaluator,
                                      solve::Projector& projector, double t, std::span<double> y);

}  // namespace ananke::sim

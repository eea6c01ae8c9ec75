// What happens to the state of a run at an event.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamics/evaluator.h"
#include "simulate/event_watch.h"
#include "ananke/record.h"
#include "solve/projection.h"

namespace ananke::simulate {

struct EventOutcome {
    std::vector<Event> entries;  ///< for the recorder, in their order
    std::string stopped_by;      ///< name of the event that ends the run, or ""
};

/// Carries out the events of an instant at a state on the constraints, each on what the one before
/// it left: those that are due, and those they set off (simulate/event_instant.h). y: q, v, and the work
/// done on the system, which takes up the jump of the energy.
/// Velocities that an event sets are as set, and the others move least in the metric of M to meet
/// the constraints; so do all where it only changes parameters. Fails when positions no longer meet
/// the constraints or velocities as set cannot, when a value is not finite, when events pile up, or
/// when they set each other off without an end.
Result<EventOutcome> carry_out_events(EventWatch& watch, dynamics::Evaluator& evaluator,
                                      solve::Projector& projector, double t, std::span<double> y);

}  // namespace ananke::simulate

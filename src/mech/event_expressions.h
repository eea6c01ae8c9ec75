// Events of a model over coordinates, velocities, accelerations and time.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/model.h"
#include "mech/points.h"

namespace ananke::mech {

/// One per Model::events. The rate of a value with a kink is the one of the side it is on.
std::vector<EventExpressions> event_expressions(Model& model, const TimeFlow& flow,
                                                const PointTable& points);

}  // namespace ananke::mech

// Recognises a motion that is being brought to rest by forces which jump with its direction.
//
// Dry friction written as -mu N v/|v| is a smooth law until v = 0, where it has no value: the steps
// shrink with what is left of v, and never end. The law tells itself by its strength: it stays as
// it is when v is made smaller, and turns round when v does, so that both directions end.
#pragma once

#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"

namespace ananke::simulate {

/// Whether velocities, all of them or those that are small beside the others, vanish at this state
/// under such forces. For a run that makes no progress; allocates.
bool is_dry_stop(dynamics::Evaluator& evaluator, double t, const double* q, const double* v);

}  // namespace ananke::simulate

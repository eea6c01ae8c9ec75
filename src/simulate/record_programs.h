// The programs of runs from one state, recorded before the first of them starts.
#pragma once

#include <memory>
#include <span>

#include "simulate/run.h"

namespace ananke::simulate {

/// Records what runs from this state need, for the model to keep. Where the state has no
/// acceleration nothing is recorded; the run says why.
void record_programs(std::shared_ptr<const compile::CompiledModel> model, std::span<const double> parameters,
                     const dynamics::StartState& start, const RunOptions& options);

}  // namespace ananke::simulate

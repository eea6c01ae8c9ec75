// Who shares the force of dependent rows with whom: joints, and constraints outside joints.
#pragma once

#include <vector>

#include "mech/model.h"
#include "sim/compiled_model.h"
#include "sim/evaluator.h"
#include "solve/elimination_order.h"
#include "solve/load_form.h"

namespace ananke::sim {

/// Of the rows of a model; the norms of quaternions push nothing and belong to nobody. Requires the
/// rows of `compiled`, their entries and those of M.
std::vector<solve::LoadOwner> find_load_owners(const CompiledModel& compiled,
                                               const mech::Model& model);

/// K of solve::LoadForm at one state: columns are the rows of the model. Rows that do not count
/// take no part.
std::vector<solve::SparseEntry> sparse_load_form(const CompiledModel& model,
                                                 const SparseValues& values,
                                                 const std::vector<bool>& counts);

}  // namespace ananke::sim

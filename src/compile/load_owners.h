// Who shares the force of dependent rows with whom: joints, and constraints outside joints.
#pragma once

#include <string>
#include <vector>

#include "compile/compiled_model.h"
#include "compile/sparse_values.h"
#include "mech/model.h"
#include "solve/elimination_order.h"
#include "solve/load_form.h"

namespace ananke::compile {

/// Of the rows of a model; the norms of quaternions push nothing and belong to nobody. Requires the
/// rows of `compiled`, their entries and those of M.
std::vector<solve::LoadOwner> find_load_owners(const CompiledModel& compiled,
                                               const mech::Model& model);

/// Per row, whether its owner has a compliance.
std::vector<bool> rows_that_give_way(const CompiledModel& model);
/// A warning per dependent set of which only some give way; the others count as rigid.
std::vector<std::string> partly_rigid(const CompiledModel& model,
                                      const std::vector<std::vector<int>>& dependent_sets);

/// K of solve::LoadForm at one state: columns are the rows of the model. Rows that do not count
/// take no part.
std::vector<solve::SparseEntry> sparse_load_form(const CompiledModel& model,
                                                 const SparseValues& values,
                                                 const std::vector<bool>& counts);

}  // namespace ananke::compile

// What a system with many coordinates is at one instant, without matrices.
#pragma once

#include <optional>
#include <span>

#include "dynamics/evaluator.h"
#include "solve/analysis.h"

namespace ananke::inspect {

/// As solve::analyse, without scales. Nothing where there is no acceleration: why, the dense
/// analysis can tell. Requires has_sparse_rows(). Allocates.
std::optional<solve::Analysis> analyse_sparse(dynamics::Evaluator& evaluator, double t, const double* q,
                                              const double* v);

/// Whether M, by its entries, is regular to working precision.
bool has_regular_mass(const compile::CompiledModel& model, std::span<const double> mass_entries);

}  // namespace ananke::inspect

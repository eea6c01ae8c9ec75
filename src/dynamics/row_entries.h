// The rows of A as they stand in the model: entries, products of rows.
#pragma once

#include <span>
#include <vector>

#include "dynamics/evaluator.h"

namespace ananke::dynamics {

/// Entries of A at a state y = (q, v, ...), at CompiledModel::row_entries.
void find_row_entries(Evaluator& evaluator, double t, std::span<const double> y,
                      std::vector<double>& entries);

/// Product of each row with the same row at another state (m).
void multiply_rows(const compile::CompiledModel& model, const std::vector<double>& entries,
                   const std::vector<double>& others, std::vector<double>& products);

/// Length of each row (m).
void find_row_lengths(const compile::CompiledModel& model, const std::vector<double>& entries,
                      std::vector<double>& lengths);

}  // namespace ananke::dynamics

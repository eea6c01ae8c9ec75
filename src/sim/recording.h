// What the programs of a run that eliminate have in common: their inputs, and the numbers from
// which an order of elimination is chosen.
#pragma once

#include <span>
#include <vector>

#include "code/recorded.h"
#include "sim/compiled_model.h"
#include "sim/evaluator.h"
#include "solve/elimination_order.h"
#include "solve/system.h"

namespace ananke::sim {

/// Rows of A, ascending, and the order in which they and the coordinates are eliminated.
struct RowOrder {
    std::vector<int> rows;
    std::vector<solve::Pivot> pivots;
    friend bool operator==(const RowOrder&, const RowOrder&) = default;
};

/// Sizes of the units of the coordinates, M_jj^-1/2; those of a group are one, and coordinates
/// without mass take that of the others.
std::vector<double> coordinate_scales(const solve::System& at);

/// M, and these rows of A, as sparse numbers. `varies`: per entry of CompiledModel::row_entries,
/// not the same at all states of a run.
solve::SparseSystem sparse_system(const CompiledModel& model, const solve::System& at,
                                  std::span<const int> rows, std::span<const char> varies);

/// Which entries of A change along a run: those that depend on t, q, v or a truth.
std::vector<char> entries_that_vary(const CompiledModel& model);

/// The inputs of every kernel as they are recorded: parameters are numbers from now on.
std::vector<code::Recorded> recorded_inputs(code::Builder& builder, const Evaluator& evaluator);

/// Puts entries of rows that are among `rows`, renumbered, into the elimination.
void set_rows(solve::Elimination<code::Recorded>& elimination, std::span<const Place> places,
              std::span<const code::Recorded> values, std::span<const int> rows);
void set_mass(solve::Elimination<code::Recorded>& elimination, std::span<const Place> places,
              std::span<const code::Recorded> values);

}  // namespace ananke::sim

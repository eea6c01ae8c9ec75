// What the programs of a run that eliminate have in common: their inputs, and the numbers from
// which an order of elimination is chosen.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compile/compiled_model.h"
#include "dynamics/evaluator.h"
#include "solve/elimination_order.h"
#include "solve/system.h"

namespace ananke::dynamics {

/// Rows of A, ascending, and the order in which they and the coordinates are eliminated.
struct RowOrder {
    std::vector<int> rows;
    std::vector<solve::Pivot> pivots;
    /// Servo rows and the controls that enforce them, in the order in which these are eliminated by
    /// those.
    std::vector<solve::Pivot> controls = {};
    friend bool operator==(const RowOrder&, const RowOrder&) = default;
};

/// Sizes of the units of the coordinates, M_jj^-1/2; those of a group are one, and coordinates
/// without mass take that of the others.
std::vector<double> coordinate_scales(Eigen::VectorXd mass,
                                      std::span<const solve::CoordinateGroup> groups);
/// The same from the entries of M, and from those at the last state of the evaluator.
std::vector<double> coordinate_scales(const compile::CompiledModel& model,
                                      std::span<const double> mass_entries);
std::vector<double> coordinate_scales(const Evaluator& evaluator);

/// The entries of a system that are not zero by structure.
struct EntryValues {
    std::span<const double> mass;  ///< at CompiledModel::mass_entries
    std::span<const double> rows;  ///< at CompiledModel::row_entries
};

/// M, and these rows of A, as sparse numbers at the last state of the evaluator, quaternions by
/// angular accelerations. `varies`: per entry of CompiledModel::row_entries, not the same at all
/// states of a run.
solve::SparseSystem sparse_system(const Evaluator& evaluator, const EntryValues& at,
                                  std::span<const int> rows, std::span<const char> varies);

/// A key of the last state of the evaluator, with its parameters and whatever else it holds.
compile::RecordKey state_key(compile::RecordKey::Kind kind, const Evaluator& evaluator);

/// An order of elimination for these rows at the last state of the evaluator, or none.
std::optional<std::vector<solve::Pivot>> choose_pivots(const Evaluator& evaluator,
                                                       const EntryValues& at,
                                                       std::span<const int> rows,
                                                       std::span<const char> varies);

/// Place of each of `count` rows among `rows`, -1 for others.
std::vector<int> places_among(std::span<const int> rows, int count);
/// One past the largest row index used.
int row_count(std::span<const compile::Place> entries, std::span<const int> rows);
/// Bodies are blocks, and so are coordinates of none that the same rows hold, such as those of a
/// particle; nothing for small models without bodies.
std::vector<int> blocks_of(const compile::CompiledModel& model);
/// The same also where there are no bodies.
std::vector<int> all_blocks(const compile::CompiledModel& model);

/// Which entries of A change along a run: those that depend on t, q, v or a side.
std::vector<char> entries_that_vary(const compile::CompiledModel& model);

/// What the inputs of a record hold as numbers: a key of all that is recorded.
std::span<const double> parameters_of(const Evaluator& evaluator);

/// Norm rows of the rotations, as rows are numbered in the model.
std::vector<int> norm_rows(const compile::CompiledModel& model);

}  // namespace ananke::dynamics

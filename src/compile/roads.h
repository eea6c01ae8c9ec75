// Which methods a model gets: full matrices or sparse systems, and whether it is treated as large.
//
// Decided once, when a model is compiled, by the operations that each road is predicted to take,
// counted from the patterns of M and A; never by the number of coordinates. Of the roads that a
// model may take it takes the one that costs least:
//
//   which rows count,         full matrices    n^3/3 + m n^2 + 2 n m^2 operations
//   start, rows of output     sparse systems   the fill of [M A^T; A 0], entries
//
//   orders of elimination,    as a whole       instructions of the equations, products of their
//   explanations, tables                       elimination, entries of full matrices
//                             body by body     a constant
//
//   watch of the rank         a program        the fill of A A^T, row by row
//                             sparse systems   the fill of [1 B^T; B 0], and solutions with it
//
// Whether a program is one piece or comes in segments is decided when it has been recorded, by its
// length: CompiledModel::most_operations.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ananke::compile {

struct CompiledModel;

/// In operations of full matrices, about.
struct RoadCosts {
    double full = 0.0;       ///< one look at the rows by full matrices
    double sparse = 0.0;     ///< the same by sparse systems
    double one_piece = 0.0;  ///< of what is done to the model as a whole
    double segments = 0.0;   ///< of doing it body by body, beyond what both take
};

/// Of patterns alone. The fill is not counted where sparse systems cost more without it.
RoadCosts predict_costs(const CompiledModel& model);

/// Whether a model may be treated as large: it has no actuators, friction, forces or switches that
/// depend on reactions, or events that set velocities.
bool may_be_large(const CompiledModel& model);

/// Sets CompiledModel::sparse and CompiledModel::large.
void choose_roads(CompiledModel& model);

/// Products of the elimination beyond which no program of it is made: the solvers by full matrices
/// or sparse systems are as fast, and begin at once.
double longest_program(const CompiledModel& model);

/// The order in which a program eliminates A A^T of these rows, fewest neighbours first, and what
/// that costs.
struct RowSequence {
    std::vector<std::size_t> rows;  ///< places among the rows; not all of them beyond the limit
    double products = 0.0;          ///< at least, beyond the limit
};
/// Ends where the products exceed `most`.
RowSequence row_sequence(const CompiledModel& model, std::span<const int> rows, double most);

/// Of one look for singular configurations where these rows count.
struct WatchCosts {
    double program = 0.0;  ///< at least, where it is dearer; infinite: none is made
    double sparse = 0.0;
};
WatchCosts predict_watch(const CompiledModel& model, std::span<const int> rows);

/// Products of that elimination beyond which sparse systems watch the rank of these rows with less.
double most_products_of_watch(const CompiledModel& model, std::span<const int> rows);

}  // namespace ananke::compile

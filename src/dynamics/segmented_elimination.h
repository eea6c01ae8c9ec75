// The elimination of a large system, recorded body by body: one segment per body on the way to the
// ground and one on the way back, so that bodies of equal structure share their code.
//
// Entries of M and A are evaluated in the segment that first needs them, hence the segment of a
// body holds the equations of the body, of its joints, and its elimination.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "code/tracer.h"
#include "compile/compiled_model.h"
#include "dynamics/evaluator.h"
#include "dynamics/recording.h"
#include "solve/elimination.h"
#include "solve/quaternion_basis.h"

namespace ananke::dynamics {

/// The system on demand: values as the places of the model and of the order count them.
struct TracedSystem {
    std::span<const compile::Place> row_places;
    std::function<code::Traced(std::size_t)> mass;     ///< at CompiledModel::mass_entries
    std::function<code::Traced(std::size_t)> entries;  ///< at row_places
    std::function<code::Traced(std::size_t)> force;    ///< n
    std::function<code::Traced(std::size_t)> b;        ///< per row of the order
};

/// The inputs of every kernel; parameters are numbers from now on.
std::vector<code::Traced> traced_inputs(code::Tracer& tracer, const Evaluator& evaluator);

/// Which inputs play the same role in the equations of different bodies.
std::vector<std::uint32_t> input_colors(const compile::CompiledModel& model);

class SegmentedElimination {
  public:
    /// As record_elimination(); all must outlive it.
    SegmentedElimination(code::Tracer& tracer, const Evaluator& evaluator,
                         std::span<const code::Traced> inputs, const TracedSystem& system,
                         const RowOrder& order, std::span<const int> norm_rows);

    /// Accelerations (n), then the multipliers of the rows of the order with a minus sign.
    std::vector<code::Traced> run(PivotObserver<code::Traced>* observer = nullptr);

  private:
    using Traced = code::Traced;
    /// Coordinates that are loaded together: those of a quaternion, or a single one.
    struct Node {
        int first = 0;
        int group = -1;  ///< among the rotations of the model
    };
    /// Entries between two nodes, or between a row and a node.
    struct Cell {
        int row;  ///< of the order, -1: of M
        int x, y;
        std::vector<std::size_t> entries = {};
        bool loaded = false;
    };
    struct Turn {
        std::uint32_t segment = 0xffffffff;
        std::array<std::array<Traced, 4>, 4> T;
        Traced square;
    };

    void find_cells(std::span<const int> norm_rows);
    void eliminate(PivotObserver<Traced>* observer);
    void load_node(int node);
    void load_row(int row);
    void load_cell(Cell& cell);
    void load_mass(const Cell& cell);
    void load_row_cell(const Cell& cell);
    void load_force(int node);
    const Turn& turn(int group);
    std::vector<std::pair<int, Traced>> parts(int coordinate);
    /// What is recorded together: the pivots of a body, or of the rows of a joint.
    int block_of(const solve::Pivot& pivot) const;
    void turn_back(std::span<const int> groups);

    code::Tracer* tracer_;
    const compile::CompiledModel* model_;
    std::span<const Traced> inputs_;
    const TracedSystem* system_;
    const RowOrder* order_;
    solve::Elimination<Traced> elimination_;
    std::vector<int> blocks_;
    std::vector<double> inertias_;
    std::vector<Node> nodes_;
    std::vector<int> node_of_;  ///< n
    std::vector<Cell> cells_;
    std::vector<std::vector<std::size_t>> cells_of_node_, cells_of_row_;
    std::vector<char> node_loaded_, row_loaded_;
    std::vector<int> joint_of_row_;  ///< numbered after the blocks
    std::vector<int> norm_of_row_;   ///< per row of the order: the rotation, -1
    std::vector<Turn> turns_;        ///< per rotation
    std::vector<Traced> x_, a_;
};

}  // namespace ananke::dynamics

// The elimination of the equations of a model on record, body by body: a part of the record per
// body on the way to the ground and one on the way back, so that bodies of equal structure share
// their code.
//
// Entries of M and A are evaluated where they are first needed, hence the part of a body holds the
// equations of the body, of its joints, and its elimination. Quaternions are eliminated by angular
// accelerations, solve/quaternion_basis.h.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "code/recorder.h"
#include "dynamics/evaluator.h"
#include "dynamics/recording.h"
#include "solve/elimination.h"

namespace ananke::dynamics {

/// A system to be eliminated, on demand.
struct RecordedSystem {
    std::span<const compile::Place> row_places;
    std::function<code::Recorded(std::size_t)> mass;     ///< at CompiledModel::mass_entries
    std::function<code::Recorded(std::size_t)> entries;  ///< at row_places
};
/// Its right side.
struct RecordedRightSide {
    std::function<code::Recorded(std::size_t)> force;  ///< n
    std::function<code::Recorded(std::size_t)> b;      ///< per row of the order
};

/// Called after each pivot with its value; before the first pivot of a row alone, with the
/// elimination as it stands then.
struct PivotObserver {
    virtual ~PivotObserver() = default;
    virtual void before(const solve::Elimination<code::Recorded>& elimination,
                        const solve::Pivot& pivot) = 0;
    virtual void after(const solve::Pivot& pivot, const code::Recorded& value) = 0;
};

class RecordedElimination {
  public:
    /// All must outlive it. `norm_rows`: per rotation of the model the row of its norm as rows are
    /// numbered at row_places, -1: none.
    RecordedElimination(code::Recorder& recorder, const Evaluator& evaluator,
                        std::span<const code::Recorded> inputs, RecordedSystem system,
                        const RowOrder& order, std::span<const int> norm_rows);

    /// Accelerations (n), then the multipliers of the rows of the order with a minus sign. To be
    /// called once.
    std::vector<code::Recorded> eliminate(const RecordedRightSide& right,
                                          PivotObserver* observer = nullptr);
    /// The same for another right side, by the same pivots.
    std::vector<code::Recorded> solve(const RecordedRightSide& right);
    /// y + weight x of two solutions.
    void add_scaled(std::vector<code::Recorded>& y, const std::vector<code::Recorded>& x,
                    const code::Recorded& weight);

  private:
    using Recorded = code::Recorded;

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
        std::array<std::array<Recorded, 4>, 4> T;
        Recorded square;
    };

    void find_cells(std::span<const int> norm_rows);
    void load_node(int node);
    void load_row(int row);
    void load_cell(Cell& cell);
    void load_mass(const Cell& cell);
    void load_row_cell(const Cell& cell);
    void load_force(int node, const RecordedRightSide& right);
    const Turn& turn(int group);
    std::vector<std::pair<int, Recorded>> parts(int coordinate);
    /// What is recorded together: the pivots of a body, or of the rows of a joint.
    int block_of(const solve::Pivot& pivot) const;
    /// Cuts the record where a pivot belongs to another block than the one before.
    void enter_block(const solve::Pivot& pivot);
    /// Adds what a pivot needs of the right side to x_.
    void load_right(const solve::Pivot& pivot, const RecordedRightSide& right);
    void start_right();
    std::vector<Recorded> finish_right();
    void turn_back(std::span<const int> groups);

    code::Recorder* recorder_;
    const compile::CompiledModel* model_;
    std::span<const Recorded> inputs_;
    RecordedSystem system_;
    const RowOrder* order_;
    solve::Elimination<Recorded> elimination_;
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
    int block_ = -1;                 ///< that is being recorded
    // The right side at hand.
    std::vector<char> force_loaded_, b_loaded_;
    std::vector<Recorded> x_, a_;
};

/// The inputs of every kernel; parameters are numbers from now on.
std::vector<code::Recorded> recorded_inputs(code::Recorder& recorder, const Evaluator& evaluator);
/// Which inputs play the same role in the equations of different bodies.
std::vector<std::uint32_t> input_colors(const compile::CompiledModel& model);

}  // namespace ananke::dynamics

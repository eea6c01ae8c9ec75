// What the programs of a run that eliminate have in common: their inputs, and the numbers from
// which an order of elimination is chosen.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "code/kernel.h"
#include "code/recorded.h"
#include "code/segmented.h"
#include "code/state_kernel.h"
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

/// A recorded program, in one piece or in segments.
class RecordedKernel {
  public:
    explicit RecordedKernel(code::StateKernel kernel) : kernel_(std::move(kernel)) {}
    explicit RecordedKernel(code::SegmentedKernel kernel) : kernel_(std::move(kernel)) {}

    std::size_t output_count() const {
        return std::visit([](const auto& one) { return one.output_count(); }, kernel_);
    }
    /// Instructions of one run.
    std::size_t size() const;
    const code::SegmentedProgram* segments() const {
        const auto* parts = std::get_if<code::SegmentedKernel>(&kernel_);
        return parts != nullptr ? &parts->program() : nullptr;
    }
    // Null if it is in segments.
    code::StateKernel* whole() { return std::get_if<code::StateKernel>(&kernel_); }
    const code::Program* program() const {
        const auto* whole = std::get_if<code::StateKernel>(&kernel_);
        return whole != nullptr ? &whole->program() : nullptr;
    }
    std::shared_ptr<const code::Program> shared_program() const {
        const auto* whole = std::get_if<code::StateKernel>(&kernel_);
        return whole != nullptr ? whole->shared_program() : nullptr;
    }
    void run(const double* inputs, double* outputs) {
        if (auto* whole = std::get_if<code::StateKernel>(&kernel_)) {
            whole->run(inputs[0], inputs + 1, outputs);
        } else {
            std::get_if<code::SegmentedKernel>(&kernel_)->run(inputs, outputs);
        }
    }

  private:
    std::variant<code::StateKernel, code::SegmentedKernel> kernel_;
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
/// Rows that these entries and rows speak of.
int row_count(std::span<const compile::Place> entries, std::span<const int> rows);
/// Bodies are blocks, and so are coordinates of none that the same rows hold, such as those of a
/// particle; nothing for small models without bodies.
std::vector<int> blocks_of(const compile::CompiledModel& model);
/// The same also where there are no bodies.
std::vector<int> all_blocks(const compile::CompiledModel& model);

/// Which entries of A change along a run: those that depend on t, q, v or a side.
std::vector<char> entries_that_vary(const compile::CompiledModel& model);

/// The inputs of every kernel as they are recorded: parameters are numbers from now on.
std::vector<code::Recorded> recorded_inputs(code::Builder& builder, const Evaluator& evaluator);

/// The numbers among them: a key of all that is recorded.
std::span<const double> parameters_of(const Evaluator& evaluator);

/// A system to be eliminated in some order: recorded values of M and of rows of A at `places`, and
/// the right-hand sides.
struct RecordedSystem {
    std::span<const compile::Place> row_places;
    std::span<const code::Recorded> mass;     ///< at CompiledModel::mass_entries
    std::span<const code::Recorded> entries;  ///< at row_places
    std::vector<code::Recorded> force;        ///< n
    std::vector<code::Recorded> b;            ///< per row of the order
};

/// Called after each pivot with its value; before the first pivot of a row alone, with the
/// elimination as it stands then.
template <class S>
struct PivotObserver {
    virtual ~PivotObserver() = default;
    virtual void before(const solve::Elimination<S>& elimination, const solve::Pivot& pivot) = 0;
    virtual void after(const solve::Pivot& pivot, const S& value) = 0;
    /// The pivot of a control by its servo row.
    virtual void of_control(const S& value) = 0;
};

/// Records the elimination in this order. `norm_rows`: per rotation of the model the row of its
/// norm as rows are numbered at row_places, -1: none. Returns the accelerations (n), then the
/// multipliers of the rows of the order with a minus sign.
std::vector<code::Recorded> record_elimination(const Evaluator& evaluator,
                                               std::span<const code::Recorded> inputs,
                                               RecordedSystem system, const RowOrder& order,
                                               std::span<const int> norm_rows,
                                               PivotObserver<code::Recorded>* observer = nullptr);

/// Norm rows of the rotations, as rows are numbered in the model.
std::vector<int> norm_rows(const compile::CompiledModel& model);

/// Puts entries of rows that are among `rows`, renumbered, into the elimination.
void set_rows(solve::Elimination<code::Recorded>& elimination, std::span<const compile::Place> places,
              std::span<const code::Recorded> values, std::span<const int> rows);

}  // namespace ananke::dynamics

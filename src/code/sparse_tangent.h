// The derivatives of a program whose outputs depend on few inputs each: the entries that are there,
// and no others.
//
// Inputs that no output depends on together share a direction (Curtis, Powell & Reid 1974), and
// eight directions run at once: a chain of any length needs as many runs as its links have
// neighbours. An output that is a sum over many inputs, the force on a body that hundreds of
// springs pull at, is differentiated term by term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "code/kernel.h"
#include "code/program.h"

namespace ananke::code {

class SparseTangent {
  public:
    static constexpr std::size_t kLanes = 8;

    /// Differences need no derivative to be finite; half of their digits are lost.
    enum class Rule : std::uint8_t { kDerivatives, kDifferences };

    /// `column`: among the active inputs. Entries of one place may be several, to be summed.
    struct Entry {
        std::uint32_t output, column;
    };

    /// Derivatives of all outputs by the inputs that `active` names. The entries are the same by
    /// either rule. Copies share what does not change.
    SparseTangent(const Program& program, std::span<const std::uint32_t> active,
                  Rule rule = Rule::kDerivatives);

    /// False if an output depends on too many inputs, term by term: then there are no entries.
    bool is_sparse() const { return plan_->is_sparse; }
    const std::vector<Entry>& entries() const { return plan_->entries; }
    /// Directions that are told apart.
    std::size_t directions() const { return plan_->first_column.size() - 1; }
    /// Instructions of one run for eight of them.
    std::size_t program_size() const { return kernel_.program().instructions.size(); }

    /// One value per entry, at these inputs of the program. Does not allocate.
    void run(std::span<const double> inputs, std::span<double> values);

  private:
    /// Where an entry is read after the run of its directions.
    struct Reading {
        std::uint32_t place;  ///< among the outputs of all lanes
        double sign;
    };
    struct Plan {
        bool is_sparse = false;
        std::vector<std::uint32_t> active;
        std::vector<Entry> entries;                ///< by runs
        std::vector<Reading> readings;             ///< per entry
        std::vector<std::size_t> first_entry{0};   ///< per run, and the end
        std::vector<std::uint32_t> columns;        ///< by directions
        std::vector<std::size_t> first_column{0};  ///< per direction, and the end
    };

    void spread(std::span<const double> inputs);
    template <class Use>
    void for_each_lane(std::size_t run, Use use) const;
    void take_derivatives(std::span<double> values);
    void take_differences(std::span<const double> inputs, double side, std::span<double> values);

    Rule rule_;
    std::size_t input_count_;
    std::shared_ptr<const Plan> plan_;
    LaneKernel<static_cast<int>(kLanes)> kernel_;
    std::vector<double> packet_inputs_, packet_outputs_;
    std::vector<double> base_;  ///< outputs without a step, for differences
};

}  // namespace ananke::code

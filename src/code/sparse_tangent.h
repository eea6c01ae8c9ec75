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
#include <span>
#include <vector>

#include "code/kernel.h"
#include "code/program.h"

namespace ananke::code {

class SparseTangent {
  public:
    static constexpr std::size_t kLanes = 8;

    /// `column`: among the active inputs. Entries of one place may be several, to be summed.
    struct Entry {
        std::uint32_t output, column;
    };

    /// Derivatives of all outputs by the inputs that `active` names.
    SparseTangent(const Program& program, std::span<const std::uint32_t> active);

    /// False if an output depends on too many inputs, term by term: then there are no entries.
    bool is_sparse() const { return is_sparse_; }
    const std::vector<Entry>& entries() const { return entries_; }
    /// Directions that are told apart.
    std::size_t directions() const { return directions_; }
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

    std::size_t input_count_;
    bool is_sparse_ = false;
    std::size_t directions_ = 0;
    std::vector<Entry> entries_;             ///< by runs
    std::vector<Reading> readings_;          ///< per entry
    std::vector<std::size_t> first_entry_;   ///< per run, and the end
    std::vector<std::uint32_t> direction_;   ///< per column
    std::vector<std::uint32_t> columns_;     ///< by directions
    std::vector<std::size_t> first_column_;  ///< per direction, and the end
    LaneKernel<static_cast<int>(kLanes)> kernel_;
    std::vector<double> packet_inputs_, packet_outputs_;
};

}  // namespace ananke::code

// A program as emitted code carries it out: every value has one name, calls come in batches, and
// each operand knows when its value is read next.
//
// Calls of one function that do not wait for each other stand side by side, so that scalar code can
// evaluate several of them by one packet call. Sines and cosines count as one function. The calls
// are sorted into levels: a call is one level above the calls that its operands wait for. Level by
// level, first what the operands of its calls need is computed, then its calls are made; what no
// call needs comes last. Apart from that the order of the program is kept. Order does not change
// bits.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "code/program.h"

namespace ananke::code {

/// Inputs and constants are numbered as in the program; results of instructions follow.
using ValueId = std::uint32_t;

inline constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

struct Step {
    Op op;
    std::uint8_t arity;  ///< operands that count
    /// Calls that are made together, this one first; 0 for the others of the batch; else 1.
    std::uint8_t batch = 1;
    ValueId value;
    std::array<ValueId, 3> operands;
    /// Number of the next step that reads operand k, or kNever.
    std::array<std::uint32_t, 3> next_use;
};

struct Steps {
    std::uint32_t value_count = 0;
    std::vector<Step> steps;
    std::vector<std::uint32_t> first_use;  ///< by value: the first step that reads it, or kNever
    std::vector<ValueId> outputs;
};

/// Requires is_valid(program) and 1 <= largest_batch <= 8. Instructions that no output needs are
/// left out. The cost is linear, but for sorting the calls.
Steps make_steps(const Program& program, std::size_t largest_batch);

}  // namespace ananke::code

// The interpreter's own form of a program: the same operations on the same values, in an order that
// puts equal operations side by side, so that one dispatch serves a whole batch.
//
// Order does not change bits: each value is computed by its instruction from the same operands.
#pragma once

#include <cstdint>
#include <vector>

#include "code/program.h"

namespace ananke::code {

struct Tape {
    struct Operands {
        Slot target;
        Slot a, b, c;
    };
    struct Batch {
        Op op;
        std::uint32_t count;  ///< of the operands that follow those of the batch before
    };

    std::uint32_t slot_count = 0;  ///< inputs, constants (as in the program), temporaries
    std::vector<Batch> batches;
    std::vector<Operands> operands;
    std::vector<Slot> outputs;
};

/// Requires is_valid(program).
Tape make_tape(const Program& program);

}  // namespace ananke::code

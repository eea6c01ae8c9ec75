#include "code/tape.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "code/lower.h"

namespace ananke::code {
namespace {

using sym::Expr;
using sym::Graph;
using sym::SymbolKind;

/// Potential forces of springs along a chain of points in the plane.
Program spring_chain(std::size_t points) {
    Graph g;
    std::vector<Expr> inputs;
    for (std::size_t i = 0; i < 2 * points; ++i) {
        inputs.push_back(g.symbol(SymbolKind::kCoordinate, "q" + std::to_string(i)));
    }
    std::vector<Expr> outputs;
    for (std::size_t i = 0; i + 1 < points; ++i) {
        const Expr dx = g.sub(inputs[2 * i + 2], inputs[2 * i]);
        const Expr dy = g.sub(inputs[2 * i + 3], inputs[2 * i + 1]);
        const Expr length = g.apply(sym::Op::kSqrt, g.add(g.square(dx), g.square(dy)));
        const Expr pull = g.div(g.sub(length, g.one()), length);
        outputs.push_back(g.mul(pull, dx));
        outputs.push_back(g.mul(pull, dy));
    }
    return lower(g, inputs, outputs);
}

// Equal elements run side by side: the number of batches does not grow with their number.
TEST(Tape, EqualElementsShareTheirBatches) {
    const std::size_t few = make_tape(spring_chain(3)).batches.size();
    EXPECT_EQ(few, make_tape(spring_chain(1000)).batches.size());
    EXPECT_LE(few, 7U);
}

TEST(Tape, HoldsEveryInstructionAndOnlyWritesTemporaries) {
    const Program program = spring_chain(50);
    const Tape tape = make_tape(program);
    EXPECT_EQ(tape.operands.size(), program.instructions.size());
    std::size_t in_batches = 0;
    for (const Tape::Batch& batch : tape.batches) {
        in_batches += batch.count;
    }
    EXPECT_EQ(in_batches, tape.operands.size());
    for (const Tape::Operands& operands : tape.operands) {
        EXPECT_GE(operands.target, program.first_temporary());
        EXPECT_LT(operands.target, tape.slot_count);
    }
}

}  // namespace
}  // namespace ananke::code

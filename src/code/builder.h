// Builds a straight-line program value by value.
//
// Used by lower() and, later, by a recording scalar that runs numeric algorithms symbolically.
// Each value exists once (value numbering); operations on constants are folded with the functions
// that the interpreter calls. Operands of commutative operations are ordered by a structural hash
// (input number, bits of a constant, operation and operands), so the program depends on the
// structure of the outputs alone, never on the order of the calls. See schedule.h for the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "code/program.h"
#include "code/schedule.h"
#include "sym/node_table.h"

namespace ananke::code {

/// Handle of a value in one Builder. Equal handles are equal values.
struct Value {
    std::uint32_t id = 0;
    friend bool operator==(Value, Value) = default;
};

class Builder {
  public:
    explicit Builder(std::uint32_t input_count);

    Value input(std::uint32_t index) const;
    Value constant(double value);
    /// The number that a value is, if it is one.
    std::optional<double> number(Value value) const;

    /// The value, or what it is the negative of.
    Value unsigned_part(Value value) const;

    /// Requires as many operands as `op` has. Signs are taken out of sums, products and quotients,
    /// where they meet and cancel or become part of a difference; a sum that is exactly zero may
    /// change its sign by that. The fused operations are left to finish().
    Value apply(Op op, Value a);
    Value apply(Op op, Value a, Value b);
    Value apply(Op op, Value a, Value b, Value c) { return intern(op, {a.id, b.id, c.id}, 3); }

    /// a^n by repeated squaring, low bits first: a^5 = a * (a^2)^2; a^-n = 1/a^n; a^0 = 1.
    Value integer_power(Value a, int n);

    /// The program that computes the outputs. The builder may go on afterwards.
    Program finish(std::span<const Value> outputs) const;
    /// The same, one of several programs; the scheduler is for those of one builder.
    Program finish(std::span<const Value> outputs, Scheduler& schedule) const;

  private:
    Value intern(Op op, std::array<std::uint32_t, 3> operands, int operand_count);
    Value append(const ValueNode& node);
    std::uint32_t input_count_;
    GrowingArray<ValueNode> nodes_;  ///< the inputs first, operands before users
    sym::NodeTable known_operations_;
    sym::IndexTable known_constants_;
};

}  // namespace ananke::code

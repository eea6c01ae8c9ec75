// From values to instructions: what the outputs need, fma, order, slots.
//
// The rule of fma. A product a*b becomes part of a sum s when s is its only use and
//   s = a*b + c -> fma(a, b, c),   s = a*b - c -> fms(a, b, c),   s = c - a*b -> fnma(a, b, c).
// If both operands of s are such products, the one with the larger structural hash is fused. A
// product with two uses or more, or one that is an output, stays a product of its own.
//
// Instructions stand in the order of a depth-first walk from the outputs, first operand first, so
// the program depends on the structure of the values alone, not on the order they were made in.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "code/program.h"

namespace ananke::code {

/// A value in single-assignment form.
struct ValueNode {
    enum class Kind : std::uint8_t { kInput, kConstant, kOperation };

    Kind kind;
    Op op = Op::kAdd;  ///< of an operation
    /// Positions of earlier nodes; of leaves the number of the input, or the bits of the constant.
    std::array<std::uint32_t, 3> operands{};
    /// Structural: input number, bits of the constant, operation, operands.
    std::uint64_t hash = 0;

    static ValueNode of_input(std::uint32_t number) {
        return {.kind = Kind::kInput, .operands = {number}};
    }
    static ValueNode of_constant(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        return {
            .kind = Kind::kConstant,
            .operands = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)}};
    }
    std::uint32_t input() const { return operands[0]; }
    double constant() const {
        return std::bit_cast<double>(operands[0] + (std::uint64_t{operands[1]} << 32));
    }

    std::span<const std::uint32_t> used_operands() const {
        return std::span(operands).first(
            kind == Kind::kOperation ? static_cast<std::size_t>(arity(op)) : 0);
    }
};

/// Schedules programs over one growing list of values. What it needs to remember of each value is
/// kept from one program to the next, so that the cost is that of the values a program needs.
class Scheduler {
  public:
    /// Requires operands before users in `nodes`, and the nodes of earlier calls among them.
    Program operator()(std::uint32_t input_count, std::span<const ValueNode> nodes,
                       std::span<const std::uint32_t> outputs);

  private:
    /// Of a value. Uses are zero between programs.
    struct Mark {
        std::uint32_t uses = 0;     ///< that are still to come
        std::uint32_t program = 0;  ///< the last one that it was met in
        Slot slot = 0;              ///< there
    };
    /// An operation, fused if it is to be, whose operands are being computed.
    struct Visit {
        std::uint32_t id;
        Op op;
        std::uint8_t operand_count;
        std::uint8_t next_operand;
        std::array<std::uint32_t, 3> operands;
    };

    void count_uses(std::span<const std::uint32_t> outputs);
    bool is_fusable(std::uint32_t id) const;
    int fused_side(const ValueNode& node) const;
    void enter(std::uint32_t id);
    void emit(const Visit& visit);

    std::span<const ValueNode> nodes_;
    GrowingArray<Mark> marks_;
    std::uint32_t number_ = 0;  ///< of the program
    Program program_;
    std::uint32_t temporaries_ = 0;
    std::vector<std::uint32_t> needed_;
    std::vector<Visit> stack_;
    std::vector<Slot> free_slots_;
};

}  // namespace ananke::code

// The straight-line program: what every execution tier runs.
//
// Numbered slots hold doubles: inputs first, then constants, then temporaries. An instruction reads
// up to three slots and writes one temporary, in order, with no jumps. A temporary is used again
// once its value is no longer needed, so `target` may equal an operand: operands are read first.
//
// A program says exactly which roundings happen. Every tier must give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ananke::code {

/// Machine-level operations on the operands a, b, c. Truth values are 1 and 0; any number but 0
/// (NaN included) counts as true.
enum class Op : std::uint8_t {
    // one rounding each
    kAdd,
    kSub,
    kMul,
    kDiv,
    kFma,   ///< a*b + c
    kFms,   ///< a*b - c
    kFnma,  ///< c - a*b
    kSqrt,
    // no rounding
    kNeg,
    kAbs,
    kSign,  ///< 1, -1, or 0 for both zeros; NaN for NaN
    kMin,   ///< NaN if either is NaN; -0 is less than 0
    kMax,
    // truth values; comparisons with NaN are 0
    kLess,
    kLessEqual,
    kEqual,
    kAnd,
    kOr,
    kNot,
    kSelect,  ///< a ? b : c; both sides have been computed, the value of the other is dropped
    // calls of functions.h
    kSin,
    kCos,
    kTan,
    kAsin,
    kAcos,
    kAtan,
    kSinh,
    kCosh,
    kTanh,
    kExp,
    kLog,
    kAtan2,
    kPow,
};
inline constexpr int kOpCount = static_cast<int>(Op::kPow) + 1;

/// Number of operands, 1 to 3.
int arity(Op op);
/// "add", "fma", "sin".
std::string_view name(Op op);
/// op(a, b, ...) = op(b, a, ...) bit for bit (the sign and payload of a NaN aside).
bool is_commutative(Op op);
/// A function of functions.h.
bool is_call(Op op);

using Slot = std::uint32_t;

struct Instruction {
    Op op;
    Slot target;
    Slot a;
    Slot b = 0;  ///< 0 where the operation has fewer operands
    Slot c = 0;
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Program {
    std::uint32_t input_count = 0;
    std::uint32_t slot_count = 0;  ///< inputs, constants and temporaries
    std::vector<double> constants;
    std::vector<Instruction> instructions;
    std::vector<Slot> outputs;  ///< slots to read at the end; inputs and constants are allowed

    Slot first_temporary() const {
        return input_count + static_cast<std::uint32_t>(constants.size());
    }
    /// Same structure: running either gives the same bits. Constants are compared by their bits.
    friend bool operator==(const Program&, const Program&);
};

/// Every slot is written before it is read, and only temporaries are written.
bool is_valid(const Program& program);

/// Equal for equal programs, on every machine.
std::uint64_t hash(const Program& program);

struct OperationCounts {
    std::size_t instructions = 0;
    std::size_t flops = 0;  ///< + - * / sqrt count 1, fused ones 2; comparisons and calls 0
    std::size_t fused = 0;
    std::size_t divisions = 0;  ///< quotients and square roots
    std::size_t calls = 0;      ///< of functions.h
    friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};
OperationCounts count_operations(const Program& program);

/// One line per instruction, for people: "s4 = fma(x, s3, 0.5)". Inputs without a name are in0...
std::string to_text(const Program& program, std::span<const std::string> input_names = {});

}  // namespace ananke::code

// The straight-line program: what every execution tier runs.
//
// Numbered slots hold doubles: inputs first, then constants, then temporaries. An instruction reads
// up to three slots and writes one temporary, in order, with no jumps. A temporary is used again
// once its value is no longer needed, so `target` may equal an operand: operands are read first.
//
// A program says exactly which roundings happen. Every tier must give the same bits.
#pragma once

#include <array>
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
    kLower,   ///< a if a < b, else b, so b where one is NaN
    kHigher,  ///< a if a > b, else b
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

struct OpTrait {
    std::string_view name;
    int arity;
    bool commutative;
    std::string_view infix;  ///< "" prints as a function
};

inline constexpr std::array<OpTrait, kOpCount> kOpTraits{{
    {"add", 2, true, "+"},    {"sub", 2, false, "-"},         {"mul", 2, true, "*"},
    {"div", 2, false, "/"},   {"fma", 3, true, ""},           {"fms", 3, true, ""},
    {"fnma", 3, true, ""},    {"sqrt", 1, false, ""},         {"neg", 1, false, ""},
    {"abs", 1, false, ""},    {"sign", 1, false, ""},         {"min", 2, true, ""},
    {"max", 2, true, ""},     {"lower", 2, false, ""},        {"higher", 2, false, ""},
    {"less", 2, false, "<"},  {"less_equal", 2, false, "<="}, {"equal", 2, true, "=="},
    {"and", 2, true, "and"},  {"or", 2, true, "or"},          {"not", 1, false, ""},
    {"select", 3, false, ""}, {"sin", 1, false, ""},          {"cos", 1, false, ""},
    {"tan", 1, false, ""},    {"asin", 1, false, ""},         {"acos", 1, false, ""},
    {"atan", 1, false, ""},   {"sinh", 1, false, ""},         {"cosh", 1, false, ""},
    {"tanh", 1, false, ""},   {"exp", 1, false, ""},          {"log", 1, false, ""},
    {"atan2", 2, false, ""},  {"pow", 2, false, ""},
}};

constexpr const OpTrait& trait(Op op) {
    return kOpTraits[static_cast<std::size_t>(op)];
}
/// Number of operands, 1 to 3.
constexpr int arity(Op op) {
    return trait(op).arity;
}
/// "add", "fma", "sin".
constexpr std::string_view name(Op op) {
    return trait(op).name;
}
/// op(a, b, ...) = op(b, a, ...) bit for bit (the sign and payload of a NaN aside).
constexpr bool is_commutative(Op op) {
    return trait(op).commutative;
}
/// A function of functions.h.
constexpr bool is_call(Op op) {
    return op >= Op::kSin;
}
/// One packet can hold calls of both.
constexpr bool can_share_packet(Op a, Op b) {
    const auto is_turn = [](Op op) { return op == Op::kSin || op == Op::kCos; };
    return a == b || (is_turn(a) && is_turn(b));
}

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

/// Inputs up to the last one that is an operand or an output.
Slot used_inputs(const Program& program);

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

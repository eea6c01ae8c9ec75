// Programs joined into one, instruction by instruction: the roundings are those of the parts, so
// the whole gives the bits that the parts give one after the other. What several parts compute from
// the same values is computed once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/program.h"

namespace ananke::code {

class Composer {
  public:
    /// A value of the program that is being made.
    using Id = std::uint32_t;

    explicit Composer(std::uint32_t input_count) : input_count_(input_count) {}

    Id input(std::uint32_t index) const;
    Id constant(double number);
    /// A constant that is 0.
    bool is_zero(Id id) const;
    Id apply(Op op, Id a) { return append({op, 0, a}); }
    Id apply(Op op, Id a, Id b) { return append({op, 0, a, b}); }
    Id apply(Op op, Id a, Id b, Id c) { return append({op, 0, a, b, c}); }

    /// The outputs of a program for these inputs.
    std::vector<Id> append(const Program& program, std::span<const Id> inputs);

    Program finish(std::span<const Id> outputs) &&;

  private:
    struct InstructionHash {
        std::size_t operator()(const Instruction& one) const {
            std::uint64_t hash = static_cast<std::uint64_t>(one.op);
            for (const std::uint64_t operand : {one.a, one.b, one.c}) {
                hash = (std::rotl(hash, 21) ^ operand) * 0x9e3779b97f4a7c15U;
            }
            return hash ^ (hash >> 32U);
        }
    };

    Id append(const Instruction& instruction);
    /// The place of a value among inputs, constants and temporaries, all constants known.
    Slot slot(Id id) const;

    std::uint32_t input_count_;
    std::vector<double> constants_;
    std::unordered_map<std::uint64_t, Id> known_constants_;  ///< by their bits
    std::vector<Instruction> instructions_;                  ///< operands are Ids
    std::unordered_map<Instruction, Id, InstructionHash> known_;
};

}  // namespace ananke::code

// Which inputs the values of a program depend on, as sets that are small where the program is
// sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "code/program.h"

namespace ananke::code {

/// A program in which every value has a name of its own: inputs, constants, one per instruction.
/// Sets hold numbers of active inputs, ascending; what a value only compares does not count.
class Dependence {
  public:
    using Name = std::uint32_t;
    /// Sets with more members are not kept.
    static constexpr std::size_t kMostMembers = 1024;
    static constexpr std::size_t kTooMany = static_cast<std::size_t>(-1);
    /// Equal handles are equal sets.
    struct Set {
        std::size_t first = 0;
        std::size_t count = 0;  ///< or kTooMany
        friend bool operator==(const Set&, const Set&) = default;
    };

    Dependence(const Program& program, std::span<const std::uint32_t> active);

    Set set(Name value) const { return sets_[value]; }
    /// Requires that they are not too many.
    std::span<const std::uint32_t> members(Set set) const {
        return std::span(pool_).subspan(set.first, set.count);
    }
    Name output(std::size_t i) const { return outputs_[i]; }
    std::size_t output_count() const { return outputs_.size(); }
    std::size_t instruction_count() const { return instructions_.size(); }
    /// Null for inputs and constants.
    const Instruction* instruction(Name value) const {
        return value < first_instruction() ? nullptr : &instructions_[value - first_instruction()];
    }

    /// A new value behind the others. Operands are names.
    Name append(Op op, Name a, Name b);
    /// The program with these values as its outputs; more slots than any that is run should have.
    Program program(std::span<const Name> outputs) const;

  private:
    Name first_instruction() const {
        return input_count_ + static_cast<std::uint32_t>(constants_.size());
    }
    Set unite(Set x, Set y);
    Set set_of(const Instruction& one);

    std::uint32_t input_count_;
    std::vector<double> constants_;
    std::vector<Instruction> instructions_;  ///< with names for slots
    std::vector<Name> outputs_;
    std::vector<Set> sets_;
    std::vector<std::uint32_t> pool_;
};

}  // namespace ananke::code

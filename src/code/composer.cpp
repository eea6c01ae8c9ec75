#include "code/composer.h"

#include <bit>
#include <utility>

#include "base/check.h"

namespace ananke::code {
namespace {

/// Ids of constants have this bit; the others count inputs, then instructions.
constexpr std::uint32_t kConstant = std::uint32_t{1} << 31U;

}  // namespace

Composer::Id Composer::input(std::uint32_t index) const {
    ANANKE_REQUIRE(index < input_count_);
    return index;
}

Composer::Id Composer::constant(double number) {
    const Id next = kConstant | static_cast<Id>(constants_.size());
    const auto [place, is_new] =
        known_constants_.try_emplace(std::bit_cast<std::uint64_t>(number), next);
    if (is_new) {
        constants_.push_back(number);
    }
    return place->second;
}

bool Composer::is_zero(Id id) const {
    return (id & kConstant) != 0 && constants_[id & ~kConstant] == 0.0;
}

Composer::Id Composer::append(const Instruction& instruction) {
    const auto [place, is_new] =
        known_.try_emplace(instruction, input_count_ + static_cast<Id>(instructions_.size()));
    if (is_new) {
        instructions_.push_back(instruction);
    }
    return place->second;
}

std::vector<Composer::Id> Composer::append(const Program& program, std::span<const Id> inputs) {
    ANANKE_REQUIRE(inputs.size() == program.input_count);
    std::vector<Id> holder(inputs.begin(), inputs.end());
    holder.resize(program.slot_count);
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
        holder[program.input_count + i] = constant(program.constants[i]);
    }
    for (const Instruction& one : program.instructions) {
        const int operands = arity(one.op);
        Instruction copy{one.op, 0, holder[one.a]};
        copy.b = operands >= 2 ? holder[one.b] : 0;
        copy.c = operands >= 3 ? holder[one.c] : 0;
        holder[one.target] = append(copy);
    }
    std::vector<Id> outputs;
    outputs.reserve(program.outputs.size());
    for (const Slot output : program.outputs) {
        outputs.push_back(holder[output]);
    }
    return outputs;
}

Slot Composer::slot(Id id) const {
    if ((id & kConstant) != 0) {
        return input_count_ + (id & ~kConstant);
    }
    return id < input_count_ ? id : id + static_cast<Slot>(constants_.size());
}

Program Composer::finish(std::span<const Id> outputs) && {
    Program program;
    program.input_count = input_count_;
    program.instructions = std::move(instructions_);
    Slot target = input_count_ + static_cast<Slot>(constants_.size());
    for (Instruction& one : program.instructions) {
        const int operands = arity(one.op);
        one.target = target++;
        one.a = slot(one.a);
        one.b = operands >= 2 ? slot(one.b) : 0;
        one.c = operands >= 3 ? slot(one.c) : 0;
    }
    program.slot_count = target;
    for (const Id output : outputs) {
        program.outputs.push_back(slot(output));
    }
    program.constants = std::move(constants_);
    ANANKE_DEBUG_CHECK(is_valid(program));
    return program;
}

}  // namespace ananke::code

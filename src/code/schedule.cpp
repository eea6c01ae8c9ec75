#include "code/schedule.h"

#include <algorithm>

#include "base/check.h"

namespace ananke::code {
namespace {

using Kind = ValueNode::Kind;

/// Marks a slot that counts among the temporaries, as long as the constants before them are not
/// all known.
constexpr Slot kTemporary = Slot{1} << 31;

}  // namespace

/// How often each value is read by values that the outputs need, or is an output; which these are.
void Scheduler::count_uses(std::span<const std::uint32_t> outputs) {
    needed_.clear();
    const auto use = [&](std::uint32_t id) {
        if (marks_[id].uses++ == 0) {
            needed_.push_back(id);
        }
    };
    std::ranges::for_each(outputs, use);
    for (std::size_t next = 0; next < needed_.size(); ++next) {
        std::ranges::for_each(nodes_[needed_[next]].used_operands(), use);
    }
}

/// A product of one use. One that has been met has more: its uses are being counted down.
bool Scheduler::is_fusable(std::uint32_t id) const {
    return nodes_[id].kind == Kind::kOperation && nodes_[id].op == Op::kMul &&
           marks_[id].uses == 1 && marks_[id].program != number_;
}

/// Which operand of a sum is a product that becomes part of it; -1: none.
int Scheduler::fused_side(const ValueNode& node) const {
    if (node.kind != Kind::kOperation || (node.op != Op::kAdd && node.op != Op::kSub)) {
        return -1;
    }
    const std::uint32_t left = node.operands[0];
    const std::uint32_t right = node.operands[1];
    if (is_fusable(left) && (!is_fusable(right) || nodes_[left].hash > nodes_[right].hash)) {
        return 0;
    }
    return is_fusable(right) ? 1 : -1;
}

/// Gives a leaf its slot; operations wait for their operands.
void Scheduler::enter(std::uint32_t id) {
    Mark& mark = marks_[id];
    if (mark.program == number_) {
        return;
    }
    mark.program = number_;
    const ValueNode& node = nodes_[id];
    if (node.kind == Kind::kInput) {
        mark.slot = node.input();
    } else if (node.kind == Kind::kConstant) {
        mark.slot = program_.first_temporary();
        program_.constants.push_back(node.constant());
    } else if (const int side = fused_side(node); side >= 0) {
        // The product loses its only use.
        const std::uint32_t product = node.operands[static_cast<std::size_t>(side)];
        marks_[product].uses = 0;
        const std::array<std::uint32_t, 3>& factors = nodes_[product].operands;
        const Op difference = side == 0 ? Op::kFms : Op::kFnma;
        stack_.push_back({id,
                          node.op == Op::kAdd ? Op::kFma : difference,
                          3,
                          0,
                          {factors[0], factors[1], node.operands[side == 0 ? 1 : 0]}});
    } else {
        stack_.push_back(
            {id, node.op, static_cast<std::uint8_t>(arity(node.op)), 0, node.operands});
    }
}

/// A slot is free again after the last use of its value.
void Scheduler::emit(const Visit& visit) {
    Instruction instruction{.op = visit.op, .target = 0, .a = marks_[visit.operands[0]].slot};
    instruction.b = visit.operand_count >= 2 ? marks_[visit.operands[1]].slot : 0;
    instruction.c = visit.operand_count >= 3 ? marks_[visit.operands[2]].slot : 0;
    for (std::size_t k = 0; k < visit.operand_count; ++k) {
        Mark& operand = marks_[visit.operands[k]];
        if (--operand.uses == 0 && (operand.slot & kTemporary) != 0) {
            free_slots_.push_back(operand.slot);
        }
    }
    if (free_slots_.empty()) {
        instruction.target = kTemporary | temporaries_++;
    } else {
        instruction.target = free_slots_.back();
        free_slots_.pop_back();
    }
    marks_[visit.id].slot = instruction.target;
    program_.instructions.push_back(instruction);
}

Program Scheduler::operator()(std::uint32_t input_count, std::span<const ValueNode> nodes,
                              std::span<const std::uint32_t> outputs) {
    ANANKE_REQUIRE(nodes.size() < kTemporary);
    nodes_ = nodes;
    marks_.resize(nodes.size(), {});
    ++number_;
    program_ = {};
    program_.input_count = input_count;
    temporaries_ = 0;
    free_slots_.clear();
    count_uses(outputs);
    std::size_t count = 0;
    for (const std::uint32_t id : needed_) {  // a fused product is no instruction
        count += nodes_[id].kind == Kind::kOperation ? 1 : 0;
        count -= fused_side(nodes_[id]) >= 0 ? 1 : 0;
    }
    program_.instructions.reserve(count);
    for (const std::uint32_t output : outputs) {
        enter(output);
        while (!stack_.empty()) {
            if (Visit& top = stack_.back(); top.next_operand < top.operand_count) {
                enter(top.operands[top.next_operand++]);
            } else {
                emit(top);
                stack_.pop_back();
            }
        }
    }
    const Slot first = program_.first_temporary();
    program_.slot_count = first + temporaries_;
    const auto place = [&](Slot& slot) {
        slot = (slot & kTemporary) != 0 ? first + (slot & ~kTemporary) : slot;
    };
    for (Instruction& one : program_.instructions) {
        for (Slot* slot : {&one.target, &one.a, &one.b, &one.c}) {
            place(*slot);
        }
    }
    program_.outputs.reserve(outputs.size());
    for (const std::uint32_t id : outputs) {
        program_.outputs.push_back(marks_[id].slot);
        place(program_.outputs.back());
        marks_[id].uses = 0;
    }
    ANANKE_DEBUG_CHECK(is_valid(program_));
    return std::move(program_);
}

}  // namespace ananke::code

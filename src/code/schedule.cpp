#include "code/schedule.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace ananke::code {
namespace {

using Kind = ValueNode::Kind;

/// How often each value is read by values that the outputs need, or is an output.
std::vector<std::uint32_t> count_uses(std::span<const ValueNode> nodes,
                                      std::span<const std::uint32_t> outputs) {
    std::vector<std::uint32_t> uses(nodes.size(), 0);
    for (const std::uint32_t id : outputs) {
        uses[id] += 1;
    }
    for (std::size_t id = nodes.size(); id-- > 0;) {
        if (uses[id] > 0) {
            for (const std::uint32_t operand : nodes[id].used_operands()) {
                uses[operand] += 1;
            }
        }
    }
    return uses;
}

/// Replaces sums by fused operations; the products taken in lose their only use.
void fuse_products(std::span<ValueNode> nodes, std::span<const std::uint32_t> outputs) {
    const std::vector<std::uint32_t> uses = count_uses(nodes, outputs);
    const auto fusable = [&](std::uint32_t id) {
        return nodes[id].kind == Kind::kOperation && nodes[id].op == Op::kMul && uses[id] == 1;
    };
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        ValueNode& sum = nodes[id];
        if (uses[id] == 0 || sum.kind != Kind::kOperation ||
            (sum.op != Op::kAdd && sum.op != Op::kSub)) {
            continue;
        }
        const std::uint32_t left = sum.operands[0];
        const std::uint32_t right = sum.operands[1];
        const bool take_left =
            fusable(left) && (!fusable(right) || nodes[left].hash > nodes[right].hash);
        if (!take_left && !fusable(right)) {
            continue;
        }
        const std::array<std::uint32_t, 3>& product = nodes[take_left ? left : right].operands;
        if (sum.op == Op::kAdd) {
            sum.op = Op::kFma;
        } else {
            sum.op = take_left ? Op::kFms : Op::kFnma;
        }
        sum.operands = {product[0], product[1], take_left ? right : left};
    }
}

/// Operations that the outputs need, operands before users, by a depth-first walk.
std::vector<std::uint32_t> order(std::span<const ValueNode> nodes,
                                 std::span<const std::uint32_t> outputs) {
    struct Visit {
        std::uint32_t id;
        std::uint32_t next_operand;
    };
    std::vector<std::uint32_t> sequence;
    std::vector<bool> seen(nodes.size(), false);
    std::vector<Visit> stack;
    const auto enter = [&](std::uint32_t id) {
        if (!seen[id]) {
            seen[id] = true;
            stack.push_back({id, 0});
        }
    };
    for (const std::uint32_t output : outputs) {
        enter(output);
        while (!stack.empty()) {
            Visit& top = stack.back();
            const auto operands = nodes[top.id].used_operands();
            if (top.next_operand < operands.size()) {
                enter(operands[top.next_operand++]);
            } else {
                sequence.push_back(top.id);
                stack.pop_back();
            }
        }
    }
    return sequence;
}

/// Gives each value of the sequence a slot; a slot is free again after the last use of its value.
class SlotAssignment {
  public:
    SlotAssignment(std::uint32_t input_count, std::span<const ValueNode> nodes,
                   std::span<const std::uint32_t> sequence, std::span<const std::uint32_t> outputs)
        : nodes_(nodes), slots_(nodes.size(), 0), remaining_uses_(nodes.size(), 0) {
        program_.input_count = input_count;
        for (const std::uint32_t id : sequence) {
            for (const std::uint32_t operand : nodes[id].used_operands()) {
                remaining_uses_[operand] += 1;
            }
        }
        for (const std::uint32_t id : outputs) {
            remaining_uses_[id] += 1;  // never taken back: an output lives to the end
        }
        place_leaves(sequence);
        program_.instructions.reserve(static_cast<std::size_t>(std::ranges::count_if(
            sequence, [&](std::uint32_t id) { return nodes_[id].kind == Kind::kOperation; })));
        for (const std::uint32_t id : sequence) {
            if (nodes_[id].kind == Kind::kOperation) {
                emit(id);
            }
        }
        program_.outputs.reserve(outputs.size());
        for (const std::uint32_t id : outputs) {
            program_.outputs.push_back(slots_[id]);
        }
    }

    Program take() { return std::move(program_); }

  private:
    void place_leaves(std::span<const std::uint32_t> sequence) {
        for (const std::uint32_t id : sequence) {
            if (nodes_[id].kind == Kind::kInput) {
                slots_[id] = nodes_[id].input();
            } else if (nodes_[id].kind == Kind::kConstant) {
                slots_[id] = program_.first_temporary();
                program_.constants.push_back(nodes_[id].constant());
            }
        }
        program_.slot_count = program_.first_temporary();
    }

    void emit(std::uint32_t id) {
        const ValueNode& node = nodes_[id];
        const auto operands = node.used_operands();
        Instruction instruction{.op = node.op, .target = 0, .a = slots_[operands[0]]};
        instruction.b = operands.size() >= 2 ? slots_[operands[1]] : 0;
        instruction.c = operands.size() >= 3 ? slots_[operands[2]] : 0;
        for (const std::uint32_t operand : operands) {
            remaining_uses_[operand] -= 1;
            if (remaining_uses_[operand] == 0 && nodes_[operand].kind == Kind::kOperation) {
                free_slots_.push_back(slots_[operand]);
            }
        }
        if (free_slots_.empty()) {
            instruction.target = program_.slot_count++;
        } else {
            instruction.target = free_slots_.back();
            free_slots_.pop_back();
        }
        slots_[id] = instruction.target;
        program_.instructions.push_back(instruction);
    }

    Program program_;
    std::span<const ValueNode> nodes_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> remaining_uses_;
    std::vector<Slot> free_slots_;
};

}  // namespace

Program schedule(std::uint32_t input_count, std::vector<ValueNode> nodes,
                 std::span<const std::uint32_t> outputs) {
    ANANKE_REQUIRE(nodes.size() < std::numeric_limits<std::uint32_t>::max());
    fuse_products(nodes, outputs);
    const std::vector<std::uint32_t> sequence = order(nodes, outputs);
    Program program = SlotAssignment(input_count, nodes, sequence, outputs).take();
    ANANKE_DEBUG_CHECK(is_valid(program));
    return program;
}

}  // namespace ananke::code

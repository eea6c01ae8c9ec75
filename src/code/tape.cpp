#include "code/tape.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ananke::code {
namespace {

constexpr std::uint32_t kLeaf = std::numeric_limits<std::uint32_t>::max();

/// Who computes what an instruction reads.
struct Flow {
    std::vector<std::array<std::uint32_t, 3>> producers;  ///< instruction, or kLeaf
    std::vector<std::uint32_t> output_producers;
    std::vector<std::uint32_t> first_user;  ///< users of instruction i: users[first_user[i]...]
    std::vector<std::uint32_t> users;
};

Flow trace(const Program& program) {
    const std::size_t n = program.instructions.size();
    Flow flow;
    flow.producers.assign(n, {kLeaf, kLeaf, kLeaf});
    flow.first_user.assign(n + 1, 0);
    std::vector<std::uint32_t> writer(program.slot_count, kLeaf);
    for (std::uint32_t i = 0; i < n; ++i) {
        const Instruction& instruction = program.instructions[i];
        const std::array<Slot, 3> slots{instruction.a, instruction.b, instruction.c};
        for (std::size_t k = 0; k < static_cast<std::size_t>(arity(instruction.op)); ++k) {
            flow.producers[i][k] = writer[slots[k]];
            if (writer[slots[k]] != kLeaf) {
                flow.first_user[writer[slots[k]] + 1] += 1;
            }
        }
        writer[instruction.target] = i;
    }
    for (const Slot slot : program.outputs) {
        flow.output_producers.push_back(writer[slot]);
    }
    for (std::size_t i = 0; i < n; ++i) {
        flow.first_user[i + 1] += flow.first_user[i];
    }
    flow.users.resize(flow.first_user[n]);
    std::vector<std::uint32_t> next(flow.first_user.begin(), flow.first_user.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i) {
        for (const std::uint32_t producer : flow.producers[i]) {
            if (producer != kLeaf) {
                flow.users[next[producer]++] = i;
            }
        }
    }
    return flow;
}

/// Instructions in batches: always the operation with the most instructions ready to run, until
/// none of its kind is ready.
std::vector<std::uint32_t> order_in_batches(const Program& program, const Flow& flow,
                                            std::vector<Tape::Batch>& batches) {
    const std::size_t n = program.instructions.size();
    std::vector<std::uint32_t> waiting_for(n, 0);
    std::array<std::vector<std::uint32_t>, kOpCount> ready;
    const auto make_ready = [&](std::uint32_t i) {
        ready[static_cast<std::size_t>(program.instructions[i].op)].push_back(i);
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        for (const std::uint32_t producer : flow.producers[i]) {
            waiting_for[i] += producer != kLeaf ? 1 : 0;
        }
        if (waiting_for[i] == 0) {
            make_ready(i);
        }
    }
    std::vector<std::uint32_t> order;
    order.reserve(n);
    while (order.size() < n) {
        const auto longest =
            std::max_element(ready.begin(), ready.end(),
                             [](const auto& x, const auto& y) { return x.size() < y.size(); });
        for (std::size_t k = 0; k < longest->size(); ++k) {  // grows as it goes
            const std::uint32_t i = (*longest)[k];
            order.push_back(i);
            for (std::uint32_t u = flow.first_user[i]; u < flow.first_user[i + 1]; ++u) {
                if (--waiting_for[flow.users[u]] == 0) {
                    make_ready(flow.users[u]);
                }
            }
        }
        batches.push_back({static_cast<Op>(longest - ready.begin()),
                           static_cast<std::uint32_t>(longest->size())});
        longest->clear();
    }
    return order;
}

}  // namespace

Tape make_tape(const Program& program) {
    const Flow flow = trace(program);
    Tape tape;
    const std::vector<std::uint32_t> order = order_in_batches(program, flow, tape.batches);

    std::vector<std::uint32_t> remaining_uses(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        remaining_uses[i] = flow.first_user[i + 1] - flow.first_user[i];
    }
    for (const std::uint32_t producer : flow.output_producers) {
        if (producer != kLeaf) {
            remaining_uses[producer] += 1;  // never taken back: an output lives to the end
        }
    }
    tape.slot_count = program.first_temporary();
    std::vector<Slot> slots(order.size(), 0);
    std::vector<Slot> free_slots;
    tape.operands.reserve(order.size());
    for (const std::uint32_t i : order) {
        const Instruction& instruction = program.instructions[i];
        std::array<Slot, 3> reads{instruction.a, instruction.b, instruction.c};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t producer = flow.producers[i][k];
            if (producer != kLeaf) {
                reads[k] = slots[producer];
                if (--remaining_uses[producer] == 0) {
                    free_slots.push_back(slots[producer]);
                }
            }
        }
        if (free_slots.empty()) {
            slots[i] = tape.slot_count++;
        } else {
            slots[i] = free_slots.back();
            free_slots.pop_back();
        }
        tape.operands.push_back({slots[i], reads[0], reads[1], reads[2]});
    }
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
        const std::uint32_t producer = flow.output_producers[k];
        tape.outputs.push_back(producer == kLeaf ? program.outputs[k] : slots[producer]);
    }
    return tape;
}

}  // namespace ananke::code

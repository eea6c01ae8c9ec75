#include "code/steps.h"

#include <algorithm>

namespace ananke::code {
namespace {

/// Single-assignment form, in the order of the program.
Steps rename(const Program& program) {
    Steps result;
    std::vector<ValueId> holder(program.slot_count);
    for (ValueId i = 0; i < program.first_temporary(); ++i) {
        holder[i] = i;
    }
    ValueId value = program.first_temporary();
    result.steps.reserve(program.instructions.size());
    for (const Instruction& i : program.instructions) {
        Step step{.op = i.op,
                  .arity = static_cast<std::uint8_t>(arity(i.op)),
                  .value = value,
                  .operands = {},
                  .next_use = {kNever, kNever, kNever}};
        const std::array<Slot, 3> slots{i.a, i.b, i.c};
        for (std::size_t k = 0; k < step.arity; ++k) {
            step.operands[k] = holder[slots[k]];
        }
        holder[i.target] = value++;
        result.steps.push_back(step);
    }
    result.value_count = value;
    result.outputs.reserve(program.outputs.size());
    for (const Slot slot : program.outputs) {
        result.outputs.push_back(holder[slot]);
    }
    return result;
}

void drop_unused(Steps& all) {
    std::vector<bool> needed(all.value_count, false);
    for (const ValueId output : all.outputs) {
        needed[output] = true;
    }
    bool all_needed = true;
    for (std::size_t i = all.steps.size(); i-- > 0;) {
        const Step& step = all.steps[i];
        if (!needed[step.value]) {
            all_needed = false;
            continue;
        }
        for (std::size_t k = 0; k < step.arity; ++k) {
            needed[step.operands[k]] = true;
        }
    }
    if (!all_needed) {
        std::erase_if(all.steps, [&](const Step& step) { return !needed[step.value]; });
    }
}

/// Number of calls that have to be made, one after the other, before each step can run.
std::vector<std::uint32_t> levels(const Steps& all) {
    std::vector<std::uint32_t> done_at(all.value_count, 0);
    std::vector<std::uint32_t> level(all.steps.size(), 0);
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
        const Step& step = all.steps[i];
        for (std::size_t k = 0; k < step.arity; ++k) {
            level[i] = std::max(level[i], done_at[step.operands[k]]);
        }
        done_at[step.value] = level[i] + (is_call(step.op) ? 1 : 0);
    }
    return level;
}

/// The phase of a call is its level; that of another step is the first one that needs it.
std::vector<std::uint32_t> phases(const Steps& all) {
    std::vector<std::uint32_t> phase = levels(all);
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < phase.size(); ++i) {
        if (is_call(all.steps[i].op)) {
            last = std::max(last, phase[i] + 1);
        }
    }
    std::vector<std::uint32_t> wanted(all.value_count, last);
    for (std::size_t i = phase.size(); i-- > 0;) {
        const Step& step = all.steps[i];
        if (!is_call(step.op)) {
            phase[i] = wanted[step.value];
        }
        for (std::size_t k = 0; k < step.arity; ++k) {
            wanted[step.operands[k]] = std::min(wanted[step.operands[k]], phase[i]);
        }
    }
    return phase;
}

/// Cuts the calls from `begin` to `end`, of one level, into batches of one function each, or of
/// sines and cosines.
void mark_batches(std::vector<Step>& steps, std::size_t begin, std::size_t end,
                  std::size_t largest_batch) {
    while (begin < end) {
        std::size_t count = 1;
        while (count < largest_batch && begin + count < end &&
               can_share_packet(steps[begin].op, steps[begin + count].op)) {
            steps[begin + count].batch = 0;
            ++count;
        }
        steps[begin].batch = static_cast<std::uint8_t>(count);
        begin += count;
    }
}

void gather_calls(Steps& all, std::size_t largest_batch) {
    const std::vector<std::uint32_t> phase = phases(all);
    // Places 2p and 2p + 1 hold the plain steps and the calls of phase p.
    const auto place = [&](std::size_t i) {
        return 2 * std::size_t{phase[i]} + (is_call(all.steps[i].op) ? 1 : 0);
    };
    std::vector<std::size_t> first(2, 0);
    for (std::size_t i = 0; i < phase.size(); ++i) {
        first.resize(std::max(first.size(), place(i) + 2), 0);
        first[place(i) + 1] += 1;
    }
    for (std::size_t i = 1; i < first.size(); ++i) {
        first[i] += first[i - 1];
    }
    std::vector<Step> ordered(all.steps.size());
    std::vector<std::size_t> next = first;
    for (std::size_t i = 0; i < phase.size(); ++i) {
        ordered[next[place(i)]++] = all.steps[i];
    }
    for (std::size_t p = 1; p + 1 < first.size(); p += 2) {
        std::sort(ordered.begin() + static_cast<std::ptrdiff_t>(first[p]),
                  ordered.begin() + static_cast<std::ptrdiff_t>(first[p + 1]),
                  [](const Step& x, const Step& y) {
                      return x.op != y.op ? x.op < y.op : x.value < y.value;
                  });
        mark_batches(ordered, first[p], first[p + 1], largest_batch);
    }
    all.steps = std::move(ordered);
}

void find_next_uses(Steps& all) {
    all.first_use.assign(all.value_count, kNever);
    for (std::size_t i = all.steps.size(); i-- > 0;) {
        Step& step = all.steps[i];
        for (std::size_t k = 0; k < step.arity; ++k) {
            step.next_use[k] = all.first_use[step.operands[k]];
        }
        for (std::size_t k = 0; k < step.arity; ++k) {
            all.first_use[step.operands[k]] = static_cast<std::uint32_t>(i);
        }
    }
}

}  // namespace

Steps make_steps(const Program& program, std::size_t largest_batch) {
    Steps all = rename(program);
    drop_unused(all);
    if (std::any_of(all.steps.begin(), all.steps.end(),
                    [](const Step& step) { return is_call(step.op); })) {
        gather_calls(all, largest_batch);
    }
    find_next_uses(all);
    return all;
}

}  // namespace ananke::code

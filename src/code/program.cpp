#include "code/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/text.h"
#include "code/mix.h"

namespace ananke::code {

bool operator==(const Program& x, const Program& y) {
    if (x.input_count != y.input_count || x.slot_count != y.slot_count ||
        x.constants.size() != y.constants.size()) {
        return false;
    }
    for (std::size_t i = 0; i < x.constants.size(); ++i) {
        if (std::bit_cast<std::uint64_t>(x.constants[i]) !=
            std::bit_cast<std::uint64_t>(y.constants[i])) {
            return false;
        }
    }
    return x.instructions == y.instructions && x.outputs == y.outputs;
}

bool is_valid(const Program& program) {
    const Slot first = program.first_temporary();
    if (program.slot_count < first) {
        return false;
    }
    std::vector<bool> written(program.slot_count, false);
    std::fill(written.begin(), written.begin() + first, true);
    const auto readable = [&](Slot slot) { return slot < program.slot_count && written[slot]; };
    for (const Instruction& i : program.instructions) {
        const int operands = arity(i.op);
        if (!readable(i.a) || (operands >= 2 && !readable(i.b)) ||
            (operands >= 3 && !readable(i.c)) || i.b >= program.slot_count ||
            i.c >= program.slot_count || i.target < first || i.target >= program.slot_count) {
            return false;
        }
        written[i.target] = true;
    }
    for (const Slot slot : program.outputs) {
        if (!readable(slot)) {
            return false;
        }
    }
    return true;
}

Slot used_inputs(const Program& program) {
    Slot used = 0;
    const auto read = [&](Slot slot) {
        used = slot < program.input_count ? std::max(used, slot + 1) : used;
    };
    for (const Instruction& i : program.instructions) {
        const int operands = arity(i.op);
        read(i.a);
        read(operands >= 2 ? i.b : i.a);
        read(operands >= 3 ? i.c : i.a);
    }
    std::for_each(program.outputs.begin(), program.outputs.end(), read);
    return used;
}

std::uint64_t hash(const Program& program) {
    std::uint64_t h = mix(program.input_count, program.slot_count);
    h = mix(h, program.constants.size());
    for (const double constant : program.constants) {
        h = mix(h, std::bit_cast<std::uint64_t>(constant));
    }
    h = mix(h, program.instructions.size());
    for (const Instruction& i : program.instructions) {
        h = mix(h, static_cast<std::uint64_t>(i.op));
        h = mix(h, (std::uint64_t{i.target} << 32) | i.a);
        h = mix(h, (std::uint64_t{i.b} << 32) | i.c);
    }
    for (const Slot slot : program.outputs) {
        h = mix(h, slot);
    }
    return h;
}

OperationCounts count_operations(const Program& program) {
    OperationCounts counts;
    counts.instructions = program.instructions.size();
    for (const Instruction& i : program.instructions) {
        switch (i.op) {
            case Op::kAdd:
            case Op::kSub:
            case Op::kMul:
                counts.flops += 1;
                break;
            case Op::kDiv:
            case Op::kSqrt:
                counts.flops += 1;
                counts.divisions += 1;
                break;
            case Op::kFma:
            case Op::kFms:
            case Op::kFnma:
                counts.flops += 2;
                counts.fused += 1;
                break;
            default:
                counts.calls += is_call(i.op) ? 1 : 0;
        }
    }
    return counts;
}

std::string to_text(const Program& program, std::span<const std::string> input_names) {
    const auto slot_name = [&](Slot slot) {
        if (slot < program.input_count) {
            return slot < input_names.size() ? input_names[slot] : fmt::format("in{}", slot);
        }
        if (slot < program.first_temporary()) {
            return ananke::to_text(program.constants[slot - program.input_count]);
        }
        return fmt::format("s{}", slot);
    };
    std::string text;
    for (const Instruction& i : program.instructions) {
        const OpTrait& t = trait(i.op);
        const std::string target = slot_name(i.target);
        if (!t.infix.empty()) {
            text += fmt::format("{} = {} {} {}\n", target, slot_name(i.a), t.infix, slot_name(i.b));
            continue;
        }
        text += fmt::format("{} = {}({}", target, t.name, slot_name(i.a));
        text += t.arity >= 2 ? ", " + slot_name(i.b) : "";
        text += t.arity >= 3 ? ", " + slot_name(i.c) : "";
        text += ")\n";
    }
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
        text += fmt::format("out{} = {}\n", k, slot_name(program.outputs[k]));
    }
    return text;
}

}  // namespace ananke::code

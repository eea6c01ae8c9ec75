#include "code/program.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/check.h"
#include "base/text.h"
#include "code/mix.h"

namespace ananke::code {
namespace {

struct Trait {
    std::string_view name;
    int arity;
    bool commutative;
    std::string_view infix;  ///< "" prints as a function
};

constexpr std::array<Trait, kOpCount> kTraits{{
    {"add", 2, true, "+"},    {"sub", 2, false, "-"},   {"mul", 2, true, "*"},
    {"div", 2, false, "/"},   {"fma", 3, true, ""},     {"fms", 3, true, ""},
    {"fnma", 3, true, ""},    {"sqrt", 1, false, ""},   {"neg", 1, false, ""},
    {"abs", 1, false, ""},    {"sign", 1, false, ""},   {"min", 2, true, ""},
    {"max", 2, true, ""},     {"less", 2, false, "<"},  {"less_equal", 2, false, "<="},
    {"equal", 2, true, "=="}, {"and", 2, true, "and"},  {"or", 2, true, "or"},
    {"not", 1, false, ""},    {"select", 3, false, ""}, {"sin", 1, false, ""},
    {"cos", 1, false, ""},    {"tan", 1, false, ""},    {"asin", 1, false, ""},
    {"acos", 1, false, ""},   {"atan", 1, false, ""},   {"sinh", 1, false, ""},
    {"cosh", 1, false, ""},   {"tanh", 1, false, ""},   {"exp", 1, false, ""},
    {"log", 1, false, ""},    {"atan2", 2, false, ""},  {"pow", 2, false, ""},
}};

const Trait& trait(Op op) {
    return kTraits[static_cast<std::size_t>(op)];
}

}  // namespace

int arity(Op op) {
    return trait(op).arity;
}

std::string_view name(Op op) {
    return trait(op).name;
}

bool is_commutative(Op op) {
    return trait(op).commutative;
}

bool is_call(Op op) {
    return op >= Op::kSin;
}

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
        const Trait& t = trait(i.op);
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

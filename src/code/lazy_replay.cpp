#include "code/lazy_replay.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "code/mix.h"

namespace ananke::code {
namespace {

bool is_fused(Op op) {
    return op == Op::kFma || op == Op::kFms || op == Op::kFnma;
}

}  // namespace

LazyReplay::LazyReplay(Tracer& tracer, const Program& program, std::span<const Traced> inputs,
                       std::span<const std::uint32_t> colors)
    : tracer_(&tracer), program_(&program), inputs_(inputs) {
    ANANKE_REQUIRE(inputs.size() == program.input_count && colors.size() == inputs.size());
    const auto fused = std::count_if(program.instructions.begin(), program.instructions.end(),
                                     [](const Instruction& one) { return is_fused(one.op); });
    const std::size_t count = program.instructions.size() + static_cast<std::size_t>(fused);
    nodes_.reserve(count);
    keys_.reserve(program.first_temporary() + count);
    std::vector<std::uint32_t> source(program.slot_count);
    std::iota(source.begin(), source.end(), 0U);
    for (std::uint32_t i = 0; i < program.input_count; ++i) {
        keys_.push_back({mix(1, colors[i]), i});
    }
    keys_.resize(program.first_temporary(), {mix(2, 0), std::numeric_limits<std::uint32_t>::max()});
    for (const Instruction& one : program.instructions) {
        const std::uint32_t a = source[one.a];
        const std::uint32_t b = source[one.b];
        const std::uint32_t c = source[one.c];
        switch (one.op) {
            case Op::kFma:
                source[one.target] = add({Op::kAdd, {add({Op::kMul, {a, b, 0}}), c, 0}});
                break;
            case Op::kFms:
                source[one.target] = add({Op::kSub, {add({Op::kMul, {a, b, 0}}), c, 0}});
                break;
            case Op::kFnma:
                source[one.target] = add({Op::kSub, {c, add({Op::kMul, {a, b, 0}}), 0}});
                break;
            default:
                source[one.target] = add({one.op, {a, b, c}});
                break;
        }
    }
    for (const Slot slot : program.outputs) {
        outputs_.push_back(source[slot]);
    }
    values_.resize(nodes_.size());
    known_.assign(nodes_.size(), 0);
    std::vector<Key>().swap(keys_);
}

std::uint32_t LazyReplay::add(const Node& node) {
    nodes_.push_back(node);
    std::array<std::uint32_t, 3>& from = nodes_.back().from;
    if (arity(node.op) == 2 && is_commutative(node.op) && keys_[from[1]] < keys_[from[0]]) {
        std::swap(from[0], from[1]);
    }
    Key key{mix(3, static_cast<std::uint64_t>(node.op)), std::numeric_limits<std::uint32_t>::max()};
    for (int k = 0; k < arity(node.op); ++k) {
        const Key& operand = keys_[from[static_cast<std::size_t>(k)]];
        key.structure = mix(key.structure, operand.structure);
        key.first_input = std::min(key.first_input, operand.first_input);
    }
    keys_.push_back(key);
    return static_cast<std::uint32_t>(keys_.size()) - 1;
}

Traced LazyReplay::value(std::uint32_t source) const {
    const Slot first = program_->first_temporary();
    if (source < program_->input_count) {
        return inputs_[source];
    }
    return source < first ? Traced(program_->constants[source - program_->input_count])
                          : values_[source - first];
}

Traced LazyReplay::output(std::size_t which) {
    const Slot first = program_->first_temporary();
    const std::uint32_t root = outputs_[which];
    if (root < first) {
        return value(root);
    }
    stack_.assign(1, root - first);
    while (!stack_.empty()) {
        const std::uint32_t i = stack_.back();
        const Node& node = nodes_[i];
        bool ready = true;
        // One operand after the other, so that the tape depends on nothing but the structure.
        for (int k = 0; known_[i] == 0 && ready && k < arity(node.op); ++k) {
            const std::uint32_t source = node.from[static_cast<std::size_t>(k)];
            if (source >= first && known_[source - first] == 0) {
                stack_.push_back(source - first);
                ready = false;
            }
        }
        if (!ready) {
            continue;
        }
        stack_.pop_back();
        if (known_[i] == 0) {
            values_[i] = apply(node);
            known_[i] = 1;
        }
    }
    return value(root);
}

Traced LazyReplay::apply(const Node& node) {
    const Traced a = value(node.from[0]);
    const Traced b = arity(node.op) > 1 ? value(node.from[1]) : Traced();
    switch (node.op) {
        case Op::kAdd:
            return a + b;
        case Op::kSub:
            return a - b;
        case Op::kMul:
            return a * b;
        case Op::kDiv:
            return a / b;
        default:
            return tracer_->apply(node.op, a, b,
                                  arity(node.op) > 2 ? value(node.from[2]) : Traced());
    }
}

}  // namespace ananke::code

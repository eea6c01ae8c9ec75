#include "code/replay.h"

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

Replay::Replay(Recorder& recorder, const Program& program, std::span<const Recorded> inputs,
               std::span<const std::uint32_t> colors)
    : recorder_(&recorder), program_(&program), inputs_(inputs.begin(), inputs.end()) {
    ANANKE_REQUIRE(inputs.size() == program.input_count &&
                   (colors.empty() || colors.size() == inputs.size()));
    const auto fused = std::count_if(program.instructions.begin(), program.instructions.end(),
                                     [](const Instruction& one) { return is_fused(one.op); });
    const std::size_t count = program.instructions.size() + static_cast<std::size_t>(fused);
    nodes_.reserve(count);
    std::vector<Key> keys;
    keys.reserve(program.first_temporary() + count);
    std::vector<std::uint32_t> source(program.slot_count);
    std::iota(source.begin(), source.end(), 0U);
    for (std::uint32_t i = 0; i < program.input_count; ++i) {
        keys.push_back({mix(1, colors.empty() ? i : colors[i]), i});
    }
    keys.resize(program.first_temporary(), {mix(2, 0), std::numeric_limits<std::uint32_t>::max()});
    for (const Instruction& one : program.instructions) {
        const std::uint32_t a = source[one.a];
        const std::uint32_t b = source[one.b];
        const std::uint32_t c = source[one.c];
        switch (one.op) {
            case Op::kFma:
                source[one.target] =
                    add({Op::kAdd, {add({Op::kMul, {a, b, 0}}, keys), c, 0}}, keys);
                break;
            case Op::kFms:
                source[one.target] =
                    add({Op::kSub, {add({Op::kMul, {a, b, 0}}, keys), c, 0}}, keys);
                break;
            case Op::kFnma:
                source[one.target] =
                    add({Op::kSub, {c, add({Op::kMul, {a, b, 0}}, keys), 0}}, keys);
                break;
            default:
                source[one.target] = add({one.op, {a, b, c}}, keys);
                break;
        }
    }
    for (const Slot slot : program.outputs) {
        outputs_.push_back(source[slot]);
    }
    values_.resize(nodes_.size());
    known_.assign(nodes_.size(), 0);
}

std::uint32_t Replay::add(const Node& node, std::vector<Key>& keys) {
    nodes_.push_back(node);
    std::array<std::uint32_t, 3>& from = nodes_.back().from;
    if (arity(node.op) == 2 && is_commutative(node.op) && keys[from[1]] < keys[from[0]]) {
        std::swap(from[0], from[1]);
    }
    Key key{mix(3, static_cast<std::uint64_t>(node.op)), std::numeric_limits<std::uint32_t>::max()};
    for (int k = 0; k < arity(node.op); ++k) {
        const Key& operand = keys[from[static_cast<std::size_t>(k)]];
        key.structure = mix(key.structure, operand.structure);
        key.first_input = std::min(key.first_input, operand.first_input);
    }
    keys.push_back(key);
    return static_cast<std::uint32_t>(keys.size()) - 1;
}

Recorded Replay::value(std::uint32_t source) const {
    const Slot first = program_->first_temporary();
    if (source < program_->input_count) {
        return inputs_[source];
    }
    return source < first ? Recorded(program_->constants[source - program_->input_count])
                          : values_[source - first];
}

Recorded Replay::output(std::size_t which) {
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

std::vector<Recorded> Replay::outputs() {
    std::vector<Recorded> all;
    all.reserve(outputs_.size());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        all.push_back(output(i));
    }
    return all;
}

Replay Replay::with(std::vector<Recorded> inputs) const {
    ANANKE_REQUIRE(inputs.size() == inputs_.size());
    Replay other = *this;
    const Slot first = program_->first_temporary();
    std::vector<char> changed(first + nodes_.size(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        changed[i] = inputs[i].is_same_as(inputs_[i]) ? 0 : 1;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (int k = 0; k < arity(nodes_[i].op); ++k) {
            changed[first + i] |= changed[nodes_[i].from[static_cast<std::size_t>(k)]];
        }
        other.known_[i] = changed[first + i] != 0 ? 0 : known_[i];
    }
    other.inputs_ = std::move(inputs);
    return other;
}

Recorded Replay::apply(const Node& node) {
    const Recorded a = value(node.from[0]);
    const Recorded b = arity(node.op) > 1 ? value(node.from[1]) : Recorded();
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
            return recorder_->apply(node.op, a, b,
                                    arity(node.op) > 2 ? value(node.from[2]) : Recorded());
    }
}

}  // namespace ananke::code

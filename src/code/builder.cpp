#include "code/builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "code/mix.h"
#include "code/operations.h"

namespace ananke::code {

using Kind = ValueNode::Kind;

std::size_t Builder::KeyHash::operator()(const Key& key) const {
    std::uint64_t h = static_cast<std::uint64_t>(key.op);
    h = mix(h, (std::uint64_t{key.operands[0]} << 32) | key.operands[1]);
    return static_cast<std::size_t>(mix(h, key.operands[2]));
}

Builder::Builder(std::uint32_t input_count) : input_count_(input_count) {
    nodes_.reserve(input_count);
    for (std::uint32_t i = 0; i < input_count; ++i) {
        ValueNode node{.kind = Kind::kInput};
        node.input = i;
        node.hash = mix(static_cast<std::uint64_t>(Kind::kInput), i);
        append(node);
    }
}

Value Builder::append(const ValueNode& node) {
    nodes_.push_back(node);
    return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

Value Builder::input(std::uint32_t index) const {
    ANANKE_REQUIRE(index < input_count_);
    return {index};
}

Value Builder::constant(double value) {
    if (std::isnan(value)) {
        value = std::numeric_limits<double>::quiet_NaN();  // one NaN, whatever made it
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto known = known_constants_.find(bits);
    if (known != known_constants_.end()) {
        return {known->second};
    }
    ValueNode node{.kind = Kind::kConstant};
    node.constant = value;
    node.hash = mix(static_cast<std::uint64_t>(Kind::kConstant), bits);
    const Value made = append(node);
    known_constants_.emplace(bits, made.id);
    return made;
}

std::optional<double> Builder::number(Value value) const {
    const ValueNode& node = nodes_[value.id];
    return node.kind == Kind::kConstant ? std::optional(node.constant) : std::nullopt;
}

Value Builder::intern(Op op, std::array<std::uint32_t, 3> operands, int operand_count) {
    ANANKE_REQUIRE(operand_count == arity(op));
    ANANKE_REQUIRE(op != Op::kFma && op != Op::kFms && op != Op::kFnma);
    const std::span used = std::span(operands).first(static_cast<std::size_t>(operand_count));
    bool all_constant = true;
    for (const std::uint32_t id : used) {
        ANANKE_DEBUG_CHECK(id < nodes_.size());
        all_constant = all_constant && nodes_[id].kind == Kind::kConstant;
    }
    if (all_constant) {
        return constant(code::apply(op, nodes_[operands[0]].constant, nodes_[operands[1]].constant,
                                    nodes_[operands[2]].constant, functions()));
    }
    if (is_commutative(op) && nodes_[operands[0]].hash > nodes_[operands[1]].hash) {
        std::swap(operands[0], operands[1]);
    }

    const Key key{op, operands};
    const auto known = known_operations_.find(key);
    if (known != known_operations_.end()) {
        return {known->second};
    }
    ValueNode node{.kind = Kind::kOperation, .op = op, .operands = operands};
    node.hash = mix(static_cast<std::uint64_t>(Kind::kOperation), static_cast<std::uint64_t>(op));
    for (const std::uint32_t id : used) {
        node.hash = mix(node.hash, nodes_[id].hash);
    }
    const Value made = append(node);
    known_operations_.emplace(key, made.id);
    return made;
}

Value Builder::integer_power(Value a, int n) {
    if (n == 0) {
        return constant(1.0);
    }
    if (n < 0) {
        return apply(Op::kDiv, constant(1.0), integer_power(a, -n));
    }
    Value square = a;
    while (n % 2 == 0) {
        square = apply(Op::kMul, square, square);
        n /= 2;
    }
    Value power = square;
    while (n > 1) {
        square = apply(Op::kMul, square, square);
        n /= 2;
        if (n % 2 == 1) {
            power = apply(Op::kMul, power, square);
        }
    }
    return power;
}

Program Builder::finish(std::span<const Value> outputs) const {
    std::vector<std::uint32_t> ids;
    ids.reserve(outputs.size());
    for (const Value output : outputs) {
        ANANKE_REQUIRE(output.id < nodes_.size());
        ids.push_back(output.id);
    }
    return schedule(input_count_, nodes_, ids);
}

}  // namespace ananke::code

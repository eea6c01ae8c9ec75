#include "code/builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "code/mix.h"
#include "code/operations.h"

namespace ananke::code {

using Kind = ValueNode::Kind;

namespace {

bool same(const ValueNode& x, const ValueNode& y) {
    return x.hash == y.hash && x.kind == y.kind && x.op == y.op && x.operands == y.operands;
}

}  // namespace

Builder::Builder(std::uint32_t input_count) : input_count_(input_count) {
    for (std::uint32_t i = 0; i < input_count; ++i) {
        ValueNode node = ValueNode::of_input(i);
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
    ValueNode node = ValueNode::of_constant(value);
    node.hash = mix(static_cast<std::uint64_t>(Kind::kConstant), bits);
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t id = known_constants_.find_or_insert(
        node.hash, next, [&](std::uint32_t known) { return same(nodes_[known], node); });
    return id == next ? append(node) : Value{id};
}

std::optional<double> Builder::number(Value value) const {
    const ValueNode& node = nodes_[value.id];
    return node.kind == Kind::kConstant ? std::optional(node.constant()) : std::nullopt;
}

Value Builder::unsigned_part(Value value) const {
    const ValueNode& node = nodes_[value.id];
    return node.kind == Kind::kOperation && node.op == Op::kNeg ? Value{node.operands[0]} : value;
}

Value Builder::apply(Op op, Value a) {
    const Value x = unsigned_part(a);
    const ValueNode& node = nodes_[x.id];
    if (op == Op::kNeg && x != a) {
        return x;
    }
    if (op == Op::kNeg && node.kind == Kind::kOperation && node.op == Op::kSub) {
        return intern(Op::kSub, {node.operands[1], node.operands[0]}, 2);
    }
    return intern(op, {op == Op::kAbs ? x.id : a.id}, 1);
}

// Rounding is the same on either side of zero, so signs may be taken out before it.
Value Builder::apply(Op op, Value a, Value b) {
    const Value x = unsigned_part(a);
    const Value y = unsigned_part(b);
    const bool a_negative = x != a;
    const bool b_negative = y != b;
    if (!a_negative && !b_negative) {
        return intern(op, {a.id, b.id}, 2);
    }
    switch (op) {
        case Op::kMul:
        case Op::kDiv: {
            const Value positive = intern(op, {x.id, y.id}, 2);
            return a_negative == b_negative ? positive : apply(Op::kNeg, positive);
        }
        case Op::kAdd:
            if (a_negative && b_negative) {
                return apply(Op::kNeg, intern(Op::kAdd, {x.id, y.id}, 2));
            }
            return a_negative ? intern(Op::kSub, {b.id, x.id}, 2)
                              : intern(Op::kSub, {a.id, y.id}, 2);
        case Op::kSub:
            if (a_negative && b_negative) {
                return intern(Op::kSub, {y.id, x.id}, 2);
            }
            return b_negative ? intern(Op::kAdd, {a.id, y.id}, 2)
                              : apply(Op::kNeg, intern(Op::kAdd, {x.id, b.id}, 2));
        default:
            return intern(op, {a.id, b.id}, 2);
    }
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
        return constant(code::apply(op, nodes_[operands[0]].constant(),
                                    nodes_[operands[1]].constant(), nodes_[operands[2]].constant(),
                                    functions()));
    }
    if (is_commutative(op) && nodes_[operands[0]].hash > nodes_[operands[1]].hash) {
        std::swap(operands[0], operands[1]);
    }

    ValueNode node{.kind = Kind::kOperation, .op = op, .operands = operands};
    node.hash = mix(static_cast<std::uint64_t>(Kind::kOperation), static_cast<std::uint64_t>(op));
    for (const std::uint32_t id : used) {
        node.hash = mix(node.hash, nodes_[id].hash);
    }
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t id = known_operations_.find_or_insert(
        *std::max_element(used.begin(), used.end()), node.hash, next,
        [&](std::uint32_t known) { return same(nodes_[known], node); });
    return id == next ? append(node) : Value{id};
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
    Scheduler schedule;
    return finish(outputs, schedule);
}

Program Builder::finish(std::span<const Value> outputs, Scheduler& schedule) const {
    std::vector<std::uint32_t> ids;
    ids.reserve(outputs.size());
    for (const Value output : outputs) {
        ANANKE_REQUIRE(output.id < nodes_.size());
        ids.push_back(output.id);
    }
    return schedule(input_count_, nodes_, ids);
}

}  // namespace ananke::code

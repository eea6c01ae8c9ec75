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

constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kFirstTable = 256;  // a power of 2, as are all

bool same(const ValueNode& x, const ValueNode& y) {
    return x.hash == y.hash && x.kind == y.kind && x.op == y.op && x.operands == y.operands &&
           std::bit_cast<std::uint64_t>(x.constant) == std::bit_cast<std::uint64_t>(y.constant);
}

}  // namespace

Builder::Builder(std::uint32_t input_count)
    : input_count_(input_count), table_(kFirstTable, kEmpty) {
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
    ValueNode node{.kind = Kind::kConstant};
    node.constant = value;
    node.hash = mix(static_cast<std::uint64_t>(Kind::kConstant), bits);
    return find_or_append(node);
}

Value Builder::find_or_append(const ValueNode& node) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = static_cast<std::size_t>(node.hash) & mask;
    while (table_[place] != kEmpty) {
        if (same(nodes_[table_[place]], node)) {
            return {table_[place]};
        }
        place = (place + 1) & mask;
    }
    const Value made = append(node);
    table_[place] = made.id;
    if (2 * ++in_table_ > table_.size()) {
        grow_table();
    }
    return made;
}

void Builder::grow_table() {
    std::vector<std::uint32_t> larger(2 * table_.size(), kEmpty);
    const std::size_t mask = larger.size() - 1;
    for (const std::uint32_t id : table_) {
        if (id != kEmpty) {
            std::size_t place = static_cast<std::size_t>(nodes_[id].hash) & mask;
            while (larger[place] != kEmpty) {
                place = (place + 1) & mask;
            }
            larger[place] = id;
        }
    }
    table_ = std::move(larger);
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

    ValueNode node{.kind = Kind::kOperation, .op = op, .operands = operands};
    node.hash = mix(static_cast<std::uint64_t>(Kind::kOperation), static_cast<std::uint64_t>(op));
    for (const std::uint32_t id : used) {
        node.hash = mix(node.hash, nodes_[id].hash);
    }
    return find_or_append(node);
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

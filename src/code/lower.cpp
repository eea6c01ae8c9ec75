#include "code/lower.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/check.h"
#include "code/lowering.h"

namespace ananke::code {
namespace {

using sym::Expr;
using sym::Graph;

/// Beyond this the products would lose more digits than pow, and hardly be faster.
constexpr std::int64_t kLargestPower = 32;

Op machine_op(sym::Op op) {
    switch (op) {
        case sym::Op::kAdd:
            return Op::kAdd;
        case sym::Op::kSub:
            return Op::kSub;
        case sym::Op::kNeg:
            return Op::kNeg;
        case sym::Op::kMul:
            return Op::kMul;
        case sym::Op::kDiv:
            return Op::kDiv;
        case sym::Op::kPow:
            return Op::kPow;
        case sym::Op::kSin:
            return Op::kSin;
        case sym::Op::kCos:
            return Op::kCos;
        case sym::Op::kTan:
            return Op::kTan;
        case sym::Op::kAsin:
            return Op::kAsin;
        case sym::Op::kAcos:
            return Op::kAcos;
        case sym::Op::kAtan:
            return Op::kAtan;
        case sym::Op::kSinh:
            return Op::kSinh;
        case sym::Op::kCosh:
            return Op::kCosh;
        case sym::Op::kTanh:
            return Op::kTanh;
        case sym::Op::kExp:
            return Op::kExp;
        case sym::Op::kLog:
            return Op::kLog;
        case sym::Op::kSqrt:
            return Op::kSqrt;
        case sym::Op::kAbs:
            return Op::kAbs;
        case sym::Op::kSign:
            return Op::kSign;
        case sym::Op::kAtan2:
            return Op::kAtan2;
        case sym::Op::kMin:
            return Op::kMin;
        case sym::Op::kMax:
            return Op::kMax;
        case sym::Op::kLess:
            return Op::kLess;
        case sym::Op::kLessEqual:
            return Op::kLessEqual;
        case sym::Op::kEqual:
            return Op::kEqual;
        case sym::Op::kAnd:
            return Op::kAnd;
        case sym::Op::kOr:
            return Op::kOr;
        case sym::Op::kNot:
            return Op::kNot;
        case sym::Op::kSelect:
            return Op::kSelect;
        case sym::Op::kConstant:
        case sym::Op::kSymbol:
            break;
    }
    ANANKE_REQUIRE(false && "leaves have no operation");
    std::abort();
}

constexpr Value kNone{std::numeric_limits<std::uint32_t>::max()};

}  // namespace

Lowering::Lowering(const Graph& graph, std::span<const Expr> inputs)
    : graph_(&graph),
      input_count_(static_cast<std::uint32_t>(inputs.size())),
      builder_(input_count_),
      values_(graph.size(), kNone) {
    for (std::uint32_t i = 0; i < input_count_; ++i) {
        ANANKE_REQUIRE(graph.is_symbol(inputs[i]) && !is_known(inputs[i].id));
        values_[inputs[i].id] = builder_.input(i);
    }
}

Program Lowering::program(std::span<const Expr> outputs) {
    values_.resize(graph_->size(), kNone);
    std::vector<Value> values;
    values.reserve(outputs.size());
    for (const Expr output : outputs) {
        values.push_back(value_of(output));
    }
    return builder_.finish(values, schedule_);
}

bool Lowering::is_known(std::uint32_t node) const {
    return values_[node] != kNone;
}

/// Depth-first with a stack of our own: expressions may be 100,000 operations deep.
Value Lowering::value_of(Expr root) {
    if (is_known(root.id)) {
        return values_[root.id];
    }
    stack_.assign(1, {root.id, 0});
    while (!stack_.empty()) {
        Visit& top = stack_.back();
        const sym::Node& node = graph_->node({top.id});
        if (top.next_operand == 0 && is_known(top.id)) {
            stack_.pop_back();
        } else if (top.next_operand < sym::arity(node.op)) {
            const std::array<std::uint32_t, 3> operands{node.a, node.b, node.c};
            const std::uint32_t operand = operands[static_cast<std::size_t>(top.next_operand)];
            top.next_operand += 1;
            if (!is_known(operand)) {
                stack_.push_back({operand, 0});
            }
        } else {
            const std::uint32_t id = top.id;
            stack_.pop_back();
            values_[id] = lower_node({id});
        }
    }
    return values_[root.id];
}

/// Requires the values of the operands.
Value Lowering::lower_node(Expr e) {
    const sym::Node& node = graph_->node(e);
    // A symbol that has no value yet is missing among the inputs.
    ANANKE_REQUIRE(node.op != sym::Op::kSymbol);
    if (node.op == sym::Op::kConstant) {
        return builder_.constant(graph_->constant(e).value);
    }
    const Value a = values_[node.a];
    switch (sym::arity(node.op)) {
        case 1:
            return builder_.apply(machine_op(node.op), a);
        case 2:
            return node.op == sym::Op::kPow
                       ? power(a, {node.b})
                       : builder_.apply(machine_op(node.op), a, values_[node.b]);
        default:
            return builder_.apply(machine_op(node.op), a, values_[node.b], values_[node.c]);
    }
}

Value Lowering::power(Value base, Expr exponent) {
    if (graph_->is_constant(exponent) && graph_->constant(exponent).exact()) {
        const sym::Constant& number = graph_->constant(exponent);
        const std::int64_t n = number.numerator;
        if (n >= -kLargestPower && n <= kLargestPower) {
            if (number.denominator == 1) {
                return builder_.integer_power(base, static_cast<int>(n));
            }
            if (number.denominator == 2) {
                return half_integer_power(base, static_cast<int>(n));
            }
        }
    }
    return builder_.apply(Op::kPow, base, values_[exponent.id]);
}

/// base^(n/2), n odd: base^((|n| - 1)/2) * sqrt(base), inverted for n < 0.
Value Lowering::half_integer_power(Value base, int n) {
    const int size = std::abs(n);
    Value result = builder_.apply(Op::kSqrt, base);
    if (size > 1) {
        result = builder_.apply(Op::kMul, builder_.integer_power(base, (size - 1) / 2), result);
    }
    return n > 0 ? result : builder_.apply(Op::kDiv, builder_.constant(1.0), result);
}

Program lower(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
    return Lowering(graph, inputs).program(outputs);
}

}  // namespace ananke::code

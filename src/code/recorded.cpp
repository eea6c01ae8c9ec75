#include "code/recorded.h"

#include "base/check.h"
#include "code/folding.h"
#include "code/operations.h"

namespace ananke::code {

Recorded::Recorded(Builder& builder, Value value) {
    if (const std::optional<double> number = builder.number(value)) {
        number_ = *number;
    } else {
        builder_ = &builder;
        value_ = value;
    }
}

Recorded Recorded::record(Op op, const Recorded& x, const Recorded& y) {
    Builder* builder = x.is_number() ? y.builder_ : x.builder_;
    if (builder == nullptr) {
        return code::apply(op, x.number_, y.number_, 0.0, functions());
    }
    return {*builder, builder->apply(op, x.value(*builder), y.value(*builder))};
}

Recorded operator+(const Recorded& x, const Recorded& y) {
    return folded_sum(x, y, [](const Recorded& a, const Recorded& b) {
        return Recorded::record(Op::kAdd, a, b);
    });
}

Recorded operator-(const Recorded& x, const Recorded& y) {
    return folded_difference(
        x, y, [](const Recorded& a, const Recorded& b) { return Recorded::record(Op::kSub, a, b); },
        [&](const Recorded&) {
            return Recorded(*y.builder_, y.builder_->apply(Op::kNeg, y.value_));
        });
}

Recorded operator*(const Recorded& x, const Recorded& y) {
    return folded_product(x, y, [](const Recorded& a, const Recorded& b) {
        return Recorded::record(Op::kMul, a, b);
    });
}

Recorded operator/(const Recorded& x, const Recorded& y) {
    return folded_quotient(x, y, [](const Recorded& a, const Recorded& b) {
        return Recorded::record(Op::kDiv, a, b);
    });
}

std::vector<Recorded> replay(Builder& builder, const Program& program,
                             std::span<const Recorded> inputs) {
    ANANKE_REQUIRE(inputs.size() == program.input_count);
    std::vector<Recorded> slots(inputs.begin(), inputs.end());
    slots.resize(program.slot_count);
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
        slots[program.input_count + i] = program.constants[i];
    }
    const auto apply = [&](const Instruction& one) -> Recorded {
        const Recorded& a = slots[one.a];
        const Recorded& b = slots[one.b];
        const Recorded& c = slots[one.c];
        switch (one.op) {
            case Op::kAdd:
                return a + b;
            case Op::kSub:
                return a - b;
            case Op::kMul:
                return a * b;
            case Op::kDiv:
                return a / b;
            case Op::kFma:
                return a * b + c;
            case Op::kFms:
                return a * b - c;
            case Op::kFnma:
                return c - a * b;
            default:
                break;
        }
        const Value x = a.value(builder);
        switch (arity(one.op)) {
            case 1:
                return {builder, builder.apply(one.op, x)};
            case 2:
                return {builder, builder.apply(one.op, x, b.value(builder))};
            default:
                return {builder, builder.apply(one.op, x, b.value(builder), c.value(builder))};
        }
    };
    for (const Instruction& one : program.instructions) {
        slots[one.target] = apply(one);
    }
    std::vector<Recorded> outputs;
    for (const Slot slot : program.outputs) {
        outputs.push_back(slots[slot]);
    }
    return outputs;
}

}  // namespace ananke::code

#if defined(__x86_64__)

#include "code/emitter_x86.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace ananke::code {
namespace {

bool needs_scratch(Op op) {
    return op == Op::kSign || op == Op::kMin || op == Op::kMax || op == Op::kAnd || op == Op::kOr ||
           op == Op::kSelect;
}

int value_registers(const Steps& steps, const Shape& shape) {
    const int all = shape.avx512 ? 32 : 16;
    const bool scratch = std::any_of(steps.steps.begin(), steps.steps.end(),
                                     [](const Step& step) { return needs_scratch(step.op); });
    return scratch ? all - Encoder::scratch_count(shape) : all;
}

}  // namespace

Emitter::Emitter(const Steps& steps, ValueId first_constant, ValueId first_result,
                 const Shape& shape)
    : steps_(steps),
      shape_(shape),
      file_(steps, value_registers(steps, shape)),
      scratch_(value_registers(steps, shape)),
      first_output_(steps.value_count, kNever),
      next_output_(steps.outputs.size(), kNever),
      first_result_(first_result) {
    for (ValueId i = shape.time_apart ? 1 : 0; i < first_result; ++i) {
        file_.set_home(i, i < first_constant ? Home{Home::Base::kInputs, i}
                                             : Home{Home::Base::kConstants, i - first_constant});
    }
    for (std::uint32_t k = 0; k < steps.outputs.size(); ++k) {
        next_output_[k] = first_output_[steps.outputs[k]];
        first_output_[steps.outputs[k]] = k;
    }
}

std::size_t Emitter::workspace_size() const {
    return std::size_t{file_.place_count()} * static_cast<std::size_t>(shape_.lanes);
}

void Emitter::emit_function(asmjit::CodeHolder& code, std::size_t size) {
    const std::size_t total = steps_.steps.size();
    std::size_t end = total - position_ <= size ? total : position_ + size;
    while (end < total && steps_.steps[end].batch == 0) {
        ++end;
    }
    const bool has_calls =
        std::any_of(steps_.steps.begin() + static_cast<std::ptrdiff_t>(position_),
                    steps_.steps.begin() + static_cast<std::ptrdiff_t>(end),
                    [](const Step& step) { return is_call(step.op); });
    Encoder encoder(code, shape_);
    out_ = &encoder;
    encoder.begin(has_calls);
    if (shape_.time_apart && position_ == 0) {
        define(0, 0);  // a value like any other from here on
    }
    while (position_ < end) {
        const Step& step = steps_.steps[position_];
        if (step.batch > 1) {
            emit_batch(std::span(steps_.steps).subspan(position_, step.batch));
        } else {
            emit_step(step);
        }
        position_ += step.batch;
    }
    if (position_ == total) {
        copy_outputs();
    } else {
        save_all();
        forget_registers();
    }
    encoder.end();
    out_ = nullptr;
}

void Emitter::emit_step(const Step& step) {
    switch (step.op) {
        case Op::kAdd:
        case Op::kSub:
        case Op::kMul:
        case Op::kDiv:
        case Op::kLower:
        case Op::kHigher:
            emit_arithmetic(step);
            break;
        case Op::kFma:
        case Op::kFms:
        case Op::kFnma:
            emit_fused(step);
            break;
        case Op::kSqrt:
        case Op::kNeg:
        case Op::kAbs:
            emit_unary(step);
            break;
        case Op::kLess:
        case Op::kLessEqual:
        case Op::kEqual:
        case Op::kNot:
            emit_compare(step);
            break;
        default:
            if (is_call(step.op)) {
                emit_call(step);
            } else {
                emit_choice(step);
            }
    }
}

// Each of the following: find the operands; say when they are read next, which may free their
// registers; take a register for the result, which may store another value; emit; free the
// places of dead operands, which the instruction may have read.

void Emitter::emit_arithmetic(const Step& step) {
    auto [a, b, c] = step.operands;
    if (is_commutative(step.op) && !file_.in_register(a) && file_.in_register(b)) {
        std::swap(a, b);
    }
    const int left = in_register(a, file_.in_register(b) ? bit(file_.register_of(b)) : 0);
    const asmjit::Operand right = operand(b);
    pass(step);
    const int to = take_register(0);
    out_->arithmetic(step.op, to, left, right);
    bury(step);
    define(step.value, to);
}

// The result takes the register of an operand: of one that is not read again if there is one;
// else of a copy, and loading it from memory is as good as copying a register.
void Emitter::emit_fused(const Step& step) {
    const std::array<ValueId, 3>& v = step.operands;
    const auto pin = [&](ValueId value) {
        return file_.in_register(value) ? bit(file_.register_of(value)) : RegisterMask{0};
    };
    const RegisterMask pinned = pin(v[0]) | pin(v[1]) | pin(v[2]);
    std::size_t changed = 3;
    for (const std::size_t k : {2, 0, 1}) {
        if (file_.in_register(v[k]) && step.next_use[k] == kNever) {
            changed = k;
            break;
        }
    }
    int to = RegisterFile::kNone;
    if (changed < 3) {
        to = file_.register_of(v[changed]);
    } else {
        changed = !file_.in_register(v[2])   ? 2
                  : !file_.in_register(v[0]) ? 0
                  : !file_.in_register(v[1]) ? 1
                                             : 2;
        to = take_register(pinned);
        if (file_.in_register(v[changed])) {
            out_->copy(to, file_.register_of(v[changed]));
        } else {
            out_->load(to, file_.home(v[changed]));
        }
    }
    // The other two; the last operand of the instruction may be in memory. Factors are alike.
    using Form = Encoder::Form;
    Form form = changed == 2 ? Form::k231 : Form::k213;
    ValueId y = changed == 0 ? v[1] : v[0];
    ValueId z = changed == 2 ? v[1] : v[2];
    const auto is_ready = [&](ValueId value) {
        return value == v[changed] || file_.in_register(value);
    };
    if (!is_ready(y) && is_ready(z)) {
        std::swap(y, z);
        form = changed == 2 ? Form::k231 : Form::k132;
    }
    const int y_register = y == v[changed] ? to : in_register(y, pinned | bit(to));
    const asmjit::Operand z_operand = z == v[changed] ? out_->in(to) : operand(z);
    pass(step);
    out_->fused(step.op, form, to, y_register, z_operand);
    bury(step);
    define(step.value, to);
}

void Emitter::emit_unary(const Step& step) {
    const int a = in_register(step.operands[0], 0);
    pass(step);
    const int to = take_register(0);
    if (step.op == Op::kSqrt) {
        out_->square_root(to, a);
    } else {
        out_->bits(step.op, to, a);
    }
    bury(step);
    define(step.value, to);
}

void Emitter::emit_compare(const Step& step) {
    const auto [a, b, c] = step.operands;
    const bool binary = step.arity == 2;
    const int left = in_register(a, binary && file_.in_register(b) ? bit(file_.register_of(b)) : 0);
    const asmjit::Operand right = binary ? operand(b) : asmjit::Operand();
    pass(step);
    const int to = take_register(0);
    out_->compare(step.op, to, left, right);
    bury(step);
    define(step.value, to);
}

void Emitter::emit_choice(const Step& step) {
    std::array<int, 3> registers{};
    RegisterMask pinned = 0;
    for (std::size_t k = 0; k < step.arity; ++k) {
        if (file_.in_register(step.operands[k])) {
            pinned |= bit(file_.register_of(step.operands[k]));
        }
    }
    for (std::size_t k = 0; k < step.arity; ++k) {
        registers[k] = in_register(step.operands[k], pinned);
        pinned |= bit(registers[k]);
    }
    pass(step);
    const int to = take_register(0);
    out_->choice(step.op, to, std::span(registers).first(step.arity), scratch_);
    bury(step);
    define(step.value, to);
}

void Emitter::emit_call(const Step& step) {
    for (std::size_t k = 0; k < step.arity; ++k) {
        file_.set_next_use(step.operands[k], step.next_use[k]);
    }
    save_all();
    const auto argument = [&](int to, ValueId value) {
        if (file_.in_register(value)) {
            out_->copy(to, file_.register_of(value));
        } else {
            out_->load(to, file_.home(value));
        }
    };
    if (step.arity == 2 && file_.register_of(step.operands[1]) == 0) {
        // Register 2 stands in for 0, unless it holds the first argument itself.
        const int spare = file_.register_of(step.operands[0]) == 2 ? 3 : 2;
        out_->copy(spare, 0);
        argument(0, step.operands[0]);
        out_->copy(1, spare);
    } else {
        argument(0, step.operands[0]);
        if (step.arity == 2) {
            argument(1, step.operands[1]);
        }
    }
    forget_registers();
    out_->call(step.op, shape_.lanes);
    bury(step);
    define(step.value, 0);
}

void Emitter::emit_batch(std::span<const Step> calls) {
    ANANKE_DEBUG_CHECK(shape_.lanes == 1 && calls.size() <= kBatchLanes);
    for (const Step& call : calls) {
        for (std::size_t k = 0; k < call.arity; ++k) {
            file_.set_next_use(call.operands[k], call.next_use[k]);
        }
    }
    save_all();
    // All is safe in memory: every register but those of arguments may be used.
    RegisterMask busy = 0;
    std::array<std::array<asmjit::Operand, kBatchLanes>, 2> arguments;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (std::size_t k = 0; k < calls[i].arity; ++k) {
            const ValueId value = calls[i].operands[k];
            arguments[k][i] = operand(value);
            busy |= file_.in_register(value) ? bit(file_.register_of(value)) : 0;
        }
    }
    std::array<int, 2> packets{};
    for (std::size_t k = 0; k < calls[0].arity; ++k) {
        // From above: registers 0 and 1 wait for the packets. At most 8 of 16 are busy.
        std::array<int, 2> temporaries{};
        int reg = 16;
        for (int& temporary : temporaries) {
            do {
                --reg;
            } while ((busy & bit(reg)) != 0);
            temporary = reg;
        }
        out_->gather(std::span(arguments[k]).first(calls.size()), temporaries);
        packets[k] = temporaries[0];
        busy |= bit(temporaries[0]);
    }
    for (std::size_t k = 0; k < calls[0].arity; ++k) {
        out_->copy_packet(static_cast<int>(k), packets[k]);
    }
    forget_registers();
    if (calls.front().op == calls.back().op) {  // calls are sorted
        out_->call(calls[0].op, kBatchLanes);
    } else {
        std::uint32_t cosines = 0;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            cosines |= calls[i].op == Op::kCos ? std::uint32_t{1} << i : 0;
        }
        out_->call_turned(cosines);
    }
    for (const Step& call : calls) {
        bury(call);
    }
    const std::uint32_t first = file_.take_places(kBatchLanes);
    out_->store_packet(Home{Home::Base::kWorkspace, first}, 0);
    for (std::uint32_t i = 0; i < kBatchLanes; ++i) {
        const Home place{Home::Base::kWorkspace, first + i};
        if (i >= calls.size()) {
            file_.give_back_place(place.index);
            continue;
        }
        const ValueId value = calls[i].value;
        file_.set_home(value, place);
        if (first_output_[value] != kNever) {
            out_->load(1, place);
            store_outputs(value, 1);
        }
    }
}

void Emitter::copy_outputs() {
    forget_registers();
    for (ValueId i = 0; i < first_result_; ++i) {
        if (first_output_[i] != kNever) {
            out_->load(0, file_.home(i));
            for (std::uint32_t k = first_output_[i]; k != kNever; k = next_output_[k]) {
                out_->store(Home{Home::Base::kOutputs, k}, 0);
            }
        }
    }
    copied_outputs_ = true;
}

int Emitter::take_register(RegisterMask pinned) {
    const int reg = file_.choose(pinned);
    if (!file_.is_free(reg)) {
        save(file_.value_in(reg));
        file_.free_register(reg);
    }
    return reg;
}

int Emitter::in_register(ValueId value, RegisterMask pinned) {
    if (!file_.in_register(value)) {
        const int reg = take_register(pinned);
        out_->load(reg, file_.home(value));
        file_.put(value, reg);
    }
    return file_.register_of(value);
}

asmjit::Operand Emitter::operand(ValueId value) const {
    return file_.in_register(value) ? out_->in(file_.register_of(value))
                                    : out_->in(file_.home(value));
}

void Emitter::save(ValueId value) {
    if (file_.home(value).exists() || file_.is_dead(value)) {
        return;
    }
    const Home place{Home::Base::kWorkspace, file_.take_place()};
    out_->store(place, file_.register_of(value));
    file_.set_home(value, place);
}

void Emitter::save_all() {
    for (RegisterMask rest = file_.occupied(); rest != 0; rest &= rest - 1) {
        save(file_.value_in(std::countr_zero(rest)));
    }
}

void Emitter::forget_registers() {
    for (RegisterMask rest = file_.occupied(); rest != 0; rest &= rest - 1) {
        file_.free_register(std::countr_zero(rest));
    }
}

void Emitter::pass(const Step& step) {
    for (std::size_t k = 0; k < step.arity; ++k) {
        const ValueId value = step.operands[k];
        file_.set_next_use(value, step.next_use[k]);
        if (step.next_use[k] == kNever && file_.in_register(value)) {
            file_.free_register(file_.register_of(value));
        }
    }
}

void Emitter::bury(const Step& step) {
    for (std::size_t k = 0; k < step.arity; ++k) {
        const ValueId value = step.operands[k];
        const Home home = file_.home(value);
        if (file_.is_dead(value) && home.base == Home::Base::kWorkspace) {
            file_.give_back_place(home.index);
            file_.set_home(value, {});
        }
    }
}

void Emitter::define(ValueId value, int reg) {
    store_outputs(value, reg);
    if (!file_.is_dead(value)) {
        file_.put(value, reg);
    }
}

void Emitter::store_outputs(ValueId value, int reg) {
    for (std::uint32_t k = first_output_[value]; k != kNever; k = next_output_[k]) {
        out_->store(Home{Home::Base::kOutputs, k}, reg);
        if (!file_.home(value).exists()) {
            file_.set_home(value, Home{Home::Base::kOutputs, k});
        }
    }
}

}  // namespace ananke::code

#endif

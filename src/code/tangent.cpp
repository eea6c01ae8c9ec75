#include "code/tangent.h"

#include <vector>

#include "base/check.h"
#include "code/recorder.h"

namespace ananke::code {
namespace {

/// A value and its rate.
struct Dual {
    Recorded x, rate;
};

/// The operations of a program on duals, in one record.
class Differentiation {
  public:
    explicit Differentiation(Recorder& recorder) : recorder_(recorder) {}

    Dual apply(Op op, const Dual& a, const Dual& b, const Dual& c) {
        switch (op) {
            case Op::kFma:
                return sum(product(a, b), c);
            case Op::kFms:
                return difference(product(a, b), c);
            case Op::kFnma:
                return difference(c, product(a, b));
            case Op::kAdd:
                return sum(a, b);
            case Op::kSub:
                return difference(a, b);
            case Op::kMul:
                return product(a, b);
            case Op::kDiv:
                return quotient(a, b);
            default:
                break;
        }
        const Recorded x = recorder_.apply(op, a.x, b.x, c.x);
        return {x, x.is_number() ? Recorded(0.0) : rate(op, x, a, b, c)};
    }

  private:
    static Dual sum(const Dual& a, const Dual& b) { return {a.x + b.x, a.rate + b.rate}; }
    static Dual difference(const Dual& a, const Dual& b) { return {a.x - b.x, a.rate - b.rate}; }
    static Dual product(const Dual& a, const Dual& b) {
        return {a.x * b.x, a.rate * b.x + a.x * b.rate};
    }
    static Dual quotient(const Dual& a, const Dual& b) {
        const Recorded x = a.x / b.x;
        return {x, (a.rate - x * b.rate) / b.x};
    }

    static bool is_zero(const Recorded& x) { return x.is_number() && x.number() == 0.0; }

    /// x = op(a, b, c) is known.
    Recorded rate(Op op, const Recorded& x, const Dual& a, const Dual& b, const Dual& c) {
        const Recorded one(1.0);
        switch (op) {
            case Op::kSqrt:
                return a.rate / (x + x);
            case Op::kNeg:
                return Recorded(0.0) - a.rate;
            case Op::kAbs:
                return is_zero(a.rate) ? a.rate : recorder_.apply(Op::kSign, a.x) * a.rate;
            case Op::kMin:
                return choice(recorder_.apply(Op::kLess, b.x, a.x), b.rate, a.rate);
            case Op::kMax:
                return choice(recorder_.apply(Op::kLess, a.x, b.x), b.rate, a.rate);
            case Op::kLower:
                return choice(recorder_.apply(Op::kLess, a.x, b.x), a.rate, b.rate);
            case Op::kHigher:
                return choice(recorder_.apply(Op::kLess, b.x, a.x), a.rate, b.rate);
            case Op::kSelect:
                return choice(a.x, b.rate, c.rate);
            case Op::kAtan2:
                return (b.x * a.rate - a.x * b.rate) / (a.x * a.x + b.x * b.x);
            case Op::kPow:
                return rate_of_power(x, a, b);
            case Op::kSign:
            case Op::kLess:
            case Op::kLessEqual:
            case Op::kEqual:
            case Op::kAnd:
            case Op::kOr:
            case Op::kNot:
                return 0.0;
            default:
                return is_zero(a.rate) ? a.rate : slope(op, x, a.x) * a.rate;
        }
    }

    /// Of a function of one number.
    Recorded slope(Op op, const Recorded& x, const Recorded& a) {
        const Recorded one(1.0);
        switch (op) {
            case Op::kSin:
                return recorder_.apply(Op::kCos, a);
            case Op::kCos:
                return Recorded(0.0) - recorder_.apply(Op::kSin, a);
            case Op::kTan:
                return one + x * x;
            case Op::kAsin:
                return one / recorder_.apply(Op::kSqrt, one - a * a);
            case Op::kAcos:
                return Recorded(-1.0) / recorder_.apply(Op::kSqrt, one - a * a);
            case Op::kAtan:
                return one / (one + a * a);
            case Op::kSinh:
                return recorder_.apply(Op::kCosh, a);
            case Op::kCosh:
                return recorder_.apply(Op::kSinh, a);
            case Op::kTanh:
                return one - x * x;
            case Op::kExp:
                return x;
            case Op::kLog:
                return one / a;
            default:
                ANANKE_REQUIRE(false);
                return one;
        }
    }

    Recorded choice(const Recorded& truth, const Recorded& yes, const Recorded& no) {
        return is_zero(yes) && is_zero(no) ? yes : recorder_.apply(Op::kSelect, truth, yes, no);
    }

    Recorded rate_of_power(const Recorded& x, const Dual& a, const Dual& b) {
        Recorded total(0.0);
        if (!is_zero(a.rate)) {
            total = b.x * recorder_.apply(Op::kPow, a.x, b.x - Recorded(1.0)) * a.rate;
        }
        if (!is_zero(b.rate)) {
            total = total + recorder_.apply(Op::kLog, a.x) * x * b.rate;
        }
        return total;
    }

    Recorder& recorder_;
};

}  // namespace

Program tangent(const Program& program, std::span<const std::uint32_t> active,
                std::size_t outputs) {
    ANANKE_REQUIRE(outputs <= program.outputs.size());
    const std::uint32_t inputs = program.input_count;
    Recorder recorder(inputs + static_cast<std::uint32_t>(active.size()));
    std::vector<Dual> slots(program.slot_count);
    for (std::uint32_t i = 0; i < inputs; ++i) {
        slots[i].x = recorder.input(i);
    }
    for (std::size_t k = 0; k < active.size(); ++k) {
        ANANKE_REQUIRE(active[k] < inputs);
        slots[active[k]].rate = recorder.input(inputs + static_cast<std::uint32_t>(k));
    }
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
        slots[inputs + i].x = program.constants[i];
    }
    Differentiation differentiation(recorder);
    for (const Instruction& one : program.instructions) {
        slots[one.target] = differentiation.apply(one.op, slots[one.a], slots[one.b], slots[one.c]);
    }
    std::vector<Recorded> rates;
    for (std::size_t i = 0; i < outputs; ++i) {
        rates.push_back(slots[program.outputs[i]].rate);
    }
    return recorder.program(rates);
}

}  // namespace ananke::code

#if defined(__x86_64__)

#include "code/encoder_x86.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "code/call_targets.h"

namespace ananke::code {
namespace {

namespace x86 = asmjit::x86;
using asmjit::imm;
using InstructionId = asmjit::InstId;
namespace Inst = x86::Inst;

// Predicates of vcmppd; Q: quiet, O: false for NaN, U: true for NaN.
constexpr int kEqualO = 0x00;
constexpr int kUnordered = 0x03;
constexpr int kNotEqualU = 0x04;
constexpr int kNotEqualO = 0x0c;
constexpr int kLessO = 0x11;
constexpr int kLessEqualO = 0x12;

std::uint64_t pattern_bits(Pattern which) {
    switch (which) {
        case Pattern::kSign:
            return std::uint64_t{1} << 63;
        case Pattern::kMagnitude:
            return ~(std::uint64_t{1} << 63);
        case Pattern::kOne:
            return std::bit_cast<std::uint64_t>(1.0);
        case Pattern::kZero:
            return 0;
        case Pattern::kAllOnes:
            return ~std::uint64_t{0};
    }
    __builtin_unreachable();
}

/// Copies of each constant: 8 lanes spread one by broadcast, AVX2 has no such operand.
std::size_t copies(const Shape& shape) {
    return shape.lanes == 4 ? 4 : 1;
}

InstructionId arithmetic_id(Op op, bool packed) {
    switch (op) {
        case Op::kAdd:
            return packed ? Inst::kIdVaddpd : Inst::kIdVaddsd;
        case Op::kSub:
            return packed ? Inst::kIdVsubpd : Inst::kIdVsubsd;
        case Op::kMul:
            return packed ? Inst::kIdVmulpd : Inst::kIdVmulsd;
        case Op::kLower:  // the instructions give the second operand where the first is not less
            return packed ? Inst::kIdVminpd : Inst::kIdVminsd;
        case Op::kHigher:
            return packed ? Inst::kIdVmaxpd : Inst::kIdVmaxsd;
        default:
            return packed ? Inst::kIdVdivpd : Inst::kIdVdivsd;
    }
}

InstructionId fused_id(Op op, Encoder::Form form, bool packed) {
    static constexpr std::array<std::array<InstructionId, 6>, 3> kIds{{
        {Inst::kIdVfmadd132sd, Inst::kIdVfmadd213sd, Inst::kIdVfmadd231sd, Inst::kIdVfmadd132pd,
         Inst::kIdVfmadd213pd, Inst::kIdVfmadd231pd},
        {Inst::kIdVfmsub132sd, Inst::kIdVfmsub213sd, Inst::kIdVfmsub231sd, Inst::kIdVfmsub132pd,
         Inst::kIdVfmsub213pd, Inst::kIdVfmsub231pd},
        {Inst::kIdVfnmadd132sd, Inst::kIdVfnmadd213sd, Inst::kIdVfnmadd231sd, Inst::kIdVfnmadd132pd,
         Inst::kIdVfnmadd213pd, Inst::kIdVfnmadd231pd},
    }};
    const std::size_t row = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::kFma);
    return kIds[row][static_cast<std::size_t>(form) + (packed ? 3 : 0)];
}

}  // namespace

std::vector<double> constant_pool(const Program& program, const Shape& shape) {
    std::vector<double> pool;
    pool.reserve(kPatternCount * kPatternDoubles + program.constants.size() * copies(shape));
    for (std::size_t i = 0; i < kPatternCount; ++i) {
        pool.insert(pool.end(), kPatternDoubles,
                    std::bit_cast<double>(pattern_bits(static_cast<Pattern>(i))));
    }
    for (const double constant : program.constants) {
        pool.insert(pool.end(), copies(shape), constant);
    }
    return pool;
}

Encoder::Encoder(asmjit::CodeHolder& code, const Shape& shape) : out_(&code), shape_(shape) {}

x86::Vec Encoder::vec(int reg, int lanes) {
    const auto id = static_cast<std::uint32_t>(reg);
    return lanes == 8   ? x86::Vec(x86::Zmm(id))
           : lanes == 4 ? x86::Vec(x86::Ymm(id))
                        : x86::Vec(x86::Xmm(id));
}

x86::Mem Encoder::pattern(Pattern which) const {
    const auto back = static_cast<std::int32_t>(kPatternCount - static_cast<std::size_t>(which));
    return x86::ptr(constants_,
                    -back * static_cast<std::int32_t>(kPatternDoubles * sizeof(double)));
}

x86::Mem Encoder::place(Home home) const {
    const auto at = [&](const x86::Gp& base, std::size_t doubles) {
        return x86::ptr(base, static_cast<std::int32_t>(home.index * doubles * sizeof(double)));
    };
    switch (home.base) {
        case Home::Base::kInputs:
            if (!shape_.input_places.empty()) {
                const InputPlace& from = shape_.input_places[home.index];
                return x86::ptr(bases_[from.base],
                                static_cast<std::int32_t>(from.offset * sizeof(double)));
            }
            if (shape_.time_apart) {
                return x86::ptr(inputs_, (static_cast<std::int32_t>(home.index) - 1) *
                                             static_cast<std::int32_t>(sizeof(double)));
            }
            return at(inputs_, static_cast<std::size_t>(shape_.stride));
        case Home::Base::kOutputs:
            return at(outputs_, static_cast<std::size_t>(shape_.stride));
        case Home::Base::kConstants:
            return at(constants_, copies(shape_));
        case Home::Base::kWorkspace:
            return at(workspace_, static_cast<std::size_t>(shape_.lanes));
        case Home::Base::kNone:
            break;
    }
    ANANKE_REQUIRE(home.exists());
    return {};
}

Encoder::Operand Encoder::in(Home home) const {
    const x86::Mem mem = place(home);
    return shape_.lanes == 8 && home.base == Home::Base::kConstants ? mem._1to8() : mem;
}

void Encoder::begin(bool has_calls) {
    has_calls_ = has_calls;
    inputs_ = x86::rdi;
    outputs_ = x86::rsi;
    workspace_ = x86::rdx;
    constants_ = x86::rcx;
    used_wide_ = packed();
    if (!has_calls) {
        load_bases();
        return;
    }
    ANANKE_REQUIRE(shape_.input_places.empty());
    // Registers that calls keep. The four pushes and the return address leave the stack 8 bytes
    // off a multiple of 16.
    for (const x86::Gp& reg : {x86::rbx, x86::r12, x86::r13, x86::r14}) {
        out_.push(reg);
    }
    out_.sub(x86::rsp, 8);
    for (auto [to, from] : {std::pair{x86::rbx, &inputs_}, std::pair{x86::r12, &outputs_},
                            std::pair{x86::r13, &workspace_}, std::pair{x86::r14, &constants_}}) {
        out_.mov(to, *from);
        *from = to;
    }
}

/// Into registers that need not be kept; the last takes the place of the list.
void Encoder::load_bases() {
    bases_ = {x86::rax, x86::r8, x86::r9, x86::r10, x86::r11, x86::rdi};
    std::uint32_t count = 0;
    for (const InputPlace& place : shape_.input_places) {
        count = std::max(count, place.base + 1);
    }
    ANANKE_REQUIRE(count <= kMostBases);
    for (std::uint32_t i = 0; i < count; ++i) {
        out_.mov(bases_[i], x86::ptr(inputs_, static_cast<std::int32_t>(i * sizeof(double*))));
    }
}

void Encoder::end() {
    if (used_wide_) {
        out_.vzeroupper();  // the compiler's code uses SSE instructions: dirty upper halves slow it
    }
    if (has_calls_) {
        out_.add(x86::rsp, 8);
        for (const x86::Gp& reg : {x86::r14, x86::r13, x86::r12, x86::rbx}) {
            out_.pop(reg);
        }
    }
    out_.ret();
}

void Encoder::load(int to, Home from) {
    const InstructionId id = !packed() ? Inst::kIdVmovsd
                             : shape_.lanes == 8 && from.base == Home::Base::kConstants
                                 ? Inst::kIdVbroadcastsd
                                 : Inst::kIdVmovupd;
    out_.emit(id, vec(to, shape_.lanes), place(from));
}

void Encoder::store(Home to, int from) {
    out_.emit(packed() ? Inst::kIdVmovupd : Inst::kIdVmovsd, place(to), vec(from, shape_.lanes));
}

void Encoder::copy(int to, int from) {
    if (to != from) {
        out_.emit(Inst::kIdVmovapd, vec(to, shape_.lanes), vec(from, shape_.lanes));
    }
}

void Encoder::arithmetic(Op op, int to, int a, const Operand& b) {
    out_.emit(arithmetic_id(op, packed()), in(to), in(a), b);
}

void Encoder::fused(Op op, Form form, int x, int y, const Operand& z) {
    out_.emit(fused_id(op, form, packed()), in(x), in(y), z);
}

void Encoder::square_root(int to, int a) {
    if (packed()) {
        out_.emit(Inst::kIdVsqrtpd, in(to), in(a));
    } else {
        out_.emit(Inst::kIdVsqrtsd, in(to), in(a), in(a));
    }
}

void Encoder::bits(Op op, int to, int a) {
    if (op == Op::kNeg) {
        out_.emit(Inst::kIdVxorpd, in(to), in(a), pattern(Pattern::kSign));
    } else {
        out_.emit(Inst::kIdVandpd, in(to), in(a), pattern(Pattern::kMagnitude));
    }
}

void Encoder::test(int mask, int a, const Operand& b, int predicate) {
    out_.emit(packed() ? Inst::kIdVcmppd : Inst::kIdVcmpsd,
              x86::KReg(static_cast<std::uint32_t>(mask)), in(a), b, imm(predicate));
}

void Encoder::test_bits(int to, int a, const Operand& b, int predicate) {
    out_.emit(packed() ? Inst::kIdVcmppd : Inst::kIdVcmpsd, in(to), in(a), b, imm(predicate));
}

void Encoder::set_where(int mask, int to, Pattern which, bool else_zero) {
    out_.setExtraReg(x86::KReg(static_cast<std::uint32_t>(mask)));
    if (else_zero) {
        out_.addInstOptions(asmjit::InstOptions::kX86_ZMask);
    }
    out_.emit(Inst::kIdVmovupd, in(to), pattern(which));
}

void Encoder::compare(Op op, int to, int a, const Operand& b) {
    const int predicate = op == Op::kLess ? kLessO : op == Op::kLessEqual ? kLessEqualO : kEqualO;
    const Operand other = op == Op::kNot ? pattern(Pattern::kZero) : b;
    if (shape_.avx512) {
        test(1, a, other, predicate);
        set_where(1, to, Pattern::kOne, true);
    } else {
        test_bits(to, a, other, predicate);
        out_.emit(Inst::kIdVandpd, in(to), in(to), pattern(Pattern::kOne));
    }
}

void Encoder::choice(Op op, int to, std::span<const int> operands, int scratch) {
    switch (op) {
        case Op::kSign:
            sign(to, operands[0], scratch);
            return;
        case Op::kMin:
        case Op::kMax:
            extremum(op, to, operands[0], operands[1], scratch);
            return;
        case Op::kAnd:
        case Op::kOr:
            logical(op, to, operands[0], operands[1], scratch);
            return;
        default:
            break;
    }
    ANANKE_REQUIRE(op == Op::kSelect);
    if (shape_.avx512) {
        test(1, operands[0], pattern(Pattern::kZero), kNotEqualU);
        out_.setExtraReg(x86::k1);
        out_.emit(Inst::kIdVblendmpd, in(to), in(operands[2]), in(operands[1]));
    } else {
        test_bits(scratch, operands[0], pattern(Pattern::kZero), kNotEqualU);
        out_.emit(Inst::kIdVblendvpd, in(to), in(operands[2]), in(operands[1]), in(scratch));
    }
}

// ±1 with the sign of a where a is a number but 0; NaN where a is NaN.
void Encoder::sign(int to, int a, int scratch) {
    out_.emit(Inst::kIdVandpd, in(scratch), in(a), pattern(Pattern::kSign));
    out_.emit(Inst::kIdVorpd, in(scratch), in(scratch), pattern(Pattern::kOne));
    if (shape_.avx512) {
        test(1, a, pattern(Pattern::kZero), kNotEqualO);
        test(2, a, in(a), kUnordered);
        out_.setExtraReg(x86::k1);
        out_.addInstOptions(asmjit::InstOptions::kX86_ZMask);
        out_.emit(Inst::kIdVmovapd, in(to), in(scratch));
        set_where(2, to, Pattern::kAllOnes, false);
    } else {
        test_bits(scratch + 1, a, pattern(Pattern::kZero), kNotEqualO);
        out_.emit(Inst::kIdVandpd, in(scratch), in(scratch), in(scratch + 1));
        test_bits(to, a, in(a), kUnordered);
        out_.emit(Inst::kIdVorpd, in(to), in(to), in(scratch));
    }
}

// vminpd(x, y) is y when they are equal or one is NaN. So the two orders differ for zeros of
// unlike sign and for NaN only. min joins their bits: -0 wins, and NaN with any bits is NaN.
// max keeps the common bits: 0 wins; NaN is put in by a test.
void Encoder::extremum(Op op, int to, int a, int b, int scratch) {
    const InstructionId id = op == Op::kMin ? (packed() ? Inst::kIdVminpd : Inst::kIdVminsd)
                                            : (packed() ? Inst::kIdVmaxpd : Inst::kIdVmaxsd);
    out_.emit(id, in(scratch), in(a), in(b));
    if (op == Op::kMin) {
        out_.emit(id, in(to), in(b), in(a));
        out_.emit(Inst::kIdVorpd, in(to), in(to), in(scratch));
    } else if (shape_.avx512) {
        test(1, a, in(b), kUnordered);
        out_.emit(id, in(to), in(b), in(a));
        out_.emit(Inst::kIdVandpd, in(to), in(to), in(scratch));
        set_where(1, to, Pattern::kAllOnes, false);
    } else {
        test_bits(scratch + 1, a, in(b), kUnordered);
        out_.emit(id, in(to), in(b), in(a));
        out_.emit(Inst::kIdVandpd, in(to), in(to), in(scratch));
        out_.emit(Inst::kIdVorpd, in(to), in(to), in(scratch + 1));
    }
}

void Encoder::logical(Op op, int to, int a, int b, int scratch) {
    const bool both = op == Op::kAnd;
    if (shape_.avx512) {
        test(1, a, pattern(Pattern::kZero), kNotEqualU);
        test(2, b, pattern(Pattern::kZero), kNotEqualU);
        out_.emit(both ? Inst::kIdKandb : Inst::kIdKorb, x86::k1, x86::k1, x86::k2);
        set_where(1, to, Pattern::kOne, true);
    } else {
        test_bits(scratch, a, pattern(Pattern::kZero), kNotEqualU);
        test_bits(to, b, pattern(Pattern::kZero), kNotEqualU);
        out_.emit(both ? Inst::kIdVandpd : Inst::kIdVorpd, in(to), in(to), in(scratch));
        out_.emit(Inst::kIdVandpd, in(to), in(to), pattern(Pattern::kOne));
    }
}

void Encoder::call(Op op, int lanes) {
    used_wide_ = used_wide_ || lanes > 1;
    out_.mov(x86::rax, imm(call_target(op, lanes)));
    out_.call(x86::rax);
}

void Encoder::call_turned(std::uint32_t cosines) {
    used_wide_ = true;
    out_.mov(x86::edi, imm(cosines));
    out_.mov(x86::rax, imm(turned_call_target()));
    out_.call(x86::rax);
}

void Encoder::gather(std::span<const Operand> items, const std::array<int, 2>& temporaries) {
    const std::size_t pairs = (items.size() + 1) / 2;
    ANANKE_DEBUG_CHECK(pairs <= temporaries.size());
    for (std::size_t j = 0; j < pairs; ++j) {
        const x86::Vec to = vec(temporaries[j], 1);
        const Operand& high = items[std::min(2 * j + 1, items.size() - 1)];
        Operand low = items[2 * j];
        if (low.isMem()) {
            out_.emit(Inst::kIdVmovsd, to, low);
            low = to;
        }
        out_.emit(high.isMem() ? Inst::kIdVmovhpd : Inst::kIdVunpcklpd, to, low, high);
    }
    if (pairs == 2) {
        const x86::Vec to = vec(temporaries[0], kBatchLanes);
        out_.emit(shape_.avx512 ? Inst::kIdVinsertf64x2 : Inst::kIdVinsertf128, to, to,
                  vec(temporaries[1], 1), imm(1));
    }
}

void Encoder::copy_packet(int to, int from) {
    if (to != from) {
        out_.emit(Inst::kIdVmovapd, vec(to, kBatchLanes), vec(from, kBatchLanes));
    }
}

void Encoder::store_packet(Home to, int from) {
    out_.emit(Inst::kIdVmovupd, place(to), vec(from, kBatchLanes));
}

}  // namespace ananke::code

#endif

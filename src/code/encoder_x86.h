// The x86-64 instructions of each operation, on registers and places in memory. Which value is
// where is decided in emitter_x86.cpp.
//
// Emitted functions are called as f(inputs, outputs, workspace, constants). Value i of the inputs
// and outputs stands at i*stride doubles, of the workspace at i*lanes. `constants` points behind
// the masks and at the constants of the program (see constant_pool). Where inputs have places of
// their own, `inputs` points at the bases that these places count from. Where the time is apart, it
// is the fifth argument, and `inputs` points at the second input.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "code/native.h"
#include "code/program.h"
#include "code/register_file.h"

namespace ananke::code {

struct Shape {
    int lanes;    ///< doubles per register: 1, 4, or 8 with AVX-512
    int stride;   ///< doubles from one input or output to the next: 8 for one half of 8 lanes
    bool avx512;  ///< 32 registers, masks in registers of their own, broadcasts from memory
    std::span<const InputPlace> input_places = {};  ///< scalar code: per input, or none
    bool time_apart = false;  ///< scalar code: the first input comes in register 0
};

/// Bit patterns that stand before the constants, each as wide as the widest register.
enum class Pattern : std::uint8_t { kSign, kMagnitude, kOne, kZero, kAllOnes };
inline constexpr std::size_t kPatternCount = 5;
inline constexpr std::size_t kPatternDoubles = 8;

/// Scalar code makes up to 4 calls of a function at once. Packets of 8 are faster by themselves
/// (14 calls: 26 against 39 ns), but the right-hand side of the Andrews mechanism took 105 ns with
/// them against 79. Neither vzeroupper, aligned nor narrower stores of the results changed that.
inline constexpr int kBatchLanes = 4;

/// What an emitted function is given as constants, from kPatternCount * kPatternDoubles on.
std::vector<double> constant_pool(const Program& program, const Shape& shape);

class Encoder {
  public:
    using Operand = asmjit::Operand;

    Encoder(asmjit::CodeHolder& code, const Shape& shape);

    /// Registers beyond those of values that operations without rounding may change.
    static int scratch_count(const Shape& shape) { return shape.avx512 ? 1 : 2; }

    Operand in(int reg) const { return vec(reg, shape_.lanes); }
    /// As the last operand of an instruction. Reads exactly the lanes of the value.
    Operand in(Home home) const;

    void begin(bool has_calls);
    void end();

    void load(int to, Home from);
    void store(Home to, int from);
    void copy(int to, int from);

    /// + - * /, the lower and the higher of two. `to` may be `a` or `b`.
    void arithmetic(Op op, int to, int a, const Operand& b);
    /// The fused operations in place, where x is the register that is changed:
    /// 132: x = x*z + y,  213: x = y*x + z,  231: x = y*z + x.
    enum class Form : std::uint8_t { k132, k213, k231 };
    void fused(Op op, Form form, int x, int y, const Operand& z);
    void square_root(int to, int a);
    /// Negation, magnitude.
    void bits(Op op, int to, int a);
    /// Comparisons and not. `b` is not read by not.
    void compare(Op op, int to, int a, const Operand& b);
    /// sign, min, max, and, or, select. `to` may be an operand; `scratch` and scratch + 1 may not.
    void choice(Op op, int to, std::span<const int> operands, int scratch);

    /// Arguments in registers 0 and 1, result in 0. All vector registers are lost.
    void call(Op op, int lanes);
    /// Sines of a packet of 4, and cosines in the lanes whose bit is set.
    void call_turned(std::uint32_t cosines);
    /// Scalar code: puts up to 4 items side by side into the lanes of temporaries[0]. The lanes
    /// left over hold a copy of an item, or 0.
    void gather(std::span<const Operand> items, const std::array<int, 2>& temporaries);
    void copy_packet(int to, int from);
    void store_packet(Home to, int from);

  private:
    static asmjit::x86::Vec vec(int reg, int lanes);
    asmjit::x86::Mem pattern(Pattern which) const;
    asmjit::x86::Mem place(Home home) const;
    void load_bases();
    bool packed() const { return shape_.lanes > 1; }
    /// Truth of each lane into mask register `mask` (AVX-512).
    void test(int mask, int a, const Operand& b, int predicate);
    /// All ones in each lane where it holds (AVX2).
    void test_bits(int to, int a, const Operand& b, int predicate);
    void set_where(int mask, int to, Pattern which, bool else_zero);
    void sign(int to, int a, int scratch);
    void extremum(Op op, int to, int a, int b, int scratch);
    void logical(Op op, int to, int a, int b, int scratch);

    asmjit::x86::Assembler out_;
    Shape shape_;
    bool has_calls_ = false;
    bool used_wide_ = false;
    asmjit::x86::Gp inputs_, outputs_, workspace_, constants_;
    std::array<asmjit::x86::Gp, kMostBases> bases_;
};

}  // namespace ananke::code

// From steps to machine code: which value is in which register at each step.
//
// Operands in memory are used from there where the instruction allows it; a load is emitted only
// for the second one. A value that is an output is stored as soon as it is known, and read back
// from there when its register was given up. Functions are called with all that is live in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "code/encoder_x86.h"
#include "code/register_file.h"
#include "code/steps.h"

namespace ananke::code {

class Emitter {
  public:
    /// `steps` outlives the emitter. Values below first_constant are inputs, those from there to
    /// first_result constants.
    Emitter(const Steps& steps, ValueId first_constant, ValueId first_result, const Shape& shape);

    bool is_done() const { return position_ == steps_.steps.size() && copied_outputs_; }
    /// One function of about `size` steps, from where the last one ended.
    void emit_function(asmjit::CodeHolder& code, std::size_t size);
    /// Doubles that the functions emitted so far need as their workspace.
    std::size_t workspace_size() const;

  private:
    void emit_step(const Step& step);
    void emit_arithmetic(const Step& step);
    void emit_fused(const Step& step);
    void emit_unary(const Step& step);
    void emit_compare(const Step& step);
    void emit_choice(const Step& step);
    void emit_call(const Step& step);
    void emit_batch(std::span<const Step> calls);
    void copy_outputs();

    /// A register outside `pinned` that may be overwritten. Stores its value if it is still needed.
    int take_register(RegisterMask pinned);
    int in_register(ValueId value, RegisterMask pinned);
    asmjit::Operand operand(ValueId value) const;
    /// Stores a value that only a register holds.
    void save(ValueId value);
    void save_all();
    void forget_registers();
    /// Operands that are not read again give up their registers.
    void pass(const Step& step);
    /// After the instruction: dead operands give up their places.
    void bury(const Step& step);
    void define(ValueId value, int reg);
    void store_outputs(ValueId value, int reg);

    const Steps& steps_;
    Shape shape_;
    RegisterFile file_;
    int scratch_;                              ///< first register beyond those of values
    std::vector<std::uint32_t> first_output_;  ///< by value; a list through next_output_
    std::vector<std::uint32_t> next_output_;
    std::size_t position_ = 0;
    ValueId first_result_;
    bool copied_outputs_ = false;
    Encoder* out_ = nullptr;
};

}  // namespace ananke::code

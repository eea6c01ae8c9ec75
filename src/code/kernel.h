// A runnable function from numbers to numbers, whatever tier runs it.
//
// Callers hold Kernels, never a tier: native code where the CPU and ANANKE_CODE allow it (tier.h),
// else the interpreter; the bits are the same. Native code is emitted when the kernel is made, at
// 0.1 to 0.2 us per operation (two to three times the interpreter's tape), that of long programs
// after some runs (late_native.h). Copies are cheap (they share the code) and independent: one per
// thread.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "base/check.h"
#include "code/interpreter.h"
#include "code/late_native.h"
#include "code/lower.h"
#include "code/native.h"
#include "code/program.h"
#include "code/tier.h"
#include "sym/graph.h"

namespace ananke::code {

/// Lanes: 1, 4 or 8. Value i of lane l stands at [i*lanes + l] of the inputs and outputs.
template <int lanes>
class LaneKernel {
  public:
    /// `cpu` limits what native code may use.
    explicit LaneKernel(Program program, CpuFeatures cpu = chosen_features())
        : LaneKernel(std::make_shared<const Program>(std::move(program)), cpu) {}
    explicit LaneKernel(std::shared_ptr<const Program> program, CpuFeatures cpu = chosen_features())
        : program_(std::move(program)), tier_(make_tier(program_, cpu)) {}
    LaneKernel(const sym::Graph& graph, std::span<const sym::Expr> inputs,
               std::span<const sym::Expr> outputs)
        : LaneKernel(lower(graph, inputs, outputs)) {}

    std::size_t input_count() const { return program_->input_count; }
    std::size_t output_count() const { return program_->outputs.size(); }
    const Program& program() const { return *program_; }
    std::shared_ptr<const Program> shared_program() const { return program_; }
    bool is_native() const {
        const LateNative* late = std::get_if<LateNative>(&tier_);
        return std::holds_alternative<Native>(tier_) || (late != nullptr && late->is_native());
    }

    /// Reads input_count() numbers per lane, writes output_count(). Does not allocate, but for long
    /// programs (LateNative); no state is carried from one run to the next. The two arrays may not
    /// overlap: outputs are written as they become known.
    void run(const double* inputs, double* outputs) {
        if (Native* native = std::get_if<Native>(&tier_)) {
            native->run(inputs, outputs);
        } else if (LateNative* late = std::get_if<LateNative>(&tier_)) {
            late->run(inputs, outputs);
        } else {
            std::get_if<LaneInterpreter<lanes>>(&tier_)->run(inputs, outputs);
        }
    }
    void run(std::span<const double> inputs, std::span<double> outputs) {
        ANANKE_REQUIRE(inputs.size() == input_count() * lanes &&
                       outputs.size() == output_count() * lanes);
        run(inputs.data(), outputs.data());
    }

  private:
    using Tier = std::variant<Native, LaneInterpreter<lanes>, LateNative>;

    static Tier make_tier(const std::shared_ptr<const Program>& program, CpuFeatures cpu) {
        if (lanes == 1 && cpu.avx2 && program->instructions.size() >= LateNative::kLongProgram) {
            return LateNative(program, cpu);
        }
        // Programs that only pass values on are not worth a function.
        if (!program->instructions.empty()) {
            if (auto native = NativeCode::emit(*program, {.lanes = lanes, .cpu = cpu})) {
                return Native(std::move(native));
            }
        }
        return LaneInterpreter<lanes>(program);
    }

    std::shared_ptr<const Program> program_;
    Tier tier_;
};

using Kernel = LaneKernel<1>;

/// Lanes: 4 or 8.
template <int lanes>
using PacketKernel = LaneKernel<lanes>;

}  // namespace ananke::code

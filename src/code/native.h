// Machine code of a program, emitted in memory.
//
// One lane is a plain function of doubles. With 4 or 8 lanes each value is a packet, and value i of
// lane l stands at [i*lanes + l] in inputs and outputs. 8 lanes need AVX-512; without it they run
// as two halves of 4. Bits are those of the interpreter.
//
// Scalar code evaluates calls of one function in packets where their arguments are known together:
// they give the same bits in either form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "code/cpu.h"
#include "code/program.h"
#include "code/workspace.h"

namespace ananke::code {

/// `t` is read where the time is apart; `inputs` are those after it then.
using NativeFunction = void (*)(const double* inputs, double* outputs, double* workspace,
                                const double* constants, double t);

/// Where an input of scalar code stands: so many doubles from one of several bases.
struct InputPlace {
    std::uint32_t base, offset;
};
inline constexpr std::size_t kMostBases = 6;  ///< registers that are free for them

struct NativeOptions {
    int lanes = 1;  ///< 1, 4 or 8
    CpuFeatures cpu = cpu_features();
    /// Operations per emitted function; values that several of them need go through memory.
    std::size_t function_size = 100'000;
    /// Per input, or none: then inputs stand side by side. Requires one lane and no calls.
    std::vector<InputPlace> input_places = {};
    /// The first input is handed over by itself. Requires one lane, inputs side by side, and at
    /// least one of them.
    bool time_apart = false;
};

/// Constant and shared by all that run it.
class NativeCode {
  public:
    /// Nothing where the CPU lacks AVX2 and FMA, where the system refuses executable memory, or
    /// where the program is too large for 32-bit offsets. Requires is_valid(program).
    static std::shared_ptr<const NativeCode> emit(const Program& program,
                                                  const NativeOptions& options);

    NativeCode(const NativeCode&) = delete;
    NativeCode& operator=(const NativeCode&) = delete;
    ~NativeCode();

    /// See NativeFunction. The arrays may not overlap. `workspace` has workspace_size() doubles.
    void run(const double* inputs, double* outputs, double* workspace, double t) const;
    /// The function that is all of run(), or nullptr if run() calls several.
    NativeFunction only_function() const {
        return functions_.size() == 1 && halves_ == 1 ? functions_[0] : nullptr;
    }
    const double* constants() const { return pool_.data() + constants_begin_; }
    std::size_t workspace_size() const { return workspace_size_; }
    std::size_t function_count() const { return functions_.size(); }
    std::size_t code_size() const { return code_size_; }  ///< bytes

  private:
    NativeCode() = default;

    std::vector<NativeFunction> functions_;  ///< to be called one after the other
    int halves_ = 1;                         ///< 2 for 8 lanes with AVX2
    std::vector<double> pool_;
    std::size_t constants_begin_ = 0;
    std::size_t workspace_size_ = 0;
    std::size_t code_size_ = 0;
};

/// One runnable copy. Copies share the code; each thread takes its own.
class Native {
  public:
    explicit Native(std::shared_ptr<const NativeCode> code)
        : code_(std::move(code)),
          only_function_(code_->only_function()),
          constants_(code_->constants()),
          workspace_(code_->workspace_size()) {}

    void run(const double* inputs, double* outputs) { run(0.0, inputs, outputs); }

    /// Of code with the time apart.
    void run(double t, const double* rest, double* outputs) {
        if (only_function_ != nullptr) {
            only_function_(rest, outputs, workspace_.data(), constants_, t);
        } else {
            code_->run(rest, outputs, workspace_.data(), t);
        }
    }

    /// Of code with input places.
    void run(const double* const* bases, double* outputs) {
        run(reinterpret_cast<const double*>(bases), outputs);
    }

  private:
    std::shared_ptr<const NativeCode> code_;
    NativeFunction only_function_;  ///< of the code, at hand: small programs take nanoseconds
    const double* constants_;
    Workspace workspace_;
};

}  // namespace ananke::code

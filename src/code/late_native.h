// A long program that becomes native code once it has run often enough to be
// worth it.
//
// Emission costs as much as a hundred runs instruction by instruction save, and
// the equations of a large model as a whole run a few times at its start and
// then once per row of output. Until then nothing is prepared but memory for
// the values. Bits are those of every tier.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "code/cpu.h"
#include "code/native.h"
#include "code/program.h"

namespace ananke::code {

class LateNative {
  public:
    static constexpr std::size_t kLongProgram = 20'000;  ///< instructions
    static constexpr int kRunsBefore = 32;               ///< of all copies together

    LateNative(std::shared_ptr<const Program> program, CpuFeatures cpu);

    /// As LaneKernel<1>::run. Allocates at the first run, and when the code is
    /// emitted.
    void run(const double* inputs, double* outputs) {
        if (native_) {
            native_->run(inputs, outputs);
        } else {
            run_instructions(inputs, outputs);
        }
    }
    bool is_native() const { return native_.has_value(); }

  private:
    struct Shared;
    void run_instructions(const double* inputs, double* outputs);

    std::shared_ptr<Shared> shared_;
    std::vector<double> slots_;
    std::optional<Native> native_;
};

}  // namespace ananke::code

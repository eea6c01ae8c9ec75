// A kernel that is given the time by itself and reads its other inputs where they stand: the state
// of a run need not be copied beside the time first, which costs a small program half of what it
// takes itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "code/kernel.h"

namespace ananke::code {

/// Copies share the code and are independent, as those of Kernel.
class StateKernel {
  public:
    /// Requires at least one input.
    explicit StateKernel(Program program, CpuFeatures cpu = chosen_features());

    std::size_t output_count() const { return program_->outputs.size(); }
    const Program& program() const { return *program_; }
    std::shared_ptr<const Program> shared_program() const { return program_; }

    /// `rest`: the inputs after the first. As many are read as the program uses. The arrays may not
    /// overlap. Does not allocate, but for long programs (LateNative).
    void run(double t, const double* rest, double* outputs) {
        if (native_) {
            native_->run(t, rest, outputs);
        } else {
            run_copied(t, rest, outputs);
        }
    }

  private:
    void run_copied(double t, const double* rest, double* outputs);

    std::shared_ptr<const Program> program_;
    std::optional<Native> native_;
    // Otherwise:
    std::optional<Kernel> kernel_;
    std::vector<double> inputs_;
    std::size_t used_ = 0;  ///< see used_inputs()
};

}  // namespace ananke::code

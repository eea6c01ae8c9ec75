// All stages of a step of DOP853 as one program: the program of the acceleration eleven times, and
// the sums between them.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   i = 1 .. 11
//
// Bit for bit what the integrator computes stage by stage, without the way from one to the other;
// what depends on the time alone is evaluated for all stages together. It takes longer to make than
// the acceleration, so it is made when as many steps have been made as it has operations.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "code/kernel.h"
#include "sim/compiled_model.h"

namespace ananke::sim {

/// What the program of an acceleration gives: v, a, the energy rate, and what is watched.
struct AccelerationOutputs {
    std::size_t n = 0;
    std::size_t pivots = 0;  ///< at least their bound
    std::size_t parts = 0;   ///< at most theirs
};

/// Of one order of elimination, shared by all runs: what they have asked for, and the program.
class StageCode {
  public:
    StageCode(const code::Program& acceleration, const InputLayout& layout,
              const AccelerationOutputs& outputs);

    /// The program, once it pays or is `wanted`; else null, and the step is counted. Safe for
    /// several threads. Allocates where it makes the program.
    const code::Kernel* after_another_step(bool wanted) const;

    /// Numbers from one stage to the next.
    std::size_t stride() const { return (2 * outputs_.n + 2) / 2 * 2; }

  private:
    /// Inputs: those of the acceleration at the beginning of the step, then h, then k_0 without the
    /// energy rate, then per pivot and part what it is multiplied by before it is compared with 1.
    /// Outputs: k_1 to k_11; the least of the pivots over their bounds; 0 if all a are finite.
    code::Program record() const;
    std::size_t extra_inputs() const {
        return 1 + 2 * outputs_.n + outputs_.pivots + outputs_.parts;
    }

    code::Program acceleration_;
    InputLayout layout_;
    AccelerationOutputs outputs_;
    std::size_t operations_ = 0;  ///< about
    mutable std::atomic<std::size_t> steps_ = 0;
    mutable std::once_flag once_;
    mutable std::optional<code::Kernel> kernel_;
};

/// The same for one run.
class StageProgram {
  public:
    explicit StageProgram(std::shared_ptr<const StageCode> code);

    /// See StageCode::after_another_step.
    bool ready(bool wanted);
    /// Requires ready(). `inputs` of the acceleration at (t, y); `bounds` as among the inputs of
    /// the program; `k` starts with k_0. False if something watched is not sound at some stage or
    /// an acceleration not finite.
    bool run(std::span<const double> inputs, double h, std::span<const double> bounds, double* k);
    /// Numbers from one stage to the next in `k`.
    std::size_t stride() const { return code_->stride(); }

  private:
    std::shared_ptr<const StageCode> code_;
    std::optional<code::Kernel> kernel_;
    std::vector<double> inputs_;
};

}  // namespace ananke::sim

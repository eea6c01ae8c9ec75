// A step of DOP853 as one program: the program of the acceleration at every stage, the sums between
// them, the end of the step with its error, its projection, and the acceleration and the watch over
// the rank there.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   i = 1 .. 11,      y_1 = y + h sum_j b_j k_j
//
// It is put together from the programs of the parts (code/composer.h), so it gives bit for bit what
// these give one after the other, without the way from one to the next; what depends on the time
// alone is evaluated for all stages together. It takes longer to make than its parts, so
// it is made when as many steps have been made as it has operations.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "code/kernel.h"
#include "ode/problem.h"
#include "sim/compiled_model.h"

namespace ananke::sim {

/// What a step is put together from. Programs are null where a run does without; all have the
/// inputs of InputLayout.
struct StepParts {
    using Part = std::shared_ptr<const code::Program>;

    /// v, a, the energy rate; then what is watched.
    Part acceleration;
    std::size_t pivots = 0;  ///< watched: at least their bounds
    std::size_t parts = 0;   ///< watched: at most theirs
    /// Corrections (n), residuals, magnitudes: see CompiledProjection.
    Part position, velocity;
    /// See RankWatch.
    Part rank;

    // Numbers of this run.
    std::span<const double> bounds = {};  ///< what is watched is multiplied by them: at least 1
    std::span<const double> position_floors = {}, velocity_floors = {};  ///< least scales, per row

    bool has_programs_of(const StepParts& other) const {
        return acceleration == other.acceleration && position == other.position &&
               velocity == other.velocity && rank == other.rank;
    }
};

/// Where the numbers of the program stand among its inputs and outputs.
struct StepLayout {
    StepLayout(const InputLayout& state, const StepParts& parts);

    std::size_t n;
    std::size_t size;  ///< of y: q, v, and the work
    std::size_t watched;
    std::size_t position_rows, velocity_rows;
    std::size_t stride;  ///< numbers from one stage to the next

    // Inputs, after those of the parts, which are at t:
    std::size_t work;  ///< last component of y
    std::size_t h, t_end;
    std::size_t slope;   ///< k_0
    std::size_t bounds;  ///< what each pivot and part is multiplied by before it is compared with 1
    std::size_t rtol, atol;
    std::size_t floors;  ///< least scales of residuals, of positions, then of velocities
    std::size_t input_count;

    // Outputs, after k_1 to k_11:
    std::size_t raw_end, end, end_slope;
    std::size_t error;       ///< and its roots
    std::size_t soundness;   ///< least of the pivots over their bounds; 0 if all values are finite
    std::size_t projection;  ///< per level residual and correction; largest value of the raw end
    std::size_t rank;        ///< outputs of the watch over the rank
};

/// Of one choice of parts, shared by all runs: what they have asked for, and the program.
class StepCode {
  public:
    StepCode(const InputLayout& state, const StepParts& parts);

    /// What one run needs to make steps.
    struct Memory {
        explicit Memory(const code::Kernel& code);
        code::Kernel kernel;
        std::vector<double> inputs, outputs;
    };
    struct GiveBack {
        const StepCode* code;
        void operator()(Memory* memory) const { code->give_back(memory); }
    };
    using Lent = std::unique_ptr<Memory, GiveBack>;

    /// The program, once it pays or is `wanted`; else null, and the step is counted. Safe for
    /// several threads. Allocates where it makes the program, or where no other run has given its
    /// memory back. The code must outlive what it lends.
    Lent after_another_step(bool wanted) const;

    const StepLayout& layout() const { return layout_; }
    /// The program reads more of the state than t, q and v.
    bool reads_more() const { return reads_more_; }

  private:
    code::Program record() const;
    void make() const;
    void give_back(Memory* memory) const;

    StepLayout layout_;
    std::size_t pivots_;
    StepParts::Part acceleration_, position_, velocity_, rank_;
    std::size_t operations_ = 0;  ///< about
    mutable std::atomic<std::size_t> steps_ = 0;
    mutable std::once_flag once_;
    mutable std::optional<code::Kernel> kernel_;
    mutable bool reads_more_ = false;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Memory>> idle_;
};

/// The same for one run.
class StepProgram {
  public:
    explicit StepProgram(std::shared_ptr<const StepCode> code) : code_(std::move(code)) {}

    /// See StepCode::after_another_step.
    bool ready(bool wanted) {
        if (memory_ == nullptr) {
            memory_ = code_->after_another_step(wanted);
        }
        return memory_ != nullptr;
    }

    struct Level {
        double residual, correction;
    };
    /// Requires ready(). The numbers that hold for the steps to come; `parts` of this program.
    void load(const StepParts& parts, std::span<const double> atol, double rtol);
    /// Requires load(). `inputs` of the parts at any state. False if something watched is not
    /// sound at some state, a value not finite, or no error at all.
    bool run(std::span<const double> inputs, ode::WholeStep& step);

    // Of the last run().
    Level position() const { return level(0); }
    Level velocity() const { return level(2); }
    double largest_value() const { return memory_->outputs[code_->layout().projection + 4]; }
    /// Outputs of the watch over the rank.
    const double* ranks() const { return memory_->outputs.data() + code_->layout().rank; }

  private:
    Level level(std::size_t at) const {
        const double* const from = memory_->outputs.data() + code_->layout().projection + at;
        return {from[0], from[1]};
    }

    std::shared_ptr<const StepCode> code_;
    StepCode::Lent memory_{nullptr, StepCode::GiveBack{nullptr}};
};

}  // namespace ananke::sim

// What a record becomes: one program, or segments of code that share what is equal.
#pragma once

#include <utility>
#include <variant>

#include "code/segmented.h"
#include "code/state_kernel.h"

namespace ananke::code {

/// Copies share the code and are independent, as those of Kernel.
class RecordedKernel {
  public:
    explicit RecordedKernel(StateKernel program) : kernel_(std::move(program)) {}
    explicit RecordedKernel(SegmentedKernel segments) : kernel_(std::move(segments)) {}

    std::size_t output_count() const {
        return std::visit([](const auto& one) { return one.output_count(); }, kernel_);
    }
    /// Instructions of one run.
    std::size_t size() const {
        return program() != nullptr ? program()->program().instructions.size()
                                    : segments()->program().instruction_count();
    }
    // One of these two is null.
    StateKernel* program() { return std::get_if<StateKernel>(&kernel_); }
    const StateKernel* program() const { return std::get_if<StateKernel>(&kernel_); }
    const SegmentedKernel* segments() const { return std::get_if<SegmentedKernel>(&kernel_); }

    void run(const double* inputs, double* outputs) {
        if (StateKernel* one = program()) {
            one->run(inputs[0], inputs + 1, outputs);
        } else {
            std::get_if<SegmentedKernel>(&kernel_)->run(inputs, outputs);
        }
    }

  private:
    std::variant<StateKernel, SegmentedKernel> kernel_;
};

}  // namespace ananke::code

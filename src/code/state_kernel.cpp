#include "code/state_kernel.h"

#include "base/check.h"

namespace ananke::code {

StateKernel::StateKernel(Program program, CpuFeatures cpu)
    : program_(std::make_shared<const Program>(std::move(program))) {
    ANANKE_REQUIRE(program_->input_count > 0);
    if (program_->instructions.size() < LateNative::kLongProgram) {
        if (auto code = NativeCode::emit(*program_, {.cpu = cpu, .time_apart = true})) {
            native_.emplace(std::move(code));
            return;
        }
    }
    kernel_.emplace(program_, cpu);
    inputs_.resize(program_->input_count);
    used_ = std::max<std::size_t>(used_inputs(*program_), 1);
}

void StateKernel::run_copied(double t, const double* rest, double* outputs) {
    inputs_[0] = t;
    std::copy_n(rest, used_ - 1, inputs_.begin() + 1);
    kernel_->run(inputs_.data(), outputs);
}

}  // namespace ananke::code

#include "code/late_native.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "code/operations.h"

namespace ananke::code {
namespace {

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]]
#endif
void run_each(const Program& program, double* slots) {
    const Functions& f = functions();
    for (const Instruction& one : program.instructions) {
        slots[one.target] = apply(one.op, slots[one.a], slots[one.b], slots[one.c], f);
    }
}

}  // namespace

/// Of all copies.
struct LateNative::Shared {
    Shared(std::shared_ptr<const Program> what, CpuFeatures with)
        : program(std::move(what)), cpu(with) {}

    /// The code, once there have been enough runs; nothing before, and where none
    /// can be emitted.
    std::shared_ptr<const NativeCode> after_run() {
        const std::scoped_lock lock(mutex);
        if (++runs == kRunsBefore) {
            code = NativeCode::emit(*program, {.lanes = 1, .cpu = cpu});
        }
        return code;
    }

    const std::shared_ptr<const Program> program;
    const CpuFeatures cpu;
    std::mutex mutex;
    int runs = 0;
    std::shared_ptr<const NativeCode> code;
};

LateNative::LateNative(std::shared_ptr<const Program> program, CpuFeatures cpu)
    : shared_(std::make_shared<Shared>(std::move(program), cpu)) {}

void LateNative::run_instructions(const double* inputs, double* outputs) {
    const Program& program = *shared_->program;
    slots_.resize(program.slot_count);
    std::copy_n(inputs, program.input_count, slots_.begin());
    std::copy(program.constants.begin(), program.constants.end(),
              slots_.begin() + program.input_count);
    run_each(program, slots_.data());
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
        outputs[k] = slots_[program.outputs[k]];
    }
    if (std::shared_ptr<const NativeCode> code = shared_->after_run()) {
        native_.emplace(std::move(code));
        std::vector<double>().swap(slots_);
    }
}

}  // namespace ananke::code

#include "code/interpreter.h"

#include <algorithm>

#include "base/check.h"
#include "code/operations.h"

namespace ananke::code {
namespace {

[[gnu::always_inline]] inline void execute(const Program& program, double* slots,
                                           const double* inputs, double* outputs) {
    std::copy_n(inputs, program.input_count, slots);
    const Functions& f = functions();
    for (const Instruction& i : program.instructions) {
        slots[i.target] = apply(i.op, slots[i.a], slots[i.b], slots[i.c], f);
    }
    for (const Slot slot : program.outputs) {
        *outputs++ = slots[slot];
    }
}

void execute_with_library_fma(const Program& program, double* slots, const double* inputs,
                              double* outputs) {
    execute(program, slots, inputs, outputs);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void execute_with_cpu_fma(const Program& program, double* slots,
                                                      const double* inputs, double* outputs) {
    execute(program, slots, inputs, outputs);
}
#else
constexpr auto execute_with_cpu_fma = execute_with_library_fma;
#endif

}  // namespace

Interpreter::Interpreter(Program program, FmaTier tier)
    : program_(std::make_shared<const Program>(std::move(program))),
      execute_(tier == FmaTier::kCpu && cpu_has_fma() ? execute_with_cpu_fma
                                                      : execute_with_library_fma),
      slots_(program_->slot_count, 0.0) {
    ANANKE_REQUIRE(is_valid(*program_));
    std::copy(program_->constants.begin(), program_->constants.end(),
              slots_.begin() + program_->input_count);
}

}  // namespace ananke::code

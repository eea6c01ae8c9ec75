#include "code/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "code/operations.h"
#include "code/tape.h"

namespace ananke::code {
namespace {

using Operands = Tape::Operands;

/// Runs equal operations on the operands from `o` to `end`.
using RunBatch = void (*)(const Operands* o, const Operands* end, double* slots,
                          const Functions& f);

template <Op op>
[[gnu::always_inline]] inline void run_batch(const Operands* o, const Operands* end, double* slots,
                                             const Functions& f) {
    for (; o != end; ++o) {
        slots[o->target] = apply(op, slots[o->a], slots[o->b], slots[o->c], f);
    }
}

template <Op op>
void run_with_library_fma(const Operands* o, const Operands* end, double* slots,
                          const Functions& f) {
    run_batch<op>(o, end, slots, f);
}

#if defined(__x86_64__)
template <Op op>
[[gnu::target("avx2,fma")]] void run_with_cpu_fma(const Operands* o, const Operands* end,
                                                  double* slots, const Functions& f) {
    run_batch<op>(o, end, slots, f);
}
#else
template <Op op>
constexpr auto run_with_cpu_fma = run_with_library_fma<op>;
#endif

template <std::size_t... I>
constexpr std::array<RunBatch, kOpCount> library_table(std::index_sequence<I...> /*ops*/) {
    return {run_with_library_fma<static_cast<Op>(I)>...};
}

template <std::size_t... I>
constexpr std::array<RunBatch, kOpCount> cpu_table(std::index_sequence<I...> /*ops*/) {
    return {run_with_cpu_fma<static_cast<Op>(I)>...};
}

constexpr auto kLibraryTable = library_table(std::make_index_sequence<kOpCount>());
constexpr auto kCpuTable = cpu_table(std::make_index_sequence<kOpCount>());

struct Batch {
    RunBatch run;
    std::uint32_t count;
};

}  // namespace

struct Interpreter::Code {
    Program program;
    std::vector<Batch> batches;
    std::vector<Operands> operands;
    std::vector<Slot> outputs;
    std::uint32_t slot_count;
    const Functions& functions;
};

Interpreter::Interpreter(Program program, FmaTier tier) {
    ANANKE_REQUIRE(is_valid(program));
    Tape tape = make_tape(program);
    const auto& table = tier == FmaTier::kCpu && cpu_has_fma() ? kCpuTable : kLibraryTable;
    std::vector<Batch> batches;
    batches.reserve(tape.batches.size());
    for (const Tape::Batch& batch : tape.batches) {
        batches.push_back({table[static_cast<std::size_t>(batch.op)], batch.count});
    }
    slots_.assign(tape.slot_count, 0.0);
    std::copy(program.constants.begin(), program.constants.end(),
              slots_.begin() + program.input_count);
    code_ = std::make_shared<const Code>(Code{std::move(program), std::move(batches),
                                              std::move(tape.operands), std::move(tape.outputs),
                                              tape.slot_count, functions()});
}

const Program& Interpreter::program() const {
    return code_->program;
}

void Interpreter::run(const double* inputs, double* outputs) {
    double* slots = slots_.data();
    std::copy_n(inputs, code_->program.input_count, slots);
    const Operands* operands = code_->operands.data();
    for (const Batch& batch : code_->batches) {
        batch.run(operands, operands + batch.count, slots, code_->functions);
        operands += batch.count;
    }
    for (const Slot slot : code_->outputs) {
        *outputs++ = slots[slot];
    }
}

}  // namespace ananke::code

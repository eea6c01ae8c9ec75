#include "code/interpreter.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "code/operations.h"
#include "code/tape.h"

namespace ananke::code {
namespace {

using Operands = Tape::Operands;

/// Runs equal operations on the operands from `o` to `end`.
using RunBatch = void (*)(const Operands* o, const Operands* end, double* slots,
                          const Functions& f);

template <Op op, int lanes>
[[gnu::always_inline]] inline void run_batch(const Operands* o, const Operands* end, double* slots,
                                             const Functions& f) {
    constexpr std::size_t n = lanes;
    for (; o != end; ++o) {
        const double* a = slots + o->a * n;
        const double* b = slots + o->b * n;
        const double* c = slots + o->c * n;
        double* target = slots + o->target * n;
        // The target is an operand or apart from it, so no lane reads what another one wrote.
#if defined(__GNUC__) && !defined(__clang__)
// Loops that are unrolled first are not vectorised any more.
#pragma GCC ivdep
#pragma GCC unroll 1
#endif
        for (std::size_t l = 0; l < n; ++l) {
            target[l] = apply(op, a[l], b[l], c[l], f);
        }
    }
}

template <Op op, int lanes>
void run_with_library_fma(const Operands* o, const Operands* end, double* slots,
                          const Functions& f) {
    run_batch<op, lanes>(o, end, slots, f);
}

#if defined(__x86_64__)
template <Op op, int lanes>
[[gnu::target("avx2,fma")]] void run_with_cpu_fma(const Operands* o, const Operands* end,
                                                  double* slots, const Functions& f) {
    run_batch<op, lanes>(o, end, slots, f);
}
#else
template <Op op, int lanes>
constexpr auto run_with_cpu_fma = run_with_library_fma<op, lanes>;
#endif

template <int lanes, std::size_t... I>
constexpr std::array<RunBatch, kOpCount> library_table(std::index_sequence<I...> /*ops*/) {
    return {run_with_library_fma<static_cast<Op>(I), lanes>...};
}

template <int lanes, std::size_t... I>
constexpr std::array<RunBatch, kOpCount> cpu_table(std::index_sequence<I...> /*ops*/) {
    return {run_with_cpu_fma<static_cast<Op>(I), lanes>...};
}

template <int lanes>
constexpr auto kLibraryTable = library_table<lanes>(std::make_index_sequence<kOpCount>());
template <int lanes>
constexpr auto kCpuTable = cpu_table<lanes>(std::make_index_sequence<kOpCount>());

struct Batch {
    RunBatch run;
    std::uint32_t count;
};

}  // namespace

template <int lanes>
struct LaneInterpreter<lanes>::Code {
    std::shared_ptr<const Program> program;
    std::vector<Batch> batches;
    std::vector<Operands> operands;
    std::vector<Slot> outputs;
    std::uint32_t slot_count;
    const Functions& functions;
};

template <int lanes>
LaneInterpreter<lanes>::LaneInterpreter(std::shared_ptr<const Program> program, FmaTier tier) {
    ANANKE_REQUIRE(is_valid(*program));
    Tape tape = make_tape(*program);
    const auto& table =
        tier == FmaTier::kCpu && cpu_has_fma() ? kCpuTable<lanes> : kLibraryTable<lanes>;
    std::vector<Batch> batches;
    batches.reserve(tape.batches.size());
    for (const Tape::Batch& batch : tape.batches) {
        batches.push_back({table[static_cast<std::size_t>(batch.op)], batch.count});
    }
    slots_.assign(std::size_t{tape.slot_count} * lanes, 0.0);
    double* slot = slots_.data() + std::size_t{program->input_count} * lanes;
    for (const double constant : program->constants) {
        slot = std::fill_n(slot, lanes, constant);
    }
    code_ = std::make_shared<const Code>(Code{std::move(program), std::move(batches),
                                              std::move(tape.operands), std::move(tape.outputs),
                                              tape.slot_count, functions()});
}

template <int lanes>
const Program& LaneInterpreter<lanes>::program() const {
    return *code_->program;
}

template <int lanes>
void LaneInterpreter<lanes>::run(const double* inputs, double* outputs) {
    double* slots = slots_.data();
    std::copy_n(inputs, std::size_t{code_->program->input_count} * lanes, slots);
    const Operands* operands = code_->operands.data();
    for (const Batch& batch : code_->batches) {
        batch.run(operands, operands + batch.count, slots, code_->functions);
        operands += batch.count;
    }
    for (const Slot slot : code_->outputs) {
        outputs = std::copy_n(slots + std::size_t{slot} * lanes, lanes, outputs);
    }
}

template class LaneInterpreter<1>;
template class LaneInterpreter<4>;
template class LaneInterpreter<8>;

}  // namespace ananke::code

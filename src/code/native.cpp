#include "code/native.h"

#include "base/check.h"

namespace ananke::code {

void NativeCode::run(const double* inputs, double* outputs, double* workspace, double t) const {
    constexpr int kHalf = 4;
    for (int half = 0; half < halves_; ++half) {
        // Without inputs or outputs the array may be null, which has no second half.
        const double* from = inputs == nullptr ? nullptr : inputs + kHalf * half;
        double* to = outputs == nullptr ? nullptr : outputs + kHalf * half;
        for (const NativeFunction function : functions_) {
            function(from, to, workspace, constants(), t);
        }
    }
}

}  // namespace ananke::code

#if defined(__x86_64__)

#include <asmjit/core.h>

#include "code/emitter_x86.h"

namespace ananke::code {
namespace {

/// Owner of all executable memory. Never destroyed: kernels in static storage may outlive any
/// static object.
///
/// No memory is mapped writable and executable at once: each block is mapped twice, once to be
/// written and once to be run. Changing the rights of one mapping in turn would need pages of its
/// own for every program, because other threads run code while this one emits.
asmjit::JitRuntime& runtime() {
    static auto* const runtime = [] {
        asmjit::JitAllocator::CreateParams parameters;
        parameters.options = asmjit::JitAllocatorOptions::kUseDualMapping;
        return new asmjit::JitRuntime(&parameters);
    }();
    return *runtime;
}

/// An instruction that the encoder refuses is a bug of the emitter; a lack of memory is not.
class Errors : public asmjit::ErrorHandler {
  public:
    void handleError(asmjit::Error error, const char* /*message*/,
                     asmjit::BaseEmitter* /*origin*/) override {
        ANANKE_REQUIRE(error == asmjit::kErrorOutOfMemory || error == asmjit::kErrorTooLarge);
        failed = true;
    }
    bool failed = false;
};

/// Offsets from the four base pointers have 32 bits.
bool fits_offsets(const Program& program) {
    const std::size_t values = program.first_temporary() + program.instructions.size() +
                               program.outputs.size() + 8 * program.instructions.size();
    return values * kPatternDoubles * sizeof(double) < (std::size_t{1} << 31);
}

}  // namespace

NativeCode::~NativeCode() {
    for (const NativeFunction function : functions_) {
        runtime().release(function);
    }
}

std::shared_ptr<const NativeCode> NativeCode::emit(const Program& program,
                                                   const NativeOptions& options) {
    ANANKE_REQUIRE(is_valid(program));
    ANANKE_REQUIRE(options.lanes == 1 || options.lanes == 4 || options.lanes == 8);
    if (!options.cpu.avx2 || !fits_offsets(program)) {
        return nullptr;
    }
    const bool in_halves = options.lanes == 8 && !options.cpu.avx512;
    const Shape shape{.lanes = in_halves ? 4 : options.lanes,
                      .stride = options.lanes,
                      .avx512 = options.cpu.avx512,
                      .input_places = options.input_places,
                      .time_apart = options.time_apart};
    ANANKE_REQUIRE(options.input_places.empty() ||
                   (options.lanes == 1 && options.input_places.size() == program.input_count));
    ANANKE_REQUIRE(!options.time_apart ||
                   (options.lanes == 1 && options.input_places.empty() && program.input_count > 0));
    const std::size_t largest_batch = shape.lanes > 1 ? 1 : kBatchLanes;
    const Steps steps = make_steps(program, largest_batch);

    const std::shared_ptr<NativeCode> native(new NativeCode());
    native->halves_ = in_halves ? 2 : 1;
    native->pool_ = constant_pool(program, shape);
    native->constants_begin_ = kPatternCount * kPatternDoubles;
    Emitter emitter(steps, program.input_count, program.first_temporary(), shape);
    while (!emitter.is_done()) {
        asmjit::CodeHolder code;
        Errors errors;
        code.init(runtime().environment());
        code.setErrorHandler(&errors);
        emitter.emit_function(code, options.function_size);
        NativeFunction function = nullptr;
        if (errors.failed || runtime().add(&function, &code) != asmjit::kErrorOk) {
            return nullptr;
        }
        native->functions_.push_back(function);
        native->code_size_ += code.codeSize();
    }
    native->workspace_size_ = emitter.workspace_size();
    return native;
}

}  // namespace ananke::code

#else

namespace ananke::code {

NativeCode::~NativeCode() = default;

std::shared_ptr<const NativeCode> NativeCode::emit(const Program& program,
                                                   const NativeOptions& options) {
    ANANKE_REQUIRE(is_valid(program));
    ANANKE_REQUIRE(options.lanes == 1 || options.lanes == 4 || options.lanes == 8);
    return nullptr;
}

}  // namespace ananke::code

#endif

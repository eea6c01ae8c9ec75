// The interpreter: the portable execution tier, and the oracle of those that emit machine code.
//
// With 4 or 8 lanes each value is a packet: one decision what to do serves all lanes, and where
// the compiler knows vector instructions they do the work of several.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "code/program.h"

namespace ananke::code {

/// How fused operations are computed. Same bits either way: both round once.
enum class FmaTier : std::uint8_t {
    kCpu,      ///< the instruction where this CPU has it, else as below
    kLibrary,  ///< std::fma of the C library
};

/// One runnable copy of a program. Copies share the code and own their slots, so each thread takes
/// a copy of its own. Lanes: 1, 4 or 8.
template <int lanes>
class LaneInterpreter {
  public:
    /// Requires is_valid(program).
    explicit LaneInterpreter(std::shared_ptr<const Program> program, FmaTier tier = FmaTier::kCpu);
    explicit LaneInterpreter(Program program, FmaTier tier = FmaTier::kCpu)
        : LaneInterpreter(std::make_shared<const Program>(std::move(program)), tier) {}

    const Program& program() const;

    /// Reads program().input_count numbers per lane, writes program().outputs.size(). Value i of
    /// lane l stands at [i*lanes + l]. Does not allocate. The two arrays may overlap.
    void run(const double* inputs, double* outputs);

  private:
    struct Code;

    std::shared_ptr<const Code> code_;
    std::vector<double> slots_;  ///< inputs, constants (set once), temporaries
};

using Interpreter = LaneInterpreter<1>;

extern template class LaneInterpreter<1>;
extern template class LaneInterpreter<4>;
extern template class LaneInterpreter<8>;

}  // namespace ananke::code

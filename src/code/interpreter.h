// The interpreter: the first execution tier, and the oracle of those that emit machine code.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "code/program.h"

namespace ananke::code {

/// How fused operations are computed. Same bits either way: both round once.
enum class FmaTier : std::uint8_t {
    kCpu,      ///< the instruction where this CPU has it, else as below
    kLibrary,  ///< std::fma of the C library
};

/// One runnable copy of a program. Copies share the code and own their slots, so each thread takes
/// a copy of its own.
class Interpreter {
  public:
    /// Requires is_valid(program).
    explicit Interpreter(Program program, FmaTier tier = FmaTier::kCpu);

    const Program& program() const;

    /// Reads program().input_count numbers, writes program().outputs.size(). Does not allocate.
    /// The two arrays may overlap.
    void run(const double* inputs, double* outputs);

  private:
    struct Code;

    std::shared_ptr<const Code> code_;
    std::vector<double> slots_;  ///< inputs, constants (set once), temporaries
};

}  // namespace ananke::code

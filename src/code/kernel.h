// A runnable function from numbers to numbers, whatever tier runs it.
//
// Callers hold Kernels, never a tier. Today the tier is the interpreter; native code takes its
// place here. Copies are cheap (they share the program) and independent: one per thread.
#pragma once

#include <span>

#include "base/check.h"
#include "code/interpreter.h"
#include "code/lower.h"
#include "code/program.h"
#include "sym/graph.h"

namespace ananke::code {

class Kernel {
  public:
    explicit Kernel(Program program) : tier_(std::move(program)) {}
    Kernel(const sym::Graph& graph, std::span<const sym::Expr> inputs,
           std::span<const sym::Expr> outputs)
        : Kernel(lower(graph, inputs, outputs)) {}

    std::size_t input_count() const { return tier_.program().input_count; }
    std::size_t output_count() const { return tier_.program().outputs.size(); }
    const Program& program() const { return tier_.program(); }

    /// Reads input_count() numbers, writes output_count(). Does not allocate; no state is carried
    /// from one run to the next. The two arrays may overlap.
    void run(const double* inputs, double* outputs) { tier_.run(inputs, outputs); }
    void run(std::span<const double> inputs, std::span<double> outputs) {
        ANANKE_REQUIRE(inputs.size() == input_count() && outputs.size() == output_count());
        run(inputs.data(), outputs.data());
    }

  private:
    Interpreter tier_;
};

}  // namespace ananke::code

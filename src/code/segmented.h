// A long program as a sequence of small ones: segments of equal structure share one kernel.
//
// All values that outlive their segment stand in one array: the inputs, numbers, then what each
// segment hands on. A segment gathers its inputs from there by a list of places and writes its
// outputs side by side. So the code has the size of the distinct segments, however long the
// sequence: a chain of 10,000 bodies runs from a few pages of code that stay in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "code/kernel.h"
#include "code/program.h"

namespace ananke::code {

struct SegmentedProgram {
    struct Segment {
        std::uint32_t kernel;        ///< among `kernels`
        std::uint32_t first_output;  ///< place of its first output among the values
    };

    std::uint32_t input_count = 0;
    std::uint32_t value_count = 0;
    std::vector<double> numbers;          ///< stand after the inputs
    std::vector<Program> kernels;         ///< of distinct structure
    std::vector<Segment> segments;        ///< in the order in which they run
    std::vector<std::uint32_t> gathered;  ///< places of the inputs of each segment in turn
    std::vector<std::uint32_t> outputs;   ///< places

    /// Instructions that one run takes.
    std::size_t instruction_count() const;
};

/// Copies share the code and the lists; each has values of its own.
class SegmentedKernel {
  public:
    explicit SegmentedKernel(SegmentedProgram program);

    std::size_t input_count() const { return program_->input_count; }
    std::size_t output_count() const { return program_->outputs.size(); }
    const SegmentedProgram& program() const { return *program_; }

    /// As LaneKernel<1>::run.
    void run(const double* inputs, double* outputs);

  private:
    std::shared_ptr<const SegmentedProgram> program_;
    std::vector<Kernel> kernels_;
    std::vector<double> values_;
    std::vector<double> gathered_;
};

}  // namespace ananke::code

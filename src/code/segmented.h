// A long program as a sequence of small ones: segments of equal structure share their code.
//
// All values that outlive their segment stand in one array: the inputs, numbers, then what each
// segment hands on. A segment gathers its inputs from there and writes its outputs side by side. So
// the code has the size of the distinct segments, however long the sequence: a chain of 10,000
// bodies runs from a few pages of code that stay in the cache.
//
// What a segment computes from values that are known before any of eight consecutive segments of
// its family runs (the equations of a body, say, which depend on the state alone) is evaluated for
// these eight at once, in packets. What remains runs segment by segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "code/program.h"

namespace ananke::code {

struct SegmentedProgram {
    static constexpr std::uint32_t kPacket = 8;  ///< segments of a family evaluated at once

    /// Where a program finds its inputs. Inputs that keep their distances in all segments of the
    /// family form a group: per segment only the base of each group is kept.
    struct Gather {
        std::vector<std::uint32_t> offsets;    ///< per input, from the base of its group
        std::vector<std::uint32_t> group_end;  ///< per group: one past its last input
        std::vector<std::uint32_t> bases;      ///< per segment of the family, per group
    };
    struct Part {
        Program program;
        Gather gather;
    };
    /// Segments of equal structure.
    struct Family {
        Part ahead;  ///< evaluated in packets; without outputs if there is nothing to do
        Part rest;   ///< its inputs: those gathered, then the outputs of `ahead`
        bool all_ahead = false;  ///< the outputs of `ahead` are those of the segment
    };
    struct Segment {
        std::uint32_t family;
        std::uint32_t member;        ///< which of the family it is
        std::uint32_t first_output;  ///< place of its first output among the values
    };
    /// Values that stand side by side.
    struct Run {
        std::uint32_t first, count;
    };

    std::uint32_t input_count = 0;
    std::uint32_t output_count = 0;
    std::uint32_t value_count = 0;
    std::vector<double> numbers;    ///< stand after the inputs
    std::vector<Family> families;   ///< of distinct structure
    std::vector<Segment> segments;  ///< in the order in which they run
    std::vector<Run> inputs;        ///< those that are read
    std::vector<Run> outputs;

    /// Instructions that one run takes, those in packets counted for each segment.
    std::size_t instruction_count() const;
    /// The same, those in packets alone.
    std::size_t packet_instruction_count() const;
};

/// Copies share the code and the lists; each has values of its own.
class SegmentedKernel {
  public:
    explicit SegmentedKernel(SegmentedProgram program);
    SegmentedKernel(const SegmentedKernel& other);
    SegmentedKernel& operator=(const SegmentedKernel& other);
    SegmentedKernel(SegmentedKernel&&) noexcept;
    SegmentedKernel& operator=(SegmentedKernel&&) noexcept;
    ~SegmentedKernel();

    std::size_t input_count() const { return program_->input_count; }
    std::size_t output_count() const { return program_->output_count; }
    const SegmentedProgram& program() const { return *program_; }

    /// As LaneKernel<1>::run.
    void run(const double* inputs, double* outputs);

  private:
    struct State;

    std::shared_ptr<const SegmentedProgram> program_;
    std::unique_ptr<State> state_;
};

}  // namespace ananke::code

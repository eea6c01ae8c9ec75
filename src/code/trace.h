// A long computation as it was recorded: a tape of operations per segment, equal tapes kept once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "code/program.h"
#include "code/segmented.h"

namespace ananke::code {

struct Trace {
    static constexpr std::uint32_t kInputs = 0xffffffff;  ///< as the segment of a value

    /// Where an operand of a step comes from: its own segment, another one, or nowhere.
    enum class Source : std::uint32_t { kOwn = 0, kOutside = 1, kNumber = 2 };
    struct Reference {
        std::uint32_t segment, index;
        friend bool operator==(const Reference&, const Reference&) = default;
    };
    struct Step {
        Op op;
        std::array<std::uint32_t, 3> operands;  ///< 4 * index + Source
        // One by one: a comparison of arrays would be a call for each step of every tape.
        friend bool operator==(const Step& x, const Step& y) {
            return x.op == y.op && x.operands[0] == y.operands[0] &&
                   x.operands[1] == y.operands[1] && x.operands[2] == y.operands[2];
        }
    };
    using Tape = std::vector<Step>;
    struct Segment {
        std::uint32_t tape;
        std::size_t first_outside, first_number;
    };
    struct Output {
        bool is_number;
        double number;   ///< if it is one
        Reference from;  ///< if not
    };

    std::uint32_t input_count = 0;
    std::vector<Tape> tapes;
    std::vector<Segment> segments;   ///< an order in which they can run
    std::vector<Reference> outside;  ///< what all segments take from elsewhere
    std::vector<double> numbers;     ///< of all segments
};

/// What the outputs need of a trace. Segments of equal tape that hand on the same values become one
/// family; they run level by level, so that those which do not depend on each other stand together.
SegmentedProgram make_segments(const Trace& trace, std::span<const Trace::Output> outputs);

}  // namespace ananke::code

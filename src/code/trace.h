// A computation as it was recorded: a list of operations per segment, equal lists kept once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "code/builder.h"
#include "code/program.h"
#include "code/segmented.h"

namespace ananke::code {

struct Trace {
    static constexpr std::uint32_t kInputs = 0xffffffff;  ///< as the segment of a value

    /// Where an operand comes from: its own segment, another one, or nowhere.
    enum class Source : std::uint32_t { kOwn = 0, kOutside = 1, kNumber = 2 };
    struct Reference {
        std::uint32_t segment, index;
        friend bool operator==(const Reference&, const Reference&) = default;
    };
    struct Operation {
        Op op;
        std::array<std::uint32_t, 3> operands;  ///< 4 * index + Source
        // One by one: a comparison of arrays would be a call for each operation of every pattern.
        friend bool operator==(const Operation& x, const Operation& y) {
            return x.op == y.op && x.operands[0] == y.operands[0] &&
                   x.operands[1] == y.operands[1] && x.operands[2] == y.operands[2];
        }
    };
    /// What segments of equal structure do.
    using Pattern = std::vector<Operation>;
    struct Segment {
        std::uint32_t pattern;
        std::size_t first_outside, first_number;
    };
    struct Output {
        bool is_number;
        double number;   ///< if it is one
        Reference from;  ///< if not
    };

    std::uint32_t input_count = 0;
    std::vector<Pattern> patterns;
    std::vector<Segment> segments;   ///< an order in which they can run
    std::vector<Reference> outside;  ///< what all segments take from elsewhere
    std::vector<double> numbers;     ///< of all segments
};

/// An operation on values of a builder; `value_of` gives those of its operands.
template <class ValueOf>
Value apply_to(Builder& builder, Op op, const std::array<std::uint32_t, 3>& operands,
               const ValueOf& value_of) {
    const Value a = value_of(operands[0]);
    return arity(op) == 1   ? builder.apply(op, a)
           : arity(op) == 2 ? builder.apply(op, a, value_of(operands[1]))
                            : builder.apply(op, a, value_of(operands[1]), value_of(operands[2]));
}

/// What the outputs need of a trace. Segments of equal pattern that hand on the same values become
/// one family; they run level by level, so that those which do not depend on each other stand
/// together.
SegmentedProgram make_segments(const Trace& trace, std::span<const Trace::Output> outputs);

}  // namespace ananke::code

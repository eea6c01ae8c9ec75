// Segments of equal structure, and how they divide the work: what is computed in packets, ahead of
// the segments, and what segment by segment.
#pragma once

#include <cstdint>
#include <vector>

#include "code/trace.h"

namespace ananke::code {

/// Segments of one pattern that hand on the same values.
struct SegmentFamily {
    using Places = std::vector<std::uint32_t>;

    std::uint32_t pattern;
    Places handed_on;
    std::vector<char> needed = {};       ///< per step
    Places outside = {}, numbers = {};   ///< of the pattern, that needed operations read
    Places members = {};                 ///< segments, as they run
    std::vector<int> number_input = {};  ///< per number: column, -1 if it is part of the code
    Places columns = {};                 ///< a number for each column
    std::vector<char> ahead = {};        ///< per step: needed and computed in packets
    Places passed_on = {};               ///< of these steps, those that others read
    Places slot = {};                    ///< per value handed on: which output it is

    /// From the values that are handed on. Nothing is ahead yet.
    void find_needs(const Trace& trace);
    /// Numbers that are the same in all members become part of the code; the others are inputs,
    /// those that agree everywhere once.
    void sort_numbers(const Trace& trace);
    /// What is computed in packets. `late`: per value from outside, up to the last needed one: not
    /// known ahead.
    void split(const Trace& trace, const std::vector<char>& late);
    /// Nothing remains for the segments to do.
    bool is_all_ahead() const { return passed_on == handed_on; }

    /// Ascending, each once.
    static void make_set(Places& places);
};

/// Calls `visit` with source and index of each operand.
template <class Visit>
void for_each_source(const Trace::Operation& step, Visit&& visit) {
    for (int k = 0; k < arity(step.op); ++k) {
        const std::uint32_t operand = step.operands[static_cast<std::size_t>(k)];
        visit(static_cast<Trace::Source>(operand % 4), operand / 4);
    }
}

}  // namespace ananke::code

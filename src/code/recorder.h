// Records a numeric computation as a program: algorithms written for any scalar become
// straight-line programs when they run with the scalar Recorded.
//
// The caller cuts the record where the work on one part of a system ends. Within a segment, what
// comes from outside (inputs, values of earlier segments, numbers) is renumbered in the order of
// first use, so parts of equal structure leave equal lists of operations, and a list that is known
// is not kept again: memory grows with the values that pass between segments. A short record
// becomes one program all the same, in which the cuts leave no mark; see kernel().
//
// Products with 0, 1 and -1 and sums with 0 are not recorded: an infinite or undefined factor of an
// exact zero is the one thing that the program then computes differently.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/program.h"
#include "code/recorded_kernel.h"
#include "code/segmented.h"
#include "code/trace.h"

namespace ananke::code {

class Recorder;

/// A value of one Recorder, or a number. The Recorder must outlive it.
class Recorded {
  public:
    Recorded() = default;
    Recorded(double number)  // NOLINT(google-explicit-constructor): as 2.0 * x
        : word_(std::bit_cast<std::uint64_t>(number)) {}

    bool is_number() const { return recorder_ == nullptr; }
    bool is(double number) const { return is_number() && this->number() == number; }
    /// Of a number.
    double number() const { return std::bit_cast<double>(word_); }
    /// The same operation on record, the same input, or the same number.
    bool is_same_as(const Recorded& other) const {
        return recorder_ == other.recorder_ &&
               (is_number() ? number() == other.number() : word_ == other.word_);
    }

    friend Recorded operator+(const Recorded& x, const Recorded& y);
    friend Recorded operator-(const Recorded& x, const Recorded& y);
    friend Recorded operator*(const Recorded& x, const Recorded& y);
    friend Recorded operator/(const Recorded& x, const Recorded& y);

  private:
    friend class Recorder;
    Recorded(Recorder& recorder, std::uint32_t segment, std::uint32_t index)
        : recorder_(&recorder), word_((std::uint64_t{segment} << 32) | index) {}
    std::uint32_t segment() const { return static_cast<std::uint32_t>(word_ >> 32); }
    std::uint32_t index() const { return static_cast<std::uint32_t>(word_); }

    // Large models hold millions of them: one word for either kind.
    Recorder* recorder_ = nullptr;
    std::uint64_t word_ = 0;  ///< bits of a number (0.0 at first), or segment and index of a value
};

inline Recorded reciprocal(const Recorded& x) {
    return Recorded(1.0) / x;
}
inline Recorded scaled(const Recorded& x, double factor) {
    return x * Recorded(factor);
}

/// Outputs of which a caller needs the magnitude alone: a program leaves a last change of their
/// sign out.
struct FreeSigns {
    std::size_t first = 0, count = 0;
};

class Recorder {
  public:
    explicit Recorder(std::uint32_t input_count) { trace_.input_count = input_count; }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    Recorded input(std::uint32_t index);
    /// Any operation but the fused ones; operands beyond its own are ignored.
    Recorded apply(Op op, const Recorded& a, const Recorded& b = {}, const Recorded& c = {});

    /// Number of the segment that is being recorded.
    std::uint32_t segment() const { return segment_; }
    /// What follows belongs to the next segment. Does nothing where the present one is empty.
    void cut();

    /// The outputs as one program. The record may go on afterwards.
    Program program(std::span<const Recorded> outputs, FreeSigns free = {});
    /// The outputs as one segment of code per segment of the record.
    SegmentedProgram segments(std::span<const Recorded> outputs);
    /// One program, or segments where the record has more operations than `most`.
    RecordedKernel kernel(std::span<const Recorded> outputs, std::size_t most, FreeSigns free = {});

    /// The usual bound on the operations of one program. Segments of equal structure share their code and
    /// run in packets of eight: measured on chains of bodies, segments of 7,000 operations take 0.9 of the
    /// time of one program, and 0.8 of the time to make it, though values that several segments need are
    /// computed in each (docs/notes/elimination.md). Records of up to 1,500 operations had nothing to gain.
    static constexpr std::size_t kMostOperations = 5'000;

  private:
    using Reference = Trace::Reference;
    using Source = Trace::Source;
    friend Recorded operator+(const Recorded& x, const Recorded& y);
    friend Recorded operator-(const Recorded& x, const Recorded& y);
    friend Recorded operator*(const Recorded& x, const Recorded& y);
    friend Recorded operator/(const Recorded& x, const Recorded& y);
    static Recorded binary(Op op, const Recorded& x, const Recorded& y);
    static Recorded negative(const Recorded& x);
    Recorded append(const Trace::Operation& operation);
    std::uint32_t operand(const Recorded& x);
    std::uint32_t outside_place(Reference reference);
    std::uint32_t pattern_number();

    Trace trace_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  ///< patterns
    std::size_t operations_ = 0;                                     ///< of all segments
    // The segment that is being recorded.
    std::uint32_t segment_ = 0;
    Trace::Pattern pattern_;
    std::size_t first_outside_ = 0, first_number_ = 0;
    /// Places of values from outside, open addressing, as many as a power of 2; entries of older
    /// segments are void.
    struct Found {
        Reference reference{};
        std::uint32_t segment = Trace::kInputs, place = 0;
    };
    std::vector<Found> found_ = std::vector<Found>(1024);
};

}  // namespace ananke::code

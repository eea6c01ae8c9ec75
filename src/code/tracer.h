// Records a long computation segment by segment, finding segments of equal structure as it goes.
//
// Like Recorded, a Traced scalar records what is done to it. Here the caller cuts the record where
// the work on one part of a system ends; what a segment takes from outside (inputs, values of
// earlier segments, numbers) is renumbered in the order of first use, so that equal parts leave
// equal tapes. A tape that has been seen is not kept again: memory grows with the values that pass
// between segments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/segmented.h"
#include "code/trace.h"

namespace ananke::code {

class Tracer;

/// A value of one Tracer, or a number. The Tracer must outlive it.
class Traced {
  public:
    Traced() = default;
    Traced(double number)  // NOLINT(google-explicit-constructor): as 2.0 * x
        : word_(std::bit_cast<std::uint64_t>(number)) {}

    bool is_number() const { return tracer_ == nullptr; }
    bool is(double number) const { return is_number() && this->number() == number; }
    /// Of a number.
    double number() const { return std::bit_cast<double>(word_); }

    friend Traced operator+(const Traced& x, const Traced& y);
    friend Traced operator-(const Traced& x, const Traced& y);
    friend Traced operator*(const Traced& x, const Traced& y);
    friend Traced operator/(const Traced& x, const Traced& y);

  private:
    friend class Tracer;
    Traced(Tracer& tracer, std::uint32_t segment, std::uint32_t index)
        : tracer_(&tracer), word_((std::uint64_t{segment} << 32) | index) {}
    std::uint32_t segment() const { return static_cast<std::uint32_t>(word_ >> 32); }
    std::uint32_t index() const { return static_cast<std::uint32_t>(word_); }

    // Large models hold millions of them: one word for either kind.
    Tracer* tracer_ = nullptr;
    std::uint64_t word_ = 0;  ///< bits of a number (0.0 at first), or segment and index of a value
};

inline Traced reciprocal(const Traced& x) {
    return Traced(1.0) / x;
}
inline Traced scaled(const Traced& x, double factor) {
    return x * Traced(factor);
}

class Tracer {
  public:
    explicit Tracer(std::uint32_t input_count) { trace_.input_count = input_count; }
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    Traced input(std::uint32_t index);
    /// Any operation but the fused ones; operands beyond its own are not looked at.
    Traced apply(Op op, const Traced& a, const Traced& b = {}, const Traced& c = {});
    /// Number of the segment that is being recorded.
    std::uint32_t segment() const { return segment_; }
    /// What follows belongs to the next segment. Does nothing where the present one is empty.
    void cut();

    /// Ends the record.
    SegmentedProgram finish(std::span<const Traced> outputs);

  private:
    using Reference = Trace::Reference;
    using Source = Trace::Source;
    friend Traced operator+(const Traced& x, const Traced& y);
    friend Traced operator-(const Traced& x, const Traced& y);
    friend Traced operator*(const Traced& x, const Traced& y);
    friend Traced operator/(const Traced& x, const Traced& y);
    static Traced binary(Op op, const Traced& x, const Traced& y);

    Traced append(const Trace::Step& step);
    std::uint32_t operand(const Traced& x);
    std::uint32_t outside_place(Reference reference);
    std::uint32_t tape_number();

    Trace trace_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  ///< tapes
    // The segment that is being recorded.
    std::uint32_t segment_ = 0;
    Trace::Tape tape_;
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

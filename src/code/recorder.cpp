#include "code/recorder.h"

#include "base/check.h"
#include "code/builder.h"
#include "code/mix.h"
#include "code/operations.h"

namespace ananke::code {

inline Recorded Recorder::append(const Trace::Operation& step) {
    pattern_.push_back(step);
    return {*this, segment_, static_cast<std::uint32_t>(pattern_.size() - 1)};
}

inline std::uint32_t Recorder::operand(const Recorded& x) {
    if (x.is_number()) {
        trace_.numbers.push_back(x.number());
        const std::size_t place = trace_.numbers.size() - 1 - first_number_;
        return 4 * static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(Source::kNumber);
    }
    if (x.segment() == segment_) {
        return 4 * x.index() + static_cast<std::uint32_t>(Source::kOwn);
    }
    return 4 * outside_place({x.segment(), x.index()}) +
           static_cast<std::uint32_t>(Source::kOutside);
}

inline Recorded Recorder::binary(Op op, const Recorded& x, const Recorded& y) {
    if (x.is_number() && y.is_number()) {
        return code::apply(op, x.number(), y.number(), 0.0, functions());
    }
    Recorder& recorder = x.is_number() ? *y.recorder_ : *x.recorder_;
    const std::uint32_t a = recorder.operand(x);
    return recorder.append({op, {a, recorder.operand(y), 0}});
}

Recorded Recorder::negative(const Recorded& x) {
    return x.is_number() ? Recorded(-x.number()) : x.recorder_->apply(Op::kNeg, x);
}

Recorded operator+(const Recorded& x, const Recorded& y) {
    if (x.is(0.0)) {
        return y;
    }
    return y.is(0.0) ? x : Recorder::binary(Op::kAdd, x, y);
}

Recorded operator-(const Recorded& x, const Recorded& y) {
    if (y.is(0.0)) {
        return x;
    }
    return x.is(0.0) ? Recorder::negative(y) : Recorder::binary(Op::kSub, x, y);
}

Recorded operator*(const Recorded& x, const Recorded& y) {
    if (x.is(0.0) || y.is(0.0)) {
        return 0.0;
    }
    if (x.is(1.0) || y.is(1.0)) {
        return x.is(1.0) ? y : x;
    }
    if (x.is(-1.0) || y.is(-1.0)) {
        return Recorder::negative(x.is(-1.0) ? y : x);
    }
    return Recorder::binary(Op::kMul, x, y);
}

Recorded operator/(const Recorded& x, const Recorded& y) {
    if (x.is(0.0)) {
        return 0.0;
    }
    return y.is(1.0) ? x : Recorder::binary(Op::kDiv, x, y);
}

Recorded Recorder::input(std::uint32_t index) {
    ANANKE_REQUIRE(index < trace_.input_count);
    return {*this, Trace::kInputs, index};
}

Recorded Recorder::apply(Op op, const Recorded& a, const Recorded& b, const Recorded& c) {
    const int count = arity(op);
    if (a.is_number() && (count < 2 || b.is_number()) && (count < 3 || c.is_number())) {
        return code::apply(op, a.number(), b.number(), c.number(), functions());
    }
    Trace::Operation step{op, {operand(a), 0, 0}};
    if (count > 1) {
        step.operands[1] = operand(b);
    }
    if (count > 2) {
        step.operands[2] = operand(c);
    }
    return append(step);
}

/// Place of a value among what the present segment takes from outside.
std::uint32_t Recorder::outside_place(Reference reference) {
    const std::size_t used = trace_.outside.size() - first_outside_;
    if (2 * used >= found_.size()) {
        found_.assign(2 * found_.size(), {});
        const std::size_t mask = found_.size() - 1;
        for (std::size_t i = first_outside_; i < trace_.outside.size(); ++i) {
            std::size_t at = mix(trace_.outside[i].segment, trace_.outside[i].index) & mask;
            while (found_[at].segment == segment_) {
                at = (at + 1) & mask;
            }
            found_[at] = {trace_.outside[i], segment_,
                          static_cast<std::uint32_t>(i - first_outside_)};
        }
    }
    const std::size_t mask = found_.size() - 1;
    std::size_t at = mix(reference.segment, reference.index) & mask;
    while (found_[at].segment == segment_) {
        if (found_[at].reference == reference) {
            return found_[at].place;
        }
        at = (at + 1) & mask;
    }
    const auto place = static_cast<std::uint32_t>(used);
    found_[at] = {reference, segment_, place};
    trace_.outside.push_back(reference);
    return place;
}

void Recorder::cut() {
    if (pattern_.empty()) {
        return;
    }
    trace_.segments.push_back({pattern_number(), first_outside_, first_number_});
    operations_ += pattern_.size();
    ++segment_;
    pattern_.clear();
    first_outside_ = trace_.outside.size();
    first_number_ = trace_.numbers.size();
}

/// Of the segment among the patterns known.
std::uint32_t Recorder::pattern_number() {
    std::uint64_t hash = 0;
    for (const Trace::Operation& step :
         pattern_) {  // one multiplication each: patterns are compared in full
        hash ^= (std::uint64_t{step.operands[0]} << 8) + static_cast<std::uint64_t>(step.op) +
                (std::uint64_t{step.operands[1]} << 32) + (std::uint64_t{step.operands[2]} << 20);
        hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15U;
    }
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (trace_.patterns[known->second] == pattern_) {
            return known->second;
        }
    }
    const auto number = static_cast<std::uint32_t>(trace_.patterns.size());
    by_hash_.emplace(hash, number);
    trace_.patterns.push_back(pattern_);
    return number;
}

Program Recorder::program(std::span<const Recorded> outputs, FreeSigns free) {
    cut();
    Builder builder(trace_.input_count);
    std::vector<std::vector<Value>> values(trace_.segments.size());
    for (std::size_t s = 0; s < values.size(); ++s) {
        const Trace::Segment& segment = trace_.segments[s];
        const auto value_of = [&](std::uint32_t operand) {
            const std::uint32_t index = operand / 4;
            switch (static_cast<Source>(operand % 4)) {
                case Source::kOwn:
                    return values[s][index];
                case Source::kOutside: {
                    const Reference from = trace_.outside[segment.first_outside + index];
                    return from.segment == Trace::kInputs ? builder.input(from.index)
                                                          : values[from.segment][from.index];
                }
                case Source::kNumber:
                    break;
            }
            return builder.constant(trace_.numbers[segment.first_number + index]);
        };
        for (const auto& [op, operands] : trace_.patterns[segment.pattern]) {
            values[s].push_back(apply_to(builder, op, operands, value_of));
        }
    }
    std::vector<Value> list;
    list.reserve(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Recorded& one = outputs[i];
        const Value value = one.is_number()                   ? builder.constant(one.number())
                            : one.segment() == Trace::kInputs ? builder.input(one.index())
                                                              : values[one.segment()][one.index()];
        const bool is_free =
            i - free.first < free.count;  // before `first`: wraps to a large number
        list.push_back(is_free ? builder.unsigned_part(value) : value);
    }
    return builder.finish(list);
}

SegmentedProgram Recorder::segments(std::span<const Recorded> outputs) {
    cut();
    std::vector<Trace::Output> list;
    list.reserve(outputs.size());
    for (const Recorded& output : outputs) {
        list.push_back({output.is_number(), output.number(), {output.segment(), output.index()}});
    }
    return make_segments(trace_, list);
}

RecordedKernel Recorder::kernel(std::span<const Recorded> outputs, std::size_t most,
                                FreeSigns free) {
    return operations_ + pattern_.size() <= most
               ? RecordedKernel(StateKernel(program(outputs, free)))
               : RecordedKernel(SegmentedKernel(segments(outputs)));
}

}  // namespace ananke::code

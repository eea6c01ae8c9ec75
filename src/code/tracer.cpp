#include "code/tracer.h"

#include "base/check.h"
#include "code/folding.h"
#include "code/mix.h"
#include "code/operations.h"

namespace ananke::code {

inline Traced Tracer::append(const Trace::Step& step) {
    tape_.push_back(step);
    return {*this, segment_, static_cast<std::uint32_t>(tape_.size() - 1)};
}

inline std::uint32_t Tracer::operand(const Traced& x) {
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

inline Traced Tracer::binary(Op op, const Traced& x, const Traced& y) {
    if (x.is_number() && y.is_number()) {
        return code::apply(op, x.number(), y.number(), 0.0, functions());
    }
    Tracer& tracer = x.is_number() ? *y.tracer_ : *x.tracer_;
    const std::uint32_t a = tracer.operand(x);
    return tracer.append({op, {a, tracer.operand(y), 0}});
}

Traced operator+(const Traced& x, const Traced& y) {
    return folded_sum(
        x, y, [](const Traced& a, const Traced& b) { return Tracer::binary(Op::kAdd, a, b); });
}

Traced operator-(const Traced& x, const Traced& y) {
    return folded_difference(
        x, y, [](const Traced& a, const Traced& b) { return Tracer::binary(Op::kSub, a, b); },
        [&](const Traced&) { return y.tracer_->apply(Op::kNeg, y); });
}

Traced operator*(const Traced& x, const Traced& y) {
    return folded_product(
        x, y, [](const Traced& a, const Traced& b) { return Tracer::binary(Op::kMul, a, b); });
}

Traced operator/(const Traced& x, const Traced& y) {
    return folded_quotient(
        x, y, [](const Traced& a, const Traced& b) { return Tracer::binary(Op::kDiv, a, b); });
}

Traced Tracer::input(std::uint32_t index) {
    ANANKE_REQUIRE(index < trace_.input_count);
    return {*this, Trace::kInputs, index};
}

Traced Tracer::apply(Op op, const Traced& a, const Traced& b, const Traced& c) {
    const int count = arity(op);
    if (a.is_number() && (count < 2 || b.is_number()) && (count < 3 || c.is_number())) {
        return code::apply(op, a.number(), b.number(), c.number(), functions());
    }
    Trace::Step step{op, {operand(a), 0, 0}};
    if (count > 1) {
        step.operands[1] = operand(b);
    }
    if (count > 2) {
        step.operands[2] = operand(c);
    }
    return append(step);
}

/// Place of a value among what the present segment takes from outside.
std::uint32_t Tracer::outside_place(Reference reference) {
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

void Tracer::cut() {
    if (tape_.empty()) {
        return;
    }
    trace_.segments.push_back({tape_number(), first_outside_, first_number_});
    ++segment_;
    tape_.clear();
    first_outside_ = trace_.outside.size();
    first_number_ = trace_.numbers.size();
}

/// The tape among those seen.
std::uint32_t Tracer::tape_number() {
    std::uint64_t hash = 0;
    for (const Trace::Step& step : tape_) {  // one multiplication each: tapes are compared in full
        hash ^= (std::uint64_t{step.operands[0]} << 8) + static_cast<std::uint64_t>(step.op) +
                (std::uint64_t{step.operands[1]} << 32) + (std::uint64_t{step.operands[2]} << 20);
        hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15U;
    }
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (trace_.tapes[known->second] == tape_) {
            return known->second;
        }
    }
    const auto number = static_cast<std::uint32_t>(trace_.tapes.size());
    by_hash_.emplace(hash, number);
    trace_.tapes.push_back(tape_);
    return number;
}

SegmentedProgram Tracer::finish(std::span<const Traced> outputs) {
    cut();
    std::vector<Trace::Output> list;
    list.reserve(outputs.size());
    for (const Traced& output : outputs) {
        list.push_back({output.is_number(), output.number(), {output.segment(), output.index()}});
    }
    return make_segments(trace_, list);
}

}  // namespace ananke::code

#include "code/tracer.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/check.h"
#include "code/builder.h"
#include "code/folding.h"
#include "code/mix.h"
#include "code/operations.h"

namespace ananke::code {
namespace {

/// Numbers that stand among the values, each once.
class NumberPool {
  public:
    std::uint32_t place(double number) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        const auto [found, is_new] =
            places_.emplace(bits, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            numbers_.push_back(number);
        }
        return found->second;
    }
    std::vector<double> take() { return std::move(numbers_); }

  private:
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
    std::vector<double> numbers_;
};

}  // namespace

Traced Tracer::binary(Op op, const Traced& x, const Traced& y) {
    if (x.is_number() && y.is_number()) {
        return code::apply(op, x.number_, y.number_, 0.0, functions());
    }
    return (x.is_number() ? *y.tracer_ : *x.tracer_).apply(op, x, y);
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
    ANANKE_REQUIRE(index < input_count_);
    Traced value;
    value.tracer_ = this;
    value.segment_ = kInputs;
    value.index_ = index;
    return value;
}

Traced Tracer::apply(Op op, const Traced& a, const Traced& b, const Traced& c) {
    const int count = arity(op);
    if (a.is_number() && (count < 2 || b.is_number()) && (count < 3 || c.is_number())) {
        return code::apply(op, a.number_, b.number_, c.number_, functions());
    }
    TapeStep step{op, {operand(a), 0, 0}};
    if (count > 1) {
        step.operands[1] = operand(b);
    }
    if (count > 2) {
        step.operands[2] = operand(c);
    }
    Traced value;
    value.tracer_ = this;
    value.segment_ = segment();
    value.index_ = static_cast<std::uint32_t>(tape_.size());
    tape_.push_back(step);
    return value;
}

std::uint32_t Tracer::operand(const Traced& x) {
    if (x.is_number()) {
        numbers_.push_back(x.number_);
        const std::size_t place = numbers_.size() - 1 - first_number_;
        return 4 * static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(Source::kNumber);
    }
    if (x.segment_ == segment()) {
        return 4 * x.index_ + static_cast<std::uint32_t>(Source::kOwn);
    }
    return 4 * outside_place({x.segment_, x.index_}) + static_cast<std::uint32_t>(Source::kOutside);
}

/// Place of a value among what the present segment takes from outside.
std::uint32_t Tracer::outside_place(Reference reference) {
    const std::size_t used = outside_.size() - first_outside_;
    if (2 * used >= found_.size()) {
        found_.assign(2 * found_.size(), {});
        for (std::size_t i = first_outside_; i < outside_.size(); ++i) {
            std::size_t at = mix(outside_[i].segment, outside_[i].index) % found_.size();
            while (found_[at].segment == segment()) {
                at = (at + 1) % found_.size();
            }
            found_[at] = {outside_[i], segment(), static_cast<std::uint32_t>(i - first_outside_)};
        }
    }
    std::size_t at = mix(reference.segment, reference.index) % found_.size();
    while (found_[at].segment == segment()) {
        if (found_[at].reference == reference) {
            return found_[at].place;
        }
        at = (at + 1) % found_.size();
    }
    const auto place = static_cast<std::uint32_t>(used);
    found_[at] = {reference, segment(), place};
    outside_.push_back(reference);
    return place;
}

void Tracer::cut() {
    if (tape_.empty()) {
        return;
    }
    segments_.push_back({tape_number(), first_outside_, first_number_});
    tape_.clear();
    first_outside_ = outside_.size();
    first_number_ = numbers_.size();
}

/// The tape among those seen.
std::uint32_t Tracer::tape_number() {
    std::uint64_t hash = 0;
    for (const TapeStep& step : tape_) {  // one multiplication each: tapes are compared in full
        hash ^= (std::uint64_t{step.operands[0]} << 8) + static_cast<std::uint64_t>(step.op) +
                (std::uint64_t{step.operands[1]} << 32) + (std::uint64_t{step.operands[2]} << 20);
        hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15U;
    }
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (tapes_[known->second] == tape_) {
            return known->second;
        }
    }
    const auto number = static_cast<std::uint32_t>(tapes_.size());
    by_hash_.emplace(hash, number);
    tapes_.push_back(tape_);
    return number;
}

Tracer::Family Tracer::make_family(std::uint32_t tape, std::vector<std::uint32_t> handed_on) const {
    Family family{tape, std::move(handed_on), {}, {}};
    const Tape& steps = tapes_[tape];
    std::vector<char> needed(steps.size(), 0);
    for (const std::uint32_t value : family.handed_on) {
        needed[value] = 1;
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (needed[i] == 0) {
            continue;
        }
        for (int k = 0; k < arity(steps[i].op); ++k) {
            const std::uint32_t operand = steps[i].operands[static_cast<std::size_t>(k)];
            switch (static_cast<Source>(operand % 4)) {
                case Source::kOwn:
                    needed[operand / 4] = 1;
                    break;
                case Source::kOutside:
                    family.outside.push_back(operand / 4);
                    break;
                case Source::kNumber:
                    family.numbers.push_back(operand / 4);
                    break;
            }
        }
    }
    for (std::vector<std::uint32_t>* places : {&family.outside, &family.numbers}) {
        std::sort(places->begin(), places->end());
        places->erase(std::unique(places->begin(), places->end()), places->end());
    }
    return family;
}

/// From the last segment to the first, so that what a segment must hand on is known when its turn
/// comes.
std::vector<Tracer::Family> Tracer::families(std::span<const Traced> outputs) {
    for (const Traced& output : outputs) {
        if (!output.is_number() && output.segment_ != kInputs) {
            segments_[output.segment_].handed_on.push_back(output.index_);
        }
    }
    std::vector<Family> families;
    std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> known;
    for (std::size_t s = segments_.size(); s-- > 0;) {
        std::vector<std::uint32_t>& handed_on = segments_[s].handed_on;
        std::sort(handed_on.begin(), handed_on.end());
        handed_on.erase(std::unique(handed_on.begin(), handed_on.end()), handed_on.end());
        const auto [place, is_new] = known.emplace(std::pair(segments_[s].tape, handed_on),
                                                   static_cast<std::uint32_t>(families.size()));
        if (is_new) {
            families.push_back(make_family(segments_[s].tape, handed_on));
        }
        segments_[s].family = place->second;
        Family& family = families[place->second];
        family.members.push_back(static_cast<std::uint32_t>(s));
        for (const std::uint32_t outside : family.outside) {
            const Reference from = outside_[segments_[s].first_outside + outside];
            if (from.segment != kInputs) {
                segments_[from.segment].handed_on.push_back(from.index);
            }
        }
    }
    return families;
}

/// Numbers that are the same in all members become part of the code; the others are inputs, those
/// that agree everywhere once.
void Tracer::sort_numbers(Family& family) const {
    std::map<std::vector<std::uint64_t>, int> columns;
    const std::vector<std::uint32_t> all = std::move(family.numbers);
    family.numbers.clear();
    for (const std::uint32_t number : all) {
        std::vector<std::uint64_t> column;
        for (const std::uint32_t member : family.members) {
            column.push_back(
                std::bit_cast<std::uint64_t>(numbers_[segments_[member].first_number + number]));
        }
        if (family.number_input.size() <= number) {
            family.number_input.resize(number + 1, -1);
        }
        if (std::equal(column.begin() + 1, column.end(), column.begin())) {
            continue;
        }
        const auto [place, is_new] =
            columns.emplace(std::move(column), static_cast<int>(family.numbers.size()));
        if (is_new) {
            family.numbers.push_back(number);
        }
        family.number_input[number] = place->second;
    }
}

Program Tracer::program(const Family& family) const {
    const Tape& steps = tapes_[family.tape];
    const Segment& example = segments_[family.members.front()];
    Builder builder(static_cast<std::uint32_t>(family.outside.size() + family.numbers.size()));
    std::unordered_map<std::uint32_t, std::uint32_t> outside;
    for (const std::uint32_t place : family.outside) {
        outside.emplace(place, static_cast<std::uint32_t>(outside.size()));
    }
    std::vector<char> needed(steps.size(), 0);
    for (const std::uint32_t value : family.handed_on) {
        needed[value] = 1;
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
        for (int k = 0; needed[i] != 0 && k < arity(steps[i].op); ++k) {
            const std::uint32_t operand = steps[i].operands[static_cast<std::size_t>(k)];
            if (static_cast<Source>(operand % 4) == Source::kOwn) {
                needed[operand / 4] = 1;
            }
        }
    }
    std::vector<Value> values(steps.size());
    const auto value_of = [&](std::uint32_t operand) {
        switch (static_cast<Source>(operand % 4)) {
            case Source::kOwn:
                return values[operand / 4];
            case Source::kOutside:
                return builder.input(outside.at(operand / 4));
            case Source::kNumber:
                break;
        }
        const int input = family.number_input[operand / 4];
        return input < 0 ? builder.constant(numbers_[example.first_number + operand / 4])
                         : builder.input(static_cast<std::uint32_t>(family.outside.size()) +
                                         static_cast<std::uint32_t>(input));
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (needed[i] == 0) {
            continue;
        }
        const auto& [op, operands] = steps[i];
        const Value a = value_of(operands[0]);
        switch (arity(op)) {
            case 1:
                values[i] = builder.apply(op, a);
                break;
            case 2:
                values[i] = builder.apply(op, a, value_of(operands[1]));
                break;
            default:
                values[i] = builder.apply(op, a, value_of(operands[1]), value_of(operands[2]));
                break;
        }
    }
    std::vector<Value> outputs;
    for (const std::uint32_t value : family.handed_on) {
        outputs.push_back(values[value]);
    }
    return builder.finish(outputs);
}

SegmentedProgram Tracer::finish(std::span<const Traced> outputs) {
    cut();
    SegmentedProgram result;
    result.input_count = input_count_;
    std::vector<Family> all = families(outputs);
    NumberPool pool;
    for (Family& family : all) {
        sort_numbers(family);
        result.kernels.push_back(program(family));
    }
    // Places of the numbers are needed before the first output has one.
    std::vector<std::vector<std::uint32_t>> number_places(segments_.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        for (const std::uint32_t number : all[segments_[s].family].numbers) {
            number_places[s].push_back(input_count_ +
                                       pool.place(numbers_[segments_[s].first_number + number]));
        }
    }
    std::vector<std::uint32_t> output_numbers;
    for (const Traced& output : outputs) {
        output_numbers.push_back(output.is_number() ? input_count_ + pool.place(output.number_)
                                                    : 0);
    }
    result.numbers = pool.take();
    auto next = input_count_ + static_cast<std::uint32_t>(result.numbers.size());
    std::vector<std::uint32_t> first_output;
    const auto place_of = [&](Reference from) {
        if (from.segment == kInputs) {
            return from.index;
        }
        const std::vector<std::uint32_t>& handed_on = segments_[from.segment].handed_on;
        const auto found = std::lower_bound(handed_on.begin(), handed_on.end(), from.index);
        return first_output[from.segment] + static_cast<std::uint32_t>(found - handed_on.begin());
    };
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        const Segment& segment = segments_[s];
        first_output.push_back(next);
        if (segment.handed_on.empty()) {
            continue;
        }
        next += static_cast<std::uint32_t>(segment.handed_on.size());
        result.segments.push_back({segment.family, first_output.back()});
        for (const std::uint32_t outside : all[segment.family].outside) {
            result.gathered.push_back(place_of(outside_[segment.first_outside + outside]));
        }
        result.gathered.insert(result.gathered.end(), number_places[s].begin(),
                               number_places[s].end());
    }
    result.value_count = next;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        result.outputs.push_back(outputs[k].is_number()
                                     ? output_numbers[k]
                                     : place_of({outputs[k].segment_, outputs[k].index_}));
    }
    return result;
}

}  // namespace ananke::code

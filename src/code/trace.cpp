#include "code/trace.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "code/builder.h"
#include "code/segment_family.h"

namespace ananke::code {
namespace {

using Source = Trace::Source;
using Reference = Trace::Reference;
using Family = SegmentFamily;
using Places = SegmentFamily::Places;

constexpr std::uint32_t kPacket = SegmentedProgram::kPacket;
/// Packets are worth their while from this many segments on.
constexpr std::size_t kLeastMembers = 4;

std::uint32_t narrow(std::size_t i) {
    return static_cast<std::uint32_t>(i);
}

/// Numbers that stand among the values, each once.
class NumberPool {
  public:
    std::uint32_t place(double number) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        const auto [found, is_new] = places_.emplace(bits, narrow(numbers_.size()));
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

/// An input of a part: a value from outside, or a number that differs between segments.
struct PartInput {
    bool is_number;
    std::uint32_t index;  ///< of the pattern, or the column
    // clang-tidy 14 takes the 0 of the generated comparison for a null pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const PartInput&, const PartInput&) = default;
};

class Segmenter {
  public:
    Segmenter(const Trace& trace, std::span<const Trace::Output> outputs)
        : trace_(trace),
          outputs_(outputs),
          handed_on_(trace.segments.size()),
          family_of_(trace.segments.size()),
          position_(trace.segments.size(), 0),
          first_output_(trace.segments.size(), 0) {}

    SegmentedProgram make() {
        find_families();
        order_segments();
        for (Family& family : families_) {
            family.sort_numbers(trace_);
            if (family.members.size() >= kLeastMembers) {
                family.split(trace_, late_values(family));
            }
        }
        order_outputs();
        place_values();
        for (const Family& family : families_) {
            result_.families.push_back(code_of(family));
        }
        place_outputs();
        find_inputs();
        return std::move(result_);
    }

  private:
    const Trace::Pattern& pattern(const Family& family) const {
        return trace_.patterns[family.pattern];
    }
    Reference outside(std::uint32_t segment, std::uint32_t i) const {
        return trace_.outside[trace_.segments[segment].first_outside + i];
    }
    double number(std::uint32_t segment, std::uint32_t i) const {
        return trace_.numbers[trace_.segments[segment].first_number + i];
    }

    /// From the last segment to the first, so that what a segment must hand on is known when its
    /// turn comes.
    void find_families() {
        for (const Trace::Output& output : outputs_) {
            if (!output.is_number && output.from.segment != Trace::kInputs) {
                handed_on_[output.from.segment].push_back(output.from.index);
            }
        }
        std::map<std::pair<std::uint32_t, Places>, std::uint32_t> known;
        for (std::size_t s = trace_.segments.size(); s-- > 0;) {
            Places& handed_on = handed_on_[s];
            SegmentFamily::make_set(handed_on);
            if (handed_on.empty()) {
                continue;
            }
            const auto [place, is_new] = known.emplace(
                std::pair(trace_.segments[s].pattern, handed_on), narrow(families_.size()));
            if (is_new) {
                families_.push_back({trace_.segments[s].pattern, handed_on});
                families_.back().find_needs(trace_);
            }
            family_of_[s] = place->second;
            for (const std::uint32_t i : families_[place->second].outside) {
                const Reference from = outside(narrow(s), i);
                if (from.segment != Trace::kInputs) {
                    handed_on_[from.segment].push_back(from.index);
                }
            }
        }
    }

    /// By levels: a segment runs after all segments that it needs, next to others of its level.
    void order_segments() {
        std::vector<std::uint32_t> level(trace_.segments.size(), 0);
        for (std::uint32_t s = 0; s < level.size(); ++s) {
            if (handed_on_[s].empty()) {
                continue;
            }
            order_.push_back(s);
            for (const std::uint32_t i : families_[family_of_[s]].outside) {
                const Reference from = outside(s, i);
                if (from.segment != Trace::kInputs) {
                    level[s] = std::max(level[s], level[from.segment] + 1);
                }
            }
        }
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return level[a] < level[b]; });
        for (std::size_t i = 0; i < order_.size(); ++i) {
            position_[order_[i]] = narrow(i);
            families_[family_of_[order_[i]]].members.push_back(order_[i]);
        }
    }

    /// A value from outside is late if some member's stands in a segment that runs with, or after,
    /// the first member of the packet.
    std::vector<char> late_values(const Family& family) const {
        std::vector<char> late(family.outside.empty() ? 0 : family.outside.back() + 1, 0);
        for (std::size_t m = 0; m < family.members.size(); ++m) {
            const std::uint32_t first = position_[family.members[m - m % kPacket]];
            for (const std::uint32_t i : family.outside) {
                const Reference from = outside(family.members[m], i);
                if (from.segment != Trace::kInputs && position_[from.segment] >= first) {
                    late[i] = 1;
                }
            }
        }
        return late;
    }

    /// Values that are outputs of the whole stand first, in that order as the first member has it,
    /// so that they are copied in few runs.
    void order_outputs() {
        std::vector<char> is_first(trace_.segments.size(), 0);
        for (const Family& family : families_) {
            is_first[family.members.front()] = 1;
        }
        std::unordered_map<std::uint64_t, std::uint32_t> wanted;  // of first members
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const auto& [segment, index] = outputs_[k].from;
            if (!outputs_[k].is_number && segment != Trace::kInputs && is_first[segment] != 0) {
                wanted.emplace((std::uint64_t{segment} << 32U) + index, narrow(k));
            }
        }
        for (Family& family : families_) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
            for (std::size_t k = 0; k < family.handed_on.size(); ++k) {
                const auto found = wanted.find((std::uint64_t{family.members.front()} << 32U) +
                                               family.handed_on[k]);
                order.emplace_back(found == wanted.end() ? narrow(outputs_.size()) : found->second,
                                   narrow(k));
            }
            std::sort(order.begin(), order.end());
            family.slot.resize(order.size());
            for (std::size_t place = 0; place < order.size(); ++place) {
                family.slot[order[place].second] = narrow(place);
            }
        }
    }

    void place_values() {
        result_.input_count = trace_.input_count;
        number_places_.resize(families_.size());
        for (std::size_t f = 0; f < families_.size(); ++f) {
            for (const std::uint32_t column : families_[f].columns) {
                for (const std::uint32_t member : families_[f].members) {
                    number_places_[f].push_back(trace_.input_count +
                                                pool_.place(number(member, column)));
                }
            }
        }
        for (const Trace::Output& output : outputs_) {
            if (output.is_number) {
                pool_.place(output.number);
            }
        }
        std::vector<double> numbers = NumberPool(pool_).take();
        std::uint32_t next = trace_.input_count + narrow(numbers.size());
        result_.numbers = std::move(numbers);
        Places members_so_far(families_.size(), 0);
        for (const std::uint32_t s : order_) {
            first_output_[s] = next;
            next += narrow(handed_on_[s].size());
            std::uint32_t& member = members_so_far[family_of_[s]];
            result_.segments.push_back({family_of_[s], member++, first_output_[s]});
        }
        result_.value_count = next;
    }

    std::uint32_t place_of(Reference from) const {
        if (from.segment == Trace::kInputs) {
            return from.index;
        }
        const Places& handed_on = handed_on_[from.segment];
        const auto found = std::lower_bound(handed_on.begin(), handed_on.end(), from.index);
        return first_output_[from.segment] +
               families_[family_of_[from.segment]]
                   .slot[static_cast<std::size_t>(found - handed_on.begin())];
    }

    /// What the steps of one part read from outside.
    std::vector<PartInput> inputs_of(const Family& family, bool ahead) const {
        std::vector<PartInput> inputs;
        const Trace::Pattern& steps = pattern(family);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (family.needed[i] == 0 || (family.ahead[i] != 0) != ahead) {
                continue;
            }
            for_each_source(steps[i], [&](Source source, std::uint32_t index) {
                if (source == Source::kOutside) {
                    inputs.push_back({false, index});
                } else if (source == Source::kNumber && family.number_input[index] >= 0) {
                    inputs.push_back(
                        {true, static_cast<std::uint32_t>(family.number_input[index])});
                }
            });
        }
        std::sort(inputs.begin(), inputs.end());
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        return inputs;
    }

    /// Puts the inputs in the order in which they are gathered.
    SegmentedProgram::Gather gather(const Family& family, std::vector<PartInput>& inputs) const {
        const std::size_t members = family.members.size();
        const Places& numbers = number_places_[family_of_[family.members.front()]];
        std::map<Places, std::vector<std::pair<std::uint32_t, PartInput>>> groups;
        for (const PartInput& input : inputs) {
            Places places;
            places.reserve(members);
            for (std::size_t m = 0; m < members; ++m) {
                places.push_back(input.is_number
                                     ? numbers[input.index * members + m]
                                     : place_of(outside(family.members[m], input.index)));
            }
            const std::uint32_t first = places.front();
            for (std::uint32_t& place : places) {
                place -= first;
            }
            groups[std::move(places)].emplace_back(first, input);
        }
        SegmentedProgram::Gather gather;
        gather.bases.resize(groups.size() * members);
        inputs.clear();
        std::size_t g = 0;
        for (auto& [shifts, list] : groups) {
            std::sort(list.begin(), list.end());
            const std::uint32_t base = list.front().first;
            for (const auto& [place, input] : list) {
                gather.offsets.push_back(place - base);
                inputs.push_back(input);
            }
            gather.group_end.push_back(narrow(inputs.size()));
            for (std::size_t m = 0; m < members; ++m) {
                gather.bases[m * groups.size() + g] = base + shifts[m];
            }
            ++g;
        }
        return gather;
    }

    static bool is_all_ahead(const Family& family) { return family.passed_on == family.handed_on; }

    SegmentedProgram::Part part(const Family& family, bool ahead) const {
        std::vector<PartInput> inputs = inputs_of(family, ahead);
        SegmentedProgram::Part part{{}, gather(family, inputs)};
        std::map<PartInput, std::uint32_t> numbered;
        for (const PartInput& input : inputs) {
            numbered.emplace(input, narrow(numbered.size()));
        }
        const std::size_t given = ahead ? 0 : family.passed_on.size();
        Builder builder(narrow(inputs.size() + given));
        const Trace::Pattern& steps = pattern(family);
        std::vector<Value> values(steps.size());
        for (std::size_t k = 0; k < given; ++k) {
            values[family.passed_on[k]] = builder.input(narrow(inputs.size() + k));
        }
        const auto value_of = [&](std::uint32_t operand) {
            const std::uint32_t index = operand / 4;
            switch (static_cast<Source>(operand % 4)) {
                case Source::kOwn:
                    return values[index];
                case Source::kOutside:
                    return builder.input(numbered.at({false, index}));
                case Source::kNumber:
                    break;
            }
            const int column = family.number_input[index];
            return column < 0
                       ? builder.constant(number(family.members.front(), index))
                       : builder.input(numbered.at({true, static_cast<std::uint32_t>(column)}));
        };
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (family.needed[i] == 0 || (family.ahead[i] != 0) != ahead) {
                continue;
            }
            values[i] = apply_to(builder, steps[i].op, steps[i].operands, value_of);
        }
        std::vector<Value> outputs;
        if (ahead && !family.is_all_ahead()) {
            for (const std::uint32_t value : family.passed_on) {
                outputs.push_back(values[value]);
            }
        } else {
            outputs.resize(family.handed_on.size());
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                outputs[family.slot[k]] = values[family.handed_on[k]];
            }
        }
        part.program = builder.finish(outputs);
        return part;
    }

    SegmentedProgram::Family code_of(const Family& family) const {
        SegmentedProgram::Family code{part(family, true), part(family, false)};
        code.all_ahead = family.is_all_ahead();
        return code;
    }

    static void append(std::vector<SegmentedProgram::Run>& runs, std::uint32_t place) {
        if (!runs.empty() && runs.back().first + runs.back().count == place) {
            ++runs.back().count;
        } else {
            runs.push_back({place, 1});
        }
    }

    void place_outputs() {
        result_.output_count = narrow(outputs_.size());
        for (const Trace::Output& output : outputs_) {
            append(result_.outputs, output.is_number
                                        ? trace_.input_count + pool_.place(output.number)
                                        : place_of(output.from));
        }
    }

    /// The inputs that segments or outputs read.
    void find_inputs() {
        std::vector<char> read(trace_.input_count, 0);
        const auto note = [&](Reference from) {
            if (from.segment == Trace::kInputs) {
                read[from.index] = 1;
            }
        };
        for (const std::uint32_t s : order_) {
            for (const std::uint32_t i : families_[family_of_[s]].outside) {
                note(outside(s, i));
            }
        }
        for (const Trace::Output& output : outputs_) {
            if (!output.is_number) {
                note(output.from);
            }
        }
        for (std::uint32_t i = 0; i < trace_.input_count; ++i) {
            if (read[i] != 0) {
                append(result_.inputs, i);
            }
        }
    }

    const Trace& trace_;
    std::span<const Trace::Output> outputs_;
    std::vector<Places> handed_on_;  ///< per segment: own values that are needed elsewhere
    Places family_of_, position_;    ///< per segment
    Places first_output_;            ///< per segment: place
    Places order_;                   ///< segments that are needed, as they run
    std::vector<Family> families_;
    std::vector<Places> number_places_;  ///< per family: by column, then by member
    NumberPool pool_;
    SegmentedProgram result_;
};

}  // namespace

SegmentedProgram make_segments(const Trace& trace, std::span<const Trace::Output> outputs) {
    return Segmenter(trace, outputs).make();
}

}  // namespace ananke::code

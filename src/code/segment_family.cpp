#include "code/segment_family.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace ananke::code {
namespace {

using Source = Trace::Source;

/// Work in packets pays where it computes at least so many times the values that it passes on.
constexpr std::size_t kLeastWork = 2;

}  // namespace

void SegmentFamily::make_set(Places& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

void SegmentFamily::find_needs(const Trace& trace) {
    const Trace::Pattern& steps = trace.patterns[pattern];
    needed.assign(steps.size(), 0);
    ahead.assign(steps.size(), 0);
    for (const std::uint32_t value : handed_on) {
        needed[value] = 1;
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (needed[i] == 0) {
            continue;
        }
        for_each_source(steps[i], [&](Source source, std::uint32_t index) {
            if (source == Source::kOwn) {
                needed[index] = 1;
            } else {
                (source == Source::kOutside ? outside : numbers).push_back(index);
            }
        });
    }
    make_set(outside);
    make_set(numbers);
}

void SegmentFamily::sort_numbers(const Trace& trace) {
    std::map<std::vector<std::uint64_t>, int> known;
    for (const std::uint32_t i : numbers) {
        std::vector<std::uint64_t> column;
        column.reserve(members.size());
        for (const std::uint32_t member : members) {
            column.push_back(std::bit_cast<std::uint64_t>(
                trace.numbers[trace.segments[member].first_number + i]));
        }
        number_input.resize(i + 1, -1);
        if (std::equal(column.begin() + 1, column.end(), column.begin())) {
            continue;
        }
        const auto [place, is_new] =
            known.emplace(std::move(column), static_cast<int>(columns.size()));
        if (is_new) {
            columns.push_back(i);
        }
        number_input[i] = place->second;
    }
}

void SegmentFamily::split(const Trace& trace, const std::vector<char>& late) {
    const Trace::Pattern& steps = trace.patterns[pattern];
    std::size_t work = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        bool known = needed[i] != 0;
        for_each_source(steps[i], [&](Source source, std::uint32_t index) {
            known = known && (source == Source::kOwn       ? ahead[index] != 0
                              : source == Source::kOutside ? late[index] == 0
                                                           : true);
        });
        ahead[i] = known ? 1 : 0;
        work += known ? 1 : 0;
    }
    for (const std::uint32_t value : handed_on) {
        if (ahead[value] != 0) {
            passed_on.push_back(value);
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (needed[i] == 0 || ahead[i] != 0) {
            continue;
        }
        for_each_source(steps[i], [&](Source source, std::uint32_t index) {
            if (source == Source::kOwn && ahead[index] != 0) {
                passed_on.push_back(index);
            }
        });
    }
    make_set(passed_on);
    const bool whole = std::all_of(handed_on.begin(), handed_on.end(),
                                   [&](std::uint32_t value) { return ahead[value]; });
    if (!whole && work < kLeastWork * passed_on.size()) {
        ahead.assign(steps.size(), 0);
        passed_on.clear();
    }
}

}  // namespace ananke::code

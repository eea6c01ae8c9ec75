// Questions to lists that the standard library of C++20 takes three lines for.
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

namespace ananke {

template <class List, class Value>
bool contains(const List& list, const Value& value) {
    return std::ranges::find(list, value) != std::ranges::end(list);
}

/// f of each item, in order. f may be a pointer to a member.
template <class List, class Function>
auto transformed(const List& list, Function f) {
    std::vector<std::decay_t<std::invoke_result_t<Function&, decltype(*std::ranges::begin(list))>>>
        result;
    result.reserve(std::ranges::size(list));
    for (const auto& item : list) {
        result.push_back(std::invoke(f, item));
    }
    return result;
}

/// Ascending, each value once.
template <class Value>
void sort_unique(std::vector<Value>& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

template <class Value>
void append(std::vector<Value>& list, const auto& more) {
    list.insert(list.end(), std::ranges::begin(more), std::ranges::end(more));
}

}  // namespace ananke

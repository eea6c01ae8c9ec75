// Lists of names in messages, which large models would make endless.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::dynamics {

/// Names that a list has at most; of longer ones so many stand for all.
constexpr std::size_t kMostNames = 12;
constexpr std::size_t kNamesOfMany = 10;

/// "a, b and c", or "a, ..., j and 190 more".
inline std::string some_names(std::span<const std::string> names) {
    if (names.size() <= kMostNames) {
        return join_names(names);
    }
    return fmt::format("{} and {} more", fmt::join(names.first(kNamesOfMany), ", "),
                       names.size() - kNamesOfMany);
}

}  // namespace ananke::dynamics

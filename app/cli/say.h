// Text for the person at the terminal. What cannot be written is not worth failing for; main()
// looks at standard output once more at the end.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace ananke::cli {

template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> text, Args&&... args) {
    const std::string line = fmt::format(text, std::forward<Args>(args)...);
    std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace ananke::cli

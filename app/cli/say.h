// Text for the person at the terminal. What cannot be written is not worth failing for; main()
// looks at standard output once more at the end.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ananke::cli {

/// UTF-8 that no terminal obeys: titles, names, paths and lines of a model may hold bytes that
/// would move its cursor, change its settings or turn the direction of the text. Control characters
/// (but ends of lines and tabs), marks that turn the direction, and what is no UTF-8 become '?'.
std::string for_terminal(std::string_view text);

/// The one way of text from a model, a file or the command line to the terminal.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> text, Args&&... args) {
    const std::string line = for_terminal(fmt::format(text, std::forward<Args>(args)...));
    std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace ananke::cli

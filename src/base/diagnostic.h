// What is wrong with a text, where, and what to do about it.
//
//   pendulum.ank:4:21: error: unknown name 'lenght'
//       4 | constraint rod: x^2 + y^2 = lenght^2
//         |                             ^~~~~~
//         = did you mean 'length'?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ananke {

/// A stretch of one source file. `file` indexes Sources; `begin`, `end` are byte offsets.
struct Span {
    std::uint32_t file = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

/// The texts that a model was read from.
class Sources {
  public:
    /// Returns the index that spans of this file carry.
    std::uint32_t add(std::string name, std::string text);

    std::size_t size() const { return files_.size(); }
    const std::string& name(std::uint32_t file) const { return files_[file].name; }
    const std::string& text(std::uint32_t file) const { return files_[file].text; }

    struct Place {
        std::size_t line;    ///< from 1
        std::size_t column;  ///< from 1, in code points
    };
    Place place(std::uint32_t file, std::uint32_t offset) const;
    std::string_view line_text(std::uint32_t file, std::size_t line) const;

  private:
    struct File {
        std::string name;
        std::string text;
        std::vector<std::uint32_t> line_begins;
    };
    std::vector<File> files_;
};

enum class Severity : std::uint8_t { kError, kWarning };

struct Diagnostic {
    Span span;
    Severity severity = Severity::kError;
    std::string message;             ///< one sentence: what was found
    std::vector<std::string> notes;  ///< what was expected, the likely fix
};

inline Diagnostic error_at(Span span, std::string message, std::vector<std::string> notes = {}) {
    return {span, Severity::kError, std::move(message), std::move(notes)};
}

/// The diagnostic as a person reads it: place, message, source line, caret, notes.
std::string render(const Diagnostic& diagnostic, const Sources& sources);

/// All of them in order of place, without repetitions, ending with a count of errors.
std::string render(const std::vector<Diagnostic>& diagnostics, const Sources& sources);

bool has_errors(const std::vector<Diagnostic>& diagnostics);

}  // namespace ananke

#include "base/diagnostic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace ananke {

std::uint32_t Sources::add(std::string name, std::string text) {
    File file{std::move(name), std::move(text), {0}};
    for (std::size_t i = 0; i < file.text.size(); ++i) {
        if (file.text[i] == '\n') {
            file.line_begins.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
    files_.push_back(std::move(file));
    return static_cast<std::uint32_t>(files_.size() - 1);
}

Sources::Place Sources::place(std::uint32_t file, std::uint32_t offset) const {
    const File& source = files_[file];
    const auto after =
        std::upper_bound(source.line_begins.begin(), source.line_begins.end(), offset);
    const auto line = static_cast<std::size_t>(after - source.line_begins.begin());
    const std::uint32_t begin = source.line_begins[line - 1];
    const std::string_view before(source.text.data() + begin, offset - begin);
    return {line, display_width(before) + 1};
}

std::string_view Sources::line_text(std::uint32_t file, std::size_t line) const {
    const File& source = files_[file];
    ANANKE_REQUIRE(line >= 1 && line <= source.line_begins.size());
    const std::size_t begin = source.line_begins[line - 1];
    std::size_t end = source.text.find('\n', begin);
    end = end == std::string::npos ? source.text.size() : end;
    if (end > begin && source.text[end - 1] == '\r') {
        --end;
    }
    return {source.text.data() + begin, end - begin};
}

namespace {

/// Errors beyond this many are counted, not shown: the file is probably not a model.
constexpr int kMostErrors = 50;
constexpr std::size_t kMostBytes = 300;  ///< of a source line

/// A line as it may be shown on a terminal: control characters as '?', tabs kept.
std::string shown(std::string_view line) {
    std::string text(line.substr(0, kMostBytes));
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        c = (byte < 0x20U && c != '\t') || byte == 0x7FU ? '?' : c;
    }
    return text;
}

std::string notes_text(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) {
        text += fmt::format("      = {}\n", note);
    }
    return text;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Sources& sources) {
    const Span span = diagnostic.span;
    const char* kind = diagnostic.severity == Severity::kError ? "error" : "warning";
    if (span.file >= sources.size()) {
        return fmt::format("ananke: {}: {}\n", kind, diagnostic.message) +
               notes_text(diagnostic.notes);
    }
    const Sources::Place place = sources.place(span.file, span.begin);
    const std::string_view line = sources.line_text(span.file, place.line);

    std::string text = fmt::format("{}:{}:{}: {}: {}\n", sources.name(span.file), place.line,
                                   place.column, kind, diagnostic.message);
    text += fmt::format("{:>5} | {}\n", place.line, shown(line));

    // Tabs are kept in the padding so that the caret stands under its character.
    const std::size_t bytes_before =
        span.begin - static_cast<std::size_t>(line.data() - sources.text(span.file).data());
    std::string padding;
    for (const char c : line.substr(0, std::min(bytes_before, line.size()))) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
            padding += c == '\t' ? '\t' : ' ';
        }
    }
    const std::size_t available = line.size() - std::min(bytes_before, line.size());
    const std::size_t bytes = std::min<std::size_t>(span.end - span.begin, available);
    const std::size_t width = display_width(line.substr(line.size() - available, bytes));
    text += fmt::format("      | {}^{}\n", padding, std::string(width > 1 ? width - 1 : 0, '~'));
    return text + notes_text(diagnostic.notes);
}

std::string render(const std::vector<Diagnostic>& diagnostics, const Sources& sources) {
    std::vector<Diagnostic> sorted = diagnostics;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return a.span.file != b.span.file ? a.span.file < b.span.file : a.span.begin < b.span.begin;
    });
    std::string text;
    std::string previous;
    int errors = 0;
    for (const Diagnostic& diagnostic : sorted) {
        std::string one = render(diagnostic, sources);
        if (one != previous) {
            errors += diagnostic.severity == Severity::kError ? 1 : 0;
            text += errors <= kMostErrors ? one : "";
            previous = std::move(one);
        }
    }
    if (errors > 0) {
        text += fmt::format("{} error{}\n", errors, errors == 1 ? "" : "s");
    }
    return text;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

}  // namespace ananke

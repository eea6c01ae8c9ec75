#include "lang/lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/line_rules.h"

namespace ananke::lang {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct CodePoint {
    std::uint32_t value = 0;
    std::uint32_t bytes = 1;
    bool valid = true;
};

// UTF-8 decoding with overlong forms and surrogates refused (RFC 3629, section 3).
CodePoint decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t lead = byte(at);
    if (lead < 0x80) {
        return {lead, 1, true};
    }
    const std::uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) {
        return {lead, 1, false};
    }
    std::uint32_t value = lead & (0x7FU >> length);
    for (std::uint32_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) {
            return {lead, 1, false};
        }
        value = (value << 6U) | (byte(at + i) & 0x3FU);
    }
    const std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[length] || value > 0x10FFFF || surrogate) {
        return {lead, 1, false};
    }
    return {value, length, true};
}

// Latin and Greek letters with their accents; µ is the micro sign that keyboards have.
bool is_letter(std::uint32_t c) {
    const bool ascii = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool latin = c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7;
    const bool greek =
        (c >= 0x370 && c <= 0x3FF && c != 0x37E && c != 0x387) || (c >= 0x1F00 && c <= 0x1FFF);
    return ascii || latin || greek || c == 0xB5;
}

struct Lookalike {
    std::uint32_t code;
    std::string_view write;
};

// Characters that word processors and papers put in the place of ours.
constexpr std::array<Lookalike, 20> kLookalikes{{
    {0x2032, "'"},  {0x2019, "'"},  {0x2018, "'"},  {0xB4, "'"},    {0x2033, "''"},
    {0x2212, "-"},  {0x2013, "-"},  {0x2014, "-"},  {0xB7, "*"},    {0x22C5, "*"},
    {0xD7, "*"},    {0x2217, "*"},  {0xF7, "/"},    {0xB2, "^2"},   {0xB3, "^3"},
    {0x2264, "<="}, {0x2265, ">="}, {0x2260, "!="}, {0x201C, "\""}, {0x201D, "\""},
}};

std::string_view lookalike(std::uint32_t code) {
    for (const Lookalike& known : kLookalikes) {
        if (known.code == code) {
            return known.write;
        }
    }
    return {};
}

class Scanner {
  public:
    Scanner(const Sources& sources, std::uint32_t file, std::vector<Diagnostic>& diagnostics)
        : text_(sources.text(file)), file_(file), diagnostics_(diagnostics) {}

    std::vector<Token> scan() {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") {
            at_ = 3;
        }
        while (at_ < text_.size()) {
            scan_one();
        }
        push(TokenKind::kNewline, text_.size(), text_.size());
        push(TokenKind::kEnd, text_.size(), text_.size());
        return std::move(tokens_);
    }

  private:
    void scan_one() {
        const char c = text_[at_];
        if (c == '\n') {
            push(TokenKind::kNewline, at_, at_ + 1);
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (c == '#') {
            const std::size_t end = text_.find('\n', at_);
            at_ = end == std::string_view::npos ? text_.size() : end;
        } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) &&
                                   !follows_dot())) {
            scan_number();
        } else if (c == '"') {
            scan_string();
        } else if (is_letter(decode(text_, at_).value) && decode(text_, at_).valid) {
            scan_name();
        } else {
            scan_symbol();
        }
    }

    bool follows_dot() const { return at_ > 0 && text_[at_ - 1] == '.'; }

    // digits [. digits] [e sign digits]; "1..N" is the number 1 and the range sign.
    void scan_number() {
        const std::size_t begin = at_;
        skip_digits();
        if (at_ < text_.size() && text_[at_] == '.' &&
            !(at_ + 1 < text_.size() && text_[at_ + 1] == '.')) {
            ++at_;
            skip_digits();
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            std::size_t digits = at_ + 1;
            if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) {
                ++digits;
            }
            if (digits < text_.size() && is_digit(text_[digits])) {
                at_ = digits;
                skip_digits();
            }
        }
        push(TokenKind::kNumber, begin, at_);
    }

    void skip_digits() {
        while (at_ < text_.size() && is_digit(text_[at_])) {
            ++at_;
        }
    }

    void scan_name() {
        const std::size_t begin = at_;
        while (at_ < text_.size()) {
            const CodePoint c = decode(text_, at_);
            if (!is_digit(text_[at_]) && !(c.valid && is_letter(c.value))) {
                break;
            }
            at_ += c.bytes;
        }
        push(TokenKind::kName, begin, at_);
    }

    void scan_string() {
        const std::size_t begin = at_;
        const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
        const std::size_t close = text_.find('"', at_ + 1);
        if (close == std::string_view::npos || close > line_end) {
            at_ = line_end;
            push(TokenKind::kBad, begin, at_);
            report(begin, begin + 1, "this text has no closing quote",
                   {"a text stands between double quotes on one line: \"Two-link pendulum\""});
            return;
        }
        at_ = close + 1;
        push(TokenKind::kString, begin, at_);
    }

    void scan_symbol() {
        for (const Symbol& symbol : symbols()) {
            if (text_.substr(at_, symbol.text.size()) == symbol.text) {
                push(symbol.kind, at_, at_ + symbol.text.size());
                at_ += symbol.text.size();
                return;
            }
        }
        scan_foreign();
    }

    // One report for a run of characters that mean nothing here.
    void scan_foreign() {
        const std::size_t begin = at_;
        const CodePoint first = decode(text_, at_);
        while (at_ < text_.size()) {
            const CodePoint c = decode(text_, at_);
            const bool foreign = !c.valid || c.value >= 0x80 || c.value < 0x20 || c.value == 0x7F;
            if (at_ > begin && (!foreign || (c.valid && is_letter(c.value)) || text_[at_] == '\n' ||
                                text_[at_] == '\t' || text_[at_] == '\r')) {
                break;
            }
            at_ += c.bytes;
            if (!foreign) {
                while (at_ < text_.size() && text_[at_] == text_[begin]) {
                    ++at_;
                }
                break;
            }
        }
        push(TokenKind::kBad, begin, at_);
        if (!first.valid) {
            report(begin, at_, fmt::format("the byte 0x{:02X} is not UTF-8 text", first.value),
                   {"save the file in the encoding UTF-8"});
            return;
        }
        const std::string_view written = text_.substr(begin, first.bytes);
        const bool printable = first.value >= 0x20 && first.value != 0x7F;
        const std::string shown =
            printable ? fmt::format("'{}'", written) : fmt::format("U+{:04X}", first.value);
        std::vector<std::string> notes;
        if (const std::string_view write = lookalike(first.value); !write.empty()) {
            notes.push_back(fmt::format("write {} instead", write));
        } else if (written == "&" || written == "|" || written == "!") {
            notes.emplace_back("conditions are joined by the words and, or, not");
        }
        report(begin, at_, fmt::format("the character {} has no meaning here", shown),
               std::move(notes));
    }

    void push(TokenKind kind, std::size_t begin, std::size_t end) {
        Token token;
        token.kind = kind;
        token.span = {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
        token.glued = !tokens_.empty() && tokens_.back().span.end == begin;
        token.starts_line = tokens_.empty() || tokens_.back().kind == TokenKind::kNewline;
        tokens_.push_back(token);
    }

    void report(std::size_t begin, std::size_t end, std::string message,
                std::vector<std::string> notes) {
        diagnostics_.push_back(
            {{file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
             Severity::kError,
             std::move(message),
             std::move(notes)});
    }

    std::string_view text_;
    std::uint32_t file_;
    std::vector<Diagnostic>& diagnostics_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(const Sources& sources, std::uint32_t file, const Limits& limits,
                       std::vector<Diagnostic>& diagnostics) {
    const std::size_t size = sources.text(file).size();
    if (size > limits.file_bytes) {
        diagnostics.push_back({{file, 0, 0},
                               Severity::kError,
                               fmt::format("the file has {} bytes, more than the limit of {}", size,
                                           limits.file_bytes),
                               {"write repeated parts with 'for'"}});
        Token end;
        end.span = {file, 0, 0};
        return {end};
    }
    std::vector<Token> tokens = Scanner(sources, file, diagnostics).scan();
    return apply_line_rules(sources, std::move(tokens), diagnostics);
}

}  // namespace ananke::lang

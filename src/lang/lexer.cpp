#include "lang/lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

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
        struct Symbol {
            std::string_view text;
            TokenKind kind;
        };
        static constexpr std::array<Symbol, 25> kSymbols{{
            {"..", TokenKind::kDotDot},       {"<=", TokenKind::kLessEqual},
            {">=", TokenKind::kGreaterEqual}, {"==", TokenKind::kDoubleEqual},
            {"!=", TokenKind::kNotEqual},     {"+", TokenKind::kPlus},
            {"-", TokenKind::kMinus},         {"*", TokenKind::kTimes},
            {"/", TokenKind::kDivide},        {"^", TokenKind::kPower},
            {"=", TokenKind::kEqual},         {"~", TokenKind::kTilde},
            {"<", TokenKind::kLess},          {">", TokenKind::kGreater},
            {",", TokenKind::kComma},         {";", TokenKind::kSemicolon},
            {":", TokenKind::kColon},         {".", TokenKind::kDot},
            {"'", TokenKind::kPrime},         {"(", TokenKind::kOpenParen},
            {")", TokenKind::kCloseParen},    {"[", TokenKind::kOpenBracket},
            {"]", TokenKind::kCloseBracket},  {"{", TokenKind::kOpenBrace},
            {"}", TokenKind::kCloseBrace},
        }};
        for (const Symbol& symbol : kSymbols) {
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

bool continues_line(TokenKind kind) {
    switch (kind) {
        case TokenKind::kPlus:
        case TokenKind::kMinus:
        case TokenKind::kTimes:
        case TokenKind::kDivide:
        case TokenKind::kPower:
        case TokenKind::kEqual:
        case TokenKind::kTilde:
        case TokenKind::kLess:
        case TokenKind::kLessEqual:
        case TokenKind::kGreater:
        case TokenKind::kGreaterEqual:
        case TokenKind::kDoubleEqual:
        case TokenKind::kNotEqual:
        case TokenKind::kComma:
        case TokenKind::kColon:
        case TokenKind::kDotDot:
            return true;
        default:
            return false;
    }
}

bool ends_operand(TokenKind kind) {
    return kind == TokenKind::kName || kind == TokenKind::kNumber || kind == TokenKind::kPrime ||
           kind == TokenKind::kCloseParen || kind == TokenKind::kCloseBracket;
}

// Decides which newlines end a statement and which brackets have no partner.
class LineRules {
  public:
    LineRules(const Sources& sources, std::vector<Token> tokens,
              std::vector<Diagnostic>& diagnostics)
        : sources_(sources), in_(std::move(tokens)), diagnostics_(diagnostics) {}

    std::vector<Token> apply() {
        match_brackets();
        std::vector<Token> out;
        out.reserve(in_.size());
        int depth = 0;
        for (std::size_t i = 0; i < in_.size(); ++i) {
            const Token& token = in_[i];
            if (token.kind == TokenKind::kNewline) {
                if (depth > 0 || out.empty() || out.back().kind == TokenKind::kNewline ||
                    joins(out.back(), i)) {
                    continue;
                }
            } else if (!token.broken) {
                depth += opens(token.kind) ? 1 : 0;
                depth -= closes(token.kind) ? 1 : 0;
            }
            out.push_back(token);
        }
        return out;
    }

  private:
    static bool opens(TokenKind kind) {
        return kind == TokenKind::kOpenParen || kind == TokenKind::kOpenBracket;
    }
    static bool closes(TokenKind kind) {
        return kind == TokenKind::kCloseParen || kind == TokenKind::kCloseBracket;
    }
    std::string_view word(const Token& token) const {
        return std::string_view(sources_.text(token.span.file))
            .substr(token.span.begin, token.span.end - token.span.begin);
    }
    std::size_t next_solid(std::size_t i) const {
        while (i < in_.size() && in_[i].kind == TokenKind::kNewline) {
            ++i;
        }
        return i;
    }

    bool joins(const Token& before, std::size_t newline) const {
        if (continues_line(before.kind)) {
            return in_[next_solid(newline)].kind != TokenKind::kEnd &&
                   !begins_statement(next_solid(newline));
        }
        if (before.kind == TokenKind::kName && is_reserved_word(word(before))) {
            return true;
        }
        const Token& after = in_[next_solid(newline)];
        return after.kind == TokenKind::kName && is_reserved_word(word(after)) &&
               word(after) != "if" && word(after) != "not";
    }

    // A keyword followed by another name or a text can only be the begin of a statement.
    bool begins_statement(std::size_t i) const {
        return i + 1 < in_.size() && in_[i].kind == TokenKind::kName &&
               is_statement_keyword(word(in_[i])) &&
               (in_[i + 1].kind == TokenKind::kName || in_[i + 1].kind == TokenKind::kString) &&
               !is_reserved_word(word(in_[i + 1]));
    }

    // Inside a bracket a line that starts like this means that the bracket was forgotten.
    bool breaks_bracket(std::size_t newline) const {
        const std::size_t i = next_solid(newline);
        if (i >= in_.size() || newline == 0 || in_[i].kind != TokenKind::kName) {
            return false;
        }
        if (begins_statement(i)) {
            return true;
        }
        return ends_operand(in_[newline - 1].kind) && is_statement_keyword(word(in_[i]));
    }

    void match_brackets() {
        for (std::size_t i = 0; i < in_.size(); ++i) {
            const TokenKind kind = in_[i].kind;
            if (opens(kind)) {
                open_.push_back(i);
            } else if (kind == TokenKind::kOpenBrace) {
                forget_open();
            } else if (closes(kind)) {
                close(i);
            } else if (kind == TokenKind::kCloseBrace || kind == TokenKind::kEnd ||
                       (kind == TokenKind::kNewline && !open_.empty() && breaks_bracket(i))) {
                forget_open();
            }
        }
    }

    void close(std::size_t i) {
        const TokenKind wanted =
            in_[i].kind == TokenKind::kCloseParen ? TokenKind::kOpenParen : TokenKind::kOpenBracket;
        if (!open_.empty() && in_[open_.back()].kind == wanted) {
            open_.pop_back();
            return;
        }
        const bool deeper = std::any_of(open_.begin(), open_.end(),
                                        [&](std::size_t o) { return in_[o].kind == wanted; });
        if (deeper) {
            while (in_[open_.back()].kind != wanted) {
                report_open(open_.back());
                open_.pop_back();
            }
            open_.pop_back();
            return;
        }
        in_[i].broken = true;
        std::string message = fmt::format("this '{}' closes nothing", word(in_[i]));
        if (!open_.empty()) {
            Token& partner = in_[open_.back()];
            message = fmt::format("this '{}' cannot close '{}'", word(in_[i]), word(partner));
            partner.broken = true;
            open_.pop_back();
        }
        diagnostics_.push_back({in_[i].span, Severity::kError, std::move(message), {}});
    }

    void forget_open() {
        for (const std::size_t o : open_) {
            report_open(o);
        }
        open_.clear();
    }

    void report_open(std::size_t o) {
        in_[o].broken = true;
        diagnostics_.push_back({in_[o].span,
                                Severity::kError,
                                fmt::format("this '{}' is never closed", word(in_[o])),
                                {}});
    }

    const Sources& sources_;
    std::vector<Token> in_;
    std::vector<Diagnostic>& diagnostics_;
    std::vector<std::size_t> open_;
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
    return LineRules(sources, std::move(tokens), diagnostics).apply();
}

std::string describe(TokenKind kind) {
    switch (kind) {
        case TokenKind::kName:
            return "a name";
        case TokenKind::kNumber:
            return "a number";
        case TokenKind::kString:
            return "a text in quotes";
        case TokenKind::kNewline:
            return "the end of the line";
        case TokenKind::kEnd:
            return "the end of the file";
        case TokenKind::kPlus:
            return "'+'";
        case TokenKind::kMinus:
            return "'-'";
        case TokenKind::kTimes:
            return "'*'";
        case TokenKind::kDivide:
            return "'/'";
        case TokenKind::kPower:
            return "'^'";
        case TokenKind::kEqual:
            return "'='";
        case TokenKind::kTilde:
            return "'~'";
        case TokenKind::kLess:
            return "'<'";
        case TokenKind::kLessEqual:
            return "'<='";
        case TokenKind::kGreater:
            return "'>'";
        case TokenKind::kGreaterEqual:
            return "'>='";
        case TokenKind::kDoubleEqual:
            return "'=='";
        case TokenKind::kNotEqual:
            return "'!='";
        case TokenKind::kComma:
            return "','";
        case TokenKind::kSemicolon:
            return "';'";
        case TokenKind::kColon:
            return "':'";
        case TokenKind::kDot:
            return "'.'";
        case TokenKind::kDotDot:
            return "'..'";
        case TokenKind::kPrime:
            return "a prime";
        case TokenKind::kOpenParen:
            return "'('";
        case TokenKind::kCloseParen:
            return "')'";
        case TokenKind::kOpenBracket:
            return "'['";
        case TokenKind::kCloseBracket:
            return "']'";
        case TokenKind::kOpenBrace:
            return "'{'";
        case TokenKind::kCloseBrace:
            return "'}'";
        case TokenKind::kBad:
            return "something that cannot be read";
    }
    return "something else";
}

bool is_statement_keyword(std::string_view word) {
    static constexpr std::array<std::string_view, 29> kWords{
        "model",    "parameter", "coordinate", "speed", "let",     "define",
        "kinetic",  "potential", "mass",       "force", "torque",  "gravity",
        "particle", "body",      "planar",     "point", "joint",   "constraint",
        "servo",    "nonideal",  "friction",   "gauge", "initial", "simulate",
        "output",   "event",     "view",       "for",   "import"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_reserved_word(std::string_view word) {
    static constexpr std::array<std::string_view, 6> kWords{"if",  "then", "else",
                                                            "and", "or",   "not"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace ananke::lang

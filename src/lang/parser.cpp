// What both halves of the parser share: tokens, reports, and the two ways in.
#include "lang/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {
namespace {

std::vector<std::string> notes_of(std::string_view form) {
    return form.empty() ? std::vector<std::string>() : std::vector{std::string(form)};
}

}  // namespace

Parser::Parser(const Sources& sources, std::uint32_t file, const Limits& limits,
               std::vector<Diagnostic>& diagnostics)
    : sources_(sources),
      limits_(limits),
      diagnostics_(diagnostics),
      tokens_(lex(sources, file, limits, diagnostics)) {}

const Token& Parser::peek(std::size_t ahead) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token Parser::take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) {
        ++next_;
    }
    return token;
}

std::string_view Parser::text(Span span) const {
    return std::string_view(sources_.text(span.file)).substr(span.begin, span.end - span.begin);
}

bool Parser::at_word(std::string_view word, std::size_t ahead) const {
    return peek(ahead).kind == TokenKind::kName && text(peek(ahead).span) == word;
}

bool Parser::at_plain_name(std::size_t ahead) const {
    return peek(ahead).kind == TokenKind::kName && !is_reserved_word(text(peek(ahead).span));
}

bool Parser::accept(TokenKind kind) {
    if (!at(kind)) {
        return false;
    }
    take();
    return true;
}

bool Parser::accept_word(std::string_view word) {
    if (!at_word(word)) {
        return false;
    }
    take();
    return true;
}

std::string Parser::found() const {
    const Token& token = peek();
    switch (token.kind) {
        case TokenKind::kName:
        case TokenKind::kNumber:
            return fmt::format("'{}'", text(token.span));
        case TokenKind::kString:
            return std::string(text(token.span));
        default:
            return describe(token.kind);
    }
}

// One report per statement, none where the lexer has spoken about it, be it later on the same line:
// there may stand a bracket that lacks its partner.
bool Parser::fail(Span span, std::string message, std::vector<std::string> notes) {
    const std::size_t last = std::min(next_, tokens_.size() - 1);
    bool known = false;
    for (std::size_t i = statement_begin_; !known && i < tokens_.size(); ++i) {
        if (i >= last && tokens_[i].kind == TokenKind::kNewline) {
            break;
        }
        known = tokens_[i].broken || tokens_[i].kind == TokenKind::kBad;
    }
    if (!known) {
        diagnostics_.push_back({span, Severity::kError, std::move(message), std::move(notes)});
    }
    return false;
}

bool Parser::fail_expected(const std::string& what, std::vector<std::string> notes) {
    Span span = peek().span;
    if (at(TokenKind::kNewline) || at(TokenKind::kEnd)) {
        // Point just behind the last thing written, not at the begin of the next line.
        const std::uint32_t end = next_ > 0 ? tokens_[next_ - 1].span.end : span.begin;
        span = {span.file, end, end};
    }
    if (const std::optional<std::string> product = missing_product()) {
        const std::string note = fmt::format("multiplication is written with *: {}", *product);
        if (notes.empty() || notes.front() != note) {
            notes.insert(notes.begin(), note);
        }
    }
    return fail(span, fmt::format("expected {}, found {}", what, found()), std::move(notes));
}

bool Parser::expect(TokenKind kind, std::string_view where, std::string_view form) {
    if (accept(kind)) {
        return true;
    }
    return fail_expected(fmt::format("{}{}", describe(kind), where), notes_of(form));
}

bool Parser::expect_word(std::string_view word, std::string_view where, std::string_view form) {
    if (accept_word(word)) {
        return true;
    }
    return fail_expected(fmt::format("'{}'{}", word, where), notes_of(form));
}

bool Parser::expect_name(std::string_view what, std::string_view form, Span& out) {
    if (!at_plain_name()) {
        return fail_expected(std::string(what), notes_of(form));
    }
    out = take().span;
    return true;
}

/// A '{', which may stand on the next line. It is not taken.
bool Parser::expect_block(std::string_view form) {
    while (at(TokenKind::kNewline) && peek(1).kind == TokenKind::kOpenBrace) {
        take();
    }
    return at(TokenKind::kOpenBrace) || fail_expected("'{'", notes_of(form));
}

bool Parser::parse_setting(Tree& tree, Binding& setting) {
    std::vector<Binding> items;
    bool good = bindings(items, Guesses::kAccepted, "--set name=value");
    if (good && items.size() > 1) {
        good = fail(items[1].span, "one value per setting", {"repeat --set for each name"});
    }
    accept(TokenKind::kNewline);
    if (good && !at(TokenKind::kEnd)) {
        good = fail_expected("the end of the value");
    }
    if (good) {
        setting = items.front();
    }
    tree = std::move(tree_);
    return good;
}

bool parse_setting(const Sources& sources, std::uint32_t file, const Limits& limits, Tree& tree,
                   Binding& setting, std::vector<Diagnostic>& diagnostics) {
    return Parser(sources, file, limits, diagnostics).parse_setting(tree, setting);
}

Tree parse_file(const Sources& sources, std::uint32_t file, const Limits& limits,
                std::vector<Diagnostic>& diagnostics) {
    return Parser(sources, file, limits, diagnostics).parse_file();
}

}  // namespace ananke::lang

// Text to tokens: UTF-8, comments, numbers, names, and the rule where a line ends a statement.
//
// A newline is a token of its own except inside ( ) and [ ], after an operator or a comma, and
// before the words then, else, and, or. Brackets are matched here, so that one that is never closed
// is reported once, at its own place, and does not swallow the rest of the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "lang/limits.h"

namespace ananke::lang {

enum class TokenKind : std::uint8_t {
    kName,
    kNumber,
    kString,
    kNewline,
    kEnd,
    kPlus,
    kMinus,
    kTimes,
    kDivide,
    kPower,
    kEqual,
    kTilde,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kDoubleEqual,
    kNotEqual,
    kComma,
    kSemicolon,
    kColon,
    kDot,
    kDotDot,
    kPrime,
    kOpenParen,
    kCloseParen,
    kOpenBracket,
    kCloseBracket,
    kOpenBrace,
    kCloseBrace,
    kBad,  ///< reported by the lexer already; the parser stays silent about its statement
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    Span span;
    bool broken = false;       ///< a bracket without a partner, reported already
    bool glued = false;        ///< no space between the previous token and this one
    bool starts_line = false;  ///< the first token of its line
};

/// The tokens of one file, ending with kEnd. Mistakes are appended to `diagnostics`.
std::vector<Token> lex(const Sources& sources, std::uint32_t file, const Limits& limits,
                       std::vector<Diagnostic>& diagnostics);

struct Symbol {
    std::string_view text;
    TokenKind kind;
};
/// Operators and brackets, "<=" before "<".
std::span<const Symbol> symbols();

/// "'+'", "a name", "the end of the line": for "expected ..., found ...".
std::string describe(TokenKind kind);

/// Words that begin a statement, of this version and of planned ones.
bool is_statement_keyword(std::string_view word);

/// Functions of one number that the language knows: sin, sqrt.
bool is_function_name(std::string_view word);

/// if then else and or not: never names.
bool is_reserved_word(std::string_view word);

}  // namespace ananke::lang

#include <algorithm>
#include <array>

#include "lang/lexer.h"

namespace ananke::lang {

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
    static constexpr std::array<std::string_view, 30> kWords{
        "model",    "parameter", "coordinate", "speed", "let",     "define",
        "kinetic",  "potential", "mass",       "force", "torque",  "gravity",
        "particle", "body",      "planar",     "point", "joint",   "constraint",
        "servo",    "nonideal",  "friction",   "gauge", "initial", "simulate",
        "output",   "event",     "view",       "for",   "import",  "scale"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_function_name(std::string_view word) {
    static constexpr std::array<std::string_view, 14> kWords{"sin",  "cos",  "tan",  "asin", "acos",
                                                             "atan", "sinh", "cosh", "tanh", "exp",
                                                             "log",  "sqrt", "abs",  "sign"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_reserved_word(std::string_view word) {
    static constexpr std::array<std::string_view, 6> kWords{"if",  "then", "else",
                                                            "and", "or",   "not"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace ananke::lang

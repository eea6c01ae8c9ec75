#include <algorithm>
#include <array>

#include "lang/lexer.h"

namespace ananke::lang {

std::span<const Symbol> symbols() {
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
    return kSymbols;
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
        case TokenKind::kPrime:
            return "a prime";
        case TokenKind::kBad:
            return "something that cannot be read";
        default:
            break;
    }
    const std::span<const Symbol> known = symbols();
    const auto symbol = std::find_if(known.begin(), known.end(),
                                     [&](const Symbol& one) { return one.kind == kind; });
    return "'" + std::string(symbol->text) + "'";
}

bool is_statement_keyword(std::string_view word) {
    static constexpr std::array<std::string_view, 31> kWords{
        "model",     "parameter", "coordinate", "speed",      "let",     "define",   "kinetic",
        "potential", "mass",      "force",      "torque",     "gravity", "particle", "body",
        "planar",    "point",     "joint",      "constraint", "servo",   "nonideal", "friction",
        "gauge",     "initial",   "simulate",   "output",     "event",   "view",     "for",
        "import",    "scale",     "compliance"};
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

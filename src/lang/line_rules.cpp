#include "lang/line_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ananke::lang {
namespace {

bool continues_line(TokenKind kind) {
    static constexpr std::array kContinuing{
        TokenKind::kPlus,     TokenKind::kMinus,        TokenKind::kTimes,
        TokenKind::kDivide,   TokenKind::kPower,        TokenKind::kEqual,
        TokenKind::kTilde,    TokenKind::kLess,         TokenKind::kLessEqual,
        TokenKind::kGreater,  TokenKind::kGreaterEqual, TokenKind::kDoubleEqual,
        TokenKind::kNotEqual, TokenKind::kComma,        TokenKind::kColon,
        TokenKind::kDotDot};
    return std::find(kContinuing.begin(), kContinuing.end(), kind) != kContinuing.end();
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
        return after.kind == TokenKind::kName &&
               (word(after) == "actuators" ||
                (is_reserved_word(word(after)) && word(after) != "if" && word(after) != "not"));
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
        if (i >= in_.size() || newline == 0 || in_[i].kind != TokenKind::kName ||
            lists_actuators(newline)) {
            return false;
        }
        if (begins_statement(i)) {
            return true;
        }
        return ends_operand(in_[newline - 1].kind) && is_statement_keyword(word(in_[i]));
    }

    // In a list of actuators a line may begin with "force on".
    bool lists_actuators(std::size_t newline) const {
        const TokenKind before = in_[newline - 1].kind;
        return (before == TokenKind::kComma || before == TokenKind::kOpenParen) &&
               open_.back() > 0 && word(in_[open_.back() - 1]) == "actuators";
    }

    void match_brackets() {
        for (std::size_t i = 0; i < in_.size(); ++i) {
            const TokenKind kind = in_[i].kind;
            if (opens(kind)) {
                open_.push_back(i);
            } else if (closes(kind)) {
                close(i);
            } else if (kind == TokenKind::kOpenBrace || kind == TokenKind::kCloseBrace ||
                       kind == TokenKind::kEnd ||
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

std::vector<Token> apply_line_rules(const Sources& sources, std::vector<Token> tokens,
                                    std::vector<Diagnostic>& diagnostics) {
    return LineRules(sources, std::move(tokens), diagnostics).apply();
}

}  // namespace ananke::lang

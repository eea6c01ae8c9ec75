#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

// Counts one level of nesting for as long as it lives.
class Parser::Nesting {
  public:
    explicit Nesting(Parser& parser, int levels = 1) : parser_(parser), levels_(levels) {
        parser_.depth_ += levels_;
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { parser_.depth_ -= levels_; }

  private:
    Parser& parser_;
    int levels_;
};

ExprId Parser::add(ExprKind kind, Span span, Span token, std::vector<ExprId> operands) {
    Expr expr;
    expr.kind = kind;
    expr.span = span;
    expr.token = token;
    expr.operands = std::move(operands);
    tree_.exprs.push_back(std::move(expr));
    return static_cast<ExprId>(tree_.exprs.size() - 1);
}

ExprId Parser::wrap(ExprKind kind, ExprId base, Span token) {
    Span span = tree_.exprs[base].span;
    span.end = token.end;
    return add(kind, span, token, {base});
}

/// Of two operands, ending with the last token taken.
ExprId Parser::wrap_with(ExprKind kind, ExprId base, ExprId operand) {
    const ExprId id = wrap(kind, base, tokens_[next_ - 1].span);
    tree_.exprs[id].operands.push_back(operand);
    return id;
}

/// From the begin of the first operand to the end of the last.
ExprId Parser::add_over(ExprKind kind, Span token, std::vector<ExprId> operands) {
    Span whole = span(operands.front());
    whole.begin = std::min(whole.begin, token.begin);
    whole.end = span(operands.back()).end;
    return add(kind, whole, token, std::move(operands));
}

/// Up to the last token taken.
Span Parser::span_from(Span begin) const {
    return {begin.file, begin.begin, tokens_[next_ - 1].span.end};
}

bool Parser::read(ExprId& out) {
    out = expression();
    return out != kNoExpr;
}

bool Parser::read_path(ExprId& out) {
    out = path();
    return out != kNoExpr;
}

bool Parser::deeper() {
    if (depth_ < limits_.nesting) {
        return true;
    }
    return fail(peek().span, fmt::format("nested more than {} levels deep", limits_.nesting),
                {"name the inner parts with 'let'"});
}

ExprId Parser::expression() {
    if (!deeper()) {
        return kNoExpr;
    }
    const Nesting nesting(*this);
    return at_word("if") ? conditional() : disjunction();
}

ExprId Parser::conditional() {
    const Span token = take().span;
    std::vector<ExprId> parts(3);
    const bool good =
        read(parts[0]) && expect_word("then", " after the condition") && read(parts[1]) &&
        expect_word("else", " after the value of 'then'", "write: if c then a else b") &&
        read(parts[2]);
    return good ? add_over(ExprKind::kIf, token, std::move(parts)) : kNoExpr;
}

/// a word b word c, with the operands one level tighter.
ExprId Parser::chain(ExprKind kind, std::string_view word, ExprId (Parser::*operand)()) {
    const ExprId first = (this->*operand)();
    if (first == kNoExpr || !at_word(word)) {
        return first;
    }
    const Span token = peek().span;
    std::vector<ExprId> operands{first};
    while (accept_word(word)) {
        operands.push_back((this->*operand)());
        if (operands.back() == kNoExpr) {
            return kNoExpr;
        }
    }
    return add_over(kind, token, std::move(operands));
}

ExprId Parser::disjunction() {
    return chain(ExprKind::kOr, "or", &Parser::conjunction);
}

ExprId Parser::conjunction() {
    return chain(ExprKind::kAnd, "and", &Parser::negation);
}

/// A word or a sign, and its operand.
ExprId Parser::prefixed(ExprKind kind, ExprId (Parser::*operand)()) {
    if (!deeper()) {
        return kNoExpr;
    }
    const Nesting nesting(*this);
    const Token token = take();
    const ExprId of = (this->*operand)();
    return of == kNoExpr || token.kind == TokenKind::kPlus ? of : add_over(kind, token.span, {of});
}

ExprId Parser::negation() {
    return at_word("not") ? prefixed(ExprKind::kNot, &Parser::negation) : comparison();
}

namespace {

bool is_relation(TokenKind kind) {
    return kind == TokenKind::kLess || kind == TokenKind::kLessEqual ||
           kind == TokenKind::kGreater || kind == TokenKind::kGreaterEqual ||
           kind == TokenKind::kDoubleEqual || kind == TokenKind::kNotEqual;
}

}  // namespace

ExprId Parser::comparison() {
    const ExprId left = sum();
    if (left == kNoExpr || !is_relation(peek().kind)) {
        return left;
    }
    const Token token = take();
    const ExprId right = sum();
    if (right == kNoExpr) {
        return kNoExpr;
    }
    if (is_relation(peek().kind)) {
        fail(peek().span, "comparisons cannot be chained",
             {"join two comparisons with 'and': a < b and b < c"});
        return kNoExpr;
    }
    const ExprId id = add_over(ExprKind::kCompare, token.span, {left, right});
    tree_.exprs[id].relation = token.kind;
    return id;
}

/// Operands with one of two signs between them: + and -, or * and /. Just the first one if no sign
/// follows it.
ExprId Parser::series(ExprKind kind, ExprId first, TokenKind direct, TokenKind inverse,
                      ExprId (Parser::*operand)()) {
    std::vector<ExprId> operands{first};
    std::vector<bool> inverted{false};
    const Span token = peek().span;
    while (operands.back() != kNoExpr && (at(direct) || at(inverse))) {
        inverted.push_back(take().kind == inverse);
        if (direct == TokenKind::kTimes && !inverted.back() && at(TokenKind::kTimes)) {
            fail(peek().span, "expected a value, found '*'", {"a power is written ^: x^2"});
            return kNoExpr;
        }
        operands.push_back((this->*operand)());
    }
    if (operands.size() == 1 || operands.back() == kNoExpr) {
        return operands.back();
    }
    const ExprId id = add_over(kind, token, std::move(operands));
    tree_.exprs[id].inverse = std::move(inverted);
    return id;
}

ExprId Parser::sum() {
    return series(ExprKind::kSum, product(), TokenKind::kPlus, TokenKind::kMinus, &Parser::product);
}

ExprId Parser::product() {
    const ExprId first = signed_power();
    value_end_ = next_;
    if (first != kNoExpr && tree_.exprs[first].kind == ExprKind::kNumber &&
        (at_word("deg") || at_word("pi"))) {
        const std::string_view number = text(span(first));
        const std::string_view unit = text(peek().span);
        fail(peek().span, fmt::format("expected an operator, found '{}'", unit),
             {fmt::format("write {}*{}", number, unit)});
        return kNoExpr;
    }
    const ExprId id = series(ExprKind::kProduct, first, TokenKind::kTimes, TokenKind::kDivide,
                             &Parser::signed_power);
    value_end_ = id == kNoExpr ? value_end_ : next_;
    return id;
}

// -x^2 is -(x^2).
ExprId Parser::signed_power() {
    return at(TokenKind::kMinus) || at(TokenKind::kPlus)
               ? prefixed(ExprKind::kNegate, &Parser::signed_power)
               : power();
}

// To the right: 2^3^2 is 2^(3^2); the exponent may have a sign.
ExprId Parser::power() {
    const ExprId base = postfix();
    if (base == kNoExpr || !at(TokenKind::kPower)) {
        return base;
    }
    if (!deeper()) {
        return kNoExpr;
    }
    const Nesting nesting(*this);
    const Token token = take();
    const ExprId exponent = signed_power();
    return exponent == kNoExpr ? kNoExpr : add_over(ExprKind::kPower, token.span, {base, exponent});
}

namespace {

bool is_path(ExprKind kind) {
    return kind == ExprKind::kName || kind == ExprKind::kIndex || kind == ExprKind::kMember;
}

}  // namespace

// body at (x, y, z)
ExprId Parser::place(ExprId body) {
    take();
    if (!at(TokenKind::kOpenParen) && !at_plain_name()) {
        fail_expected("the place in body axes", {"write: door at (0.5, 0, 0)"});
        return kNoExpr;
    }
    const ExprId where = at(TokenKind::kOpenParen) ? parenthesised() : postfix();
    return where == kNoExpr ? kNoExpr : wrap_with(ExprKind::kAt, body, where);
}

// vector in body
ExprId Parser::components(ExprId vector) {
    take();
    const ExprId body = path();
    return body == kNoExpr ? kNoExpr : wrap_with(ExprKind::kIn, vector, body);
}

ExprId Parser::postfix() {
    const bool parenthesised_first = at(TokenKind::kOpenParen);
    ExprId base = primary();
    const int depth_before = depth_;
    while (base != kNoExpr) {
        const ExprKind kind = tree_.exprs[base].kind;
        if (at(TokenKind::kPrime)) {
            base = wrap(ExprKind::kPrime, base, take().span);
        } else if (at(TokenKind::kDot)) {
            base = member(base);
        } else if (at(TokenKind::kOpenBracket)) {
            base = index(base,
                         "columns of the results, as force[c:P], cannot stand in the model; the "
                         "force of a constraint is reaction(c)");
        } else if (at(TokenKind::kOpenParen) && !parenthesised_first &&
                   (kind == ExprKind::kName || kind == ExprKind::kMember)) {
            base = call(base);
        } else if (places_allowed_ > 0 && at_word("at") && is_path(kind)) {
            base = place(base);
        } else if (at_word("in") && at_plain_name(1)) {
            base = components(base);
        } else {
            break;
        }
        // Every postfix is one more level of the tree.
        if (base != kNoExpr && !deeper()) {
            base = kNoExpr;
        }
        ++depth_;
    }
    depth_ = depth_before;
    return base;
}

ExprId Parser::primary() {
    const Token token = peek();
    switch (token.kind) {
        case TokenKind::kNumber: {
            take();
            const bool glued_name = at(TokenKind::kName) && peek().glued;
            const bool value_follows = at_plain_name() || at(TokenKind::kOpenParen);
            if (at(TokenKind::kOpenParen) && !peek().glued &&
                text(tokens_[statement_begin_].span) == "particle") {
                fail_expected("'at'", {"write: particle P mass m at (x, y, z)"});
                return kNoExpr;
            }
            if (glued_name || (value_follows && at(TokenKind::kOpenParen))) {
                fail(peek().span, fmt::format("expected an operator after '{}'", text(token.span)),
                     {"multiplication is written with *: 2*x"});
                return kNoExpr;
            }
            return add(ExprKind::kNumber, token.span, token.span);
        }
        case TokenKind::kName:
            if (is_reserved_word(text(token.span))) {
                if (text(token.span) == "if") {
                    fail(token.span, "a conditional inside an expression needs parentheses",
                         {"write: 2*(if c then a else b)"});
                } else {
                    fail_expected("a value");
                }
                return kNoExpr;
            }
            take();
            return add(ExprKind::kName, token.span, token.span);
        case TokenKind::kOpenParen:
            return parenthesised();
        case TokenKind::kOpenBracket:
            return matrix();
        case TokenKind::kString:
            take();
            return add(ExprKind::kText, token.span, token.span);
        default:
            fail_expected("a value");
            return kNoExpr;
    }
}

ExprId Parser::parenthesised() {
    const Token open = take();
    std::vector<ExprId> items;
    do {
        items.push_back(expression());
        if (items.back() == kNoExpr) {
            return kNoExpr;
        }
    } while (accept(TokenKind::kComma));
    if (at(TokenKind::kEqual)) {
        fail_expected("')'",
                      {"'=' stands between the two sides of an equation; a comparison is '=='"});
        return kNoExpr;
    }
    if (!expect(TokenKind::kCloseParen, "")) {
        return kNoExpr;
    }
    const Span whole = span_from(open.span);
    if (items.size() == 1) {
        tree_.exprs[items[0]].span = whole;
        return items[0];
    }
    return add(ExprKind::kVector, whole, open.span, std::move(items));
}

ExprId Parser::matrix() {
    const Token open = take();
    std::vector<ExprId> items;
    std::uint32_t rows = 1;
    std::size_t width = 0;
    std::size_t row_begin = 0;
    while (true) {
        items.push_back(expression());
        if (items.back() == kNoExpr) {
            return kNoExpr;
        }
        if (accept(TokenKind::kComma)) {
            continue;
        }
        const std::size_t row_width = items.size() - row_begin;
        if (width != 0 && row_width != width) {
            fail(span(items.back()),
                 fmt::format("row {} of the matrix has {} entr{}, the first has {}", rows,
                             row_width, row_width == 1 ? "y" : "ies", width));
            return kNoExpr;
        }
        width = row_width;
        if (!accept(TokenKind::kSemicolon)) {
            break;
        }
        row_begin = items.size();
        ++rows;
    }
    if (!expect(TokenKind::kCloseBracket, "")) {
        return kNoExpr;
    }
    const ExprId id = add(ExprKind::kMatrix, span_from(open.span), open.span, std::move(items));
    tree_.exprs[id].rows = rows;
    return id;
}

ExprId Parser::argument() {
    if (at_plain_name() && peek(1).kind == TokenKind::kEqual) {
        const Token name = take();
        take();
        const ExprId value = expression();
        return value == kNoExpr ? kNoExpr : add_over(ExprKind::kNamed, name.span, {value});
    }
    return expression();
}

ExprId Parser::call(ExprId callee) {
    take();
    std::vector<ExprId> operands{callee};
    ++places_allowed_;
    if (!at(TokenKind::kCloseParen)) {
        do {
            operands.push_back(argument());
        } while (operands.back() != kNoExpr && accept(TokenKind::kComma));
    }
    --places_allowed_;
    if (operands.back() == kNoExpr || !expect(TokenKind::kCloseParen, " after the arguments")) {
        return kNoExpr;
    }
    return add(ExprKind::kCall, span_from(span(callee)), tree_.exprs[callee].token,
               std::move(operands));
}

ExprId Parser::member(ExprId base) {
    take();
    if (!at(TokenKind::kName)) {
        fail_expected("a name after '.'");
        return kNoExpr;
    }
    return wrap(ExprKind::kMember, base, take().span);
}

/// `column_note` is told where the index is that of a column of the results.
ExprId Parser::index(ExprId base, std::string_view column_note) {
    take();
    ExprId i = kNoExpr;
    if (!read(i)) {
        return kNoExpr;
    }
    if (at(TokenKind::kComma)) {
        fail(peek().span, "one index per bracket", {"write x[i][j]"});
        return kNoExpr;
    }
    const bool closed = expect(TokenKind::kCloseBracket, " after the index",
                               at(TokenKind::kColon) ? column_note : "");
    return closed ? wrap_with(ExprKind::kIndex, base, i) : kNoExpr;
}

// A name with indices and members, as in x[i], B.x, chain.P[2].
ExprId Parser::path() {
    if (!at_plain_name()) {
        if (at(TokenKind::kName)) {
            fail(peek().span, fmt::format("'{}' is a word of the language and cannot be a name",
                                          text(peek().span)));
        } else if (at(TokenKind::kNumber) && next_ > 1 &&
                   tokens_[next_ - 1].kind == TokenKind::kComma &&
                   tokens_[next_ - 2].kind == TokenKind::kNumber) {
            fail_expected("a name", {"a decimal number is written with a point: 9.81"});
        } else {
            fail_expected("a name");
        }
        return kNoExpr;
    }
    const Token token = take();
    ExprId base = add(ExprKind::kName, token.span, token.span);
    int levels = 0;
    while (base != kNoExpr && (at(TokenKind::kOpenBracket) || at(TokenKind::kDot))) {
        if (++levels > limits_.nesting) {
            fail(peek().span, fmt::format("nested more than {} levels deep", limits_.nesting));
            return kNoExpr;
        }
        base = at(TokenKind::kDot) ? member(base) : index(base, "");
    }
    return base;
}

}  // namespace ananke::lang

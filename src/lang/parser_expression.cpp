#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

// Counts one level of nesting for as long as it lives.
class Nesting {
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
    const Token start = take();
    const ExprId condition = expression();
    if (condition == kNoExpr || !expect_word("then", " after the condition")) {
        return kNoExpr;
    }
    const ExprId yes = expression();
    if (yes == kNoExpr) {
        return kNoExpr;
    }
    if (!at_word("else")) {
        fail_expected("'else' after the value of 'then'", {"write: if c then a else b"});
        return kNoExpr;
    }
    take();
    const ExprId no = expression();
    if (no == kNoExpr) {
        return kNoExpr;
    }
    Span span = start.span;
    span.end = tree_.exprs[no].span.end;
    return add(ExprKind::kIf, span, start.span, {condition, yes, no});
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
    Span span = tree_.exprs[first].span;
    span.end = tree_.exprs[operands.back()].span.end;
    return add(kind, span, token, std::move(operands));
}

ExprId Parser::disjunction() {
    return chain(ExprKind::kOr, "or", &Parser::conjunction);
}

ExprId Parser::conjunction() {
    return chain(ExprKind::kAnd, "and", &Parser::negation);
}

ExprId Parser::negation() {
    if (!at_word("not")) {
        return comparison();
    }
    if (!deeper()) {
        return kNoExpr;
    }
    const Nesting nesting(*this);
    const Token token = take();
    const ExprId operand = negation();
    if (operand == kNoExpr) {
        return kNoExpr;
    }
    Span span = token.span;
    span.end = tree_.exprs[operand].span.end;
    return add(ExprKind::kNot, span, token.span, {operand});
}

namespace {

std::optional<Relation> relation_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::kLess:
            return Relation::kLess;
        case TokenKind::kLessEqual:
            return Relation::kLessEqual;
        case TokenKind::kGreater:
            return Relation::kGreater;
        case TokenKind::kGreaterEqual:
            return Relation::kGreaterEqual;
        case TokenKind::kDoubleEqual:
            return Relation::kEqual;
        case TokenKind::kNotEqual:
            return Relation::kNotEqual;
        default:
            return std::nullopt;
    }
}

}  // namespace

ExprId Parser::comparison() {
    const ExprId left = sum();
    const auto relation = relation_of(peek().kind);
    if (left == kNoExpr || !relation) {
        return left;
    }
    const Token token = take();
    const ExprId right = sum();
    if (right == kNoExpr) {
        return kNoExpr;
    }
    if (relation_of(peek().kind)) {
        fail(peek().span, "comparisons cannot be chained",
             {"join two comparisons with 'and': a < b and b < c"});
        return kNoExpr;
    }
    Span span = tree_.exprs[left].span;
    span.end = tree_.exprs[right].span.end;
    const ExprId id = add(ExprKind::kCompare, span, token.span, {left, right});
    tree_.exprs[id].relation = *relation;
    return id;
}

ExprId Parser::sum() {
    const ExprId first = product();
    if (first == kNoExpr || !(at(TokenKind::kPlus) || at(TokenKind::kMinus))) {
        return first;
    }
    const Span token = peek().span;
    std::vector<ExprId> operands{first};
    std::vector<bool> inverse{false};
    while (at(TokenKind::kPlus) || at(TokenKind::kMinus)) {
        inverse.push_back(take().kind == TokenKind::kMinus);
        operands.push_back(product());
        if (operands.back() == kNoExpr) {
            return kNoExpr;
        }
    }
    Span span = tree_.exprs[first].span;
    span.end = tree_.exprs[operands.back()].span.end;
    const ExprId id = add(ExprKind::kSum, span, token, std::move(operands));
    tree_.exprs[id].inverse = std::move(inverse);
    return id;
}

ExprId Parser::product() {
    const ExprId first = signed_power();
    value_end_ = next_;
    if (first != kNoExpr && tree_.exprs[first].kind == ExprKind::kNumber &&
        (at_word("deg") || at_word("pi"))) {
        const std::string_view number = text(tree_.exprs[first].span);
        const std::string_view unit = text(peek().span);
        fail(peek().span, fmt::format("expected an operator, found '{}'", unit),
             {fmt::format("write {}*{}", number, unit)});
        return kNoExpr;
    }
    if (first == kNoExpr || !(at(TokenKind::kTimes) || at(TokenKind::kDivide))) {
        return first;
    }
    const Span token = peek().span;
    std::vector<ExprId> operands{first};
    std::vector<bool> inverse{false};
    while (at(TokenKind::kTimes) || at(TokenKind::kDivide)) {
        const Token operation = take();
        if (operation.kind == TokenKind::kTimes && at(TokenKind::kTimes)) {
            fail(peek().span, "expected a value, found '*'", {"a power is written ^: x^2"});
            return kNoExpr;
        }
        inverse.push_back(operation.kind == TokenKind::kDivide);
        operands.push_back(signed_power());
        if (operands.back() == kNoExpr) {
            return kNoExpr;
        }
    }
    value_end_ = next_;
    Span span = tree_.exprs[first].span;
    span.end = tree_.exprs[operands.back()].span.end;
    const ExprId id = add(ExprKind::kProduct, span, token, std::move(operands));
    tree_.exprs[id].inverse = std::move(inverse);
    return id;
}

// -x^2 is -(x^2).
ExprId Parser::signed_power() {
    if (!at(TokenKind::kMinus) && !at(TokenKind::kPlus)) {
        return power();
    }
    if (!deeper()) {
        return kNoExpr;
    }
    const Nesting nesting(*this);
    const Token sign = take();
    const ExprId operand = signed_power();
    if (operand == kNoExpr || sign.kind == TokenKind::kPlus) {
        return operand;
    }
    Span span = sign.span;
    span.end = tree_.exprs[operand].span.end;
    return add(ExprKind::kNegate, span, sign.span, {operand});
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
    if (exponent == kNoExpr) {
        return kNoExpr;
    }
    Span span = tree_.exprs[base].span;
    span.end = tree_.exprs[exponent].span.end;
    return add(ExprKind::kPower, span, token.span, {base, exponent});
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
    if (where == kNoExpr) {
        return kNoExpr;
    }
    const ExprId id = wrap(ExprKind::kAt, body, tokens_[next_ - 1].span);
    tree_.exprs[id].operands.push_back(where);
    return id;
}

ExprId Parser::postfix() {
    const bool parenthesised_first = at(TokenKind::kOpenParen);
    ExprId base = primary();
    const int depth_before = depth_;
    while (base != kNoExpr) {
        if (at(TokenKind::kPrime)) {
            base = wrap(ExprKind::kPrime, base, take().span);
        } else if (at(TokenKind::kDot)) {
            take();
            if (!at(TokenKind::kName)) {
                fail_expected("a name after '.'");
                base = kNoExpr;
                break;
            }
            base = wrap(ExprKind::kMember, base, take().span);
        } else if (at(TokenKind::kOpenBracket)) {
            take();
            const ExprId index = expression();
            if (index != kNoExpr && at(TokenKind::kComma)) {
                fail(peek().span, "one index per bracket", {"write x[i][j]"});
                base = kNoExpr;
                break;
            }
            if (index != kNoExpr && at(TokenKind::kColon)) {
                fail(peek().span, "expected ']' after the index, found ':'",
                     {"columns of the results, as force[c:P], cannot stand in the model; the force "
                      "of a constraint is reaction(c)"});
                base = kNoExpr;
                break;
            }
            if (index == kNoExpr || !expect(TokenKind::kCloseBracket, " after the index")) {
                base = kNoExpr;
                break;
            }
            const Span close = tokens_[next_ - 1].span;
            base = wrap(ExprKind::kIndex, base, close);
            tree_.exprs[base].operands.push_back(index);
        } else if (at(TokenKind::kOpenParen) && !parenthesised_first &&
                   (tree_.exprs[base].kind == ExprKind::kName ||
                    tree_.exprs[base].kind == ExprKind::kMember)) {
            base = call(base);
        } else if (places_allowed_ > 0 && at_word("at") && is_path(tree_.exprs[base].kind)) {
            base = place(base);
        } else if (at_word("in") && at_plain_name(1)) {
            take();
            const ExprId body = path();
            base = body == kNoExpr ? kNoExpr : wrap(ExprKind::kIn, base, tokens_[next_ - 1].span);
            if (base != kNoExpr) {
                tree_.exprs[base].operands.push_back(body);
            }
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
    Span span = open.span;
    span.end = tokens_[next_ - 1].span.end;
    if (items.size() == 1) {
        tree_.exprs[items[0]].span = span;
        return items[0];
    }
    return add(ExprKind::kVector, span, open.span, std::move(items));
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
            fail(tree_.exprs[items.back()].span,
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
    Span span = open.span;
    span.end = tokens_[next_ - 1].span.end;
    const ExprId id = add(ExprKind::kMatrix, span, open.span, std::move(items));
    tree_.exprs[id].rows = rows;
    return id;
}

ExprId Parser::argument() {
    if (at_plain_name() && peek(1).kind == TokenKind::kEqual) {
        const Token name = take();
        take();
        const ExprId value = expression();
        if (value == kNoExpr) {
            return kNoExpr;
        }
        Span span = name.span;
        span.end = tree_.exprs[value].span.end;
        return add(ExprKind::kNamed, span, name.span, {value});
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
    Span span = tree_.exprs[callee].span;
    span.end = tokens_[next_ - 1].span.end;
    return add(ExprKind::kCall, span, tree_.exprs[callee].token, std::move(operands));
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
        if (accept(TokenKind::kDot)) {
            if (!at(TokenKind::kName)) {
                fail_expected("a name after '.'");
                return kNoExpr;
            }
            base = wrap(ExprKind::kMember, base, take().span);
            continue;
        }
        take();
        const ExprId index = expression();
        if (index != kNoExpr && at(TokenKind::kComma)) {
            fail(peek().span, "one index per bracket", {"write x[i][j]"});
            return kNoExpr;
        }
        if (index == kNoExpr || !expect(TokenKind::kCloseBracket, " after the index")) {
            return kNoExpr;
        }
        base = wrap(ExprKind::kIndex, base, tokens_[next_ - 1].span);
        tree_.exprs[base].operands.push_back(index);
    }
    return base;
}

}  // namespace ananke::lang

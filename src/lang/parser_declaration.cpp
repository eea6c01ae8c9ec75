// What stands behind the keyword of each statement.
#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::parse_model(Statement& out) {
    take();
    if (!at(TokenKind::kString)) {
        return fail_expected("the title in quotes", {"write: model \"Two-link pendulum\""});
    }
    const Span span = take().span;
    out.as = ModelTitle{std::string(text({span.file, span.begin + 1, span.end - 1}))};
    return true;
}

bool Parser::path_list(std::vector<ExprId>& out) {
    do {
        out.push_back(path());
        if (out.back() == kNoExpr) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse_coordinate(Statement& out) {
    take();
    CoordinateList node;
    if (!path_list(node.names)) {
        return false;
    }
    if (at(TokenKind::kEqual) || at(TokenKind::kTilde)) {
        return fail_expected("',' or the end of the line",
                             {"a start value is given by: initial x = 1"});
    }
    if (at_plain_name()) {
        return fail_expected("',' or the end of the line", {"names are separated by commas"});
    }
    if (at(TokenKind::kPrime)) {
        return fail(peek().span, "a coordinate is declared without a prime",
                    {"its velocity x' exists by itself"});
    }
    out.as = std::move(node);
    return true;
}

bool Parser::bindings(std::vector<Binding>& out, bool guesses, std::string_view form) {
    do {
        Binding item;
        item.name = path();
        while (item.name != kNoExpr && at(TokenKind::kPrime)) {
            item.name = wrap(ExprKind::kPrime, item.name, take().span);
        }
        if (item.name == kNoExpr) {
            return false;
        }
        if (guesses && at(TokenKind::kTilde)) {
            item.guess = true;
            take();
        } else if (at(TokenKind::kTilde)) {
            return fail_expected("'='", {"'~' marks a guess and stands only in 'initial'"});
        } else if (at(TokenKind::kDoubleEqual)) {
            return fail(peek().span, "expected '=', found '=='", {fmt::format("write: {}", form)});
        } else if (at(TokenKind::kOpenParen) && text(tokens_[statement_begin_].span) == "let") {
            return fail(peek().span, "a function is declared with 'define'",
                        {"write: define f(a, b) = ..."});
        } else if (!accept(TokenKind::kEqual)) {
            return fail_expected(guesses ? "'=' or '~'" : "'='", {fmt::format("write: {}", form)});
        }
        item.value = expression();
        if (item.value == kNoExpr) {
            return false;
        }
        if (at(TokenKind::kEqual)) {
            return fail(peek().span, "one '=' only",
                        {"separate two definitions with a comma; a comparison is '=='"});
        }
        item.span = tree_.exprs[item.name].span;
        item.span.end = tree_.exprs[item.value].span.end;
        out.push_back(item);
    } while (accept(TokenKind::kComma));
    return true;
}

bool Parser::parse_define(Statement& out) {
    take();
    if (at_word("joint") && peek(1).kind == TokenKind::kName) {
        return parse_define_joint(out);
    }
    FunctionDefinition node;
    if (!at_plain_name()) {
        return fail_expected("the name of the function", {"write: define f(a, b) = ..."});
    }
    node.name = take().span;
    if (!at(TokenKind::kOpenParen)) {
        return fail_expected("'(' after the name of the function",
                             {"write: define f(a, b) = ...; a name without arguments is a 'let'"});
    }
    take();
    do {
        if (!at_plain_name()) {
            return fail_expected("the name of an argument", {"write: define f(a, b) = ..."});
        }
        node.arguments.push_back({take().span, {}, kNoExpr});
    } while (accept(TokenKind::kComma));
    if (!expect(TokenKind::kCloseParen, " after the arguments") ||
        !expect(TokenKind::kEqual, " after the head of the function")) {
        return false;
    }
    node.body = expression();
    const bool good = node.body != kNoExpr;
    out.as = std::move(node);
    return good;
}

bool Parser::parse_mass(Statement& out) {
    take();
    MassTerm node;
    if (!path_list(node.names) || !expect(TokenKind::kEqual, " after the coordinates")) {
        return false;
    }
    node.matrix = expression();
    const bool good = node.matrix != kNoExpr;
    out.as = std::move(node);
    return good;
}

bool Parser::parse_force(Statement& out, bool nonideal) {
    std::string word(text(take().span));
    ForceTerm node;
    node.nonideal = nonideal;
    node.torque = word == "torque";
    if (nonideal && at_word("torque")) {
        take();
        node.torque = true;
        word += " torque";
    }
    if (!at_word("on")) {
        return fail_expected("'on'", {fmt::format("write: {} on x = ...", word)});
    }
    take();
    node.target = path();
    if (node.target == kNoExpr) {
        return false;
    }
    if (at(TokenKind::kPrime)) {
        return fail(peek().span, "a force acts on a coordinate or a point, not on a velocity",
                    {"remove the prime"});
    }
    if (at(TokenKind::kComma)) {
        return fail(peek().span, "one coordinate or point per statement",
                    {fmt::format("write one '{} on' for each; they add up", word)});
    }
    if (at_word("at")) {
        if (node.torque) {
            return fail(peek().span, "a torque acts on a body as a whole, not at a place",
                        {"remove 'at'"});
        }
        node.target = place(node.target);
        if (node.target == kNoExpr) {
            return false;
        }
    }
    if (!at(TokenKind::kEqual)) {
        return fail_expected("'=' after the target", {fmt::format("write: {} on x = ...", word)});
    }
    take();
    node.value = expression();
    out.as = node;
    return node.value != kNoExpr;
}

bool Parser::parse_particle(Statement& out) {
    take();
    static const std::vector<std::string> kForm{"write: particle P mass m at (x, y, z)"};
    ParticleDeclaration node;
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    if (!accept_word("mass")) {
        return fail_expected("'mass'", kForm);
    }
    node.mass = expression();
    if (node.mass == kNoExpr) {
        return false;
    }
    if (!accept_word("at")) {
        return fail_expected("'at'", kForm);
    }
    node.position = expression();
    out.as = node;
    return node.position != kNoExpr;
}

bool Parser::parse_point(Statement& out) {
    take();
    PointDeclaration node;
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    if (accept_word("on")) {
        node.body = path();
        if (node.body == kNoExpr) {
            return false;
        }
    }
    if (!accept_word("at")) {
        return fail_expected("'at'",
                             {node.body == kNoExpr ? "write: point P at (x, y, z)"
                                                   : "write: point P on body at (x, y, z)"});
    }
    node.position = expression();
    out.as = node;
    return node.position != kNoExpr;
}

bool Parser::equation(ExprId& left, ExprId& right, Span& span) {
    left = at_word("if") ? expression() : sum();
    if (left == kNoExpr) {
        return false;
    }
    switch (peek().kind) {
        case TokenKind::kLess:
        case TokenKind::kLessEqual:
        case TokenKind::kGreater:
        case TokenKind::kGreaterEqual:
            return fail(peek().span,
                        "a constraint is an equation; unilateral constraints are not supported",
                        {"a contact can be written as a stiff force: force on x = if x < 0 then "
                         "-k*x else 0",
                         "a constraint that always touches is written with '='"});
        case TokenKind::kDoubleEqual:
            return fail(peek().span, "expected '=', found '=='",
                        {"an equation is written: left = right"});
        case TokenKind::kTilde:
            return fail(peek().span, "expected '=', found '~'",
                        {"'~' marks a guess and stands only in 'initial'"});
        default:
            break;
    }
    if (!at(TokenKind::kEqual)) {
        return fail_expected("'='", {"a constraint is an equation: left = right"});
    }
    take();
    right = at_word("if") ? expression() : sum();
    if (right == kNoExpr) {
        return false;
    }
    if (at(TokenKind::kEqual)) {
        return fail(peek().span, "one '=' per equation",
                    {"write two constraints: a = b and b = c"});
    }
    span = tree_.exprs[left].span;
    span.end = tree_.exprs[right].span.end;
    return true;
}

bool Parser::parse_constraint(Statement& out, bool servo) {
    const Token keyword = take();
    ConstraintDeclaration node;
    node.servo = servo;
    // A name and a colon must stand before the equation; find out which of them is missing.
    std::size_t i = 0;
    while (peek(i).kind != TokenKind::kNewline && peek(i).kind != TokenKind::kEnd &&
           peek(i).kind != TokenKind::kColon) {
        ++i;
    }
    if (peek(i).kind != TokenKind::kColon) {
        return fail_expected("a name and ':'",
                             {fmt::format("write: {} name: left = right", text(keyword.span))});
    }
    node.name = path();
    if (node.name == kNoExpr || !expect(TokenKind::kColon, " after the name")) {
        return false;
    }
    if (!equation(node.left, node.right, node.equation)) {
        return false;
    }
    const bool good = !at_word("actuators") || parse_actuators(node);
    out.as = std::move(node);
    return good;
}

bool Parser::parse_simulate(Statement& out) {
    take();
    Simulate node;
    if (at_word("stiff") || at_word("every")) {
        return fail_expected("'until' first", {"write: simulate until 10 every 0.1 stiff"});
    }
    if (!accept_word("until")) {
        return fail_expected("'until'", {"write: simulate until 10 every 0.1"});
    }
    node.until = expression();
    if (node.until == kNoExpr) {
        return false;
    }
    while (true) {
        const bool comma = accept(TokenKind::kComma);
        if (at_word("every") && node.every == kNoExpr) {
            take();
            node.every = expression();
            if (node.every == kNoExpr) {
                return false;
            }
        } else if (at_word("step") && node.max_step == kNoExpr) {
            take();
            if (!accept_word("at") || !accept_word("most")) {
                return fail_expected("'step at most'",
                                     {"write: simulate until 10 every 0.1 step at most 0.05"});
            }
            node.max_step = expression();
            if (node.max_step == kNoExpr) {
                return false;
            }
        } else if (at_word("stiff") && !node.stiff) {
            take();
            node.stiff = true;
        } else if (comma) {
            return fail_expected("'every', 'step at most' or 'stiff' after the comma",
                                 {"write: simulate until 10 every 0.1 stiff"});
        } else {
            break;
        }
    }
    if (at(TokenKind::kName)) {
        return fail_expected("'every', 'step at most', 'stiff' or the end of the line",
                             {"write: simulate until 10 every 0.1 stiff"});
    }
    out.as = node;
    return true;
}

bool Parser::parse_import(Statement& out) {
    take();
    if (!at(TokenKind::kString)) {
        return fail_expected("a file name in quotes", {"write: import \"springs.ank\""});
    }
    Import node;
    node.path_span = take().span;
    const Span inner{node.path_span.file, node.path_span.begin + 1, node.path_span.end - 1};
    node.path = std::string(text(inner));
    if (accept_word("as")) {
        if (!at_plain_name()) {
            return fail_expected("a name after 'as'");
        }
        node.alias = take().span;
    }
    out.as = std::move(node);
    return true;
}

}  // namespace ananke::lang

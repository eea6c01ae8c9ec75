// Masses, forces, constraints and what belongs to them.
#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::parse(MassTerm& node) {
    return path_list(node.names) && expect(TokenKind::kEqual, " after the coordinates") &&
           read(node.matrix);
}

bool Parser::parse(ForceTerm& node) {
    std::string word(keyword());
    node.nonideal = word == "nonideal";
    node.torque = word == "torque";
    if (node.nonideal && accept_word("torque")) {
        node.torque = true;
        word += " torque";
    }
    const std::string form = fmt::format("write: {} on x = ...", word);
    if (!expect_word("on", "", form) || !read_path(node.target)) {
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
    }
    return node.target != kNoExpr && expect(TokenKind::kEqual, " after the target", form) &&
           read(node.value);
}

/// One side of an equation.
bool Parser::side(ExprId& out) {
    out = at_word("if") ? expression() : sum();
    return out != kNoExpr;
}

bool Parser::equation(ConstraintDeclaration& node) {
    if (!side(node.left)) {
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
    if (!expect(TokenKind::kEqual, "", "a constraint is an equation: left = right") ||
        !side(node.right)) {
        return false;
    }
    if (at(TokenKind::kEqual)) {
        return fail(peek().span, "one '=' per equation",
                    {"write two constraints: a = b and b = c"});
    }
    node.equation = span(node.left);
    node.equation.end = span(node.right).end;
    return true;
}

bool Parser::parse(ConstraintDeclaration& node) {
    node.servo = keyword() == "servo";
    // A name and a colon must stand before the equation; find out which of them is missing.
    std::size_t i = 0;
    while (peek(i).kind != TokenKind::kNewline && peek(i).kind != TokenKind::kEnd &&
           peek(i).kind != TokenKind::kColon) {
        ++i;
    }
    if (peek(i).kind != TokenKind::kColon) {
        return fail_expected("a name and ':'",
                             {fmt::format("write: {} name: left = right", keyword())});
    }
    return read_path(node.name) && expect(TokenKind::kColon, " after the name") && equation(node) &&
           (!at_word("actuators") || actuators(node));
}

/// force on P along (1, 0, 0), torque on B about (0, 0, 1), force on x
bool Parser::actuator(ActuatorNode& out, std::string_view form) {
    const Span begin = peek().span;
    out.torque = at_word("torque");
    if (!out.torque && !at_word("force")) {
        return fail_expected("'force on' or 'torque on'", {std::string(form)});
    }
    take();
    if (!expect_word("on", "", form) || !read_path(out.target)) {
        return false;
    }
    if (!out.torque && at_word("at")) {
        out.target = place(out.target);
        if (out.target == kNoExpr) {
            return false;
        }
    }
    const std::string_view direction = out.torque ? "about" : "along";
    if (at_word(out.torque ? "along" : "about")) {
        return fail_expected(fmt::format("'{}'", direction),
                             {"a force acts along a vector, a torque about one"});
    }
    if (accept_word(direction) && !read(out.direction)) {
        return false;
    }
    out.span = span_from(begin);
    return true;
}

bool Parser::actuators(ConstraintDeclaration& node) {
    constexpr const char* kForm =
        "write: actuators (force on P along (1, 0, 0), torque on B about (0, 0, 1), force on x)";
    const Span keyword = take().span;
    if (!node.servo) {
        return fail(keyword, "'actuators' belong to a servo; the force of a constraint is passive",
                    {"write: servo name: left = right actuators (...)"});
    }
    if (!expect(TokenKind::kOpenParen, " after 'actuators'", kForm)) {
        return false;
    }
    do {
        if (!actuator(node.actuators.emplace_back(), kForm)) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return accept(TokenKind::kCloseParen) ||
           fail_expected("',' or ')' after the actuator", {kForm});
}

bool Parser::parse(FrictionTerm& node) {
    constexpr const char* kForm = "write: friction on c: coulomb(mu = 0.2)";
    if (!expect_word("on", "", kForm) || !read_path(node.target) ||
        !expect(TokenKind::kColon, " after the name of the constraint", kForm)) {
        return false;
    }
    if (!at_plain_name() || peek(1).kind != TokenKind::kOpenParen) {
        return fail_expected("a law and its arguments", {kForm});
    }
    node.law = postfix();
    return node.law != kNoExpr;
}

bool Parser::parse(ComplianceTerm& node) {
    constexpr const char* kForm =
        "write: compliance on c: 1e-6, or of a joint: compliance on j: translation 1e-6 rotation "
        "1e-4";
    if (!expect_word("on", "", kForm) || !read_path(node.target) ||
        !expect(TokenKind::kColon, " after the name", kForm) ||
        (accept_word("translation") && !read(node.translation)) ||
        (accept_word("rotation") && !read(node.rotation))) {
        return false;
    }
    return node.translation != kNoExpr || node.rotation != kNoExpr || read(node.value);
}

}  // namespace ananke::lang

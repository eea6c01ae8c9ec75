#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::parse_friction(Statement& out) {
    take();
    static const std::vector<std::string> kForm{"write: friction on c: coulomb(mu = 0.2)"};
    FrictionTerm node;
    if (!accept_word("on")) {
        return fail_expected("'on'", kForm);
    }
    node.target = path();
    if (node.target == kNoExpr) {
        return false;
    }
    if (!at(TokenKind::kColon)) {
        return fail_expected("':' after the name of the constraint", kForm);
    }
    take();
    if (!at_plain_name() || peek(1).kind != TokenKind::kOpenParen) {
        return fail_expected("a law and its arguments", kForm);
    }
    node.law = postfix();
    out.as = node;
    return node.law != kNoExpr;
}

bool Parser::parse_compliance(Statement& out) {
    take();
    static const std::vector<std::string> kForm{
        "write: compliance on c: 1e-6, or of a joint: compliance on j: translation 1e-6 rotation "
        "1e-4"};
    ComplianceTerm node;
    if (!accept_word("on")) {
        return fail_expected("'on'", kForm);
    }
    node.target = path();
    if (node.target == kNoExpr) {
        return false;
    }
    if (!accept(TokenKind::kColon)) {
        return fail_expected("':' after the name", kForm);
    }
    bool good = true;
    if (accept_word("translation")) {
        node.translation = expression();
        good = node.translation != kNoExpr;
    }
    if (good && accept_word("rotation")) {
        node.rotation = expression();
        good = node.rotation != kNoExpr;
    }
    if (good && node.translation == kNoExpr && node.rotation == kNoExpr) {
        node.value = expression();
        good = node.value != kNoExpr;
    }
    out.as = node;
    return good;
}

bool Parser::parse_rub(Statement& out) {
    take();
    static const std::vector<std::string> kForm{
        "write: rub sliding: dot(velocity(B) - velocity(A), n) load abs(reaction(c))"};
    RubDeclaration node;
    if (!at_plain_name()) {
        return fail_expected("a name", kForm);
    }
    node.name = take().span;
    if (accept(TokenKind::kOpenParen) && !joint_arguments(node.arguments)) {
        return false;
    }
    if (!expect(TokenKind::kColon, " after the name")) {
        return false;
    }
    node.slip = expression();
    if (node.slip == kNoExpr) {
        return false;
    }
    if (!accept_word("load")) {
        return fail_expected("'load'", kForm);
    }
    node.load = expression();
    const bool good = node.load != kNoExpr;
    out.as = std::move(node);
    return good;
}

}  // namespace ananke::lang

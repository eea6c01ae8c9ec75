// Bodies, joints and their definitions.
#include <array>

#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::clause(Clause& out, std::string_view word) {
    if (out.value != kNoExpr) {
        return fail(tokens_[next_ - 1].span, fmt::format("'{}' is given twice", word));
    }
    out.guess = accept(TokenKind::kTilde);
    out.value = expression();
    return out.value != kNoExpr;
}

bool Parser::parse_body(Statement& out) {
    BodyDeclaration node;
    node.planar = text(take().span) == "planar";
    if (node.planar && !accept_word("body")) {
        return fail_expected("'body'", {"write: planar body B mass 1 inertia 0.1 at (0, 0)"});
    }
    const std::vector<std::string> form{
        node.planar ? "write: planar body B mass 1 inertia 0.1 at (0, 0) angle 30*deg"
                    : "write: body B mass 1 inertia (0.1, 0.2, 0.3) at (0, 0, 1)"};
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    struct Part {
        std::string_view word;
        Clause* clause;
    };
    const std::array<Part, 6> parts{{{"mass", &node.mass},
                                     {"inertia", &node.inertia},
                                     {"at", &node.at},
                                     {node.planar ? "angle" : "orientation", &node.orientation},
                                     {"velocity", &node.velocity},
                                     {"omega", &node.omega}}};
    while (at(TokenKind::kName)) {
        const Part* found = nullptr;
        for (const Part& part : parts) {
            found = at_word(part.word) ? &part : found;
        }
        if (found == nullptr) {
            return fail_expected(
                fmt::format("mass, inertia, at, {}, velocity, omega or the end of the line",
                            parts[3].word),
                form);
        }
        take();
        if (!clause(*found->clause, found->word)) {
            return false;
        }
        accept(TokenKind::kComma);
    }
    if (node.mass.value == kNoExpr) {
        return fail_expected("'mass'", form);
    }
    if (node.mass.guess || node.inertia.guess) {
        return fail(tokens_[statement_begin_].span, "mass and inertia are no guesses",
                    {"remove '~'"});
    }
    out.as = node;
    return true;
}

bool Parser::parse_joint(Statement& out) {
    take();
    static const std::vector<std::string> kForm{
        "write: joint name: kind(ground at (0, 0, 1), door at (-0.5, 0, 0))"};
    JointDeclaration node;
    node.name = path();
    if (node.name == kNoExpr) {
        return false;
    }
    if (!at(TokenKind::kColon)) {
        return fail_expected("':' after the name", kForm);
    }
    take();
    node.call = expression();
    if (node.call == kNoExpr) {
        return false;
    }
    if (tree_.exprs[node.call].kind != ExprKind::kCall) {
        return fail(tree_.exprs[node.call].span, "expected a kind of joint and its arguments",
                    kForm);
    }
    out.as = node;
    return true;
}

bool Parser::joint_argument(Argument& out) {
    if (!at_plain_name()) {
        return fail_expected(
            "the name of an argument",
            {"write: define joint rod(A: point, B: point, length: scalar) { ... }"});
    }
    out.name = take().span;
    if (accept(TokenKind::kColon)) {
        if (!at_word("point") && !at_word("body") && !at_word("scalar") && !at_word("vector")) {
            return fail_expected("point, body, scalar or vector");
        }
        out.type = take().span;
    }
    if (accept(TokenKind::kEqual)) {
        out.fallback = expression();
        return out.fallback != kNoExpr;
    }
    return true;
}

bool Parser::joint_arguments(std::vector<Argument>& out) {
    do {
        out.emplace_back();
        if (!joint_argument(out.back())) {
            return false;
        }
    } while (accept(TokenKind::kComma));
    return expect(TokenKind::kCloseParen, " after the arguments");
}

bool Parser::parse_define_joint(Statement& out) {
    take();
    JointDefinition node;
    node.name = take().span;
    if (!expect(TokenKind::kOpenParen, " after the name of the joint")) {
        return false;
    }
    if (!accept(TokenKind::kCloseParen) && !joint_arguments(node.arguments)) {
        return false;
    }
    while (at(TokenKind::kNewline) && peek(1).kind == TokenKind::kOpenBrace) {
        take();
    }
    if (!at(TokenKind::kOpenBrace)) {
        return fail_expected("'{'", {"write: define joint name(A: point, B: point) { ... }"});
    }
    const bool good = block(node.body);
    out.as = std::move(node);
    return good;
}

}  // namespace ananke::lang

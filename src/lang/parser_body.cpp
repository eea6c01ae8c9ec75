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
    return read(out.value);
}

bool Parser::parse(BodyDeclaration& node) {
    node.planar = keyword() == "planar";
    if (node.planar &&
        !expect_word("body", "", "write: planar body B mass 1 inertia 0.1 at (0, 0)")) {
        return false;
    }
    const char* const form = node.planar
                                 ? "write: planar body B mass 1 inertia 0.1 at (0, 0) angle 30*deg"
                                 : "write: body B mass 1 inertia (0.1, 0.2, 0.3) at (0, 0, 1)";
    if (!read_path(node.name)) {
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
        const auto* const part = std::find_if(parts.begin(), parts.end(),
                                              [&](const Part& one) { return at_word(one.word); });
        if (part == parts.end()) {
            return fail_expected(
                fmt::format("mass, inertia, at, {}, velocity, omega or the end of the line",
                            parts[3].word),
                {form});
        }
        take();
        if (!clause(*part->clause, part->word)) {
            return false;
        }
        accept(TokenKind::kComma);
    }
    if (node.mass.value == kNoExpr) {
        return fail_expected("'mass'", {form});
    }
    if (node.mass.guess || node.inertia.guess) {
        return fail(tokens_[statement_begin_].span, "mass and inertia are no guesses",
                    {"remove '~'"});
    }
    return true;
}

bool Parser::parse(JointDeclaration& node) {
    constexpr const char* kForm =
        "write: joint name: kind(ground at (0, 0, 1), door at (-0.5, 0, 0))";
    if (!read_path(node.name) || !expect(TokenKind::kColon, " after the name", kForm) ||
        !read(node.call)) {
        return false;
    }
    return tree_.exprs[node.call].kind == ExprKind::kCall ||
           fail(span(node.call), "expected a kind of joint and its arguments", {kForm});
}

bool Parser::joint_argument(Argument& out) {
    if (!expect_name("the name of an argument",
                     "write: define joint rod(A: point, B: point, length: scalar) { ... }",
                     out.name)) {
        return false;
    }
    if (accept(TokenKind::kColon)) {
        if (!at_word("point") && !at_word("body") && !at_word("scalar") && !at_word("vector")) {
            return fail_expected("point, body, scalar or vector");
        }
        out.type = take().span;
    }
    return !accept(TokenKind::kEqual) || read(out.fallback);
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

bool Parser::parse(JointDefinition& node) {
    take();
    node.name = take().span;
    return expect(TokenKind::kOpenParen, " after the name of the joint") &&
           (accept(TokenKind::kCloseParen) || joint_arguments(node.arguments)) &&
           expect_block("write: define joint name(A: point, B: point) { ... }") && block(node.body);
}

bool Parser::parse(RubDeclaration& node) {
    constexpr const char* kForm =
        "write: rub sliding: dot(velocity(B) - velocity(A), n) load abs(reaction(c))";
    return expect_name("a name", kForm, node.name) &&
           (!accept(TokenKind::kOpenParen) || joint_arguments(node.arguments)) &&
           expect(TokenKind::kColon, " after the name") && read(node.slip) &&
           expect_word("load", "", kForm) && read(node.load);
}

}  // namespace ananke::lang

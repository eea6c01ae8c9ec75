// view: how a report draws the model.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lang/names.h"
#include "lang/parser_core.h"

namespace ananke::lang {
namespace {

using Kind = mech::View::Kind;

struct Word {
    std::string_view word;
    Kind kind;
    const char* form;
};

// Behind the name of a body, a particle or a point.
constexpr std::array<Word, 5> kShapes{{
    {"sphere", Kind::kSphere, "write: view ball sphere 0.1"},
    {"box", Kind::kBox, "write: view crank box (0.2, 0.02, 0.02)"},
    {"cylinder", Kind::kCylinder, "write: view rotor cylinder 0.1 length 0.3 axis (0, 0, 1)"},
    {"colour", Kind::kColour, "write: view crank colour \"steel\""},
    {"color", Kind::kColour, "write: view crank color \"steel\""},
}};
// In front of the names.
constexpr std::array<Word, 5> kOthers{{
    {"line", Kind::kLine, "write: view line P to Q"},
    {"spring", Kind::kSpring, "write: view spring P to Q"},
    {"trail", Kind::kTrail, "write: view trail P"},
    {"hide", Kind::kHide, "write: view hide B"},
    {"camera", Kind::kCamera, "write: view camera from (3, 2, 1) to (0, 0, 0)"},
}};

constexpr const char* kForms =
    "write: view B box (0.2, 0.02, 0.02), view B sphere 0.1, view line P to Q, view trail P, view "
    "hide B or view camera from (3, 2, 1) to (0, 0, 0)";

}  // namespace

bool Parser::parse(ViewStatement& node) {
    const auto word_at = [&](const std::array<Word, 5>& words, std::size_t ahead) {
        return std::find_if(words.begin(), words.end(),
                            [&](const Word& one) { return at_word(one.word, ahead); });
    };
    const auto* const other = word_at(kOthers, 0);
    // A body may be called like one of these words.
    if (other != kOthers.end() && word_at(kShapes, 1) == kShapes.end()) {
        take();
        node.kind = other->kind;
        return view_names(node, other->form);
    }
    if (!at_plain_name()) {
        return fail_expected("the name of a body or a point, or a kind of view", {kForms});
    }
    if (!read_path(node.target)) {
        return false;
    }
    const auto* const shape = word_at(kShapes, 0);
    if (shape == kShapes.end()) {
        std::vector<std::string> words;
        for (const Word& one : kShapes) {
            words.emplace_back(one.word);
        }
        return fail_expected(
            "sphere, box, cylinder or colour",
            {at(TokenKind::kName) ? suggestion(text(peek().span), words, kForms) : kForms});
    }
    node.kind = shape->kind;
    if (node.kind != Kind::kColour) {
        take();
        if (!read(node.size)) {
            return false;
        }
    }
    return view_clauses(node, shape->form);
}

/// What follows line, spring, trail, hide or camera.
bool Parser::view_names(ViewStatement& node, const char* form) {
    if (node.kind == Kind::kCamera) {
        return expect_word("from", "", form) && read(node.at) && expect_word("to", "", form) &&
               read(node.axis);
    }
    const bool two_ends = node.kind == Kind::kLine || node.kind == Kind::kSpring;
    return view_place(node.target, form) &&
           (!two_ends || (expect_word("to", "", form) && view_place(node.other, form))) &&
           view_clauses(node, form);
}

bool Parser::view_place(ExprId& out, const char* form) {
    if (!at_plain_name()) {
        return fail_expected("the name of a body or a point", {form});
    }
    out = path();
    out = out != kNoExpr && at_word("at") ? place(out) : out;
    return out != kNoExpr;
}

bool Parser::view_clauses(ViewStatement& node, const char* form) {
    const bool solid =
        node.kind == Kind::kSphere || node.kind == Kind::kBox || node.kind == Kind::kCylinder;
    while (at(TokenKind::kName)) {
        const Token word = peek();
        const auto part = [&](ExprId& value) {
            take();
            if (value != kNoExpr) {
                return fail(word.span, fmt::format("'{}' is given twice", text(word.span)));
            }
            return read(value);
        };
        bool good = false;
        if (at_word("colour") || at_word("color")) {
            take();
            if (!node.colour.empty()) {
                return fail(word.span, fmt::format("'{}' is given twice", text(word.span)));
            }
            if (!at(TokenKind::kString)) {
                return fail_expected("a colour in quotes",
                                     {"write: colour \"steel\" or colour \"#1f77b4\""});
            }
            node.colour_span = take().span;
            node.colour = quoted(node.colour_span);
            good = true;
        } else if (solid && at_word("at")) {
            good = part(node.at);
        } else if (node.kind == Kind::kCylinder && at_word("length")) {
            good = part(node.length);
        } else if (node.kind == Kind::kCylinder && at_word("axis")) {
            good = part(node.axis);
        } else {
            return fail_expected(node.kind == Kind::kCylinder ? "length, axis, at or colour"
                                 : solid                      ? "at or colour"
                                                              : "colour or the end of the line",
                                 {form});
        }
        if (!good) {
            return false;
        }
        accept(TokenKind::kComma);
    }
    if (node.kind == Kind::kCylinder && (node.length == kNoExpr || node.axis == kNoExpr)) {
        return fail_expected(node.length == kNoExpr ? "'length'" : "'axis'", {form});
    }
    return true;
}

}  // namespace ananke::lang

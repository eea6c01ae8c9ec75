// view: how a report draws the model.
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

bool Parser::parse_view(Statement& out) {
    take();
    ViewStatement node;
    const auto is_shape = [&](std::size_t ahead) {
        for (const Word& shape : kShapes) {
            if (at_word(shape.word, ahead)) {
                return true;
            }
        }
        return false;
    };
    for (const Word& other : kOthers) {
        // A body may be called like one of these words.
        if (at_word(other.word) && !is_shape(1)) {
            take();
            node.kind = other.kind;
            const bool good = view_names(node, other.form);
            out.as = std::move(node);
            return good;
        }
    }
    if (!at_plain_name()) {
        return fail_expected("the name of a body or a point, or a kind of view", {kForms});
    }
    node.target = path();
    if (node.target == kNoExpr) {
        return false;
    }
    for (const Word& shape : kShapes) {
        if (at_word(shape.word)) {
            node.kind = shape.kind;
            const bool good = view_shape(node, shape.form);
            out.as = std::move(node);
            return good;
        }
    }
    std::vector<std::string> words;
    words.reserve(kShapes.size());
    for (const Word& shape : kShapes) {
        words.emplace_back(shape.word);
    }
    return fail_expected(
        "sphere, box, cylinder or colour",
        {at(TokenKind::kName) ? suggestion(text(peek().span), words, kForms) : kForms});
}

/// What follows line, spring, trail, hide or camera.
bool Parser::view_names(ViewStatement& node, const char* form) {
    if (node.kind == Kind::kCamera) {
        if (!accept_word("from")) {
            return fail_expected("'from'", {form});
        }
        node.at = expression();
        if (node.at == kNoExpr) {
            return false;
        }
        if (!accept_word("to")) {
            return fail_expected("'to'", {form});
        }
        node.axis = expression();
        return node.axis != kNoExpr;
    }
    node.target = view_place(form);
    if (node.target == kNoExpr) {
        return false;
    }
    if (node.kind == Kind::kLine || node.kind == Kind::kSpring) {
        if (!accept_word("to")) {
            return fail_expected("'to'", {form});
        }
        node.other = view_place(form);
        if (node.other == kNoExpr) {
            return false;
        }
    }
    return view_clauses(node, form);
}

ExprId Parser::view_place(const char* form) {
    if (!at_plain_name()) {
        fail_expected("the name of a body or a point", {form});
        return kNoExpr;
    }
    const ExprId id = path();
    return id != kNoExpr && at_word("at") ? place(id) : id;
}

/// What follows the name of what is drawn.
bool Parser::view_shape(ViewStatement& node, const char* form) {
    if (node.kind != Kind::kColour) {
        take();
        node.size = expression();
        if (node.size == kNoExpr) {
            return false;
        }
    }
    return view_clauses(node, form);
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
            value = expression();
            return value != kNoExpr;
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
            node.colour =
                text({node.colour_span.file, node.colour_span.begin + 1, node.colour_span.end - 1});
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

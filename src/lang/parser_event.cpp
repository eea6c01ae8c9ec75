// event name: left = right [rising | falling] { actions }
#include <fmt/format.h>

#include "lang/names.h"
#include "lang/parser_core.h"

namespace ananke::lang {
namespace {

constexpr const char* kForm = "write: event name: left = right falling { stop }";
constexpr const char* kActions =
    "an action is one of: stop, record, x' = value, parameter = value, velocity(B) = vector, "
    "omega(B) = vector";

}  // namespace

bool Parser::parse(EventDeclaration& node) {
    if (!at_plain_name() || peek(1).kind == TokenKind::kEqual ||
        peek(1).kind == TokenKind::kPrime) {
        return fail_expected("a name and ':'", {kForm});
    }
    return read_path(node.name) &&
           expect(TokenKind::kColon, " after the name of the event", kForm) &&
           event_equation(node) && event_direction(node) && expect_block(kForm) &&
           event_actions(node);
}

bool Parser::event_actions(EventDeclaration& node) {
    const Token open = take();
    while (true) {
        while (accept(TokenKind::kNewline) || accept(TokenKind::kComma)) {
        }
        if (at(TokenKind::kCloseBrace)) {
            break;
        }
        const bool next_statement = at(TokenKind::kName) &&
                                    is_statement_keyword(text(peek().span)) &&
                                    peek(1).kind == TokenKind::kName;
        if (at(TokenKind::kEnd) || next_statement) {
            return fail(open.span, "this '{' is never closed");
        }
        if (!event_action(node)) {
            return false;
        }
    }
    take();
    return !node.actions.empty() ||
           fail(span_from(open.span), "this event does nothing", {kActions});
}

bool Parser::event_equation(EventDeclaration& node) {
    if (!side(node.left)) {
        return false;
    }
    switch (peek().kind) {
        case TokenKind::kLess:
        case TokenKind::kLessEqual:
            return fail(peek().span, "an event happens where an equation holds",
                        {"write 'left = right falling' for the place where left < right begins"});
        case TokenKind::kGreater:
        case TokenKind::kGreaterEqual:
            return fail(peek().span, "an event happens where an equation holds",
                        {"write 'left = right rising' for the place where left > right begins"});
        case TokenKind::kDoubleEqual:
            return fail(peek().span, "expected '=', found '=='", {kForm});
        default:
            break;
    }
    if (!expect(TokenKind::kEqual, "", kForm) || !side(node.right)) {
        return false;
    }
    node.equation = span(node.left);
    node.equation.end = span(node.right).end;
    return true;
}

bool Parser::event_direction(EventDeclaration& node) {
    using Crossing = mech::Event::Crossing;
    if (accept_word("rising")) {
        node.crossing = Crossing::kRising;
    } else if (accept_word("falling")) {
        node.crossing = Crossing::kFalling;
    } else if (at(TokenKind::kName)) {
        const std::vector<std::string> words{"rising", "falling"};
        return fail_expected(
            "'rising', 'falling' or '{'",
            {suggestion(text(peek().span), words, "without one of them both count")});
    }
    return true;
}

bool Parser::event_action(EventDeclaration& node) {
    EventAction action;
    const bool sets = peek(1).kind == TokenKind::kEqual;
    const bool alone = peek(1).kind == TokenKind::kNewline || peek(1).kind == TokenKind::kComma ||
                       peek(1).kind == TokenKind::kCloseBrace || peek(1).kind == TokenKind::kName;
    if (!sets && (at_word("stop") || at_word("record"))) {
        action.kind = at_word("stop") ? EventAction::Kind::kStop : EventAction::Kind::kRecord;
        action.span = take().span;
    } else if (at(TokenKind::kName) && alone) {
        const std::vector<std::string> words{"stop", "record"};
        const std::string word(text(peek().span));
        return fail(peek().span, fmt::format("unknown action '{}'", word),
                    {suggestion(word, words, std::string(kActions))});
    } else {
        action.kind = EventAction::Kind::kSet;
        Binding& item = action.set;
        if (!read_path(item.name)) {
            return false;
        }
        item.name = at(TokenKind::kOpenParen) ? call(item.name) : item.name;
        if (item.name == kNoExpr) {
            return false;
        }
        item.name = with_primes(item.name);
        if (!expect(TokenKind::kEqual, "", kActions) || !read_value(item)) {
            return false;
        }
        action.span = item.span;
    }
    if (!at(TokenKind::kNewline) && !at(TokenKind::kComma) && !at(TokenKind::kCloseBrace)) {
        return fail_expected("',', '}' or the end of the line",
                             {"actions are separated by commas or stand on lines of their own"});
    }
    node.actions.push_back(action);
    return true;
}

}  // namespace ananke::lang

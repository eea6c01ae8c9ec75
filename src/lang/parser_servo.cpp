// servo name: left = right actuators (force on P along (1, 0, 0), force on x)
#include <fmt/format.h>

#include "lang/parser_core.h"

namespace ananke::lang {

bool Parser::parse_actuators(ConstraintDeclaration& node) {
    static const std::vector<std::string> kForm{
        "write: actuators (force on P along (1, 0, 0), torque on B about (0, 0, 1), force on x)"};
    const Span keyword = take().span;
    if (!node.servo) {
        return fail(keyword, "'actuators' belong to a servo; the force of a constraint is passive",
                    {"write: servo name: left = right actuators (...)"});
    }
    if (!at(TokenKind::kOpenParen)) {
        return fail_expected("'(' after 'actuators'", kForm);
    }
    take();
    do {
        ActuatorNode actuator;
        actuator.span = peek().span;
        actuator.torque = at_word("torque");
        if (!actuator.torque && !at_word("force")) {
            return fail_expected("'force on' or 'torque on'", kForm);
        }
        take();
        if (!accept_word("on")) {
            return fail_expected("'on'", kForm);
        }
        actuator.target = path();
        if (actuator.target == kNoExpr) {
            return false;
        }
        if (!actuator.torque && at_word("at")) {
            actuator.target = place(actuator.target);
            if (actuator.target == kNoExpr) {
                return false;
            }
        }
        const std::string_view direction = actuator.torque ? "about" : "along";
        if (at_word(actuator.torque ? "along" : "about")) {
            return fail_expected(fmt::format("'{}'", direction),
                                 {"a force acts along a vector, a torque about one"});
        }
        if (accept_word(direction)) {
            actuator.direction = expression();
            if (actuator.direction == kNoExpr) {
                return false;
            }
        }
        actuator.span.end = tokens_[next_ - 1].span.end;
        node.actuators.push_back(actuator);
    } while (accept(TokenKind::kComma));
    if (!at(TokenKind::kCloseParen)) {
        return fail_expected("',' or ')' after the actuator", kForm);
    }
    take();
    return true;
}

}  // namespace ananke::lang

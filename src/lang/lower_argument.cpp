// Arguments of functions and joints: their names in a definition, their values in a call.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"

namespace ananke::lang {

bool Lowering::check_arguments(const std::vector<Argument>& arguments) {
    bool good = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = text(arguments[i].name);
        if (is_reserved(name)) {
            fail(arguments[i].name,
                 fmt::format("'{}' is reserved and cannot be an argument", name));
            good = false;
        }
        for (std::size_t k = 0; k < i; ++k) {
            if (text(arguments[k].name) == name) {
                fail(arguments[i].name, fmt::format("the argument '{}' appears twice", name));
                good = false;
            }
        }
    }
    return good;
}

/// A value as the definition wants it: a body counts as its mass centre, a place as its body.
Value Lowering::argument_value(const Argument& argument, Value value, Span span) {
    const std::string_view type = text(argument.type);
    if (value.bad() || type.empty()) {
        return value;
    }
    const std::string_view name = text(argument.name);
    if (type == "point" && value.is_body()) {
        return Value::of_point(model_.bodies[static_cast<std::size_t>(value.body)].centre);
    }
    if (type == "body" && value.is_point() &&
        model_.points[static_cast<std::size_t>(value.point)].body >= 0) {
        return Value::of_body(model_.points[static_cast<std::size_t>(value.point)].body);
    }
    const bool fits =
        (type == "point" && value.is_point()) || (type == "body" && value.is_body()) ||
        (type == "scalar" && value.is_scalar()) || (type == "vector" && value.is_vector());
    if (!fits) {
        return fail(span,
                    fmt::format("the argument '{}' is a {}, this is {}", name, type, shown(value)));
    }
    return value;
}

/// The values that a call gives, by position and by name; what is not given has no name in `out`.
/// Too many by position are left to the caller.
bool Lowering::bind_given(ExprId call, const std::string& name, const std::vector<Argument>& wanted,
                          const Notes& notes, std::vector<Local>& out) {
    const Expr& e = expr(call);
    out.resize(wanted.size());
    bool named_before = false;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
        const Expr& argument = expr(e.operands[i]);
        const bool named = argument.kind == ExprKind::kNamed;
        std::size_t slot = i - 1;
        if (named) {
            const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const Argument& one) {
                return text(one.name) == text(argument.token);
            });
            if (found == wanted.end()) {
                fail(argument.token,
                     fmt::format("'{}' has no argument '{}'", name, text(argument.token)), notes);
                return false;
            }
            slot = static_cast<std::size_t>(found - wanted.begin());
        } else if (named_before) {
            fail(argument.span, "arguments by position stand before those by name", notes);
            return false;
        }
        named_before = named_before || named;
        if (slot >= wanted.size()) {
            continue;
        }
        if (!out[slot].name.empty()) {
            fail(argument.span, fmt::format("the argument '{}' is given twice", out[slot].name),
                 notes);
            return false;
        }
        const ExprId value_id = named ? argument.operands[0] : e.operands[i];
        const Span span = expr(value_id).span;
        out[slot] = {text(wanted[slot].name),
                     argument_value(wanted[slot], evaluate(value_id), span), span};
    }
    return true;
}

bool Lowering::bind_function(ExprId call, const std::string& name, const Function& function,
                             std::vector<Local>& out) {
    const std::vector<Argument>& wanted = function.definition->arguments;
    if (!bind_given(call, name, wanted, {}, out)) {
        return false;
    }
    const std::size_t count = expr(call).operands.size() - 1;
    if (count != wanted.size()) {
        fail(expr(call).span,
             fmt::format("'{}' takes {} argument{}, {} given", name, wanted.size(),
                         wanted.size() == 1 ? "" : "s", count),
             {declared_note(function.span)});
        return false;
    }
    return std::none_of(out.begin(), out.end(), [](const Local& one) { return one.value.bad(); });
}

bool Lowering::bind_joint(ExprId call, const std::string& name, const JointKind& kind,
                          std::vector<Local>& out) {
    const std::vector<Argument>& wanted = kind.definition->arguments;
    std::vector<std::string> known;
    known.reserve(wanted.size());
    for (const Argument& one : wanted) {
        known.emplace_back(text(one.name));
    }
    const Notes notes{fmt::format("it has {}", join_names(known))};
    if (!bind_given(call, name, wanted, notes, out)) {
        return false;
    }
    const Expr& e = expr(call);
    if (e.operands.size() - 1 > wanted.size()) {
        fail(expr(e.operands[wanted.size() + 1]).span,
             fmt::format("'{}' takes at most {} arguments", name, wanted.size()), notes);
        return false;
    }
    bool good = true;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        const bool given = !out[slot].name.empty();
        if (!given && wanted[slot].fallback == kNoExpr) {
            fail(e.span, fmt::format("'{}' needs the argument '{}'", name, known[slot]),
                 {declared_note(kind.span)});
            return false;
        }
        good = good && (!given || !out[slot].value.bad());
    }
    return good && bind_fallbacks(kind, out);
}

/// What is not given may be written with the arguments before it.
bool Lowering::bind_fallbacks(const JointKind& kind, std::vector<Local>& out) {
    const std::vector<Argument>& wanted = kind.definition->arguments;
    const Visit visit(*this, *kind.scope);
    bool good = true;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        if (out[slot].name.empty()) {
            const Span span = expr(wanted[slot].fallback).span;
            out[slot] = {text(wanted[slot].name),
                         argument_value(wanted[slot], evaluate(wanted[slot].fallback), span), span};
            good = good && !out[slot].value.bad();
        }
        locals_.push_back(out[slot]);
    }
    return good;
}

}  // namespace ananke::lang

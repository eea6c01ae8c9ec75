// Arguments of functions and joints: their names in a definition, their values in a call.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/expressions.h"
#include "lang/functions.h"

namespace ananke::lang {
namespace {

/// A value as the definition wants it: a body counts as its mass centre, a place as its body.
Value argument_value(Lowering& in, const Argument& argument, Value value, Span span) {
    const std::string_view type = in.reports.text(argument.type);
    if (value.bad() || type.empty()) {
        return value;
    }
    const std::string_view name = in.reports.text(argument.name);
    if (type == "point" && value.is_body()) {
        return Value::of_point(in.bodies.body(value.body).centre);
    }
    if (type == "body" && value.is_point() && in.bodies.point(value.point).body >= 0) {
        return Value::of_body(in.bodies.point(value.point).body);
    }
    const bool fits =
        (type == "point" && value.is_point()) || (type == "body" && value.is_body()) ||
        (type == "scalar" && value.is_scalar()) || (type == "vector" && value.is_vector());
    if (!fits) {
        return in.fail(
            span, fmt::format("the argument '{}' is a {}, this is {}", name, type, shown(value)));
    }
    return value;
}

/// The values that a call gives, by position and by name; what is not given has no name in `out`.
/// Too many by position are left to the caller.
bool bind_given(Lowering& in, ExprId call, const std::string& name,
                const std::vector<Argument>& wanted, const Notes& notes, std::vector<Local>& out) {
    const Expr& e = in.scope.expr(call);
    out.resize(wanted.size());
    bool named_before = false;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
        const Expr& argument = in.scope.expr(e.operands[i]);
        const bool named = argument.kind == ExprKind::kNamed;
        std::size_t slot = i - 1;
        if (named) {
            const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const Argument& one) {
                return in.reports.text(one.name) == in.reports.text(argument.token);
            });
            if (found == wanted.end()) {
                return in.fail(
                    argument.token,
                    fmt::format("'{}' has no argument '{}'", name, in.reports.text(argument.token)),
                    notes);
            }
            slot = static_cast<std::size_t>(found - wanted.begin());
        } else if (named_before) {
            return in.fail(argument.span, "arguments by position stand before those by name",
                           notes);
        }
        named_before = named_before || named;
        if (slot >= wanted.size()) {
            continue;
        }
        if (!out[slot].name.empty()) {
            return in.fail(argument.span,
                           fmt::format("the argument '{}' is given twice", out[slot].name), notes);
        }
        const ExprId value_id = named ? argument.operands[0] : e.operands[i];
        const Span span = in.scope.span(value_id);
        out[slot] = {in.reports.text(wanted[slot].name),
                     argument_value(in, wanted[slot], evaluate(in, value_id), span), span};
    }
    return true;
}

/// What is not given may be written with the arguments before it.
bool bind_fallbacks(Lowering& in, const JointKind& kind, std::vector<Local>& out) {
    const std::vector<Argument>& wanted = kind.node->arguments;
    const Scope::Visit visit(in.scope, *kind.scope);
    bool good = true;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        if (out[slot].name.empty()) {
            const Span span = in.scope.span(wanted[slot].fallback);
            out[slot] = {
                in.reports.text(wanted[slot].name),
                argument_value(in, wanted[slot], evaluate(in, wanted[slot].fallback), span), span};
            good = good && !out[slot].value.bad();
        }
        in.scope.add_local(out[slot]);
    }
    return good;
}

}  // namespace

bool check_arguments(Lowering& in, const std::vector<Argument>& arguments) {
    bool good = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = in.reports.text(arguments[i].name);
        if (is_reserved(name)) {
            good = in.fail(arguments[i].name,
                           fmt::format("'{}' is reserved and cannot be an argument", name));
        }
        for (std::size_t k = 0; k < i; ++k) {
            if (in.reports.text(arguments[k].name) == name) {
                good = in.fail(arguments[i].name,
                               fmt::format("the argument '{}' appears twice", name));
            }
        }
    }
    return good;
}

bool bind_function(Lowering& in, ExprId call, const std::string& name, const Function& function,
                   std::vector<Local>& out) {
    const std::vector<Argument>& wanted = function.node->arguments;
    if (!bind_given(in, call, name, wanted, {}, out)) {
        return false;
    }
    const std::size_t count = in.scope.expr(call).operands.size() - 1;
    if (count != wanted.size()) {
        return in.fail(call,
                       fmt::format("'{}' takes {} argument{}, {} given", name, wanted.size(),
                                   wanted.size() == 1 ? "" : "s", count),
                       {in.reports.declared_note(function.span)});
    }
    return std::none_of(out.begin(), out.end(), [](const Local& one) { return one.value.bad(); });
}

bool bind_joint(Lowering& in, ExprId call, const std::string& name, const JointKind& kind,
                std::vector<Local>& out) {
    const std::vector<Argument>& wanted = kind.node->arguments;
    std::vector<std::string> known;
    known.reserve(wanted.size());
    for (const Argument& one : wanted) {
        known.emplace_back(in.reports.text(one.name));
    }
    const Notes notes{fmt::format("it has {}", join_names(known))};
    if (!bind_given(in, call, name, wanted, notes, out)) {
        return false;
    }
    const Expr& e = in.scope.expr(call);
    if (e.operands.size() - 1 > wanted.size()) {
        return in.fail(e.operands[wanted.size() + 1],
                       fmt::format("'{}' takes at most {} arguments", name, wanted.size()), notes);
    }
    bool good = true;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        const bool given = !out[slot].name.empty();
        if (!given && wanted[slot].fallback == kNoExpr) {
            return in.fail(e.span, fmt::format("'{}' needs the argument '{}'", name, known[slot]),
                           {in.reports.declared_note(kind.span)});
        }
        good = good && (!given || !out[slot].value.bad());
    }
    return good && bind_fallbacks(in, kind, out);
}

}  // namespace ananke::lang

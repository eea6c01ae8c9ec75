// Friction laws and the reactions they depend on.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/expressions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

struct Law {
    std::string_view name;
    mech::FrictionLaw law;
    std::array<std::string_view, 3> needed;  ///< "" for none
    std::array<std::string_view, 2> more;
};

constexpr std::array<Law, 3> kLaws{{
    {"coulomb", mech::FrictionLaw::kCoulomb, {"mu", "", ""}, {"mu_static", "smooth"}},
    {"stribeck", mech::FrictionLaw::kStribeck, {"mu", "mu_static", "speed"}, {"smooth", ""}},
    {"viscous", mech::FrictionLaw::kViscous, {"c", "", ""}, {"", ""}},
}};

std::vector<std::string> argument_names(const Law& law) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) {
        if (!name.empty()) {
            names.emplace_back(name);
        }
    };
    std::for_each(law.needed.begin(), law.needed.end(), add);
    std::for_each(law.more.begin(), law.more.end(), add);
    names.emplace_back("slip");
    if (law.law != mech::FrictionLaw::kViscous) {
        names.emplace_back("load");
    }
    return names;
}

/// Where the value of an argument goes; null for slip, which may be a vector.
std::optional<sym::Expr>* slot(mech::Friction& friction, std::string_view name) {
    return name == "mu"          ? &friction.mu
           : name == "mu_static" ? &friction.mu_static
           : name == "speed"     ? &friction.speed
           : name == "smooth"    ? &friction.smooth
           : name == "load"      ? &friction.load
           : name == "c"         ? &friction.damping
                                 : nullptr;
}

/// What a friction statement gives.
struct Rubbing {
    const Law* law;
    ExprId call;
    std::span<const Rub> rubs;     ///< of the joint it is about
    std::vector<Local> arguments;  ///< of the rubs
};

bool read_slip(Lowering& in, ExprId id, mech::Friction& friction) {
    const Value value = evaluate_top(in, id);
    if (!usable(in, value, id) || !allow(in, value, kOnState, id, "a slip")) {
        return false;
    }
    for (const sym::Expr part : value.components()) {
        if (value.is_scalar() || !in.graph.is_zero(part)) {
            friction.slip.push_back(part);
        }
    }
    if (friction.slip.empty() || friction.slip.size() > 2) {
        return in.fail(id, "a slip has one or two components",
                       {"in two directions at right angles write (s1, s2, 0)"});
    }
    return true;
}

/// An argument of the law itself.
bool read_value(Lowering& in, const Law& law, std::string_view name, ExprId id,
                mech::Friction& friction) {
    if (name == "slip") {
        return read_slip(in, id, friction);
    }
    const bool is_load = name == "load";
    const Value value = scalar_of(in, id, name);
    if (value.bad() || !allow(in, value, is_load ? kOnState | kOnReactions : kOnState, id,
                              is_load ? "a load" : fmt::format("the law '{}'", law.name))) {
        return false;
    }
    const std::optional<double> number = in.symbols.number_of(value.scalar());
    const bool may_vanish = name != "speed" && name != "smooth";
    if (number && !(*number > 0.0 || (may_vanish && *number == 0.0)) && !is_load) {
        return in.fail(id, fmt::format("{} must {}, this is {:.6g}", name,
                                       may_vanish ? "not be negative" : "be positive", *number));
    }
    *slot(friction, name) = value.scalar();
    return true;
}

bool read_argument(Lowering& in, Rubbing& rubbing, ExprId id, mech::Friction& friction) {
    const Expr argument = in.scope.expr(id);
    std::vector<std::string> names = argument_names(*rubbing.law);
    if (argument.kind != ExprKind::kNamed) {
        return in.fail(argument.span,
                       fmt::format("the arguments of '{}' are given by name", rubbing.law->name),
                       {fmt::format("write: {}({} = ...)", rubbing.law->name, names.front())});
    }
    const std::string name(in.reports.text(argument.token));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return read_value(in, *rubbing.law, name, argument.operands[0], friction);
    }
    for (const Rub& rub : rubbing.rubs) {
        for (const Argument& one : rub.node->arguments) {
            names.emplace_back(in.reports.text(one.name));
        }
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        return in.fail(
            argument.token,
            fmt::format("the law '{}' has no argument '{}'", rubbing.law->name, name),
            {suggestion(name, names, fmt::format("its arguments are {}", join_names(names)))});
    }
    const std::optional<sym::Expr> value =
        scalar_over(in, argument.operands[0], {name, kOnConfiguration});
    if (!value) {
        return false;
    }
    const std::optional<double> number = in.symbols.number_of(*value);
    if (number && *number < 0.0) {
        return in.fail(argument.operands[0],
                       fmt::format("{} must not be negative, this is {:.6g}", name, *number));
    }
    rubbing.arguments.push_back(
        {in.reports.text(argument.token), Value::scalar(*value), argument.span});
    return true;
}

/// Sticking takes no less than sliding.
bool check_coefficients(Lowering& in, const Rubbing& rubbing, const mech::Friction& friction) {
    if (!friction.mu || !friction.mu_static) {
        return true;
    }
    const double sliding = in.symbols.number_of(*friction.mu).value_or(0.0);
    const double sticking = in.symbols.number_of(*friction.mu_static).value_or(sliding);
    if (sticking >= sliding) {
        return true;
    }
    const Expr call = in.scope.expr(rubbing.call);
    Span span = call.span;
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        const Expr& argument = in.scope.expr(call.operands[i]);
        if (in.reports.text(argument.token) == "mu_static") {
            span = in.scope.span(argument.operands[0]);
        }
    }
    return in.fail(span, fmt::format("mu_static must not be less than mu: {:.6g} < {:.6g}",
                                     sticking, sliding));
}

bool read_law(Lowering& in, Rubbing& rubbing, mech::Friction& friction) {
    const Expr call = in.scope.expr(rubbing.call);
    bool good = true;
    std::vector<std::string_view> given;
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        const Expr& argument = in.scope.expr(call.operands[i]);
        if (argument.kind == ExprKind::kNamed) {
            const std::string_view name = in.reports.text(argument.token);
            if (std::find(given.begin(), given.end(), name) != given.end()) {
                good =
                    in.fail(argument.span, fmt::format("the argument '{}' is given twice", name));
                continue;
            }
            given.push_back(name);
        }
        good = read_argument(in, rubbing, call.operands[i], friction) && good;
    }
    for (const std::string_view name : rubbing.law->needed) {
        if (good && !name.empty() && std::find(given.begin(), given.end(), name) == given.end()) {
            return in.fail(call.span, fmt::format("the law '{}' needs {}", rubbing.law->name, name),
                           {fmt::format("write: {}({} = ...)", rubbing.law->name, name)});
        }
    }
    return good && check_coefficients(in, rubbing, friction);
}

/// Slip and load as the joint states them, with the arguments that the friction gives.
bool rub(Lowering& in, const Rub& where, const Rubbing& rubbing, mech::Friction& friction) {
    const Reports::Call call(in.reports, "friction on " + friction.name, friction.span);
    const Scope::Visit visit(in.scope, *where.scope);
    in.scope.add_locals(where.locals);
    bool good = true;
    for (const Argument& argument : where.node->arguments) {
        const auto given = std::find_if(
            rubbing.arguments.begin(), rubbing.arguments.end(),
            [&](const Local& one) { return one.name == in.reports.text(argument.name); });
        if (given != rubbing.arguments.end()) {
            in.scope.add_local({in.reports.text(argument.name), given->value, given->span});
        } else if (argument.fallback != kNoExpr) {
            in.scope.add_local(
                {in.reports.text(argument.name), evaluate(in, argument.fallback), argument.name});
        } else if (friction.law != mech::FrictionLaw::kViscous) {
            good = in.fail(friction.span, fmt::format("friction on '{}' needs {}", friction.name,
                                                      in.reports.text(argument.name)));
        }
    }
    if (good && friction.slip.empty()) {
        good = read_slip(in, where.node->slip, friction);
    }
    if (good && !friction.load && friction.law != mech::FrictionLaw::kViscous) {
        friction.load = scalar_over(in, where.node->load, {"a load", kOnState | kOnReactions});
        good = friction.load.has_value();
    }
    return good;
}

/// One friction, or one for each place where the joint rubs.
void add_to_joint(Lowering& in, const Rubbing& rubbing, int joint, mech::Friction& friction) {
    friction.name = in.model.joints[static_cast<std::size_t>(joint)].name;
    for (std::size_t c = 0; c < in.model.constraints.size(); ++c) {
        if (in.model.constraints[c].joint == joint) {
            friction.constraints.push_back(static_cast<int>(c));
        }
    }
    const bool viscous = friction.law == mech::FrictionLaw::kViscous;
    if (!friction.slip.empty() && (friction.load || viscous)) {
        in.model.frictions.push_back(std::move(friction));
        return;
    }
    if (rubbing.rubs.empty()) {
        in.fail(friction.span,
                fmt::format("the joint '{}' does not say where it rubs", friction.name),
                {"add 'rub' to its definition, or give slip and load"});
        return;
    }
    std::vector<std::string> wanted;
    bool rubs = false;
    for (const Rub& where : rubbing.rubs) {
        bool meant = where.node->arguments.empty() || viscous;
        for (const Argument& argument : where.node->arguments) {
            wanted.emplace_back(in.reports.text(argument.name));
            meant = meant ||
                    std::any_of(rubbing.arguments.begin(), rubbing.arguments.end(),
                                [&](const Local& given) { return given.name == wanted.back(); });
        }
        if (!meant) {
            continue;
        }
        rubs = true;
        mech::Friction one = friction;
        if (rubbing.rubs.size() > 1) {
            one.name += "." + std::string(in.reports.text(where.node->name));
        }
        if (rub(in, where, rubbing, one)) {
            in.model.frictions.push_back(std::move(one));
        }
    }
    if (!rubs) {
        in.fail(friction.span,
                fmt::format("friction on '{}' needs {}", friction.name, join_names(wanted)),
                {"at least one of them: they say how far from its axis the joint rubs"});
    }
}

}  // namespace

void lower(Lowering& in, const Statement& statement, const RubDeclaration& node) {
    if (in.joint < 0) {
        in.fail(statement.keyword, "'rub' stands only in the definition of a joint");
        return;
    }
    const std::span<const Local> locals = in.scope.locals();
    in.given.rubs[in.joint].push_back(
        {&node, &in.scope.file(), std::vector<Local>(locals.begin(), locals.end())});
}

void lower(Lowering& in, const Statement& statement, const FrictionTerm& node) {
    const Entity* entity =
        constraint_or_joint(in, node.target, "friction acts on a constraint or a joint");
    if (entity == nullptr) {
        return;
    }
    const ExprId callee = in.scope.expr(node.law).operands[0];
    const std::string law_name(in.scope.text(callee));
    const auto law = std::find_if(kLaws.begin(), kLaws.end(),
                                  [&](const Law& one) { return one.name == law_name; });
    if (law == kLaws.end()) {
        std::vector<std::string> names;
        names.reserve(kLaws.size());
        for (const Law& one : kLaws) {
            names.emplace_back(one.name);
        }
        in.fail(callee, fmt::format("unknown friction law '{}'", law_name),
                {suggestion(law_name, names, fmt::format("the laws are {}", join_names(names)))});
        return;
    }
    mech::Friction friction;
    friction.law = law->law;
    friction.span = statement.span;
    Rubbing rubbing{&*law, node.law, {}, {}};
    if (entity->kind == EntityKind::kJoint) {
        rubbing.rubs = in.given.rubs[entity->index];
    }
    if (!read_law(in, rubbing, friction)) {
        return;
    }
    if (entity->kind == EntityKind::kJoint) {
        add_to_joint(in, rubbing, entity->index, friction);
    } else {
        friction.name = in.model.constraints[static_cast<std::size_t>(entity->index)].name;
        friction.constraints = {entity->index};
        in.model.frictions.push_back(std::move(friction));
    }
}

}  // namespace ananke::lang

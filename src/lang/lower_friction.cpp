// Friction laws and the reactions they depend on.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"

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

}  // namespace

struct Lowering::Rubbing {
    const Law* law;
    ExprId call;
    const std::vector<Rub>* rubs = nullptr;  ///< of the joint it is about
    std::vector<Local> arguments;            ///< of the rubs
};

// reaction(c): symbols that stand for the force a constraint carries; mech knows its direction.
Value Lowering::call_reaction(ExprId id) {
    if (!check_arity(id, "reaction", 1)) {
        return Value::none();
    }
    const ExprId argument = expr(id).operands[1];
    std::string name;
    if (flatten(argument, name) != Lookup::kFlat) {
        return fail(expr(argument).span, "'reaction' takes the name of a constraint");
    }
    const Found found = find(name);
    if (found.entity == nullptr) {
        return found.failed ? Value::none() : unknown_name(argument, name);
    }
    const Entity* entity = found.entity;
    if (entity->kind != EntityKind::kConstraint) {
        Notes notes;
        std::vector<std::string> constraints;
        for (const mech::Constraint& one : model_.constraints) {
            if (entity->kind == EntityKind::kJoint && one.joint == entity->index) {
                constraints.push_back(fmt::format("reaction({})", one.name));
            }
        }
        notes.push_back(constraints.empty()
                            ? declared_note(entity->span)
                            : fmt::format("a joint has one for each of its constraints: {}",
                                          join_names(constraints)));
        return fail(expr(argument).span,
                    fmt::format("'reaction' takes the name of a constraint; '{}' is {}", name,
                                describe(entity->kind)),
                    std::move(notes));
    }
    mech::Constraint& constraint = model_.constraints[static_cast<std::size_t>(entity->index)];
    if (constraint.reaction.empty()) {
        for (std::size_t k = 0; k < constraint.rows.size(); ++k) {
            const std::string axis =
                constraint.rows.size() == 1 ? "" : fmt::format(".{}", "xyz"[k]);
            constraint.reaction.push_back(graph_.symbol(
                sym::SymbolKind::kReaction, fmt::format("reaction({}){}", constraint.name, axis)));
        }
    }
    if (constraint.reaction.size() == 1) {
        return Value::scalar(constraint.reaction[0]);
    }
    return Value::vector({constraint.reaction[0], constraint.reaction[1], constraint.reaction[2]});
}

void Lowering::lower(const Statement& statement, const RubDeclaration& node) {
    if (joint_ < 0) {
        fail(statement.keyword, "'rub' stands only in the definition of a joint");
        return;
    }
    const auto begin = locals_.begin() + static_cast<std::ptrdiff_t>(locals_begin_);
    rubs_[joint_].push_back({&node, scope_, std::vector<Local>(begin, locals_.end())});
}

/// What a statement is about; `rule` says what it must be, as the beginning of a message.
std::optional<Entity> Lowering::constraint_or_joint(ExprId target, std::string_view rule) {
    std::string name;
    if (flatten(target, name) != Lookup::kFlat) {
        return std::nullopt;
    }
    const Found found = find(name);
    if (found.failed) {
        return std::nullopt;
    }
    if (found.unknown() && name == "ground") {
        fail(expr(target).span, fmt::format("{}, this is the ground", rule),
             {"name the constraint that keeps something on the ground, or the joint to it"});
        return std::nullopt;
    }
    if (found.unknown()) {
        unknown_name(target, name);
        return std::nullopt;
    }
    const Entity entity = *found.entity;
    if (entity.kind != EntityKind::kConstraint && entity.kind != EntityKind::kJoint) {
        fail(expr(target).span, fmt::format("{}; '{}' is {}", rule, name, describe(entity.kind)),
             {declared_note(entity.span)});
        return std::nullopt;
    }
    return entity;
}

void Lowering::lower(const Statement& statement, const FrictionTerm& node) {
    const std::optional<Entity> found =
        constraint_or_joint(node.target, "friction acts on a constraint or a joint");
    if (!found) {
        return;
    }
    const Entity entity = *found;
    const bool is_joint = entity.kind == EntityKind::kJoint;
    const ExprId callee = expr(node.law).operands[0];
    const std::string law_name(text(expr(callee).span));
    const auto law = std::find_if(kLaws.begin(), kLaws.end(),
                                  [&](const Law& one) { return one.name == law_name; });
    if (law == kLaws.end()) {
        std::vector<std::string> names;
        names.reserve(kLaws.size());
        for (const Law& one : kLaws) {
            names.emplace_back(one.name);
        }
        fail(expr(callee).span, fmt::format("unknown friction law '{}'", law_name),
             {suggestion(law_name, names, fmt::format("the laws are {}", join_names(names)))});
        return;
    }
    mech::Friction friction;
    friction.law = law->law;
    friction.span = statement.span;
    Rubbing rubbing{&*law, node.law, nullptr, {}};
    if (is_joint) {
        rubbing.rubs = &rubs_[entity.index];
    }
    if (read_law(rubbing, friction)) {
        add_friction(rubbing, entity, std::move(friction));
    }
}

/// One friction for a constraint, one for each place where a joint rubs.
void Lowering::add_friction(Rubbing& rubbing, const Entity& entity, mech::Friction friction) {
    if (entity.kind == EntityKind::kConstraint) {
        friction.name = model_.constraints[static_cast<std::size_t>(entity.index)].name;
        friction.constraints = {entity.index};
        model_.frictions.push_back(std::move(friction));
        return;
    }
    friction.name = model_.joints[static_cast<std::size_t>(entity.index)].name;
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        if (model_.constraints[c].joint == entity.index) {
            friction.constraints.push_back(static_cast<int>(c));
        }
    }
    const bool viscous = friction.law == mech::FrictionLaw::kViscous;
    if (!friction.slip.empty() && (friction.load || viscous)) {
        model_.frictions.push_back(std::move(friction));
        return;
    }
    if (rubbing.rubs->empty()) {
        fail(friction.span, fmt::format("the joint '{}' does not say where it rubs", friction.name),
             {"add 'rub' to its definition, or give slip and load"});
        return;
    }
    std::vector<std::string> wanted;
    bool rubs = false;
    for (const Rub& where : *rubbing.rubs) {
        bool meant = where.node->arguments.empty() || viscous;
        for (const Argument& argument : where.node->arguments) {
            wanted.emplace_back(text(argument.name));
            meant = meant ||
                    std::any_of(rubbing.arguments.begin(), rubbing.arguments.end(),
                                [&](const Local& given) { return given.name == wanted.back(); });
        }
        mech::Friction one = friction;
        if (!meant) {
            continue;
        }
        rubs = true;
        if (rubbing.rubs->size() > 1) {
            one.name += "." + std::string(text(where.node->name));
        }
        if (rub(where, rubbing, one)) {
            model_.frictions.push_back(std::move(one));
        }
    }
    if (!rubs) {
        fail(friction.span,
             fmt::format("friction on '{}' needs {}", friction.name, join_names(wanted)),
             {"at least one of them: they say how far from its axis the joint rubs"});
    }
}

/// Slip and load as the joint states them, with the arguments that the friction gives.
bool Lowering::rub(const Rub& where, const Rubbing& rubbing, mech::Friction& friction) {
    const Visit visit(*this, *where.scope);
    calls_.push_back({"friction on " + friction.name, friction.span});
    locals_.insert(locals_.end(), where.locals.begin(), where.locals.end());
    bool good = true;
    for (const Argument& argument : where.node->arguments) {
        const auto given =
            std::find_if(rubbing.arguments.begin(), rubbing.arguments.end(),
                         [&](const Local& one) { return one.name == text(argument.name); });
        if (given != rubbing.arguments.end()) {
            locals_.push_back(*given);
            locals_.back().name = text(argument.name);
        } else if (argument.fallback != kNoExpr) {
            locals_.push_back({text(argument.name), evaluate(argument.fallback), argument.name});
        } else if (friction.law != mech::FrictionLaw::kViscous) {
            fail(friction.span,
                 fmt::format("friction on '{}' needs {}", friction.name, text(argument.name)));
            good = false;
        }
    }
    if (good && friction.slip.empty()) {
        places_.fill(std::nullopt);
        const Value slip = evaluate(where.node->slip);
        const Span span = expr(where.node->slip).span;
        good = usable(slip, where.node->slip) &&
               allow(slip, kOnTime | kOnPositions | kOnVelocities, where.node->slip, "a slip") &&
               take_slip(slip, span, friction);
    }
    if (good && !friction.load && friction.law != mech::FrictionLaw::kViscous) {
        const Value load = scalar_of(where.node->load, "a load");
        good = !load.bad() && allow(load, kOnTime | kOnPositions | kOnVelocities | kOnReactions,
                                    where.node->load, "a load");
        if (good) {
            friction.load = load.scalar();
        }
    }
    return good;
}

bool Lowering::read_law(Rubbing& rubbing, mech::Friction& friction) {
    const Expr call = expr(rubbing.call);
    bool good = true;
    std::vector<std::string_view> given;
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        const Expr& argument = expr(call.operands[i]);
        if (argument.kind == ExprKind::kNamed) {
            const std::string_view name = text(argument.token);
            if (std::find(given.begin(), given.end(), name) != given.end()) {
                fail(argument.span, fmt::format("the argument '{}' is given twice", name));
                good = false;
                continue;
            }
            given.push_back(name);
        }
        good = read_argument(rubbing, call.operands[i], friction) && good;
    }
    for (const std::string_view name : rubbing.law->needed) {
        if (good && !name.empty() && std::find(given.begin(), given.end(), name) == given.end()) {
            fail(call.span, fmt::format("the law '{}' needs {}", rubbing.law->name, name),
                 {fmt::format("write: {}({} = ...)", rubbing.law->name, name)});
            return false;
        }
    }
    return good && check_coefficients(rubbing, friction);
}

/// Sticking takes no less than sliding.
bool Lowering::check_coefficients(const Rubbing& rubbing, const mech::Friction& friction) {
    if (!friction.mu || !friction.mu_static) {
        return true;
    }
    const double sliding = number_of(*friction.mu).value_or(0.0);
    const double sticking = number_of(*friction.mu_static).value_or(sliding);
    if (sticking >= sliding) {
        return true;
    }
    const Expr call = expr(rubbing.call);
    Span span = call.span;
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        const Expr& argument = expr(call.operands[i]);
        if (text(argument.token) == "mu_static") {
            span = expr(argument.operands[0]).span;
        }
    }
    fail(span,
         fmt::format("mu_static must not be less than mu: {:.6g} < {:.6g}", sticking, sliding));
    return false;
}

bool Lowering::read_argument(Rubbing& rubbing, ExprId id, mech::Friction& friction) {
    const Expr argument = expr(id);
    std::vector<std::string> names = argument_names(*rubbing.law);
    if (argument.kind != ExprKind::kNamed) {
        fail(argument.span,
             fmt::format("the arguments of '{}' are given by name", rubbing.law->name),
             {fmt::format("write: {}({} = ...)", rubbing.law->name, names.front())});
        return false;
    }
    const std::string name(text(argument.token));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return read_value(rubbing, name, argument.operands[0], friction);
    }
    for (std::size_t r = 0; rubbing.rubs != nullptr && r < rubbing.rubs->size(); ++r) {
        for (const Argument& one : (*rubbing.rubs)[r].node->arguments) {
            names.emplace_back(text(one.name));
        }
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail(argument.token,
             fmt::format("the law '{}' has no argument '{}'", rubbing.law->name, name),
             {suggestion(name, names, fmt::format("its arguments are {}", join_names(names)))});
        return false;
    }
    const Value value = scalar_of(argument.operands[0], name);
    if (value.bad() || !allow(value, kOnTime | kOnPositions, argument.operands[0], name)) {
        return false;
    }
    const std::optional<double> number = number_of(value.scalar());
    if (number && *number < 0.0) {
        fail(expr(argument.operands[0]).span,
             fmt::format("{} must not be negative, this is {:.6g}", name, *number));
        return false;
    }
    rubbing.arguments.push_back({text(argument.token), value, argument.span});
    return true;
}

bool Lowering::take_slip(const Value& value, Span span, mech::Friction& friction) {
    for (int k = 0; k < value.size(); ++k) {
        const sym::Expr part = value.parts[static_cast<std::size_t>(k)];
        if (value.is_scalar() || !graph_.is_zero(part)) {
            friction.slip.push_back(part);
        }
    }
    if (friction.slip.empty() || friction.slip.size() > 2) {
        fail(span, "a slip has one or two components",
             {"in two directions at right angles write (s1, s2, 0)"});
        return false;
    }
    return true;
}

/// An argument of the law itself.
bool Lowering::read_value(const Rubbing& rubbing, const std::string& name, ExprId id,
                          mech::Friction& friction) {
    const bool is_slip = name == "slip";
    places_.fill(std::nullopt);
    const Value value = is_slip ? evaluate(id) : scalar_of(id, name);
    if (!usable(value, id)) {
        return false;
    }
    const Dependence allowed = kOnTime | kOnPositions | kOnVelocities;
    const std::string what = is_slip          ? "a slip"
                             : name == "load" ? "a load"
                                              : fmt::format("the law '{}'", rubbing.law->name);
    if (!allow(value, name == "load" ? static_cast<Dependence>(allowed | kOnReactions) : allowed,
               id, what)) {
        return false;
    }
    if (is_slip) {
        return take_slip(value, expr(id).span, friction);
    }
    const std::optional<double> number = number_of(value.scalar());
    const bool may_vanish = name != "speed" && name != "smooth";
    if (number && !(*number > 0.0 || (may_vanish && *number == 0.0)) && name != "load") {
        fail(expr(id).span, fmt::format("{} must {}, this is {:.6g}", name,
                                        may_vanish ? "not be negative" : "be positive", *number));
        return false;
    }
    *slot(friction, name) = value.scalar();
    return true;
}

}  // namespace ananke::lang

#include "lang/functions.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/directions.h"
#include "lang/expressions.h"
#include "lang/paths.h"
#include "mech/vectors.h"

namespace ananke::lang {
namespace {

/// Arguments that the function itself counts.
constexpr std::size_t kAnyArity = 0;

/// A function of the language.
struct Builtin {
    std::string_view name;
    std::size_t arity;
    Value (*call)(Lowering& in, ExprId id, const Builtin& builtin);
    sym::Op op = sym::Op::kSin;  ///< of functions of numbers
};

/// The arguments, all of one kind: scalars or vectors.
std::optional<std::array<Value, 2>> arguments_of(Lowering& in, ExprId id, const Builtin& builtin,
                                                 ValueKind kind) {
    std::array<Value, 2> arguments;
    bool good = true;
    for (std::size_t i = 0; i < builtin.arity; ++i) {
        const ExprId argument = in.scope.expr(id).operands[i + 1];
        arguments[i] = evaluate(in, argument);
        if (!usable(in, arguments[i], argument)) {
            good = false;
        } else if (arguments[i].kind != kind) {
            good = in.fail(
                argument,
                fmt::format("'{}' takes {}, this is {}", builtin.name,
                            kind == ValueKind::kScalar ? "a scalar" : "vectors",
                            shown(arguments[i])),
                builtin.name == "abs" ? Notes{"the length of a vector is norm(v)"} : Notes{});
        }
    }
    return good ? std::optional(arguments) : std::nullopt;
}

Value call_scalar_function(Lowering& in, ExprId id, const Builtin& builtin) {
    const auto of = arguments_of(in, id, builtin, ValueKind::kScalar);
    if (!of) {
        return Value::none();
    }
    const auto& [a, b] = *of;
    return checked_constant(in,
                            builtin.arity == 1 ? in.graph.apply(builtin.op, a.scalar())
                                               : in.graph.apply(builtin.op, a.scalar(), b.scalar()),
                            in.scope.span(id));
}

// Term after term, so that a printed sum has the order of the components.
sym::Expr dot(Lowering& in, const Value& a, const Value& b) {
    sym::Expr total = in.graph.zero();
    for (std::size_t i = 0; i < 3; ++i) {
        total = in.graph.add(total, in.graph.mul(a.parts[i], b.parts[i]));
    }
    return total;
}

Value call_vector_function(Lowering& in, ExprId id, const Builtin& builtin) {
    const auto of = arguments_of(in, id, builtin, ValueKind::kVector);
    if (!of) {
        return Value::none();
    }
    const auto& [a, b] = *of;
    if (builtin.name == "dot") {
        return Value::scalar(dot(in, a, b));
    }
    if (builtin.name == "norm") {
        return Value::scalar(in.graph.apply(sym::Op::kSqrt, dot(in, a, a)));
    }
    return Value::vector(mech::cross(in.graph, a.parts, b.parts));
}

Value call_point_function(Lowering& in, ExprId id, const Builtin& builtin) {
    const ExprId argument = in.scope.expr(id).operands[1];
    const Value value = evaluate(in, argument);
    if (value.bad()) {
        return value;
    }
    if (!value.is_point() && !value.is_body()) {
        return in.fail(argument,
                       fmt::format("'{}' takes a particle, a point or a body, this is {}",
                                   builtin.name, shown(value)),
                       {"declare it: point P at (x, y, z)"});
    }
    const mech::Point& point = in.bodies.point(in.bodies.point_of(value));
    return Value::vector(builtin.name == "position"   ? point.r
                         : builtin.name == "velocity" ? point.v
                                                      : point.a);
}

/// omega(B), axis(B, v), components(B, v), fixed(B, v)
Value call_with_body(Lowering& in, ExprId id, const Builtin& builtin) {
    return call_body_function(in, id, builtin.name);
}

/// reaction(c): symbols that stand for the force a constraint carries; mech knows its direction.
Value call_reaction(Lowering& in, ExprId id, const Builtin&) {
    const ExprId argument = in.scope.expr(id).operands[1];
    std::string name;
    if (flatten(in, argument, name) != Lookup::kFlat) {
        return in.fail(argument, "'reaction' takes the name of a constraint");
    }
    const Found found = in.scope.find(name);
    const Entity* entity = found.entity;
    if (entity == nullptr) {
        return found.failed ? Failed() : unknown_name(in, argument, name);
    }
    if (entity->kind != EntityKind::kConstraint) {
        std::vector<std::string> constraints;
        for (const mech::Constraint& one : in.model.constraints) {
            if (entity->kind == EntityKind::kJoint && one.joint == entity->index) {
                constraints.push_back(fmt::format("reaction({})", one.name));
            }
        }
        return in.fail(
            argument,
            fmt::format("'reaction' takes the name of a constraint; '{}' is {}", name,
                        describe(entity->kind)),
            {constraints.empty() ? in.reports.declared_note(entity->span)
                                 : fmt::format("a joint has one for each of its constraints: {}",
                                               join_names(constraints))});
    }
    mech::Constraint& constraint = in.model.constraints[static_cast<std::size_t>(entity->index)];
    if (constraint.reaction.empty()) {
        for (std::size_t k = 0; k < constraint.rows.size(); ++k) {
            const std::string axis =
                constraint.rows.size() == 1 ? "" : fmt::format(".{}", "xyz"[k]);
            constraint.reaction.push_back(in.graph.symbol(
                sym::SymbolKind::kReaction, fmt::format("reaction({}){}", constraint.name, axis)));
        }
    }
    if (constraint.reaction.size() == 1) {
        return Value::scalar(constraint.reaction[0]);
    }
    return Value::vector({constraint.reaction[0], constraint.reaction[1], constraint.reaction[2]});
}

template <Value (*kCall)(Lowering&, ExprId)>
Value plain(Lowering& in, ExprId id, const Builtin&) {
    return kCall(in, id);
}

constexpr std::array<Builtin, 33> kBuiltins{{
    {"dot", 2, call_vector_function},
    {"cross", 2, call_vector_function},
    {"norm", 1, call_vector_function},
    {"position", 1, call_point_function},
    {"velocity", 1, call_point_function},
    {"acceleration", 1, call_point_function},
    {"omega", 1, call_with_body},
    {"axis", 2, call_with_body},
    {"fixed", 2, call_with_body},
    {"rotation", 2, plain<call_rotation>},
    {"quaternion", 4, plain<call_quaternion>},
    {"axes", kAnyArity, plain<call_axes>},
    {"start", 1, plain<call_start>},
    {"reaction", 1, call_reaction},
    {"components", 2, call_with_body},
    {"turned", kAnyArity, plain<call_turned>},
    {"sin", 1, call_scalar_function, sym::Op::kSin},
    {"cos", 1, call_scalar_function, sym::Op::kCos},
    {"tan", 1, call_scalar_function, sym::Op::kTan},
    {"asin", 1, call_scalar_function, sym::Op::kAsin},
    {"acos", 1, call_scalar_function, sym::Op::kAcos},
    {"atan", 1, call_scalar_function, sym::Op::kAtan},
    {"sinh", 1, call_scalar_function, sym::Op::kSinh},
    {"cosh", 1, call_scalar_function, sym::Op::kCosh},
    {"tanh", 1, call_scalar_function, sym::Op::kTanh},
    {"exp", 1, call_scalar_function, sym::Op::kExp},
    {"log", 1, call_scalar_function, sym::Op::kLog},
    {"sqrt", 1, call_scalar_function, sym::Op::kSqrt},
    {"abs", 1, call_scalar_function, sym::Op::kAbs},
    {"sign", 1, call_scalar_function, sym::Op::kSign},
    {"atan2", 2, call_scalar_function, sym::Op::kAtan2},
    {"min", 2, call_scalar_function, sym::Op::kMin},
    {"max", 2, call_scalar_function, sym::Op::kMax},
}};

const Builtin* find_builtin(std::string_view name) {
    const auto* const found =
        std::find_if(kBuiltins.begin(), kBuiltins.end(),
                     [&](const Builtin& builtin) { return builtin.name == name; });
    return found == kBuiltins.end() ? nullptr : found;
}

// Names people bring from other languages.
std::string_view other_name(std::string_view name) {
    struct Other {
        std::string_view theirs, ours;
    };
    static constexpr std::array<Other, 12> kOthers{{
        {"ln", "log"},
        {"arcsin", "asin"},
        {"arccos", "acos"},
        {"arctan", "atan"},
        {"arctan2", "atan2"},
        {"tg", "tan"},
        {"sgn", "sign"},
        {"fabs", "abs"},
        {"length", "norm"},
        {"magnitude", "norm"},
        {"pos", "position"},
        {"vel", "velocity"},
    }};
    const auto* const other = std::find_if(kOthers.begin(), kOthers.end(),
                                           [&](const Other& one) { return one.theirs == name; });
    return other == kOthers.end() ? std::string_view() : other->ours;
}

Failed unknown_function(Lowering& in, ExprId id, const std::string& name) {
    const Span span = in.scope.span(in.scope.expr(id).operands[0]);
    if (in.reports.is_reported(span)) {
        return {};
    }
    const Found found = in.scope.find(name);
    if (found.failed) {
        return {};
    }
    if (found.entity != nullptr || in.scope.find_local(name) != nullptr || name == "t" ||
        name == "pi" || name == "deg") {
        return in.fail(span, fmt::format("'{}' is not a function", name),
                       {"multiplication is written with *"});
    }
    if (const Span* later = in.scope.declared_somewhere(name)) {
        return used_too_early(in, span, name, *later);
    }
    std::string near(other_name(name));
    if (near.empty()) {
        std::vector<std::string> known;
        for (const auto& [function, unused] : in.scope.functions) {
            if (function.starts_with(in.scope.prefix())) {
                known.push_back(function.substr(in.scope.prefix().size()));
            }
        }
        std::sort(known.begin(), known.end());
        std::vector<std::string> names;
        for (const Builtin& builtin : kBuiltins) {
            names.emplace_back(builtin.name);
        }
        names.insert(names.end(), known.begin(), known.end());
        near = nearest_name(name, names);
    }
    return in.fail(span, fmt::format("unknown function '{}'", name), did_you_mean(near));
}

Value call_defined(Lowering& in, ExprId id, const std::string& name, const Function& function) {
    std::vector<Local> arguments;
    if (function.node == nullptr || !bind_function(in, id, name, function, arguments)) {
        return Value::none();
    }
    const Reports::Call call(in.reports, name, in.scope.span(id));
    const Scope::Visit visit(in.scope, *function.scope);
    in.scope.add_locals(arguments);
    return evaluate(in, function.node->body);
}

/// `function` is the name of the function that calls.
void check_callee(Lowering& in, ExprId call, Span function) {
    const Expr& callee = in.scope.expr(in.scope.expr(call).operands[0]);
    const std::string name(in.reports.text(callee.token));
    if (callee.kind != ExprKind::kName || find_builtin(name) != nullptr ||
        in.scope.functions.contains(in.scope.full(name))) {
        return;
    }
    if (name == in.reports.text(function)) {
        in.fail(callee.span, fmt::format("'{}' calls itself", name),
                {"functions are written out where they are called and cannot recurse"});
    } else {
        unknown_function(in, call, name);
    }
}

// Names of the body are checked where the function is written, not only where it is called.
void check_body(Lowering& in, const FunctionDefinition& node) {
    const auto is_known = [&](const std::string& name) {
        return is_reserved(name) || !in.scope.find(name).unknown() ||
               std::any_of(node.arguments.begin(), node.arguments.end(),
                           [&](const Argument& one) { return in.reports.text(one.name) == name; });
    };
    std::vector<ExprId> open{node.body};
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        const Expr& e = in.scope.expr(id);
        const std::string name(in.reports.text(e.token));
        if (e.kind == ExprKind::kCall) {
            open.insert(open.end(), e.operands.begin() + 1, e.operands.end());
            check_callee(in, id, node.name);
        } else if (e.kind == ExprKind::kName) {
            if (!is_known(name)) {
                unknown_name(in, id, name);
            }
        } else if (e.kind == ExprKind::kIndex) {
            // The base may be an array or a file; both are judged when the function is called.
            open.push_back(e.operands[1]);
        } else if (e.kind != ExprKind::kMember ||
                   in.scope.expr(e.operands[0]).kind != ExprKind::kName) {
            open.insert(open.end(), e.operands.begin(), e.operands.end());
        }
    }
}

}  // namespace

bool check_arity(Lowering& in, ExprId id, std::string_view name, std::size_t arity) {
    const Expr& e = in.scope.expr(id);
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
        if (in.scope.expr(e.operands[i]).kind == ExprKind::kNamed) {
            return in.fail(e.operands[i], fmt::format("the arguments of '{}' have no names", name),
                           {"give them by position"});
        }
    }
    const std::size_t given = e.operands.size() - 1;
    if (given == arity) {
        return true;
    }
    return in.fail(e.span, fmt::format("'{}' takes {} argument{}, {} given", name, arity,
                                       arity == 1 ? "" : "s", given));
}

Value call(Lowering& in, ExprId id) {
    std::string name;
    if (flatten(in, in.scope.expr(id).operands[0], name) != Lookup::kFlat) {
        return Value::none();
    }
    if (const Function* function = in.scope.find(in.scope.functions, name)) {
        return call_defined(in, id, name, *function);
    }
    const Builtin* builtin = find_builtin(name);
    if (builtin == nullptr) {
        return unknown_function(in, id, name);
    }
    const bool counts = builtin->arity == kAnyArity || check_arity(in, id, name, builtin->arity);
    return counts ? builtin->call(in, id, *builtin) : Value::none();
}

void define(Lowering& in, const FunctionDefinition& node) {
    bool good = check_arguments(in, node.arguments);
    const std::string_view name = in.reports.text(node.name);
    if (find_builtin(name) != nullptr) {
        good = in.fail(node.name, fmt::format("'{}' is a function of the language already", name));
    } else {
        check_body(in, node);
    }
    in.scope.define(in.scope.functions, "function", node.name, good ? &node : nullptr);
}

}  // namespace ananke::lang

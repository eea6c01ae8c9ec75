#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"
#include "mech/vectors.h"

namespace ananke::lang {
namespace {

struct ScalarFunction {
    std::string_view name;
    sym::Op op;
    int arity;
};

constexpr std::array<ScalarFunction, 17> kScalarFunctions{{
    {"sin", sym::Op::kSin, 1},
    {"cos", sym::Op::kCos, 1},
    {"tan", sym::Op::kTan, 1},
    {"asin", sym::Op::kAsin, 1},
    {"acos", sym::Op::kAcos, 1},
    {"atan", sym::Op::kAtan, 1},
    {"sinh", sym::Op::kSinh, 1},
    {"cosh", sym::Op::kCosh, 1},
    {"tanh", sym::Op::kTanh, 1},
    {"exp", sym::Op::kExp, 1},
    {"log", sym::Op::kLog, 1},
    {"sqrt", sym::Op::kSqrt, 1},
    {"abs", sym::Op::kAbs, 1},
    {"sign", sym::Op::kSign, 1},
    {"atan2", sym::Op::kAtan2, 2},
    {"min", sym::Op::kMin, 2},
    {"max", sym::Op::kMax, 2},
}};

const std::vector<std::string>& builtin_names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names{"dot",      "cross",        "norm",       "position",
                                       "velocity", "acceleration", "omega",      "axis",
                                       "fixed",    "rotation",     "quaternion", "axes",
                                       "start",    "reaction",     "components", "turned"};
        for (const ScalarFunction& f : kScalarFunctions) {
            names.emplace_back(f.name);
        }
        return names;
    }();
    return kNames;
}

bool is_builtin(std::string_view name) {
    const auto& names = builtin_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Names people bring from other languages.
std::string_view other_name(std::string_view name) {
    struct Other {
        std::string_view theirs, ours;
    };
    static constexpr std::array<Other, 12> kOthers{{{"ln", "log"},
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
                                                    {"vel", "velocity"}}};
    for (const Other& other : kOthers) {
        if (other.theirs == name) {
            return other.ours;
        }
    }
    return {};
}

}  // namespace

bool Lowering::check_arity(ExprId id, std::string_view name, int arity) {
    const Expr& e = expr(id);
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
        if (expr(e.operands[i]).kind == ExprKind::kNamed) {
            fail(expr(e.operands[i]).span, fmt::format("the arguments of '{}' have no names", name),
                 {"give them by position"});
            return false;
        }
    }
    const int given = static_cast<int>(e.operands.size()) - 1;
    if (given == arity) {
        return true;
    }
    fail(e.span, fmt::format("'{}' takes {} argument{}, {} given", name, arity,
                             arity == 1 ? "" : "s", given));
    return false;
}

Value Lowering::call(ExprId id) {
    std::string name;
    if (flatten(expr(id).operands[0], name) != Lookup::kFlat) {
        return Value::none();
    }
    if (const Function* function = find_function(name)) {
        return call_defined(id, name, *function);
    }
    bool known = true;
    const Value value = call_builtin(id, name, known);
    return known ? value : unknown_function(id, name);
}

const Lowering::Function* Lowering::find_function(const std::string& name) const {
    for (const FileScope* scope = scope_; scope != nullptr; scope = scope->outer) {
        if (const auto found = functions_.find(scope->prefix + name); found != functions_.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

Value Lowering::call_builtin(ExprId id, std::string_view name, bool& known) {
    for (const ScalarFunction& f : kScalarFunctions) {
        if (f.name == name) {
            return call_scalar_function(id, f.op, name, f.arity);
        }
    }
    if (name == "dot" || name == "cross" || name == "norm") {
        return call_vector_function(id, name);
    }
    if (name == "position" || name == "velocity" || name == "acceleration") {
        return call_point_function(id, name);
    }
    if (name == "omega" || name == "axis" || name == "fixed" || name == "components") {
        return call_body_function(id, name);
    }
    if (name == "turned") {
        return call_turned(id);
    }
    if (name == "start") {
        return call_start(id);
    }
    if (name == "rotation" || name == "quaternion" || name == "axes") {
        return call_rotation(id, name);
    }
    if (name == "reaction") {
        return call_reaction(id);
    }
    known = false;
    return Value::none();
}

Value Lowering::unknown_function(ExprId id, const std::string& name) {
    const Span span = expr(expr(id).operands[0]).span;
    if (reported(span)) {
        return Value::none();
    }
    const Found found = find(name);
    if (found.failed) {
        return Value::none();
    }
    if (found.entity != nullptr || find_local(name) != nullptr || name == "t" || name == "pi" ||
        name == "deg") {
        return fail(span, fmt::format("'{}' is not a function", name),
                    {"multiplication is written with *"});
    }
    const auto later = scope_->declared_somewhere.find(name);
    if (later != scope_->declared_somewhere.end()) {
        return fail(span, fmt::format("'{}' is used before it is declared", name),
                    {declared_note(later->second) + "; move that statement up"});
    }
    Notes notes;
    if (const std::string_view ours = other_name(name); !ours.empty()) {
        notes.push_back(fmt::format("did you mean '{}'?", ours));
    } else {
        std::vector<std::string> known;
        for (const auto& [function, unused] : functions_) {
            if (function.starts_with(scope_->prefix)) {
                known.push_back(function.substr(scope_->prefix.size()));
            }
        }
        std::sort(known.begin(), known.end());
        known.insert(known.begin(), builtin_names().begin(), builtin_names().end());
        if (const std::string near = nearest_name(name, known); !near.empty()) {
            notes.push_back(fmt::format("did you mean '{}'?", near));
        }
    }
    return fail(span, fmt::format("unknown function '{}'", name), std::move(notes));
}

Value Lowering::call_scalar_function(ExprId id, sym::Op op, std::string_view name, int arity) {
    if (!check_arity(id, name, arity)) {
        return Value::none();
    }
    std::array<sym::Expr, 2> arguments{};
    bool good = true;
    for (int i = 0; i < arity; ++i) {
        const ExprId argument = expr(id).operands[static_cast<std::size_t>(i) + 1];
        const Value value = evaluate(argument);
        if (!usable(value, argument)) {
            good = false;
        } else if (!value.is_scalar()) {
            Notes notes;
            if (name == "abs") {
                notes.emplace_back("the length of a vector is norm(v)");
            }
            fail(expr(argument).span, fmt::format("'{}' takes a scalar, this is a vector", name),
                 std::move(notes));
            good = false;
        } else {
            arguments[static_cast<std::size_t>(i)] = value.scalar();
        }
    }
    if (!good) {
        return Value::none();
    }
    const sym::Expr e =
        arity == 1 ? graph_.apply(op, arguments[0]) : graph_.apply(op, arguments[0], arguments[1]);
    return checked_constant(e, expr(id).span);
}

// Term after term, so that a printed sum has the order of the components.
sym::Expr Lowering::dot(const Value& a, const Value& b) {
    sym::Expr total = graph_.zero();
    for (std::size_t i = 0; i < 3; ++i) {
        total = graph_.add(total, graph_.mul(a.parts[i], b.parts[i]));
    }
    return total;
}

Value Lowering::call_vector_function(ExprId id, std::string_view name) {
    const int arity = name == "norm" ? 1 : 2;
    if (!check_arity(id, name, arity)) {
        return Value::none();
    }
    std::array<Value, 2> v;
    bool good = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(arity); ++i) {
        const ExprId argument = expr(id).operands[i + 1];
        v[i] = evaluate(argument);
        if (!usable(v[i], argument)) {
            good = false;
        } else if (!v[i].is_vector()) {
            fail(expr(argument).span, fmt::format("'{}' takes vectors, this is a scalar", name));
            good = false;
        }
    }
    if (!good) {
        return Value::none();
    }
    if (name == "dot") {
        return Value::scalar(dot(v[0], v[1]));
    }
    if (name == "norm") {
        return Value::scalar(graph_.apply(sym::Op::kSqrt, dot(v[0], v[0])));
    }
    return Value::vector(mech::cross(graph_, v[0].parts, v[1].parts));
}

Value Lowering::call_point_function(ExprId id, std::string_view name) {
    if (!check_arity(id, name, 1)) {
        return Value::none();
    }
    const ExprId argument = expr(id).operands[1];
    const Value value = evaluate(argument);
    if (value.bad()) {
        return value;
    }
    if (!value.is_point() && !value.is_body()) {
        return fail(
            expr(argument).span,
            fmt::format("'{}' takes a particle, a point or a body, this is {}", name, shown(value)),
            {"declare it: point P at (x, y, z)"});
    }
    const int index =
        value.is_point() ? value.point : model_.bodies[static_cast<std::size_t>(value.body)].centre;
    const mech::Point& point = model_.points[static_cast<std::size_t>(index)];
    return Value::vector(name == "position" ? point.r : name == "velocity" ? point.v : point.a);
}

Value Lowering::call_defined(ExprId id, const std::string& name, const Function& function) {
    std::vector<Local> arguments;
    if (function.definition == nullptr || !bind_function(id, name, function, arguments)) {
        return Value::none();
    }
    const Span call_span = expr(id).span;
    const Visit visit(*this, *function.scope);
    calls_.push_back({name, call_span});
    locals_.insert(locals_.end(), arguments.begin(), arguments.end());
    return evaluate(function.definition->body);
}

void Lowering::define(const FunctionDefinition& node) {
    const std::string name(text(node.name));
    bool good = check_arguments(node.arguments);
    if (is_builtin(name)) {
        fail(node.name, fmt::format("'{}' is a function of the language already", name));
        good = false;
    } else {
        check_body(node);
    }
    const auto [found, is_new] = functions_.try_emplace(
        scope_->prefix + name, Function{scope_, good ? &node : nullptr, node.name});
    if (!is_new) {
        fail(node.name, fmt::format("the function '{}' is defined twice", name),
             {fmt::format("first defined at {}", place_text(found->second.span))});
    }
}

// Names of the body are checked where the function is written, not only where it is called.
void Lowering::check_body(const FunctionDefinition& node) {
    const auto is_argument = [&](std::string_view name) {
        return std::any_of(node.arguments.begin(), node.arguments.end(),
                           [&](const Argument& one) { return text(one.name) == name; });
    };
    std::vector<ExprId> open{node.body};
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        const Expr& e = expr(id);
        if (e.kind == ExprKind::kCall) {
            open.insert(open.end(), e.operands.begin() + 1, e.operands.end());
            const Expr& callee = expr(e.operands[0]);
            const std::string name(text(callee.token));
            if (callee.kind != ExprKind::kName || is_builtin(name) ||
                functions_.contains(scope_->prefix + name)) {
                continue;
            }
            if (name == text(node.name)) {
                fail(callee.span, fmt::format("'{}' calls itself", name),
                     {"functions are written out where they are called and cannot recurse"});
                continue;
            }
            unknown_function(id, name);
            continue;
        }
        if (e.kind == ExprKind::kName) {
            const std::string name(text(e.token));
            const bool known = is_argument(name) || !find(name).unknown() || is_reserved(name);
            if (!known) {
                unknown_name(id, name);
            }
            continue;
        }
        if (e.kind == ExprKind::kIndex || e.kind == ExprKind::kMember) {
            // The base may be an array or a file; both are judged when the function is called.
            if (e.kind == ExprKind::kIndex) {
                open.push_back(e.operands[1]);
            } else if (expr(e.operands[0]).kind != ExprKind::kName) {
                open.push_back(e.operands[0]);
            }
            continue;
        }
        open.insert(open.end(), e.operands.begin(), e.operands.end());
    }
}

}  // namespace ananke::lang

// Joints: a definition is carried out like an imported file, with the joint's name as prefix and
// its arguments as local names.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/lowering.h"
#include "lang/prelude.h"

namespace ananke::lang {

void Lowering::lower(const Statement&, const JointDefinition& node) {
    const std::string name(text(node.name));
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        const std::string_view argument = text(node.arguments[i].name);
        if (argument == "t" || argument == "pi" || argument == "deg" || argument == "ground") {
            fail(node.arguments[i].name,
                 fmt::format("'{}' is reserved and cannot be an argument", argument));
        }
        for (std::size_t k = 0; k < i; ++k) {
            if (text(node.arguments[k].name) == argument) {
                fail(node.arguments[i].name,
                     fmt::format("the argument '{}' appears twice", argument));
            }
        }
    }
    for (const Statement& statement : node.body) {
        if (!allowed_in_joint(statement)) {
            fail(statement.keyword, fmt::format("'{}' cannot stand in the definition of a joint",
                                                text(statement.keyword)));
        }
    }
    const auto [found, is_new] =
        joints_.try_emplace(scope_->prefix + name, JointKind{scope_, &node, node.name});
    if (!is_new) {
        fail(node.name, fmt::format("the joint '{}' is defined twice", name),
             {fmt::format("first defined at {}", place_text(found->second.span))});
    }
}

bool Lowering::allowed_in_joint(const Statement& statement) {
    return allowed_in_loop(statement) && !std::holds_alternative<JointDefinition>(statement.as) &&
           !std::holds_alternative<GaugeList>(statement.as);
}

/// The definitions that every model knows, read when the first joint asks for one.
void Lowering::read_prelude() {
    if (prelude_read_) {
        return;
    }
    prelude_read_ = true;
    FileScope* const caller = scope_;
    for (const PreludeFile& file : prelude()) {
        FileScope& scope = scopes_.emplace_back();
        scope.file = sources_.add(std::string(file.name), std::string(file.text));
        scope.path = std::string(file.name);
        scope.prefix = std::string(kPreludePrefix);
        const int loop_depth = std::exchange(loop_depth_, 0);
        carry_out(scope);
        loop_depth_ = loop_depth;
    }
    scope_ = caller;
}

const Lowering::JointKind* Lowering::find_joint(const std::string& name) {
    for (const FileScope* scope = scope_; scope != nullptr; scope = scope->outer) {
        if (const auto found = joints_.find(scope->prefix + name); found != joints_.end()) {
            return &found->second;
        }
    }
    read_prelude();
    const auto found = joints_.find(std::string(kPreludePrefix) + name);
    return found == joints_.end() ? nullptr : &found->second;
}

void Lowering::unknown_joint(Span span, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [full, kind] : joints_) {
        known.push_back(full.starts_with(kPreludePrefix) ? full.substr(kPreludePrefix.size())
                                                         : full);
    }
    std::sort(known.begin(), known.end());
    Notes notes;
    if (const std::string near = nearest_name(name, known); !near.empty()) {
        notes.push_back(fmt::format("did you mean '{}'?", near));
    }
    notes.push_back(fmt::format("known are {}", join_names(known)));
    fail(span, fmt::format("unknown kind of joint '{}'", name), std::move(notes));
}

/// A value as the definition wants it: a body counts as its mass centre, a place as its body.
Value Lowering::joint_value(const JointDefinition::Argument& argument, Value value, Span span) {
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

bool Lowering::bind_joint(ExprId call, const std::string& name, const JointKind& kind,
                          std::vector<Local>& out) {
    const Expr e = expr(call);
    const auto& wanted = kind.definition->arguments;
    std::vector<bool> given(wanted.size(), false);
    out.resize(wanted.size());
    bool named_before = false;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
        const Expr argument = expr(e.operands[i]);
        const bool named = argument.kind == ExprKind::kNamed;
        std::size_t slot = i - 1;
        if (named) {
            const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const auto& one) {
                return text(one.name) == text(argument.token);
            });
            slot = static_cast<std::size_t>(found - wanted.begin());
        }
        if (slot >= wanted.size() || (!named && named_before) || given[slot]) {
            std::vector<std::string> known;
            for (const auto& one : wanted) {
                known.emplace_back(text(one.name));
            }
            fail(named ? argument.token : argument.span,
                 slot >= wanted.size()
                     ? (named ? fmt::format("'{}' has no argument '{}'", name, text(argument.token))
                              : fmt::format("'{}' takes at most {} arguments", name, wanted.size()))
                 : !named && named_before
                     ? std::string("arguments by position stand before those by name")
                     : fmt::format("the argument '{}' is given twice", text(wanted[slot].name)),
                 {fmt::format("it has {}", join_names(known))});
            return false;
        }
        named_before = named_before || named;
        given[slot] = true;
        const ExprId value_id = named ? argument.operands[0] : e.operands[i];
        const Span span = expr(value_id).span;
        out[slot] = {text(wanted[slot].name), joint_value(wanted[slot], evaluate(value_id), span),
                     span};
    }
    bool good = true;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        if (!given[slot] && wanted[slot].fallback == kNoExpr) {
            fail(e.span, fmt::format("'{}' needs the argument '{}'", name, text(wanted[slot].name)),
                 {declared_note(kind.span)});
            return false;
        }
        good = good && (!given[slot] || !out[slot].value.bad());
    }
    if (!good) {
        return false;
    }
    // What is not given may be written with the arguments before it.
    FileScope* const caller_scope = scope_;
    const std::size_t caller_begin = locals_begin_;
    const std::size_t caller_size = locals_.size();
    scope_ = kind.scope;
    locals_begin_ = caller_size;
    for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
        if (!given[slot]) {
            const Span span = expr(wanted[slot].fallback).span;
            out[slot] = {text(wanted[slot].name),
                         joint_value(wanted[slot], evaluate(wanted[slot].fallback), span), span};
            good = good && !out[slot].value.bad();
        }
        locals_.push_back(out[slot]);
    }
    scope_ = caller_scope;
    locals_.resize(caller_size);
    locals_begin_ = caller_begin;
    return good;
}

bool Lowering::joins_one_body(const mech::Joint& joint) const {
    const auto body = [&](int point) {
        return model_.points[static_cast<std::size_t>(point)].body;
    };
    return joint.points.size() > 1 && body(joint.points[0]) >= 0 &&
           std::all_of(joint.points.begin(), joint.points.end(),
                       [&](int point) { return body(point) == body(joint.points[0]); });
}

void Lowering::lower(const Statement& statement, const JointDeclaration& node) {
    const std::optional<std::string> name = declared_name(node.name);
    std::string definition;
    const ExprId callee = expr(node.call).operands[0];
    if (flatten(callee, definition) != Lookup::kFlat || !name) {
        return;
    }
    Entity entity;
    entity.kind = EntityKind::kJoint;
    entity.span = expr(node.name).span;
    entity.index = -1;
    const JointKind* kind = find_joint(definition);
    if (kind == nullptr) {
        unknown_joint(expr(callee).span, definition);
    }
    std::vector<Local> arguments;
    if (kind == nullptr || !bind_joint(node.call, definition, *kind, arguments)) {
        scope_->failed.insert(std::string(base_of(*name)));
        declare(*name, entity);
        return;
    }
    entity.index = static_cast<int>(model_.joints.size());
    if (!declare(*name, entity)) {
        return;
    }
    if (calls_.size() >= static_cast<std::size_t>(kDeepestJoint)) {
        fail(statement.span,
             fmt::format("joints are made of joints more than {} levels deep", kDeepestJoint));
        return;
    }
    mech::Joint joint{scope_->prefix + *name, definition, {}, entity.span};
    for (const Local& argument : arguments) {
        if (argument.value.is_point()) {
            joint.points.push_back(argument.value.point);
        }
    }
    if (joins_one_body(joint)) {
        const int body = model_.points[static_cast<std::size_t>(joint.points[0])].body;
        fail(expr(node.call).span,
             fmt::format("joint '{}' joins '{}' with itself", *name,
                         model_.bodies[static_cast<std::size_t>(body)].name),
             {"its places lie on one body, which cannot move against itself"});
        return;
    }
    model_.joints.push_back(std::move(joint));

    const Span call_span = expr(node.call).span;
    FileScope& scope = scopes_.emplace_back();
    scope.tree = kind->scope->tree;
    scope.file = kind->scope->file;
    scope.path = kind->scope->path;
    scope.prefix = scope_->prefix + *name + ".";
    scope.outer = kind->scope;
    FileScope* const caller_scope = std::exchange(scope_, &scope);
    const std::size_t caller_size = locals_.size();
    const std::size_t caller_begin = std::exchange(locals_begin_, caller_size);
    const int caller_joint = std::exchange(joint_, entity.index);
    calls_.push_back({definition, call_span});
    locals_.insert(locals_.end(), arguments.begin(), arguments.end());

    execute(kind->definition->body);

    calls_.pop_back();
    locals_.resize(caller_size);
    locals_begin_ = caller_begin;
    joint_ = caller_joint;
    scope_ = caller_scope;
}

}  // namespace ananke::lang

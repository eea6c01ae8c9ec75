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
    bool good = check_arguments(node.arguments);
    for (const Statement& statement : node.body) {
        if (!allowed_in_joint(statement)) {
            fail(statement.keyword, fmt::format("'{}' cannot stand in the definition of a joint",
                                                text(statement.keyword)));
            good = false;
        }
    }
    const auto [found, is_new] = joints_.try_emplace(
        scope_->prefix + name, JointKind{scope_, good ? &node : nullptr, node.name});
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
        prelude_files_.insert(scope.file);
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
    if (find(name).failed) {
        return;
    }
    for (const Statement& statement : scope_->tree->statements) {
        const auto* below = std::get_if<JointDefinition>(&statement.as);
        if (below != nullptr && text(below->name) == name) {
            fail(span, fmt::format("the joint '{}' is used before it is defined", name),
                 {fmt::format("defined at {}; move the definition up", place_text(below->name))});
            return;
        }
    }
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
    const bool called = flatten(callee, definition) == Lookup::kFlat;
    if (!name) {
        return;
    }
    const Declaration declaration{EntityKind::kJoint, expr(node.name).span};
    if (!called) {
        declare_failed(*name, declaration);
        return;
    }
    const JointKind* kind = find_joint(definition);
    if (kind == nullptr) {
        unknown_joint(expr(callee).span, definition);
    }
    std::vector<Local> arguments;
    if (kind == nullptr || kind->definition == nullptr ||
        !bind_joint(node.call, definition, *kind, arguments)) {
        declare_failed(*name, declaration);
        return;
    }
    if (calls_.size() >= static_cast<std::size_t>(kDeepestJoint)) {
        fail(statement.span,
             fmt::format("joints are made of joints more than {} levels deep", kDeepestJoint));
        declare_failed(*name, declaration);
        return;
    }
    mech::Joint joint{scope_->prefix + *name, definition, {}, declaration.span, joint_};
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
        declare_failed(*name, declaration);
        return;
    }
    const int index = static_cast<int>(model_.joints.size());
    if (!declare(*name, {declaration.kind, index, Value::none(), declaration.span})) {
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
    const Visit visit(*this, scope);
    calls_.push_back({definition, call_span});
    locals_.insert(locals_.end(), arguments.begin(), arguments.end());
    for (const std::string& unread : scope.tree->doubtful) {
        doubt(unread);
    }
    const int caller_joint = std::exchange(joint_, index);

    execute(kind->definition->body);

    joint_ = caller_joint;
}

}  // namespace ananke::lang

// Joints: a definition is carried out like an imported file, with the joint's name as prefix and
// its arguments as local names. The usual ones are in the prelude.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "lang/functions.h"
#include "lang/paths.h"
#include "lang/prelude.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

constexpr std::string_view kPrelude = "prelude:";  // prefix of its joints, which no name has
constexpr std::size_t kDeepestJoint = 20;          // joints within joints: the usual ones need 3

bool allowed_in_joint(const Statement& statement) {
    return allowed_in_loop(statement) && !std::holds_alternative<JointDefinition>(statement.as) &&
           !std::holds_alternative<GaugeList>(statement.as);
}

/// The definitions that every model knows, read when the first joint asks for one.
void read_prelude(Lowering& in) {
    if (std::exchange(in.given.prelude, true)) {
        return;
    }
    const int loop_depth = std::exchange(in.scope.loop_depth, 0);
    for (const PreludeFile& text : prelude()) {
        FileScope& file = in.scope.add_file();
        file.file = in.sources.add(std::string(text.name), std::string(text.text));
        file.path = std::string(text.name);
        file.prefix = std::string(kPrelude);
        in.reports.hide(file.file);
        carry_out(in, file);
    }
    in.scope.loop_depth = loop_depth;
}

const JointKind* find_kind(Lowering& in, const std::string& name) {
    if (const JointKind* kind = in.scope.find(in.scope.joints, name)) {
        return kind;
    }
    read_prelude(in);
    const auto found = in.scope.joints.find(std::string(kPrelude) + name);
    return found == in.scope.joints.end() ? nullptr : &found->second;
}

void unknown_joint(Lowering& in, Span span, const std::string& name) {
    if (in.scope.find(name).failed) {
        return;
    }
    for (const Statement& statement : in.scope.file().tree->statements) {
        const auto* below = std::get_if<JointDefinition>(&statement.as);
        if (below != nullptr && in.reports.text(below->name) == name) {
            in.fail(span, fmt::format("the joint '{}' is used before it is defined", name),
                    {fmt::format("defined at {}; move the definition up",
                                 in.reports.place_text(below->name))});
            return;
        }
    }
    std::vector<std::string> known;
    for (const auto& [full, kind] : in.scope.joints) {
        known.push_back(full.starts_with(kPrelude) ? full.substr(kPrelude.size()) : full);
    }
    std::sort(known.begin(), known.end());
    Notes notes = did_you_mean(nearest_name(name, known));
    notes.push_back(fmt::format("known are {}", join_names(known)));
    in.fail(span, fmt::format("unknown kind of joint '{}'", name), std::move(notes));
}

bool joins_one_body(Lowering& in, const mech::Joint& joint) {
    const auto body = [&](int point) { return in.bodies.point(point).body; };
    return joint.points.size() > 1 && body(joint.points[0]) >= 0 &&
           std::all_of(joint.points.begin(), joint.points.end(),
                       [&](int point) { return body(point) == body(joint.points[0]); });
}

/// What a declaration stands for, once its names are known.
struct Called {
    std::string definition;
    const JointKind* kind = nullptr;
    std::vector<Local> arguments;
};

/// Nothing after a mistake, which is reported.
std::optional<Called> read_call(Lowering& in, const JointDeclaration& node) {
    Called called;
    const ExprId callee = in.scope.expr(node.call).operands[0];
    if (flatten(in, callee, called.definition) != Lookup::kFlat) {
        return std::nullopt;
    }
    called.kind = find_kind(in, called.definition);
    if (called.kind == nullptr) {
        unknown_joint(in, in.scope.span(callee), called.definition);
        return std::nullopt;
    }
    const bool good = called.kind->node != nullptr &&
                      bind_joint(in, node.call, called.definition, *called.kind, called.arguments);
    return good ? std::optional(std::move(called)) : std::nullopt;
}

/// Whether the joint may be carried out.
bool check_joint(Lowering& in, const Statement& statement, const JointDeclaration& node,
                 const std::string& name, const mech::Joint& joint) {
    if (in.reports.calls() >= kDeepestJoint) {
        return in.fail(
            statement.span,
            fmt::format("joints are made of joints more than {} levels deep", kDeepestJoint));
    }
    if (joins_one_body(in, joint)) {
        return in.fail(node.call,
                       fmt::format("joint '{}' joins '{}' with itself", name,
                                   in.bodies.body(in.bodies.point(joint.points[0]).body).name),
                       {"its places lie on one body, which cannot move against itself"});
    }
    return true;
}

/// The statements of the definition, in a scope of the joint's name.
void carry_out_joint(Lowering& in, const JointDeclaration& node, const std::string& name,
                     const Called& called, int joint) {
    const Reports::Call call(in.reports, called.definition, in.scope.span(node.call));
    FileScope& file = in.scope.add_file();
    file.tree = called.kind->scope->tree;
    file.file = called.kind->scope->file;
    file.path = called.kind->scope->path;
    file.prefix = in.scope.full(name) + ".";
    file.outer = called.kind->scope;
    const Scope::Visit visit(in.scope, file);
    in.scope.add_locals(called.arguments);
    for (const std::string& unread : file.tree->doubtful) {
        in.scope.doubt(unread);
    }
    const int caller = std::exchange(in.joint, joint);
    execute(in, called.kind->node->body);
    in.joint = caller;
}

}  // namespace

void lower(Lowering& in, const Statement&, const JointDefinition& node) {
    bool good = check_arguments(in, node.arguments);
    for (const Statement& statement : node.body) {
        if (!allowed_in_joint(statement)) {
            good = in.fail(statement.keyword,
                           fmt::format("'{}' cannot stand in the definition of a joint",
                                       in.reports.text(statement.keyword)));
        }
    }
    in.scope.define(in.scope.joints, "joint", node.name, good ? &node : nullptr);
}

void lower(Lowering& in, const Statement& statement, const JointDeclaration& node) {
    const std::optional<std::string> name = declared_name(in, node.name);
    if (!name) {
        std::string definition;  // mistakes in its indices are reported all the same
        flatten(in, in.scope.expr(node.call).operands[0], definition);
        return;
    }
    const Span span = in.scope.span(node.name);
    const std::optional<Called> called = read_call(in, node);
    mech::Joint joint{in.scope.full(*name), called ? called->definition : "", {}, span, in.joint};
    for (const Local& argument : called ? called->arguments : std::vector<Local>()) {
        if (argument.value.is_point()) {
            joint.points.push_back(argument.value.point);
        }
    }
    if (!called || !check_joint(in, statement, node, *name, joint)) {
        in.scope.declare_failed(*name, {EntityKind::kJoint, span});
        return;
    }
    const int index = static_cast<int>(in.model.joints.size());
    if (in.scope.declare(*name, {EntityKind::kJoint, index, Value::none(), span})) {
        in.model.joints.push_back(std::move(joint));
        carry_out_joint(in, node, *name, *called, index);
    }
}

}  // namespace ananke::lang

// How far constraints and joints give way: dependent ones share their force by it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/lowering.h"

namespace ananke::lang {

std::optional<sym::Expr> Lowering::compliance_value(ExprId id) {
    const Value value = scalar_of(id, "a compliance");
    if (value.bad() || !allow(value, 0, id, "a compliance")) {
        return std::nullopt;
    }
    const std::optional<double> number = number_of(value.scalar());
    if (number && !(*number >= 0.0 && std::isfinite(*number))) {
        fail(expr(id).span,
             fmt::format("a compliance must not be negative, this is {:.6g}", *number),
             {"it is the displacement per unit of the reaction: m/N, of rotations rad/(N m)"});
        return std::nullopt;
    }
    return value.scalar();
}

void Lowering::lower(const Statement& statement, const ComplianceTerm& node) {
    const std::optional<Entity> found =
        constraint_or_joint(node.target, "a constraint or a joint gives way");
    if (!found) {
        return;
    }
    const Entity entity = *found;
    const bool is_joint = entity.kind == EntityKind::kJoint;
    const std::string name(text(expr(node.target).span));
    if (is_joint && node.value != kNoExpr) {
        fail(expr(node.value).span, "a joint gives way to its force and to its torque",
             {fmt::format("write: compliance on {}: translation 1e-6 rotation 1e-4", name)});
        return;
    }
    if (!is_joint && node.value == kNoExpr) {
        const ExprId first = node.translation != kNoExpr ? node.translation : node.rotation;
        fail(expr(first).span, "the compliance of a constraint is one number",
             {fmt::format("write: compliance on {}: 1e-6", name)});
        return;
    }
    for (const mech::Compliance& other : model_.compliances) {
        if ((is_joint ? other.joint : other.constraint) == entity.index) {
            fail(expr(node.target).span, fmt::format("'{}' has a compliance already", name),
                 {declared_note(other.span)});
            return;
        }
    }
    mech::Compliance compliance;
    (is_joint ? compliance.joint : compliance.constraint) = entity.index;
    compliance.span = statement.span;
    bool good = true;
    const auto read = [&](ExprId id, std::optional<sym::Expr>& into) {
        if (id != kNoExpr) {
            into = compliance_value(id);
            good = good && into.has_value();
        }
    };
    read(node.value, compliance.value);
    read(node.translation, compliance.translation);
    read(node.rotation, compliance.rotation);
    if (good) {
        model_.compliances.push_back(compliance);
    }
}

}  // namespace ananke::lang

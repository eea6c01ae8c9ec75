#include <cmath>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::lang {

void Lowering::execute(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
        if (stopped_) {
            return;
        }
        execute(statement);
    }
}

void Lowering::execute(const Statement& statement) {
    if (++statements_done_ > options_.limits.loop_statements) {
        stop(statement.keyword,
             fmt::format("the loops write out more than {} statements",
                         options_.limits.loop_statements),
             {"make the loops shorter"});
        return;
    }
    if (loop_depth_ > 0 && !allowed_in_loop(statement)) {
        fail(statement.keyword,
             fmt::format("'{}' cannot stand inside 'for'", text(statement.keyword)),
             {"put it before the loop"});
        doubt_names({&statement, 1});
        return;
    }
    statement_ = statement.span;
    std::visit([&](const auto& node) { lower(statement, node); }, statement.as);
}

bool Lowering::allowed_in_loop(const Statement& statement) {
    return !std::holds_alternative<ModelTitle>(statement.as) &&
           !std::holds_alternative<FunctionDefinition>(statement.as) &&
           !std::holds_alternative<GravityTerm>(statement.as) &&
           !std::holds_alternative<lang::Simulate>(statement.as) &&
           !std::holds_alternative<Import>(statement.as);
}

void Lowering::lower(const Statement& statement, const ModelTitle& node) {
    if (!scope_->prefix.empty()) {
        return;  // an imported file has a title of its own
    }
    if (title_span_) {
        fail(statement.span, "a model has one title", {declared_note(*title_span_)});
        return;
    }
    title_span_ = statement.span;
    model_.title = node.title;
}

void Lowering::lower(const Statement&, const FunctionDefinition& node) {
    define(node);
}

void Lowering::lower(const Statement&, const KineticTerm& node) {
    const Value value = scalar_of(node.value, "a kinetic energy");
    if (!value.bad() &&
        allow(value, kOnTime | kOnPositions | kOnVelocities, node.value, "a kinetic energy")) {
        model_.kinetic.push_back({value.scalar(), shown_at(expr(node.value).span)});
    }
}

void Lowering::lower(const Statement&, const PotentialTerm& node) {
    const Value value = scalar_of(node.value, "a potential");
    if (!value.bad() && allow(value, kOnTime | kOnPositions, node.value, "a potential",
                              "a force that depends on velocities is given by 'force on'")) {
        model_.potential.push_back({value.scalar(), shown_at(expr(node.value).span)});
    }
}

/// Null after a mistake, which is reported.
const Entity* Lowering::target(ExprId id, std::string_view what) {
    std::string name;
    if (flatten(id, name) != Lookup::kFlat) {
        return nullptr;
    }
    if (const Found found = find(name); !found.unknown()) {
        return found.entity;
    }
    if (name == "ground") {
        fail(expr(id).span, fmt::format("{} on 'ground' moves nothing", what));
    } else if (find_local(name) != nullptr || is_reserved(name)) {
        fail(expr(id).span, fmt::format("'{}' is not a coordinate or a point", name));
    } else {
        unknown_name(id, name);
    }
    return nullptr;
}

std::optional<int> Lowering::coordinate_of(ExprId id, std::string_view what) {
    const Entity* entity = target(id, what);
    if (entity == nullptr) {
        return std::nullopt;
    }
    if (entity->kind != EntityKind::kCoordinate) {
        fail(expr(id).span,
             fmt::format("{} belongs to a coordinate; '{}' is {}", what, text(expr(id).span),
                         describe(entity->kind)),
             {declared_note(entity->span)});
        return std::nullopt;
    }
    return entity->index;
}

void Lowering::lower(const Statement&, const MassTerm& node) {
    std::vector<int> coordinates;
    for (const ExprId name : node.names) {
        const std::optional<int> coordinate = coordinate_of(name, "a mass");
        if (!coordinate) {
            return;
        }
        coordinates.push_back(*coordinate);
    }
    const std::size_t n = coordinates.size();
    const Expr matrix = expr(node.matrix);
    const bool is_matrix = matrix.kind == ExprKind::kMatrix;
    const std::size_t rows = is_matrix ? matrix.rows : 1;
    const std::size_t columns = is_matrix ? matrix.operands.size() / rows : 1;
    if (rows != n || columns != n) {
        fail(matrix.span,
             fmt::format("the mass matrix of {} coordinate{} has {} by {} entries", n,
                         n == 1 ? "" : "s", rows, columns),
             {fmt::format("it must have {} by {}: for two coordinates [a, b; b, c]", n, n)});
        return;
    }
    std::vector<sym::Expr> values(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
        const ExprId entry = is_matrix ? matrix.operands[i] : node.matrix;
        const Value value = scalar_of(entry, "a mass");
        if (value.bad() || !allow(value, kOnTime | kOnPositions, entry, "a mass matrix")) {
            return;
        }
        values[i] = value.scalar();
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) {
            if (values[i * n + j] != values[j * n + i]) {
                fail(expr(matrix.operands[j * n + i]).span,
                     fmt::format(
                         "the mass matrix is not symmetric: entries ({}, {}) and ({}, {}) differ",
                         i + 1, j + 1, j + 1, i + 1));
                return;
            }
            if (!graph_.is_zero(values[i * n + j])) {
                model_.mass.push_back(
                    {coordinates[i], coordinates[j], values[i * n + j],
                     is_matrix ? expr(matrix.operands[i * n + j]).span : matrix.span});
            }
        }
    }
}

/// What a force or a torque acts on: nothing after a mistake, which is reported.
std::optional<Lowering::ForceTarget> Lowering::force_target(const ForceTerm& node,
                                                            std::string_view what) {
    if (expr(node.target).kind == ExprKind::kAt) {
        const Value place = body_place(node.target);
        return place.bad() ? std::nullopt
                           : std::optional(ForceTarget{ForceTarget::Kind::kPoint, place.point});
    }
    using Kind = ForceTarget::Kind;
    std::string name;
    const bool flat = flatten(node.target, name) == Lookup::kFlat;
    const Local* local = flat ? find_local(name) : nullptr;
    if (local != nullptr) {
        const Value value = local->value;
        if (value.bad()) {
            return std::nullopt;
        }
        if (node.torque && (value.is_body() || value.is_point())) {
            const std::optional<int> body = body_of(node.target, what);
            return body ? std::optional(ForceTarget{Kind::kBody, *body}) : std::nullopt;
        }
        if (value.is_point() || value.is_body()) {
            return ForceTarget{Kind::kPoint,
                               value.is_point()
                                   ? value.point
                                   : model_.bodies[static_cast<std::size_t>(value.body)].centre};
        }
    }
    const Entity* entity = target(node.target, what);
    if (entity == nullptr) {
        return std::nullopt;
    }
    const int index = entity->index;
    if (entity->kind == EntityKind::kCoordinate) {
        return ForceTarget{Kind::kCoordinate, index};
    }
    if (entity->kind == EntityKind::kBody && node.torque) {
        return ForceTarget{Kind::kBody, index};
    }
    if (entity->kind == EntityKind::kBody) {
        return ForceTarget{Kind::kPoint, model_.bodies[static_cast<std::size_t>(index)].centre};
    }
    if (!node.torque &&
        (entity->kind == EntityKind::kPoint || entity->kind == EntityKind::kParticle)) {
        return ForceTarget{Kind::kPoint, index};
    }
    fail(expr(node.target).span,
         fmt::format(
             "{} acts on {}; '{}' is {}", what,
             node.torque ? "a body or an angle" : "a coordinate, a particle, a point or a body",
             text(expr(node.target).span), describe(entity->kind)),
         {declared_note(entity->span)});
    return std::nullopt;
}

void Lowering::lower(const Statement&, const ForceTerm& node) {
    const std::string_view what = node.torque     ? "a torque"
                                  : node.nonideal ? "a non-ideal force"
                                                  : "a force";
    const std::optional<ForceTarget> target = force_target(node, what);
    if (!target) {
        evaluate_top(node.value);  // its own mistakes are reported all the same
        return;
    }
    mech::Forces& forces = node.nonideal ? model_.nonideal : model_.forces;
    const int index = target->index;
    if (target->kind == ForceTarget::Kind::kBody) {
        const Value value = torque_on(index, node.value);
        if (!value.bad() &&
            allow(value, kOnTime | kOnPositions | kOnVelocities, node.value, what)) {
            warn_out_of_plane(index, value.parts[0], value.parts[1], node.value,
                              "turns only about z: the other components of the torque do nothing");
            forces.on_bodies.push_back({index, value.parts, shown_at(expr(node.value).span)});
        }
        return;
    }
    const bool on_point = target->kind == ForceTarget::Kind::kPoint;
    const Value value =
        on_point ? vector_of(node.value,
                             node.nonideal ? "a non-ideal force on a point" : "a force on a point")
                 : scalar_of(node.value, node.nonideal ? "a non-ideal force on a coordinate"
                                                       : "a force on a coordinate");
    if (value.bad() ||
        !allow(value, kOnTime | kOnPositions | kOnVelocities | kOnReactions, node.value, what)) {
        return;
    }
    const Span span = shown_at(expr(node.value).span);
    if (on_point) {
        warn_out_of_plane(
            model_.points[static_cast<std::size_t>(index)].body, value.parts[2], graph_.zero(),
            node.value, "moves in the plane z = 0: the third component of the force does nothing");
        forces.on_points.push_back({index, value.parts, span});
    } else {
        forces.on_coordinates.push_back({index, value.scalar(), span});
    }
}

/// Whether a component that does not follow the motion is there for nothing.
bool Lowering::is_given(sym::Expr e) {
    const std::optional<double> number = number_of(e);
    return !graph_.is_zero(e) && (!number || *number != 0.0) &&
           (dependence(e) & (kOnPositions | kOnVelocities | kOnReactions)) == 0;
}

/// A planar body has no use for components out of its plane.
void Lowering::warn_out_of_plane(int body, sym::Expr a, sym::Expr b, ExprId at,
                                 std::string_view why) {
    if (body < 0 || (!is_given(a) && !is_given(b))) {
        return;
    }
    const mech::Body& one = model_.bodies[static_cast<std::size_t>(body)];
    if (one.kind == mech::Body::Kind::kPlanar) {
        warn(expr(at).span, fmt::format("the planar body '{}' {}", one.name, why));
    }
}

/// A vector; on a planar body also the component out of its plane.
Value Lowering::torque_on(int body, ExprId id) {
    const Value value = evaluate_top(id);
    if (!usable(value, id)) {
        return Value::none();
    }
    const bool planar =
        model_.bodies[static_cast<std::size_t>(body)].kind == mech::Body::Kind::kPlanar;
    if (value.is_scalar() && planar) {
        return Value::vector({graph_.zero(), graph_.zero(), value.scalar()});
    }
    if (!value.is_vector()) {
        return fail(expr(id).span, "a torque on a body is a vector, this is a scalar",
                    {"a vector has three components: (0, 0, T)"});
    }
    return value;
}

void Lowering::lower(const Statement& statement, const GravityTerm& node) {
    const Value value = vector_of(node.value, "gravity");
    if (gravity_span_) {
        fail(statement.span, "gravity is given once", {declared_note(*gravity_span_)});
        return;
    }
    gravity_span_ = statement.span;
    if (!value.bad() && allow(value, kOnTime, node.value, "gravity",
                              "a field that changes in space is a 'potential' or a 'force on'")) {
        model_.gravity = value.parts;
    }
}

void Lowering::lower(const Statement&, const ConstraintDeclaration& node) {
    const std::optional<std::string> name = declared_name(node.name);
    const std::optional<std::vector<mech::Actuator>> actuators = actuators_of(node);
    places_.fill(std::nullopt);
    std::vector<int> named_points;
    if (joint_ >= 0) {
        const std::vector<int>& called = model_.joints[static_cast<std::size_t>(joint_)].points;
        named_points.assign(called.rbegin(), called.rend());
    }
    named_points_ = &named_points;
    const Value left = evaluate(node.left);
    Value right = evaluate(node.right);
    named_points_ = nullptr;
    const bool good = usable(left, node.left) && usable(right, node.right) && actuators;
    if (!name) {
        return;
    }
    const Declaration declaration{EntityKind::kConstraint, expr(node.name).span};
    if (!good) {
        declare_failed(*name, declaration);
        return;
    }
    // A vector may be set to 0.
    Value lhs = left;
    const Value zero = Value::vector({graph_.zero(), graph_.zero(), graph_.zero()});
    if (lhs.is_vector() && right.is_scalar() && graph_.is_zero(right.scalar())) {
        right = zero;
    } else if (right.is_vector() && lhs.is_scalar() && graph_.is_zero(lhs.scalar())) {
        lhs = zero;
    }
    bool sound = true;
    if (lhs.kind != right.kind) {
        fail(node.equation,
             fmt::format("the left side is {}, the right side is {}", shown(lhs), shown(right)));
        sound = false;
    }
    const Dependence both = static_cast<Dependence>(dependence(lhs) | dependence(right));
    if (sound && (both & kOnAccelerations) != 0) {
        fail(first_place(kOnAccelerations, node.left),
             "an acceleration cannot stand in a constraint: no linear acceleration form is "
             "supported",
             {"constrain positions or velocities; a constraint on x' fixes x'' by its derivative",
              "an acceleration of given size can be stated by its integral, or as a force"});
        sound = false;
    }
    if (sound && (both & kOnReactions) != 0) {
        fail(first_place(kOnReactions, node.left), "a reaction cannot stand in a constraint",
             {"a reaction follows from the equations; it stands in 'force', 'nonideal', "
              "'friction' and 'output'"});
        sound = false;
    }
    if (!sound) {
        declare_failed(*name, declaration);
        return;
    }
    mech::Constraint constraint;
    constraint.name = scope_->prefix + *name;
    constraint.servo = node.servo;
    constraint.joint = joint_;
    constraint.span = shown_at(node.equation);
    constraint.place = place_text(constraint.span);
    constraint.actuators = *actuators;
    constraint.named_points = std::move(named_points);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lhs.size()); ++i) {
        constraint.rows.push_back(graph_.sub(lhs.parts[i], right.parts[i]));
    }
    if (declare(*name, {declaration.kind, static_cast<int>(model_.constraints.size()),
                        Value::none(), declaration.span})) {
        model_.constraints.push_back(std::move(constraint));
    }
}

/// A number above 0 made of numbers and parameters.
std::optional<sym::Expr> Lowering::positive(ExprId id, std::string_view what) {
    const Value value = scalar_of(id, what);
    if (value.bad() || !allow(value, 0, id, what)) {
        return std::nullopt;
    }
    const std::optional<double> number = number_of(value.scalar());
    if (number && !(*number > 0.0 && std::isfinite(*number))) {
        fail(expr(id).span,
             std::isfinite(*number)
                 ? fmt::format("{} must be positive, this is {:.6g}", what, *number)
                 : fmt::format("{} is not a finite number", what),
             why_undefined(value.scalar(), expr(id).span));
        return std::nullopt;
    }
    return value.scalar();
}

void Lowering::lower(const Statement& statement, const lang::Simulate& node) {
    const std::optional<sym::Expr> until = positive(node.until, "the end time");
    std::optional<sym::Expr> every;
    if (node.every != kNoExpr) {
        every = positive(node.every, "the output interval");
        if (!every) {
            return;
        }
    }
    std::optional<sym::Expr> max_step;
    if (node.max_step != kNoExpr) {
        max_step = positive(node.max_step, "the longest step");
        if (!max_step) {
            return;
        }
    }
    if (!scope_->prefix.empty() || !until) {
        return;  // an imported file does not decide how long the whole model runs
    }
    if (model_.simulate) {
        fail(statement.span, "'simulate' is given once", {declared_note(model_.simulate->span)});
        return;
    }
    model_.simulate = mech::Simulate{*until, every, max_step, node.stiff, statement.span};
}

void Lowering::lower(const Statement&, const ForLoop& node) {
    const std::string variable(text(node.variable));
    if (is_reserved(variable)) {
        fail(node.variable,
             fmt::format("'{}' is reserved and cannot be a loop variable", variable));
        doubt_names(node.body);
        return;
    }
    const Local* outer = find_local(variable);
    const Entity* entity = find(variable).entity;
    if (outer != nullptr || entity != nullptr) {
        fail(node.variable, fmt::format("the loop variable '{}' hides another name", variable),
             {declared_note(outer != nullptr ? outer->span : entity->span)});
        doubt_names(node.body);
        return;
    }
    const std::optional<std::int64_t> from = integer_of(node.from, "a loop bound");
    const std::optional<std::int64_t> to = integer_of(node.to, "a loop bound");
    if (!from || !to) {
        doubt_names(node.body);
        return;
    }
    // Each turn counts as a statement of its own, so that empty loops end too.
    const auto turns =
        *to < *from ? 0U : static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(*from);
    if (turns > options_.limits.loop_statements ||
        statements_done_ + turns > options_.limits.loop_statements) {
        stop(node.variable,
             fmt::format("the loops write out more than {} statements",
                         options_.limits.loop_statements),
             {"make the loops shorter"});
        return;
    }
    ++loop_depth_;
    for (std::int64_t i = *from; i <= *to && !stopped_; ++i) {
        ++statements_done_;
        locals_.push_back({text(node.variable), Value::scalar(graph_.integer(i)), node.variable});
        execute(node.body);
        locals_.pop_back();
    }
    --loop_depth_;
}

}  // namespace ananke::lang

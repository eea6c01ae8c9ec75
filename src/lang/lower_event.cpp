// Events: where they happen and what they do.
#include <algorithm>

#include <fmt/format.h>

#include "lang/lowering.h"
#include "mech/vectors.h"

namespace ananke::lang {
namespace {

constexpr Dependence kOnState = kOnTime | kOnPositions | kOnVelocities;

mech::Event::Crossing crossing_of(EventDeclaration::Crossing crossing) {
    switch (crossing) {
        case EventDeclaration::Crossing::kRising:
            return mech::Event::Crossing::kRising;
        case EventDeclaration::Crossing::kFalling:
            return mech::Event::Crossing::kFalling;
        case EventDeclaration::Crossing::kEither:
            break;
    }
    return mech::Event::Crossing::kEither;
}

}  // namespace

void Lowering::lower(const Statement& statement, const EventDeclaration& node) {
    const std::optional<std::string> name = declared_name(node.name);
    mech::Event event;
    event.crossing = crossing_of(node.crossing);
    event.span = statement.span;
    const bool good = event_condition(node, event);
    for (const EventAction& action : node.actions) {
        switch (action.kind) {
            case EventAction::Kind::kStop:
                event.stop = true;
                break;
            case EventAction::Kind::kRecord:
                event.record = true;
                break;
            case EventAction::Kind::kSet:
                event_set(action.set, event);
                break;
        }
    }
    if (!name) {
        return;
    }
    event.name = scope_->prefix + *name;
    const Span span = expr(node.name).span;
    if (!good) {
        declare_failed(*name, {EntityKind::kEvent, span});
    } else if (declare(*name, {EntityKind::kEvent, static_cast<int>(model_.events.size()),
                               Value::none(), span})) {
        model_.events.push_back(std::move(event));
    }
}

bool Lowering::event_condition(const EventDeclaration& node, mech::Event& event) {
    places_.fill(std::nullopt);
    const Value left = evaluate(node.left);
    const Value right = evaluate(node.right);
    if (!usable(left, node.left) || !usable(right, node.right)) {
        return false;
    }
    if (!left.is_scalar() || !right.is_scalar()) {
        fail(node.equation, "the condition of an event is an equation of scalars",
             {"use a component, as position(P).z = 0, or norm(...) = ..."});
        return false;
    }
    const Value value = Value::scalar(graph_.sub(left.scalar(), right.scalar()));
    if (!allow(left, kOnState, node.left, "the condition of an event") ||
        !allow(right, kOnState, node.right, "the condition of an event")) {
        return false;
    }
    if ((dependence(value) & kOnState) == 0) {
        fail(node.equation, "the condition of an event must change with the motion",
             {"it holds always or never: it contains no coordinate, velocity or t"});
        return false;
    }
    event.value = value.scalar();
    return true;
}

void Lowering::event_set(const Binding& item, mech::Event& event) {
    ExprId id = item.name;
    const int primes = strip_primes(id);
    if (expr(id).kind == ExprKind::kCall) {
        event_set_body(id, item, event);
        return;
    }
    const Value value = scalar_of(item.value, "a value set by an event");
    std::string name;
    if (flatten(id, name) != Lookup::kFlat) {
        return;
    }
    const Found found = find(name);
    const Entity* entity = found.entity;
    const Span span = expr(item.name).span;
    if (found.failed) {
        return;
    }
    if (entity == nullptr && (find_local(name) != nullptr || is_reserved(name))) {
        fail(span, fmt::format("an event cannot set '{}'", name),
             {"it sets velocities and parameters"});
        return;
    }
    if (entity == nullptr) {
        unknown_name(id, name);
        return;
    }
    const bool good = !value.bad() && allow(value, kOnState, item.value, "a value set by an event");
    const sym::Expr result = good ? value.scalar() : graph_.zero();
    if (entity->kind == EntityKind::kCoordinate && primes == 1) {
        event_reset(entity->index, item, result, event);
    } else if (entity->kind == EntityKind::kCoordinate) {
        fail(span,
             primes == 0 ? fmt::format("an event cannot move '{}': positions do not jump", name)
                         : std::string("an event cannot set an acceleration"),
             {primes == 0 ? fmt::format("a jump of its velocity is written {}' = ...", name)
                          : "accelerations follow from the forces: change a parameter of them"});
    } else if (entity->kind == EntityKind::kParameter && primes == 0) {
        event_change(id, *entity, item, result, event);
    } else if (entity->kind == EntityKind::kParameter) {
        fail(span, fmt::format("'{}' is a parameter, which has no velocity", name),
             {fmt::format("write {} = ...", name)});
    } else {
        fail(span,
             fmt::format("an event cannot set '{}', which is {}", name, describe(entity->kind)),
             {"it sets velocities and parameters", declared_note(entity->span)});
    }
}

/// velocity(B) = vector, omega(B) = vector (of a planar body a scalar).
void Lowering::event_set_body(ExprId target, const Binding& item, mech::Event& event) {
    const Expr& e = expr(target);
    const std::string function(text(expr(e.operands[0]).span));
    const bool turns = function == "omega";
    if ((!turns && function != "velocity") || expr(item.name).kind != ExprKind::kCall) {
        fail(expr(item.name).span, fmt::format("an event cannot set '{}'", text(e.span)),
             {"it sets x', velocity(B) and omega(B) of a body, and parameters"});
        return;
    }
    if (!check_arity(target, function, 1)) {
        return;
    }
    const Value of = evaluate(e.operands[1]);
    if (of.bad()) {
        return;
    }
    if (!of.is_body() ||
        model_.bodies[static_cast<std::size_t>(of.body)].kind == mech::Body::Kind::kGround) {
        fail(expr(e.operands[1]).span,
             fmt::format("an event sets the {} of a body that moves, this is {}", function,
                         of.is_body() ? "the ground" : shown(of)));
        return;
    }
    const mech::Body& body = model_.bodies[static_cast<std::size_t>(of.body)];
    const bool planar = body.kind == mech::Body::Kind::kPlanar;
    const std::string_view what = "a value set by an event";
    const Value value = planar && turns ? scalar_of(item.value, "the omega of a planar body")
                                        : vector_of(item.value, turns ? "an omega" : "a velocity");
    if (value.bad() || !allow(value, kOnState, item.value, what)) {
        return;
    }
    if (planar && !turns && !graph_.is_zero(value.parts[2])) {
        fail(expr(item.value).span, "a planar body moves in the plane z = 0",
             {"write 0 for the third component"});
        return;
    }
    const auto reset = [&](int coordinate, sym::Expr rate) {
        event_reset(coordinate, item, rate, event);
    };
    if (!turns) {
        for (int k = 0; k < (planar ? 2 : 3); ++k) {
            reset(body.first + k, value.parts[static_cast<std::size_t>(k)]);
        }
    } else if (planar) {
        reset(body.first + 2, value.scalar());
    } else {
        mech::Quaternion u;
        for (std::size_t k = 0; k < 4; ++k) {
            u[k] = model_.coordinates[static_cast<std::size_t>(body.first) + 3 + k].q;
        }
        const mech::Quaternion w{graph_.zero(), value.parts[0], value.parts[1], value.parts[2]};
        const mech::Quaternion rate = mech::multiply(graph_, w, u);  // u' = omega (x) u / 2
        for (int k = 0; k < 4; ++k) {
            reset(body.first + 3 + k,
                  graph_.mul(graph_.fraction(1, 2), rate[static_cast<std::size_t>(k)]));
        }
    }
}

void Lowering::event_reset(int coordinate, const Binding& item, sym::Expr value,
                           mech::Event& event) {
    const auto same = [&](const mech::Event::Reset& reset) {
        return reset.coordinate == coordinate;
    };
    if (std::any_of(event.resets.begin(), event.resets.end(), same)) {
        const auto i = static_cast<std::size_t>(coordinate);
        fail(item.span, fmt::format("{}' is set twice in this event", model_.coordinates[i].name));
        return;
    }
    event.resets.push_back({coordinate, value, item.span});
}

void Lowering::event_change(ExprId target, const Entity& entity, const Binding& item,
                            sym::Expr value, mech::Event& event) {
    const auto same = [&](const mech::Event::Change& change) {
        return change.parameter == entity.index;
    };
    if (std::any_of(event.changes.begin(), event.changes.end(), same)) {
        fail(item.span, fmt::format("'{}' is set twice in this event", text(expr(target).span)));
        return;
    }
    event.changes.push_back({entity.index, value, item.span});
}

// At the end, because a loop below the event may make a parameter structural.
void Lowering::check_event_parameters() {
    for (const mech::Event& event : model_.events) {
        for (const mech::Event::Change& change : event.changes) {
            const auto p = static_cast<std::size_t>(change.parameter);
            if (model_.parameters[p].structural) {
                fail(change.span,
                     fmt::format("an event cannot change '{}', which is structural",
                                 model_.parameters[p].name),
                     {"it counts the turns of a loop or chooses an element: the model itself would "
                      "be another one"});
            }
        }
    }
}

}  // namespace ananke::lang

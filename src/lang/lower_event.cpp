// Events: where they happen and what they do.
#include <algorithm>

#include <fmt/format.h>

#include "lang/expressions.h"
#include "lang/functions.h"
#include "lang/paths.h"
#include "lang/statements.h"

namespace ananke::lang {
namespace {

bool event_condition(Lowering& in, const EventDeclaration& node, mech::Event& event) {
    in.evaluation.begin();
    const Value left = evaluate(in, node.left);
    const Value right = evaluate(in, node.right);
    if (!usable(in, left, node.left) || !usable(in, right, node.right)) {
        return false;
    }
    if (!left.is_scalar() || !right.is_scalar()) {
        return in.fail(node.equation, "the condition of an event is an equation of scalars",
                       {"use a component, as position(P).z = 0, or norm(...) = ..."});
    }
    const Value value = Value::scalar(in.graph.sub(left.scalar(), right.scalar()));
    if (!allow(in, left, kOnState, node.left, "the condition of an event") ||
        !allow(in, right, kOnState, node.right, "the condition of an event")) {
        return false;
    }
    if ((in.symbols.dependence(value) & kOnState) == 0) {
        return in.fail(node.equation, "the condition of an event must change with the motion",
                       {"it holds always or never: it contains no coordinate, velocity or t"});
    }
    event.value = value.scalar();
    return true;
}

/// A reset or a change of `name`, which happens once in an event.
template <class Item>
void add_once(Lowering& in, std::vector<Item>& items, int Item::*target, const Item& item,
              const std::string& name) {
    const auto same = [&](const Item& one) { return one.*target == item.*target; };
    if (std::any_of(items.begin(), items.end(), same)) {
        in.fail(item.span, name + " is set twice in this event");
    } else {
        items.push_back(item);
    }
}

void event_reset(Lowering& in, int coordinate, const Binding& item, sym::Expr value,
                 mech::Event& event) {
    add_once(in, event.resets, &mech::Event::Reset::coordinate, {coordinate, value, item.span},
             in.model.coordinates[static_cast<std::size_t>(coordinate)].name + "'");
}

/// velocity(B) = vector, omega(B) = vector (of a planar body a scalar).
void event_set_body(Lowering& in, ExprId target, const Binding& item, mech::Event& event) {
    const Expr& e = in.scope.expr(target);
    const std::string function(in.scope.text(e.operands[0]));
    const bool turns = function == "omega";
    if ((!turns && function != "velocity") || in.scope.expr(item.name).kind != ExprKind::kCall) {
        in.fail(item.name, fmt::format("an event cannot set '{}'", in.reports.text(e.span)),
                {"it sets x', velocity(B) and omega(B) of a body, and parameters"});
        return;
    }
    if (!check_arity(in, target, function, 1)) {
        return;
    }
    const Value of = evaluate(in, e.operands[1]);
    if (of.bad()) {
        return;
    }
    if (!of.is_body() || in.bodies.body(of.body).kind == mech::Body::Kind::kGround) {
        in.fail(e.operands[1], fmt::format("an event sets the {} of a body that moves, this is {}",
                                           function, of.is_body() ? "the ground" : shown(of)));
        return;
    }
    const mech::Body& body = in.bodies.body(of.body);
    const bool planar = body.kind == mech::Body::Kind::kPlanar;
    const std::string_view what = "a value set by an event";
    const Value value = planar && turns
                            ? scalar_of(in, item.value, "the omega of a planar body")
                            : vector_of(in, item.value, turns ? "an omega" : "a velocity");
    if (value.bad() || !allow(in, value, kOnState, item.value, what)) {
        return;
    }
    if (planar && !turns && !in.graph.is_zero(value.parts[2])) {
        in.fail(item.value, "a planar body moves in the plane z = 0",
                {"write 0 for the third component"});
        return;
    }
    const auto reset = [&](int coordinate, sym::Expr rate) {
        event_reset(in, coordinate, item, rate, event);
    };
    if (!turns) {
        for (int k = 0; k < (planar ? 2 : 3); ++k) {
            reset(body.first + k, value.parts[static_cast<std::size_t>(k)]);
        }
    } else if (planar) {
        reset(body.first + 2, value.scalar());
    } else {
        const mech::Quaternion rate = in.bodies.quaternion_rate(body, value.parts);
        for (int k = 0; k < 4; ++k) {
            reset(body.first + 3 + k, rate[static_cast<std::size_t>(k)]);
        }
    }
}

void event_set(Lowering& in, const Binding& item, mech::Event& event) {
    ExprId id = item.name;
    const int primes = strip_primes(in, id);
    if (in.scope.expr(id).kind == ExprKind::kCall) {
        event_set_body(in, id, item, event);
        return;
    }
    const Value value = scalar_of(in, item.value, "a value set by an event");
    std::string name;
    if (flatten(in, id, name) != Lookup::kFlat) {
        return;
    }
    const Found found = in.scope.find(name);
    const Entity* entity = found.entity;
    const Span span = in.scope.span(item.name);
    if (found.failed) {
        return;
    }
    if (entity == nullptr && (in.scope.find_local(name) != nullptr || is_reserved(name))) {
        in.fail(span, fmt::format("an event cannot set '{}'", name),
                {"it sets velocities and parameters"});
        return;
    }
    if (entity == nullptr) {
        unknown_name(in, id, name);
        return;
    }
    const bool good =
        !value.bad() && allow(in, value, kOnState, item.value, "a value set by an event");
    const sym::Expr result = good ? value.scalar() : in.graph.zero();
    if (entity->kind == EntityKind::kCoordinate && primes == 1) {
        event_reset(in, entity->index, item, result, event);
    } else if (entity->kind == EntityKind::kCoordinate) {
        in.fail(span,
                primes == 0 ? fmt::format("an event cannot move '{}': positions do not jump", name)
                            : std::string("an event cannot set an acceleration"),
                {primes == 0 ? fmt::format("a jump of its velocity is written {}' = ...", name)
                             : "accelerations follow from the forces: change a parameter of them"});
    } else if (entity->kind == EntityKind::kParameter && primes == 0) {
        add_once(in, event.changes, &mech::Event::Change::parameter,
                 {entity->index, result, item.span}, fmt::format("'{}'", in.scope.text(id)));
    } else if (entity->kind == EntityKind::kParameter) {
        in.fail(span, fmt::format("'{}' is a parameter, which has no velocity", name),
                {fmt::format("write {} = ...", name)});
    } else {
        in.fail(span,
                fmt::format("an event cannot set '{}', which is {}", name, describe(entity->kind)),
                {"it sets velocities and parameters", in.reports.declared_note(entity->span)});
    }
}

}  // namespace

void lower(Lowering& in, const Statement& statement, const EventDeclaration& node) {
    const std::optional<std::string> name = declared_name(in, node.name);
    mech::Event event;
    event.crossing = node.crossing;
    event.span = statement.span;
    const bool good = event_condition(in, node, event);
    for (const EventAction& action : node.actions) {
        switch (action.kind) {
            case EventAction::Kind::kStop:
                event.stop = true;
                break;
            case EventAction::Kind::kRecord:
                event.record = true;
                break;
            case EventAction::Kind::kSet:
                event_set(in, action.set, event);
                break;
        }
    }
    if (!name) {
        return;
    }
    event.name = in.scope.full(*name);
    const Span span = in.scope.span(node.name);
    if (!good) {
        in.scope.declare_failed(*name, {EntityKind::kEvent, span});
    } else if (in.scope.declare(*name,
                                {EntityKind::kEvent, static_cast<int>(in.model.events.size()),
                                 Value::none(), span})) {
        in.model.events.push_back(std::move(event));
    }
}

// At the end, because a loop below the event may make a parameter structural.
void finish_events(Lowering& in) {
    for (const mech::Event& event : in.model.events) {
        for (const mech::Event::Change& change : event.changes) {
            const auto p = static_cast<std::size_t>(change.parameter);
            if (in.model.parameters[p].structural) {
                in.fail(
                    change.span,
                    fmt::format("an event cannot change '{}', which is structural",
                                in.model.parameters[p].name),
                    {"it counts the turns of a loop or chooses an element: the model itself would "
                     "be another one"});
            }
        }
    }
}

}  // namespace ananke::lang

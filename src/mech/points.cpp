#include "mech/points.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ranges.h"
#include "base/text.h"
#include "mech/bodies.h"
#include "sym/differentiate.h"

namespace ananke::mech {

using sym::Replacement;
using sym::SymbolKind;

TimeFlow::TimeFlow(const Model& model) : time_(model.time) {
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        const Coordinate& c = model.coordinates[i];
        places_[c.q] = {static_cast<int>(i), c.v, false};
        places_[c.v] = {static_cast<int>(i), c.a, true};
        accelerations_[c.a] = static_cast<int>(i);
    }
}

template <class Moves>
Expr TimeFlow::rate(sym::Graph& graph, Expr f, Moves moves) const {
    std::vector<Replacement> seeds;
    for (const Expr symbol : sym::symbols_of(graph, f)) {
        const Place* place = places_.find(symbol);
        if (symbol == time_) {
            seeds.push_back({symbol, graph.one()});
        } else if (place != nullptr && moves(*place)) {
            seeds.push_back({symbol, place->rate});
        }
    }
    return sym::directional(graph, f, seeds);
}

Expr TimeFlow::along_velocity(sym::Graph& graph, Expr f) const {
    return rate(graph, f, [](const Place& place) { return !place.velocity; });
}

Expr TimeFlow::total(sym::Graph& graph, Expr f) const {
    return rate(graph, f, [](const Place&) { return true; });
}

int TimeFlow::coordinate_of(Expr symbol) const {
    if (const Place* place = places_.find(symbol)) {
        return place->coordinate;
    }
    const int* acceleration = accelerations_.find(symbol);
    return acceleration == nullptr ? -1 : *acceleration;
}

PointTable::PointTable(Model& model, const TimeFlow& flow, std::vector<Diagnostic>& diagnostics) {
    add_bodies(model, flow);
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        const Point& point = model.points[p];
        points_.push_back({point.name, {}, {}, {}, point.mass.has_value()});
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t k = axis;
            symbols_[point.r[k]] = {static_cast<int>(p), axis, SymbolKind::kPointPosition};
            symbols_[point.v[k]] = {static_cast<int>(p), axis, SymbolKind::kPointVelocity};
            symbols_[point.a[k]] = {static_cast<int>(p), axis, SymbolKind::kPointAcceleration};
        }
    }
    sym::Repetition repetition;
    for (const int p : resolution_order(model, diagnostics)) {
        const Point& point = model.points[p];
        PointKinematics& motion = points_[p];
        motion = motion_of(model, flow, point, repetition);
        for (std::size_t k = 0; k < 3; ++k) {
            values_[point.r[k]] = motion.position[k];
            values_[point.v[k]] = motion.velocity[k];
            values_[point.a[k]] = motion.acceleration[k];
        }
    }
}

/// Position over coordinates, with its first and second derivative by time.
PointKinematics PointTable::motion_of(Model& model, const TimeFlow& flow, const Point& point,
                                      sym::Repetition& repetition) const {
    sym::Graph& graph = model.graph;
    std::vector<Expr> roles(point.position.begin(), point.position.end());
    for (const Expr e : sym::reachable(graph, roles)) {
        if (const Expr* value = graph.is_symbol(e) ? values_.find(e) : nullptr) {
            roles.insert(roles.end(), {e, *value});
        }
    }
    std::vector<Expr> nodes = sym::reachable(graph, roles);
    const std::size_t count = nodes.size();
    for (std::size_t i = 0; i < count; ++i) {
        const int place = graph.is_symbol(nodes[i]) ? flow.coordinate_of(nodes[i]) : -1;
        if (place >= 0) {
            const Coordinate& c = model.coordinates[place];
            roles.insert(roles.end(), {c.q, c.v, c.a});
            nodes.insert(nodes.end(), {c.q, c.v, c.a});
        }
    }
    sort_unique(nodes);
    const Expr* next = repetition(graph, nodes, roles, [&] {
                           std::vector<Expr> made;
                           for (const Expr written : point.position) {
                               made.push_back(replace(graph, written));
                               made.push_back(flow.along_velocity(graph, made.back()));
                               made.push_back(flow.total(graph, made.back()));
                           }
                           return made;
                       }).data();
    PointKinematics motion{point.name, {}, {}, {}, point.mass.has_value()};
    for (std::size_t k = 0; k < 3; ++k) {
        motion.position[k] = *next++;
        motion.velocity[k] = *next++;
        motion.acceleration[k] = *next++;
    }
    return motion;
}

void PointTable::add_bodies(Model& model, const TimeFlow& flow) {
    sym::Repetition repetition;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const int index = static_cast<int>(b);
        const BodyKinematics motion = body_motion(model, flow, body, repetition);
        for (std::size_t k = 0; k < 3; ++k) {
            const int component = static_cast<int>(k);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                body_symbols_[body.axes[axis][k]] = {index, static_cast<int>(axis), component};
                values_[body.axes[axis][k]] = motion.axes[axis][k];
            }
            body_symbols_[body.omega[k]] = {index, -1, component};
            body_symbols_[body.alpha[k]] = {index, -1, component};
            values_[body.omega[k]] = motion.omega[k];
            values_[body.alpha[k]] = motion.alpha[k];
        }
        bodies_.push_back(motion);
    }
}

/// Points after those that their positions are written with.
std::vector<int> PointTable::resolution_order(const Model& model,
                                              std::vector<Diagnostic>& diagnostics) {
    const std::size_t count = model.points.size();
    std::vector<int> waiting_for(count, 0);
    std::vector<std::vector<int>> users(count);
    for (std::size_t p = 0; p < count; ++p) {
        std::vector<int> used;
        for (const Expr component : model.points[p].position) {
            for (const Expr symbol : sym::symbols_of(model.graph, component)) {
                if (const Symbol* other = find(symbol)) {
                    used.push_back(other->point);
                }
            }
        }
        sort_unique(used);
        waiting_for[p] = static_cast<int>(used.size());
        for (const int other : used) {
            users[other].push_back(static_cast<int>(p));
        }
    }
    std::vector<int> order;
    for (std::size_t p = 0; p < count; ++p) {
        if (waiting_for[p] == 0) {
            order.push_back(static_cast<int>(p));
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const int user : users[order[next]]) {
            if (--waiting_for[user] == 0) {
                order.push_back(user);
            }
        }
    }
    for (std::size_t p = 0; p < count; ++p) {
        if (waiting_for[p] > 0) {
            diagnostics.push_back(error_at(
                model.points[p].span,
                fmt::format("the position of '{}' depends on itself", model.points[p].name),
                {"a point may be written with the positions of other points, but not in a "
                 "circle"}));
        }
    }
    return order;
}

Expr PointTable::replace(sym::Graph& graph, Expr e) const {
    if (values_.size() == 0) {
        return e;
    }
    std::vector<Replacement> replacements;
    for (const Expr symbol : sym::symbols_of(graph, e)) {
        if (const Expr* value = values_.find(symbol)) {
            replacements.push_back({symbol, *value});
        }
    }
    const sym::Graph::Formal as_written(graph, false);
    return replacements.empty() ? e : sym::substitute(graph, e, replacements);
}

Vec3 PointTable::replace(sym::Graph& graph, const Vec3& e) const {
    return {replace(graph, e[0]), replace(graph, e[1]), replace(graph, e[2])};
}

Vec3 PointTable::without_ground(sym::Graph& graph, const Model& model, const Vec3& e) const {
    const auto at_rest = [&](int body) {
        return body >= 0 && model.bodies[body].kind == Body::Kind::kGround;
    };
    Vec3 shown = e;
    for (Expr& component : shown) {
        std::vector<Replacement> replacements;
        for (const Expr symbol : sym::symbols_of(graph, component)) {
            const Symbol* point = find(symbol);
            const BodySymbol* body = find_body(symbol);
            if ((body != nullptr && at_rest(body->body)) ||
                (point != nullptr && at_rest(model.points[point->point].body))) {
                replacements.push_back({symbol, values_.at(symbol)});
            }
        }
        component = sym::substitute(graph, component, replacements);
    }
    return shown;
}

const PointTable::Symbol* PointTable::find(Expr symbol) const {
    return symbols_.find(symbol);
}

const PointTable::BodySymbol* PointTable::find_body(Expr symbol) const {
    return body_symbols_.find(symbol);
}

}  // namespace ananke::mech

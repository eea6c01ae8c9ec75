#include "mech/forces.h"

#include "mech/bodies.h"
#include "mech/vectors.h"
#include "sym/differentiate.h"
#include "sym/node_map.h"

namespace ananke::mech {

using sym::Graph;
using sym::SymbolKind;

std::vector<Expr> generalized_forces(Model& model, const TimeFlow& flow, const PointTable& points,
                                     const Forces& forces) {
    Graph& graph = model.graph;
    const Graph::Formal as_written(graph, false);
    std::vector<Expr> Q(model.coordinates.size(), graph.zero());
    for (const CoordinateForce& force : forces.on_coordinates) {
        Expr& Q_i = Q[force.coordinate];
        Q_i = graph.add(Q_i, points.replace(graph, force.value));
    }
    for (const PointForce& force : forces.on_points) {
        const Vec3 F = points.replace(graph, force.value);
        const Vec3& r = points.points()[force.point].position;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::vector<Expr> q = sym::symbols_of(graph, r[k], SymbolKind::kCoordinate);
            const std::vector<Expr> r_q = sym::gradient(graph, r[k], q);
            for (std::size_t i = 0; i < q.size(); ++i) {
                Expr& Q_i = Q[flow.coordinate_of(q[i])];
                Q_i = graph.add(Q_i, graph.mul(F[k], r_q[i]));
            }
        }
    }
    for (const BodyTorque& torque : forces.on_bodies) {
        add_torque(model, model.bodies[torque.body], points.replace(graph, torque.value), Q);
    }
    return Q;
}

Expr total_potential(Model& model, const PointTable& points) {
    Graph& graph = model.graph;
    Expr V = graph.zero();
    for (const EnergyTerm& term : model.potential) {
        V = graph.add(V, points.replace(graph, term.value));
    }
    if (!model.gravity) {
        return V;
    }
    const Vec3 g = points.replace(graph, *model.gravity);
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        if (model.points[p].mass) {  // weight: V = -m g.r
            const Expr gr = dot(graph, g, points.points()[p].position);
            V = graph.sub(V, graph.mul(*model.points[p].mass, gr));
        }
    }
    return V;
}

std::vector<ForcePart> subtract_gradient(Model& model, const TimeFlow& flow,
                                         const PointTable& points, Expr potential,
                                         std::vector<Expr>& Q) {
    Graph& graph = model.graph;
    struct Part {
        Expr summand;
        int coordinate;
        Expr value;
    };
    std::vector<Part> parts;
    for (const Expr summand : sym::summands(graph, potential)) {
        const std::vector<Expr> q = sym::symbols_of(graph, summand, SymbolKind::kCoordinate);
        const std::vector<Expr> V_q = sym::gradient(graph, summand, q);
        for (std::size_t i = 0; i < q.size(); ++i) {
            Expr& Q_i = Q[flow.coordinate_of(q[i])];
            Q_i = graph.sub(Q_i, V_q[i]);
            if (!graph.is(V_q[i], sym::Fact::kFinite)) {
                parts.push_back({summand, flow.coordinate_of(q[i]), V_q[i]});
            }
        }
    }
    if (parts.empty()) {
        return {};
    }
    sym::NodeMap<Span> places;
    for (const EnergyTerm& term : model.potential) {
        for (const Expr summand : sym::summands(graph, points.replace(graph, term.value))) {
            places[summand] = term.span;
        }
    }
    std::vector<ForcePart> placed;
    for (const Part& part : parts) {
        if (const Span* const place = places.find(part.summand)) {
            placed.push_back({part.coordinate, part.value, *place});
        }
    }
    return placed;
}

}  // namespace ananke::mech

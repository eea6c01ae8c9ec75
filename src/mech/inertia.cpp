#include "mech/inertia.h"

#include <algorithm>
#include <map>

#include "base/ranges.h"
#include "mech/bodies.h"
#include "mech/vectors.h"
#include "sym/differentiate.h"
#include "sym/node_map.h"
#include "sym/repetition.h"

namespace ananke::mech {

using sym::Graph;
using sym::Op;
using sym::SymbolKind;

namespace {

/// Coordinates whose symbols of this kind occur in f, ascending.
std::vector<int> local_coordinates(const Graph& graph, const TimeFlow& flow, Expr f,
                                   std::initializer_list<SymbolKind> kinds) {
    std::vector<int> local;
    for (const Expr symbol : sym::symbols_of(graph, f)) {
        const SymbolKind kind = graph.symbol_kind(symbol);
        if (contains(kinds, kind)) {
            local.push_back(flow.coordinate_of(symbol));
        }
    }
    sort_unique(local);
    return local;
}

InertiaElement lagrange_element(Model& model, const TimeFlow& flow, Expr T) {
    Graph& graph = model.graph;
    InertiaElement element;
    element.T = T;
    element.coordinates =
        local_coordinates(graph, flow, T, {SymbolKind::kCoordinate, SymbolKind::kVelocity});
    std::vector<Expr> q =
        transformed(element.coordinates, [&](const int i) { return model.coordinates[i].q; });
    const std::vector<int> moving = local_coordinates(graph, flow, T, {SymbolKind::kVelocity});
    std::vector<Expr> v = transformed(moving, [&](const int i) { return model.coordinates[i].v; });

    std::map<int, Expr> Q;
    const std::vector<Expr> T_q = sym::gradient(graph, T, q);
    for (std::size_t i = 0; i < q.size(); ++i) {
        Q[element.coordinates[i]] = T_q[i];
    }
    const std::vector<Expr> T_v = sym::gradient(graph, T, v);
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto later = std::span<const Expr>(v).subspan(i);
        const std::vector<Expr> T_vv = sym::gradient(graph, T_v[i], later);
        for (std::size_t j = 0; j < later.size(); ++j) {
            if (!graph.is_zero(T_vv[j])) {
                element.M.push_back({moving[i], moving[i + j], T_vv[j]});
            }
        }
        Expr& Q_i = Q.at(moving[i]);
        Q_i = graph.sub(Q_i, flow.along_velocity(graph, T_v[i]));  // T_vq v + T_vt
    }
    for (const auto& [column, value] : Q) {
        if (!graph.is_zero(value)) {
            element.Q.push_back({column, value});
        }
    }
    return element;
}

/// T = v^T M v / 2 of all `mass` entries.
InertiaElement mass_element(Model& model) {
    Graph& graph = model.graph;
    InertiaElement element;
    element.source = InertiaElement::Source::kMass;
    element.span = model.mass.front().span;
    element.T = graph.zero();
    for (const MassTerm& term : model.mass) {
        if (graph.is_zero(term.value)) {
            continue;
        }
        const auto [row, column] = std::minmax(term.row, term.column);
        element.M.push_back({row, column, term.value});
        element.coordinates.push_back(row);
        element.coordinates.push_back(column);
        const Expr vv = graph.mul(model.coordinates[row].v, model.coordinates[column].v);
        const Expr weight = row == column ? graph.fraction(1, 2) : graph.one();
        element.T = graph.add(element.T, graph.mul(weight, graph.mul(term.value, vv)));
    }
    sort_unique(element.coordinates);
    return element;
}

/// T = m/2 |v|^2 of a particle at r(q, t). With r' = r_q v + r_t Lagrange's equation becomes
///   M = m r_q^T r_q     Q = -m r_q^T (v^T r_qq v + 2 r_qt v + r_tt)
/// in which the terms that T_q and T_vq v have in common are gone.
class ParticleElements {
  public:
    ParticleElements(Model& model, const TimeFlow& flow) : model_(model), flow_(flow) {}

    InertiaElement operator()(const PointKinematics& point, Expr mass) {
        Graph& graph = model_.graph;
        std::vector<Expr> roles{mass};
        append(roles, point.position);
        append(roles, point.velocity);
        std::vector<Expr> nodes = sym::reachable(graph, roles);
        InertiaElement element;
        element.source = InertiaElement::Source::kParticle;
        element.coordinates = coordinates_among(sym::reachable(graph, point.position));
        const std::vector<int>& local = element.coordinates;
        for (const int i : local) {
            roles.insert(roles.end(), {model_.coordinates[i].q, model_.coordinates[i].v});
            nodes.push_back(model_.coordinates[i].v);
        }
        sort_unique(nodes);
        const Expr* next =
            repetition_(graph, nodes, roles, [&] { return derive(point, mass, local); }).data();
        element.T = *next++;
        for (std::size_t i = 0; i < local.size(); ++i) {
            for (std::size_t j = i; j < local.size(); ++j, ++next) {
                if (!graph.is_zero(*next)) {
                    element.M.push_back({local[i], local[j], *next});
                }
            }
            if (const Expr Q_i = *next++; !graph.is_zero(Q_i)) {
                element.Q.push_back({local[i], Q_i});
            }
        }
        return element;
    }

  private:
    std::vector<int> coordinates_among(std::span<const Expr> nodes) const {
        std::vector<int> local;
        for (const Expr e : nodes) {
            if (model_.graph.is_symbol(e, SymbolKind::kCoordinate)) {
                local.push_back(flow_.coordinate_of(e));
            }
        }
        std::ranges::sort(local);
        return local;
    }

    /// T, then per coordinate its row of the upper triangle of M and its Q.
    std::vector<Expr> derive(const PointKinematics& point, Expr mass,
                             const std::vector<int>& local) {
        Graph& graph = model_.graph;
        std::vector<Expr> made{graph.mul(graph.mul(graph.fraction(1, 2), mass),
                                         dot(graph, point.velocity, point.velocity))};
        std::vector<Expr> q =
            transformed(local, [&](const int i) { return model_.coordinates[i].q; });
        std::vector<Vec3> r_q(q.size());
        Vec3 rest;  // the acceleration at a = 0
        for (std::size_t k = 0; k < 3; ++k) {
            rest[k] = flow_.along_velocity(graph, point.velocity[k]);
            const std::vector<Expr> slopes = sym::gradient(graph, point.position[k], q);
            for (std::size_t i = 0; i < q.size(); ++i) {
                r_q[i][k] = slopes[i];
            }
        }
        for (std::size_t i = 0; i < q.size(); ++i) {
            for (std::size_t j = i; j < q.size(); ++j) {
                made.push_back(graph.mul(mass, dot(graph, r_q[i], r_q[j])));
            }
            made.push_back(graph.neg(graph.mul(mass, dot(graph, r_q[i], rest))));
        }
        return made;
    }

    Model& model_;
    const TimeFlow& flow_;
    sym::Repetition repetition_;
};

}  // namespace

std::vector<InertiaElement> inertia_elements(Model& model, const TimeFlow& flow,
                                             const PointTable& points) {
    Graph& graph = model.graph;
    std::vector<InertiaElement> elements;
    for (std::size_t i = 0; i < model.kinetic.size(); ++i) {
        const Expr T = points.replace(graph, model.kinetic[i].value);
        for (const Expr summand : sym::summands(graph, T)) {
            InertiaElement element = lagrange_element(model, flow, summand);
            element.index = static_cast<int>(i);
            element.span = model.kinetic[i].span;
            elements.push_back(std::move(element));
        }
    }
    ParticleElements particle_element(model, flow);
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        if (!model.points[p].mass) {
            continue;
        }
        InertiaElement element = particle_element(points.points()[p], *model.points[p].mass);
        element.index = static_cast<int>(p);
        element.span = model.points[p].span;
        elements.push_back(std::move(element));
    }
    sym::Repetition of_bodies;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        if (model.bodies[b].kind == Body::Kind::kGround) {
            continue;
        }
        InertiaElement element = body_element(model, model.bodies[b], of_bodies);
        element.index = static_cast<int>(b);
        elements.push_back(std::move(element));
    }
    if (!model.mass.empty()) {
        elements.push_back(mass_element(model));
    }
    return elements;
}

namespace {

using Degree = std::optional<double>;

/// Degree of a sum, or of two sides that must scale alike.
Degree same(Degree a, Degree b) {
    if (!a || !b) {
        return std::nullopt;
    }
    if (*a == kAnyDegree) {
        return b;
    }
    return *b == kAnyDegree || *a == *b ? a : std::nullopt;
}

/// A function or a condition scales with degree 0, and only if its arguments do.
Degree fixed(Degree a) {
    return a && (*a == 0.0 || *a == kAnyDegree) ? Degree(0.0) : std::nullopt;
}

Degree times(Degree a, Degree b, double sign) {
    if (!a || !b) {
        return std::nullopt;
    }
    return *a == kAnyDegree ? a : Degree(*a + sign * *b);
}

Degree power(const Graph& graph, Degree base, Expr exponent, Degree exponent_degree) {
    if (base && *base != 0.0 && graph.is_constant(exponent)) {
        return *base == kAnyDegree ? base : Degree(*base * graph.constant(exponent).value);
    }
    return fixed(base) && fixed(exponent_degree) ? Degree(0.0) : std::nullopt;
}

}  // namespace

std::optional<double> velocity_degree(const Graph& graph, Expr f) {
    const std::vector<Expr> nodes = sym::reachable(graph, f);
    sym::NodeMap<Degree> degrees(nodes.size());
    for (const Expr e : nodes) {
        const sym::Node& node = graph.node(e);
        const auto of = [&](std::uint32_t id) { return degrees.at(Expr{id}); };
        Degree& degree = degrees[e];
        switch (node.op) {
            case Op::kConstant:
                degree = graph.is_zero(e) ? kAnyDegree : 0.0;
                break;
            case Op::kSymbol:
                degree = graph.is_symbol(e, SymbolKind::kVelocity) ? 1.0 : 0.0;
                break;
            case Op::kAdd:
            case Op::kSub:
            case Op::kMin:
            case Op::kMax:
                degree = same(of(node.a), of(node.b));
                break;
            case Op::kNeg:
            case Op::kAbs:
                degree = of(node.a);
                break;
            case Op::kMul:
                degree = times(of(node.a), of(node.b), 1.0);
                break;
            case Op::kDiv:
                degree = times(of(node.a), of(node.b), -1.0);
                break;
            case Op::kPow:
                degree = power(graph, of(node.a), Expr{node.b}, of(node.b));
                break;
            case Op::kSqrt:
                degree = times(of(node.a), 0.0, 1.0);
                if (degree && *degree != kAnyDegree) {
                    *degree /= 2.0;
                }
                break;
            case Op::kSelect:
                degree = fixed(of(node.a)) ? same(of(node.b), of(node.c)) : std::nullopt;
                break;
            case Op::kSign:  // sign(s a) = sign(a) for s > 0
                degree = of(node.a) ? Degree(0.0) : std::nullopt;
                break;
            case Op::kAtan2:
            case Op::kLess:
            case Op::kLessEqual:
            case Op::kEqual:  // comparisons of sides that scale alike do not change
                degree = same(of(node.a), of(node.b)) ? Degree(0.0) : std::nullopt;
                break;
            default: {
                degree = fixed(of(node.a));
                if (degree && arity(node.op) == 2) {
                    degree = fixed(of(node.b));
                }
                break;
            }
        }
    }
    return degrees.at(f);
}

Energy energy(Model& model, const TimeFlow& flow, const std::vector<InertiaElement>& elements,
              Expr potential, const std::vector<Expr>& F) {
    Graph& graph = model.graph;
    Energy result{graph.zero(), potential, potential, graph.zero()};
    for (std::size_t i = 0; i < F.size(); ++i) {
        result.power = graph.add(result.power, graph.mul(F[i], model.coordinates[i].v));
    }
    const Expr V_t = sym::derivative(graph, potential, model.time);
    result.power = graph.add(result.power, V_t);
    result.time_free = graph.is_zero(V_t);

    for (const InertiaElement& element : elements) {
        const Expr T = element.T;
        result.kinetic = graph.add(result.kinetic, T);

        if (element.source == InertiaElement::Source::kMass) {
            // (v^T M v / 2)' = v.(M a) + v^T M' v / 2
            const Expr change = flow.along_velocity(graph, T);
            result.power = graph.add(result.power, change);
            result.time_free = result.time_free && graph.is_zero(change);
            result.h = graph.add(result.h, T);
            continue;
        }
        const Expr T_t = sym::derivative(graph, T, model.time);
        result.power = graph.sub(result.power, T_t);
        result.time_free = result.time_free && graph.is_zero(T_t);

        const std::optional<double> degree = velocity_degree(graph, T);
        if (degree == 2.0 || degree == kAnyDegree) {  // v.T_v = 2 T by Euler
            result.h = graph.add(result.h, T);
            continue;
        }
        result.kinetic_is_T_plus_V = false;
        std::vector<sym::Replacement> scaling;  // each velocity grows at its own size: v.T_v
        for (const int i : element.coordinates) {
            const Expr v = model.coordinates[i].v;
            scaling.push_back({v, v});
        }
        const Expr vT_v = sym::directional(graph, T, scaling);
        result.h = graph.add(result.h, graph.sub(vT_v, T));
    }
    return result;
}

}  // namespace ananke::mech

#include "mech/bodies.h"

#include "base/ranges.h"
#include "mech/vectors.h"

namespace ananke::mech {

using sym::Graph;

namespace {

constexpr int kQuaternion = 3;   // u0 after x, y, z
constexpr int kPlanarAngle = 2;  // after x, y

const Coordinate& coordinate(const Model& model, const Body& body, int k) {
    return model.coordinates[body.coordinate(k)];
}

Axes identity(Graph& graph) {
    const Expr one = graph.one();
    const Expr zero = graph.zero();
    return {Vec3{one, zero, zero}, Vec3{zero, one, zero}, Vec3{zero, zero, one}};
}

Axes turned_about_z(Graph& graph, Expr angle) {
    const Expr c = graph.apply(sym::Op::kCos, angle);
    const Expr s = graph.apply(sym::Op::kSin, angle);
    const Expr zero = graph.zero();
    return {Vec3{c, s, zero}, Vec3{graph.neg(s), c, zero}, Vec3{zero, zero, graph.one()}};
}

Quaternion of_rotation(const Model& model, const Body& body, Expr Coordinate::*symbol) {
    Quaternion u;
    for (int k = 0; k < 4; ++k) {
        u[k] = coordinate(model, body, kQuaternion + k).*symbol;
    }
    return u;
}

}  // namespace

Quaternion quaternion(const Model& model, const Body& body) {
    return of_rotation(model, body, &Coordinate::q);
}

Quaternion quaternion_rate(const Model& model, const Body& body) {
    return of_rotation(model, body, &Coordinate::v);
}

namespace {

/// Axes, omega and alpha of a spatial body, one after the other.
std::vector<Expr> spatial_motion(Model& model, const TimeFlow& flow, const Body& body) {
    Graph& graph = model.graph;
    const Quaternion u = quaternion(model, body);
    std::vector<Expr> made;
    for (const Vec3& axis : axes_of(graph, u)) {
        append(made, axis);
    }
    const Vec3 omega = scale(graph, graph.integer(2),
                             apply(graph, world_rates(graph, u), quaternion_rate(model, body)));
    append(made, omega);
    for (const Expr component : omega) {
        made.push_back(flow.total(graph, component));
    }
    return made;
}

/// T, the upper triangle of M by rows, Q of the rotation of a spatial body.
std::vector<Expr> spatial_inertia(Model& model, const Body& body) {
    Graph& graph = model.graph;
    const Expr half = graph.fraction(1, 2);
    const Matrix34 E = body_rates(graph, quaternion(model, body));
    const Matrix34 E_dot = body_rates(graph, quaternion_rate(model, body));
    const Vec3 omega =
        scale(graph, graph.integer(2), apply(graph, E, quaternion_rate(model, body)));
    const Vec3 J_omega = along(graph, body.inertia, omega);
    std::vector<Expr> made{graph.mul(half, dot(graph, omega, J_omega))};
    std::vector<Expr> Q;
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 J_column =
            along(graph, body.inertia, {E[0][i], E[1][i], E[2][i]});  // J E, column i
        for (std::size_t j = i; j < 4; ++j) {
            made.push_back(
                graph.mul(graph.integer(4), dot(graph, J_column, {E[0][j], E[1][j], E[2][j]})));
        }
        Q.push_back(graph.mul(graph.integer(-4),
                              dot(graph, J_omega, {E_dot[0][i], E_dot[1][i], E_dot[2][i]})));
    }
    append(made, Q);
    return made;
}

}  // namespace

BodyKinematics body_motion(Model& model, const TimeFlow& flow, const Body& body,
                           sym::Repetition& repetition) {
    Graph& graph = model.graph;
    const Expr zero = graph.zero();
    BodyKinematics motion{body.name, identity(graph), {zero, zero, zero}, {zero, zero, zero}};
    if (body.kind == Body::Kind::kPlanar) {
        const Coordinate& angle = coordinate(model, body, kPlanarAngle);
        motion.axes = turned_about_z(graph, angle.q);
        motion.omega[2] = angle.v;
        motion.alpha[2] = angle.a;
    } else if (body.kind == Body::Kind::kSpatial) {
        std::vector<Expr> given;
        for (int k = 0; k < 4; ++k) {
            const Coordinate& c = coordinate(model, body, kQuaternion + k);
            given.insert(given.end(), {c.q, c.v, c.a});
        }
        const Expr* next = repetition(graph, sym::reachable(graph, given), given, [&] {
                               return spatial_motion(model, flow, body);
                           }).data();
        for (Vec3* vector :
             {&motion.axes[0], &motion.axes[1], &motion.axes[2], &motion.omega, &motion.alpha}) {
            for (Expr& component : *vector) {
                component = *next++;
            }
        }
    }
    return motion;
}

InertiaElement body_element(Model& model, const Body& body, sym::Repetition& repetition) {
    Graph& graph = model.graph;
    InertiaElement element;
    element.source = InertiaElement::Source::kBody;
    element.span = body.span;
    if (body.kind == Body::Kind::kPlanar) {
        const int angle = body.first + kPlanarAngle;
        const Expr J = body.inertia[2][2];
        const Expr half = graph.fraction(1, 2);
        element.T = graph.mul(half, graph.mul(J, graph.square(coordinate(model, body, 2).v)));
        if (!graph.is_zero(J)) {
            element.coordinates = {angle};
            element.M.push_back({angle, angle, J});
        }
        return element;
    }
    std::vector<Expr> given;
    for (const Vec3& line : body.inertia) {
        append(given, line);
    }
    for (int k = 0; k < 4; ++k) {
        const Coordinate& c = coordinate(model, body, kQuaternion + k);
        given.insert(given.end(), {c.q, c.v});
    }
    const Expr* next = repetition(graph, sym::reachable(graph, given), given, [&] {
                           return spatial_inertia(model, body);
                       }).data();
    element.T = *next++;
    const int first = body.first + kQuaternion;
    for (int i = first; i < first + 4; ++i) {
        element.coordinates.push_back(i);
        for (int j = i; j < first + 4; ++j, ++next) {
            if (!graph.is_zero(*next)) {
                element.M.push_back({i, j, *next});
            }
        }
    }
    for (int i = first; i < first + 4; ++i, ++next) {
        if (!graph.is_zero(*next)) {
            element.Q.push_back({i, *next});
        }
    }
    return element;
}

void add_torque(Model& model, const Body& body, const Vec3& tau, std::vector<Expr>& Q) {
    Graph& graph = model.graph;
    const auto add_to = [&](int k, Expr value) {
        Expr& Q_i = Q[body.coordinate(k)];
        Q_i = graph.add(Q_i, value);
    };
    if (body.kind == Body::Kind::kPlanar) {
        add_to(kPlanarAngle, tau[2]);
    } else if (body.kind == Body::Kind::kSpatial) {
        const Matrix34 G = world_rates(graph, quaternion(model, body));
        for (std::size_t k = 0; k < 4; ++k) {
            add_to(kQuaternion + static_cast<int>(k),
                   graph.mul(graph.integer(2), dot(graph, tau, {G[0][k], G[1][k], G[2][k]})));
        }
    }
}

}  // namespace ananke::mech

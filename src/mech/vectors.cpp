#include "mech/vectors.h"

namespace ananke::mech {

using sym::Graph;

Vec3 cross(Graph& graph, const Vec3& a, const Vec3& b) {
    Vec3 c;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        c[i] = graph.sub(graph.mul(a[j], b[k]), graph.mul(a[k], b[j]));
    }
    return c;
}

Vec3 add(Graph& graph, const Vec3& a, const Vec3& b) {
    return {graph.add(a[0], b[0]), graph.add(a[1], b[1]), graph.add(a[2], b[2])};
}

Vec3 scale(Graph& graph, Expr factor, const Vec3& a) {
    return {graph.mul(factor, a[0]), graph.mul(factor, a[1]), graph.mul(factor, a[2])};
}

Vec3 along(Graph& graph, const Axes& axes, const Vec3& components) {
    Vec3 sum{graph.zero(), graph.zero(), graph.zero()};
    for (std::size_t k = 0; k < 3; ++k) {
        sum = add(graph, sum, scale(graph, components[k], axes[k]));
    }
    return sum;
}

Quaternion multiply(Graph& graph, const Quaternion& a, const Quaternion& b) {
    const auto sum = [&](std::array<int, 4> order, std::array<int, 4> signs) {
        Expr total = graph.zero();
        for (std::size_t k = 0; k < 4; ++k) {
            const Expr product = graph.mul(a[k], b[order[k]]);
            total = signs[k] > 0 ? graph.add(total, product) : graph.sub(total, product);
        }
        return total;
    };
    return {sum({0, 1, 2, 3}, {1, -1, -1, -1}), sum({1, 0, 3, 2}, {1, 1, 1, -1}),
            sum({2, 3, 0, 1}, {1, -1, 1, 1}), sum({3, 2, 1, 0}, {1, 1, -1, 1})};
}

Axes axes_of(Graph& graph, const Quaternion& u) {
    const auto [u0, u1, u2, u3] = u;
    const auto twice = [&](Expr a, Expr b, Expr c, Expr d, bool plus) {
        const Expr left = graph.mul(a, b);
        const Expr right = graph.mul(c, d);
        return graph.mul(graph.integer(2), plus ? graph.add(left, right) : graph.sub(left, right));
    };
    const Expr s0 = graph.square(u0);
    const Expr s1 = graph.square(u1);
    const Expr s2 = graph.square(u2);
    const Expr s3 = graph.square(u3);
    const Vec3 e1{graph.sub(graph.sub(graph.add(s0, s1), s2), s3), twice(u1, u2, u0, u3, true),
                  twice(u1, u3, u0, u2, false)};
    const Vec3 e2{twice(u1, u2, u0, u3, false), graph.sub(graph.add(graph.sub(s0, s1), s2), s3),
                  twice(u2, u3, u0, u1, true)};
    const Vec3 e3{twice(u1, u3, u0, u2, true), twice(u2, u3, u0, u1, false),
                  graph.add(graph.sub(graph.sub(s0, s1), s2), s3)};
    return {e1, e2, e3};
}

Matrix34 body_rates(Graph& graph, const Quaternion& u) {
    const auto [u0, u1, u2, u3] = u;
    const auto minus = [&](Expr e) { return graph.neg(e); };
    return {Quaternion{minus(u1), u0, u3, minus(u2)}, Quaternion{minus(u2), minus(u3), u0, u1},
            Quaternion{minus(u3), u2, minus(u1), u0}};
}

Matrix34 world_rates(Graph& graph, const Quaternion& u) {
    const auto [u0, u1, u2, u3] = u;
    const auto minus = [&](Expr e) { return graph.neg(e); };
    return {Quaternion{minus(u1), u0, minus(u3), u2}, Quaternion{minus(u2), u3, u0, minus(u1)},
            Quaternion{minus(u3), minus(u2), u1, u0}};
}

Vec3 apply(Graph& graph, const Matrix34& matrix, const Quaternion& u) {
    Vec3 result{graph.zero(), graph.zero(), graph.zero()};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            result[i] = graph.add(result[i], graph.mul(matrix[i][k], u[k]));
        }
    }
    return result;
}

}  // namespace ananke::mech

// Models for the tests of closed forms and their reports, and the dense solve they are checked by.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mech/equation_check.h"
#include "mech/model_builder.h"
#include "typeset/closed_form.h"

namespace ananke::typeset::testing {

using namespace mech::testing;
using mech::Derivation;

/// Solves K x = r by elimination with row exchanges, in long double.
inline Vector dense_solve(Matrix K, Vector r) {
    const std::size_t n = r.size();
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t i = c + 1; i < n; ++i) {
            best = std::abs(K[i][c]) > std::abs(K[best][c]) ? i : best;
        }
        std::swap(K[c], K[best]);
        std::swap(r[c], r[best]);
        for (std::size_t i = c + 1; i < n; ++i) {
            const Real f = K[i][c] / K[c][c];
            for (std::size_t j = c; j < n; ++j) {
                K[i][j] -= f * K[c][j];
            }
            r[i] -= f * r[c];
        }
    }
    for (std::size_t c = n; c-- > 0;) {
        for (std::size_t j = c + 1; j < n; ++j) {
            r[c] -= K[c][j] * r[j];
        }
        r[c] /= K[c][c];
    }
    return r;
}

/// A model, its equations and which of its rows are independent.
struct Case {
    std::string name;
    std::unique_ptr<Builder> builder;
    Equations equations;
    std::vector<int> rows;

    Model& model() { return builder->model; }

    std::vector<double> parameters() const { return parameter_values(builder->model).value(); }

    sym::Values<double> values(const State& s) const {
        sym::Values<double> at = symbol_values<double>(builder->model, parameters());
        at[builder->model.time] = static_cast<double>(s.t);
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            at[builder->model.coordinates[i].q] = static_cast<double>(s.q[i]);
            at[builder->model.coordinates[i].v] = static_cast<double>(s.v[i]);
        }
        return at;
    }

    /// [a; lambda] of [M -A^T; A 0] [a; lambda] = [Q + C; b] over the independent rows.
    Vector reference(const State& s) const {
        const Evaluated at(builder->model, equations);
        const std::size_t n = s.q.size();
        const std::size_t m = rows.size();
        Matrix K(n + m, Vector(n + m, 0));
        Vector r(n + m, 0);
        const Matrix M = at.M(s);
        const Vector Q = at.Q(s);
        const Vector C = at.C(s);
        for (std::size_t i = 0; i < n; ++i) {
            std::ranges::copy(M[i], K[i].begin());
            r[i] = Q[i] + C[i];
        }
        for (std::size_t k = 0; k < m; ++k) {
            const std::size_t row = rows[k];
            const Vector A = at.A(row, s);
            for (std::size_t i = 0; i < n; ++i) {
                K[i][n + k] = -A[i];
                K[n + k][i] = A[i];
            }
            r[n + k] = at.b(row, s);
        }
        return dense_solve(K, r);
    }
};

inline Case finished(std::string name, std::unique_ptr<Builder> m, std::vector<int> rows) {
    Derivation derivation = mech::derive(m->model);
    EXPECT_TRUE(derivation.equations.has_value()) << name;
    return {std::move(name), std::move(m), std::move(derivation.equations.value()),
            std::move(rows)};
}

inline Case duffing() {  // P21 section 3.3
    auto m = std::make_unique<Builder>();
    m->model.title = "Coupled Duffing oscillators";
    const F m1 = m->parameter("m1", 2), m2 = m->parameter("m2", 1), k1 = m->parameter("k1", 10),
            k2 = m->parameter("k2", 12), k1nl = m->parameter("k1nl", 1),
            k2nl = m->parameter("k2nl", 2), c1 = m->parameter("c1", 0.1),
            c2 = m->parameter("c2", 0.15), A0 = m->parameter("A0", 1),
            alpha = m->parameter("alpha", 1), omega = m->parameter("omega", 6);
    const Q x1 = m->coordinate("x1"), x2 = m->coordinate("x2");
    const F u = x1.q - x2.q;
    const F rate = x1.v - x2.v;
    m->kinetic(m1 / 2.0 * pow(x1.v, 2) + m2 / 2.0 * pow(x2.v, 2));
    m->potential(k1 / 2.0 * pow(u, 2) + k1nl / 4.0 * pow(u, 4) + k2 / 2.0 * pow(x2.q, 2) +
                 k2nl / 4.0 * pow(x2.q, 4));
    m->force(x1, -(c1 * rate));
    m->force(x2, c1 * rate - c2 * x2.v);
    m->constraint("guide", u - A0 * exp(-(alpha * m->t())) * sin(omega * m->t()));
    return finished("duffing", std::move(m), {0});
}

inline Case two_link() {  // P21 section 3.4
    auto m = std::make_unique<Builder>();
    m->model.title = "Two-link pendulum";
    const F mass = m->parameter("m", 1), g = m->parameter("g", 10), L1 = m->parameter("L1", 1),
            L2 = m->parameter("L2", 1.25);
    const Q x = m->coordinate("x"), y = m->coordinate("y"), z = m->coordinate("z");
    m->kinetic(mass / 2.0 * (pow(x.v, 2) + pow(y.v, 2) + pow(z.v, 2)));
    m->potential(-(mass * g * x.q));
    m->constraint("rod1", pow(x.q, 2) + pow(y.q, 2) + pow(z.q, 2) - pow(L1, 2));
    m->constraint("rod2", pow(x.q - L1, 2) + pow(y.q, 2) + pow(z.q - L2, 2) - pow(L2, 2));
    return finished("two_link", std::move(m), {0, 1});
}

/// Two pucks in the plane whose velocities stay perpendicular, under given forces.   RH section 4
inline Case pucks(std::string name, std::unique_ptr<Builder> m, const F& m1, const F& m2,
                  const std::array<const char*, 4>& q, const F3& f1, const F3& f2) {
    const Q x1 = m->coordinate(q[0]), y1 = m->coordinate(q[1]), x2 = m->coordinate(q[2]),
            y2 = m->coordinate(q[3]);
    const F zero = m->number(0);
    const P p1 = m->particle("P1", m1, {x1.q, y1.q, zero});
    const P p2 = m->particle("P2", m2, {x2.q, y2.q, zero});
    m->force(p1, f1);
    m->force(p2, f2);
    m->constraint("perpendicular", dot(p1.v, p2.v), true);
    return finished(std::move(name), std::move(m), {0});
}

inline Case perpendicular() {  // RH sections 4.1-4.3
    auto m = std::make_unique<Builder>();
    const F m1 = m->parameter("m1", 1), m2 = m->parameter("m2", 2), f1 = m->parameter("f1", 1),
            f2 = m->parameter("f2", 0.75), zero = m->number(0);
    return pucks("perpendicular", std::move(m), m1, m2, {"x1", "y1", "x2", "y2"}, {f1, zero, zero},
                 {f2, zero, zero});
}

inline Case free_top() {  // US10 section 4: M has rank 3
    auto m = std::make_unique<Builder>();
    std::vector<Q> u;
    for (int i = 0; i < 4; ++i) {
        u.push_back(m->coordinate("u" + std::to_string(i)));
    }
    const F3 omega{
        2.0 * (-(u[1].q * u[0].v) + u[0].q * u[1].v + u[3].q * u[2].v - u[2].q * u[3].v),
        2.0 * (-(u[2].q * u[0].v) - u[3].q * u[1].v + u[0].q * u[2].v + u[1].q * u[3].v),
        2.0 * (-(u[3].q * u[0].v) + u[2].q * u[1].v - u[1].q * u[2].v + u[0].q * u[3].v)};
    const F J[] = {m->parameter("J1", 2), m->parameter("J2", 3), m->parameter("J3", 4)};
    for (std::size_t i = 0; i < 3; ++i) {
        m->kinetic(J[i] / 2.0 * pow(omega[i], 2));
    }
    m->constraint("unit", pow(u[0].q, 2) + pow(u[1].q, 2) + pow(u[2].q, 2) + pow(u[3].q, 2) - 1.0);
    return finished("free_top", std::move(m), {0});
}

inline Case skate_with_drag() {  // UK02: C is not zero
    auto m = std::make_unique<Builder>();
    const Q x = m->coordinate("x"), y = m->coordinate("y"), z = m->coordinate("z");
    const F c = m->parameter("c", 0.1);
    const P p = m->particle("P", m->parameter("a", 1.5), {x.q, y.q, z.q});
    m->constraint("skate", y.v - z.q * x.v);
    const F drag = c * sqrt(dot(p.v, p.v));
    m->nonideal(p, {-(drag * p.v[0]), -(drag * p.v[1]), -(drag * p.v[2])});
    return finished("skate_with_drag", std::move(m), {0});
}

inline Case double_pendulum() {  // minimal coordinates: M is full, nothing is constrained
    auto m = std::make_unique<Builder>();
    const F l = m->parameter("l", 0.75), mass = m->parameter("M", 2);
    const Q p = m->coordinate("p"), q = m->coordinate("q");
    const F x = l * sin(p.q), y = -(l * cos(p.q));
    m->gravity({m->number(0), m->number(-9.81), m->number(0)});
    m->particle("P1", mass, {x, y, m->number(0)});
    m->particle("P2", mass, {x + l * sin(q.q), y - l * cos(q.q), m->number(0)});
    return finished("double_pendulum", std::move(m), {});
}

/// n links in the plane, the first of them stated twice.
inline Case chain(int n) {
    auto m = std::make_unique<Builder>();
    const F l = m->parameter("l", 0.5), mass = m->parameter("m", 0.25);
    m->gravity({m->number(0), m->number(-9.81), m->number(0)});
    std::vector<Q> x, y;
    std::vector<int> rows;
    for (int i = 0; i < n; ++i) {
        const std::string index = "[" + std::to_string(i + 1) + "]";
        const std::size_t k = i;
        x.push_back(m->coordinate("x" + index));
        y.push_back(m->coordinate("y" + index));
        m->particle("P" + index, mass, {x[k].q, y[k].q, m->number(0)});
        const F dx = i == 0 ? x[0].q : x[k].q - x[k - 1].q;
        const F dy = i == 0 ? y[0].q : y[k].q - y[k - 1].q;
        m->constraint("link" + index, pow(dx, 2) + pow(dy, 2) - pow(l, 2));
        rows.push_back(i);
    }
    m->constraint("again", 3.0 * (pow(x[0].q, 2) + pow(y[0].q, 2) - pow(l, 2)));
    return finished("chain", std::move(m), rows);
}

/// n coordinates, m velocity constraints, M of the given rank; all numbers drawn.
inline Case random_system(unsigned seed, int n, int m, int rank) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> draw(-1.0, 1.0);
    auto b = std::make_unique<Builder>();
    std::vector<Q> x;
    for (int i = 0; i < n; ++i) {
        x.push_back(b->coordinate("x" + std::to_string(i)));
    }
    for (int r = 0; r < rank; ++r) {
        F momentum = b->number(0);
        for (const Q& c : x) {
            momentum = momentum + draw(random) * c.v;
        }
        b->kinetic(0.5 * pow(momentum + (r < n ? 1.5 * x[r].v : b->number(0)), 2));
    }
    for (const Q& c : x) {
        b->force(c, b->number(draw(random)) + draw(random) * c.q);
    }
    std::vector<int> rows;
    for (int k = 0; k < m; ++k) {
        F row = draw(random) * b->t();
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Massless directions get a row each, so that the motion is unique.
            const double own = static_cast<int>(i) == n - 1 - k ? 2.0 : 0.0;
            row = row + (draw(random) + own) * x[i].v;
        }
        b->constraint("c" + std::to_string(k), row);
        rows.push_back(k);
    }
    return finished("random" + std::to_string(seed), std::move(b), rows);
}

inline std::vector<Case> closed_form_cases() {
    std::vector<Case> cases;
    cases.push_back(duffing());
    cases.push_back(two_link());
    cases.push_back(perpendicular());
    cases.push_back(free_top());
    cases.push_back(skate_with_drag());
    cases.push_back(double_pendulum());
    cases.push_back(chain(4));
    return cases;
}

}  // namespace ananke::typeset::testing

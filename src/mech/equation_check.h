// Numbers of derived equations at a state, and the independent road to them: Lagrange's equation
// and the constraints differentiated by central differences in long double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "mech/derive.h"
#include "mech/values.h"
#include "sym/evaluate.h"

namespace ananke::mech::testing {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;

struct State {
    Vector q, v;
    Real t = 0;
};

inline State random_state(std::mt19937& random, int n) {
    std::uniform_real_distribution<double> draw(-1.0, 1.0);
    State state;
    for (int i = 0; i < n; ++i) {
        state.q.push_back(draw(random));
        state.v.push_back(draw(random));
    }
    state.t = 1 + draw(random);
    return state;
}

class Evaluated {
  public:
    Evaluated(const Model& model, const Equations& equations)
        : model_(model),
          equations_(equations),
          parameters_(symbol_values<Real>(model, parameter_values(model).value())) {}

    Real at(Expr e, const State& s) const {
        sym::Values<Real> values = parameters_;
        values[model_.time] = s.t;
        for (std::size_t i = 0; i < s.q.size(); ++i) {
            values[model_.coordinates[i].q] = s.q[i];
            values[model_.coordinates[i].v] = s.v[i];
        }
        return sym::evaluate<Real>(model_.graph, e, values);
    }

    Matrix M(const State& s) const {
        Matrix result(s.q.size(), Vector(s.q.size(), 0));
        for (const MassEntry& entry : equations_.M) {
            const std::size_t i = entry.row;
            const std::size_t j = entry.column;
            result[i][j] = result[j][i] = at(entry.value, s);
        }
        return result;
    }
    Vector Q(const State& s) const { return all(equations_.Q, s); }
    Vector C(const State& s) const { return all(equations_.C, s); }
    Vector A(std::size_t row, const State& s) const {
        Vector result(s.q.size(), 0);
        for (const Entry& entry : equations_.rows[row].A) {
            result[entry.column] = at(entry.value, s);
        }
        return result;
    }
    Real b(std::size_t row, const State& s) const { return at(equations_.rows[row].b, s); }

  private:
    Vector all(const std::vector<Expr>& values, const State& s) const {
        Vector result;
        for (const Expr e : values) {
            result.push_back(at(e, s));
        }
        return result;
    }

    const Model& model_;
    const Equations& equations_;
    sym::Values<Real> parameters_;
};

inline Real inner(const Vector& a, const Vector& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The state at time s.t + h on a parabola with acceleration a.
inline State moved(const State& s, const Vector& a, Real h) {
    State m = s;
    m.t += h;
    for (std::size_t i = 0; i < s.q.size(); ++i) {
        m.q[i] += h * s.v[i] + h * h / 2 * a[i];
        m.v[i] += h * a[i];
    }
    return m;
}

/// Central difference of fourth order.
template <class Function>
Real difference(const Function& f, Real h = 1e-3L) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

/// d/dt T_v - T_q + V_q along a parabola, by differences of T and V alone; equals M a - (Q - F).
inline Vector lagrange_residual(const Evaluated& values, const Equations& equations, const State& s,
                                const Vector& a) {
    Vector residual;
    for (std::size_t i = 0; i < s.q.size(); ++i) {
        const auto momentum = [&](const State& at) {
            return difference([&](Real h) {
                State m = at;
                m.v[i] += h;
                return values.at(equations.kinetic, m);
            });
        };
        const Real rate = difference([&](Real h) { return momentum(moved(s, a, h)); });
        const Real slope = difference([&](Real h) {
            State m = s;
            m.q[i] += h;
            return values.at(equations.kinetic, m) - values.at(equations.potential, m);
        });
        residual.push_back(rate - slope);
    }
    return residual;
}

}  // namespace ananke::mech::testing

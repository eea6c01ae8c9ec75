// Models written in C++ for the tests: a formula type with operators, and one call per statement.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mech/derive.h"
#include "mech/model.h"
#include "sym/differentiate.h"

namespace ananke::mech::testing {

/// An expression that knows its graph.
struct F {
    sym::Graph* graph = nullptr;
    Expr e;
};
inline F lift(const F& like, double value) {
    return {like.graph, like.graph->number(value)};
}
inline F operator+(F a, F b) {
    return {a.graph, a.graph->add(a.e, b.e)};
}
inline F operator-(F a, F b) {
    return {a.graph, a.graph->sub(a.e, b.e)};
}
inline F operator*(F a, F b) {
    return {a.graph, a.graph->mul(a.e, b.e)};
}
inline F operator/(F a, F b) {
    return {a.graph, a.graph->div(a.e, b.e)};
}
inline F operator-(F a) {
    return {a.graph, a.graph->neg(a.e)};
}
inline F operator+(F a, double b) {
    return a + lift(a, b);
}
inline F operator-(F a, double b) {
    return a - lift(a, b);
}
inline F operator*(double a, F b) {
    return lift(b, a) * b;
}
inline F operator/(F a, double b) {
    return a / lift(a, b);
}
inline F pow(F a, int k) {
    return {a.graph, a.graph->pow(a.e, a.graph->integer(k))};
}
inline F apply(sym::Op op, F a) {
    return {a.graph, a.graph->apply(op, a.e)};
}
inline F apply(sym::Op op, F a, F b) {
    return {a.graph, a.graph->apply(op, a.e, b.e)};
}
inline F sin(F a) {
    return apply(sym::Op::kSin, a);
}
inline F cos(F a) {
    return apply(sym::Op::kCos, a);
}
inline F sqrt(F a) {
    return apply(sym::Op::kSqrt, a);
}
inline F exp(F a) {
    return apply(sym::Op::kExp, a);
}
inline F choose(F condition, F then_side, F else_side) {
    return {condition.graph, condition.graph->select(condition.e, then_side.e, else_side.e)};
}

using F3 = std::array<F, 3>;
inline F dot(const F3& a, const F3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline F3 cross(const F3& a, const F3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A coordinate, its velocity and its acceleration.
struct Q {
    F q, v, a;
    int index;
};

/// A point and its symbols position(P), velocity(P), acceleration(P).
struct P {
    F3 r, v, a;
    int index;
};

class Builder {
  public:
    Model model;

    Builder() { model.time = model.graph.symbol(sym::SymbolKind::kTime, "t"); }
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;

    F number(double value) { return {&model.graph, model.graph.number(value)}; }
    F t() { return {&model.graph, model.time}; }

    F parameter(const std::string& name, F value) {
        const Expr symbol = model.graph.symbol(sym::SymbolKind::kParameter, name);
        model.parameters.push_back({name, symbol, value.e, false, next_span()});
        return {&model.graph, symbol};
    }
    F parameter(const std::string& name, double value) { return parameter(name, number(value)); }

    Q coordinate(const std::string& name) {
        sym::Graph& g = model.graph;
        const Coordinate c{name, g.symbol(sym::SymbolKind::kCoordinate, name),
                           g.symbol(sym::SymbolKind::kVelocity, name),
                           g.symbol(sym::SymbolKind::kAcceleration, name), next_span()};
        model.coordinates.push_back(c);
        return {{&g, c.q}, {&g, c.v}, {&g, c.a}, static_cast<int>(model.coordinates.size()) - 1};
    }

    P point(const std::string& name, const F3& at) { return add_point(name, at, std::nullopt); }
    P particle(const std::string& name, F mass, const F3& at) {
        return add_point(name, at, mass.e);
    }

    void kinetic(F T) { model.kinetic.push_back({T.e, next_span()}); }
    void potential(F V) { model.potential.push_back({V.e, next_span()}); }
    void mass(const Q& a, const Q& b, F value) {
        model.mass.push_back({a.index, b.index, value.e, next_span()});
    }
    void gravity(const F3& g) { model.gravity = exprs(g); }
    void force(const Q& on, F value) {
        model.forces.on_coordinates.push_back({on.index, value.e, next_span()});
    }
    void force(const P& on, const F3& value) {
        model.forces.on_points.push_back({on.index, exprs(value), next_span()});
    }
    void nonideal(const P& on, const F3& value) {
        model.nonideal.on_points.push_back({on.index, exprs(value), next_span()});
    }
    void constraint(const std::string& name, F row, bool servo = false) {
        model.constraints.push_back({name, {row.e}, servo, next_span()});
    }
    void constraint(const std::string& name, const F3& rows) {
        model.constraints.push_back({name, {rows[0].e, rows[1].e, rows[2].e}, false, next_span()});
    }
    void initial(const Q& c, double value) {
        model.initial.push_back({c.index, false, number(value).e, true, next_span()});
    }
    void output(const std::string& name, F value) {
        model.outputs.push_back({name, value.e, next_span()});
    }

    /// Of the latest statement; each statement has its own.
    Span last_span() const { return {0, statement_, statement_ + 1}; }

  private:
    Span next_span() {
        ++statement_;
        return last_span();
    }
    static Vec3 exprs(const F3& f) { return {f[0].e, f[1].e, f[2].e}; }

    P add_point(const std::string& name, const F3& at, std::optional<Expr> mass) {
        sym::Graph& g = model.graph;
        Point point{name, exprs(at), {}, {}, {}, mass, next_span()};
        P handle;
        handle.index = static_cast<int>(model.points.size());
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string component = name + "." + "xyz"[k];
            point.r[k] = g.symbol(sym::SymbolKind::kPointPosition, component);
            point.v[k] = g.symbol(sym::SymbolKind::kPointVelocity, component);
            point.a[k] = g.symbol(sym::SymbolKind::kPointAcceleration, component);
            handle.r[k] = {&g, point.r[k]};
            handle.v[k] = {&g, point.v[k]};
            handle.a[k] = {&g, point.a[k]};
        }
        model.points.push_back(point);
        return handle;
    }

    std::uint32_t statement_ = 0;
};

}  // namespace ananke::mech::testing

#include "mech/reactions.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace ananke::mech {

using sym::Graph;
using sym::Op;

namespace {

/// The point or body, of those that rows act on, whose force or torque the reaction is.
class Bearer {
  public:
    Bearer(const Model& model, const Constraint& constraint, const std::vector<const Row*>& rows) {
        for (const Row* row : rows) {
            for (const Direction& direction : row->directions) {
                offer(model, rank(constraint, [&](int p) { return p == direction.point; }),
                      body_of(model, direction.point), direction.point, point_, point_order_);
            }
            for (const Twist& twist : row->twists) {
                offer(model,
                      rank(constraint, [&](int p) { return body_of(model, p) == twist.body; }),
                      twist.body, twist.body, body_, body_order_);
            }
        }
    }

    /// W or tau of a row on it; null where the row acts elsewhere.
    const Vec3* direction(const Row& row) const {
        for (const Direction& direction : row.directions) {
            if (direction.point == point_) {
                return &direction.W;
            }
        }
        for (const Twist& twist : row.twists) {
            if (point_ < 0 && twist.body == body_) {
                return &twist.tau;
            }
        }
        return nullptr;
    }
    bool none() const { return point_ < 0 && body_ < 0; }

  private:
    using Order = std::tuple<bool, std::size_t, int>;  ///< of the ground, rank, index

    static int body_of(const Model& model, int point) {
        return model.points[static_cast<std::size_t>(point)].body;
    }
    template <class Is>
    static std::size_t rank(const Constraint& constraint, Is is) {
        const std::vector<int>& named = constraint.named_points;
        return static_cast<std::size_t>(std::find_if(named.begin(), named.end(), is) -
                                        named.begin());
    }
    static void offer(const Model& model, std::size_t rank, int body, int index, int& chosen,
                      Order& order) {
        const bool ground =
            body >= 0 && model.bodies[static_cast<std::size_t>(body)].kind == Body::Kind::kGround;
        const Order offered{ground, rank, index};
        if (chosen < 0 || offered < order) {
            chosen = index;
            order = offered;
        }
    }

    int point_ = -1, body_ = -1;
    Order point_order_, body_order_;
};

Expr scaled_length(Graph& graph, const Bearer& bearer, const Row& row) {
    if (const Vec3* direction = bearer.direction(row)) {
        return length(graph, *direction);
    }
    Expr sum = graph.zero();
    for (const Entry& entry : row.A) {
        sum = graph.add(sum, graph.square(entry.value));
    }
    return graph.apply(Op::kSqrt, sum);
}

Vec3 reaction_vector(Graph& graph, const Bearer& bearer, const std::vector<const Row*>& rows) {
    Vec3 force{graph.zero(), graph.zero(), graph.zero()};
    for (const Row* row : rows) {
        const Vec3* direction = bearer.direction(*row);
        for (std::size_t k = 0; direction != nullptr && k < 3; ++k) {
            force[k] = graph.add(force[k], graph.mul(*row->lambda, (*direction)[k]));
        }
        if (bearer.none()) {
            force[static_cast<std::size_t>(row->component)] =
                graph.mul(*row->lambda, scaled_length(graph, bearer, *row));
        }
    }
    return force;
}

}  // namespace

Expr length(Graph& graph, const Vec3& v) {
    const auto is_zero = [&](Expr e) { return graph.is_zero(e); };
    if (std::count_if(v.begin(), v.end(), is_zero) == 2) {
        return graph.apply(Op::kAbs, *std::find_if_not(v.begin(), v.end(), is_zero));
    }
    Expr sum = graph.zero();
    for (const Expr component : v) {
        sum = graph.add(sum, graph.square(component));
    }
    return graph.apply(Op::kSqrt, sum);
}

std::vector<sym::Replacement> reaction_values(Model& model, std::vector<Row>& rows) {
    std::vector<sym::Replacement> values;
    const bool wanted = !model.frictions.empty() ||
                        std::any_of(model.constraints.begin(), model.constraints.end(),
                                    [](const Constraint& c) { return !c.reaction.empty(); });
    if (!wanted) {
        return values;
    }
    Graph& graph = model.graph;
    for (Row& row : rows) {
        row.lambda = graph.symbol(sym::SymbolKind::kReaction, fmt::format("lambda[{}]", row.name));
    }
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const std::vector<Expr>& symbols = model.constraints[c].reaction;
        std::vector<const Row*> own;
        for (const Row& row : rows) {
            if (row.constraint == static_cast<int>(c)) {
                own.push_back(&row);
            }
        }
        if (symbols.empty()) {
            continue;
        }
        const Bearer bearer(model, model.constraints[c], own);
        if (symbols.size() == 1) {
            values.push_back(
                {symbols[0], own.empty() ? graph.zero()
                                         : graph.mul(*own.front()->lambda,
                                                     scaled_length(graph, bearer, *own.front()))});
        } else {
            const Vec3 force = reaction_vector(graph, bearer, own);
            for (std::size_t k = 0; k < 3; ++k) {
                values.push_back({symbols[k], force[k]});
            }
        }
    }
    return values;
}

}  // namespace ananke::mech

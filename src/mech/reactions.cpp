#include "mech/reactions.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "mech/vectors.h"

namespace ananke::mech {

using sym::Graph;
using sym::Op;

namespace {

/// The point or body whose force or torque reaction(c) is, among those that the rows act on.
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

    static int body_of(const Model& model, int point) { return model.points[point].body; }
    template <class Is>
    static std::size_t rank(const Constraint& constraint, Is is) {
        const std::vector<int>& named = constraint.named_points;
        return static_cast<std::size_t>(std::ranges::find_if(named, is) - named.begin());
    }
    static void offer(const Model& model, std::size_t rank, int body, int index, int& chosen,
                      Order& order) {
        const bool ground = body >= 0 && model.bodies[body].kind == Body::Kind::kGround;
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
            force[row->component] = graph.mul(*row->lambda, scaled_length(graph, bearer, *row));
        }
    }
    return force;
}

/// Lines of C_J for one compliance.
class ComplianceLines {
  public:
    ComplianceLines(Model& model, int first) : model_(model), graph_(model.graph), first_(first) {}

    int end() const { return first_; }

    void add(const Compliance& one, const Constraint& constraint, std::vector<Row*> rows) {
        const Bearer bearer(model_, constraint, {rows.begin(), rows.end()});
        const Expr root = graph_.apply(Op::kSqrt, *one.value);
        for (Row* row : rows) {
            const Vec3* direction = bearer.direction(*row);
            if (constraint.rows.size() == 1 || bearer.none()) {
                put(*row, row->component, root, scaled_length(graph_, bearer, *row));
            } else if (direction != nullptr) {
                put(*row, root, *direction, 0);
            }
        }
        first_ += static_cast<int>(constraint.rows.size());
    }

    void add(const Compliance& one, const Joint& joint, const std::vector<PointKinematics>& points,
             const std::vector<Row*>& rows) {
        const int place = place_of(joint, rows);
        if (place < 0) {
            return;
        }
        const int body = model_.points[place].body;
        const auto position = [&](int point) { return points[point].position; };
        for (Row* row : rows) {
            for (const Direction& direction : row->directions) {
                if (!same(direction.point, place, body)) {
                    continue;
                }
                if (one.translation) {
                    put(*row, graph_.apply(Op::kSqrt, *one.translation), direction.W, 0);
                }
                if (one.rotation && direction.point != place) {
                    const Vec3 arm = difference(position(direction.point), position(place));
                    put(*row, graph_.apply(Op::kSqrt, *one.rotation),
                        cross(graph_, arm, direction.W), 3);
                }
            }
            for (const Twist& twist : row->twists) {
                if (one.rotation && body >= 0 && twist.body == body) {
                    put(*row, graph_.apply(Op::kSqrt, *one.rotation), twist.tau, 3);
                }
            }
        }
        first_ += 6;
    }

  private:
    bool same(int point, int place, int body) const {
        return point == place || (body >= 0 && model_.points[point].body == body);
    }
    /// The last place of a joint that its rows act on, the ground's last of all; -1: none.
    int place_of(const Joint& joint, const std::vector<Row*>& rows) const {
        int found = -1;
        bool on_ground = false;
        for (const int point : joint.points) {
            const int body = model_.points[point].body;
            const bool acts = std::ranges::any_of(rows, [&](const Row* row) {
                return std::ranges::any_of(
                           row->directions,
                           [&](const Direction& d) { return same(d.point, point, body); }) ||
                       std::ranges::any_of(row->twists, [&](const Twist& t) {
                           return body >= 0 && t.body == body;
                       });
            });
            const bool ground = body >= 0 && model_.bodies[body].kind == Body::Kind::kGround;
            if (acts && (found < 0 || on_ground || !ground)) {
                found = point;
                on_ground = ground;
            }
        }
        return found;
    }
    Vec3 difference(const Vec3& a, const Vec3& b) {
        return {graph_.sub(a[0], b[0]), graph_.sub(a[1], b[1]), graph_.sub(a[2], b[2])};
    }
    void put(Row& row, Expr root, const Vec3& direction, int line) {
        for (std::size_t k = 0; k < 3; ++k) {
            put(row, line + static_cast<int>(k), root, direction[k]);
        }
    }
    void put(Row& row, int line, Expr root, Expr value) {
        for (Entry& entry : row.compliances) {
            if (entry.column == first_ + line) {
                entry.value = graph_.add(entry.value, graph_.mul(root, value));
                return;
            }
        }
        if (!graph_.is_zero(value)) {
            row.compliances.push_back({first_ + line, graph_.mul(root, value)});
        }
    }

    Model& model_;
    Graph& graph_;
    int first_;
};

}  // namespace

void add_compliances(Model& model, const std::vector<PointKinematics>& points,
                     std::vector<Row>& rows) {
    ComplianceLines lines(model, 0);
    for (const Compliance& one : model.compliances) {
        std::vector<Row*> own;
        for (Row& row : rows) {
            const Constraint& constraint = model.constraints[row.constraint];
            if (one.constraint >= 0 ? row.constraint == one.constraint
                                    : constraint.joint == one.joint) {
                own.push_back(&row);
            }
        }
        if (one.constraint >= 0) {
            lines.add(one, model.constraints[one.constraint], own);
        } else {
            lines.add(one, model.joints[one.joint], points, own);
        }
    }
}

Expr length(Graph& graph, const Vec3& v) {
    const auto is_zero = [&](Expr e) { return graph.is_zero(e); };
    if (std::ranges::count_if(v, is_zero) == 2) {
        return graph.apply(Op::kAbs, *std::ranges::find_if_not(v, is_zero));
    }
    Expr sum = graph.zero();
    for (const Expr component : v) {
        sum = graph.add(sum, graph.square(component));
    }
    return graph.apply(Op::kSqrt, sum);
}

std::vector<sym::Replacement> reaction_values(Model& model, std::vector<Row>& rows) {
    std::vector<sym::Replacement> values;
    const bool wanted =
        !model.frictions.empty() || std::ranges::any_of(model.constraints, [](const Constraint& c) {
            return !c.reaction.empty();
        });
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

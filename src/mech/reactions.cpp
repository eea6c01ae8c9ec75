#include "mech/reactions.h"

#include <algorithm>

#include <fmt/format.h>

namespace ananke::mech {

using sym::Graph;
using sym::Op;

namespace {

Expr scaled_length(Graph& graph, const Row& row) {
    if (!row.directions.empty()) {
        return length(graph, row.directions.front().W);
    }
    if (!row.twists.empty()) {
        return length(graph, row.twists.front().tau);
    }
    Expr sum = graph.zero();
    for (const Entry& entry : row.A) {
        sum = graph.add(sum, graph.square(entry.value));
    }
    return graph.apply(Op::kSqrt, sum);
}

/// The force on the first point that the rows of a constraint act on.
Vec3 force_on_first_point(Graph& graph, const std::vector<const Row*>& rows) {
    Vec3 force{graph.zero(), graph.zero(), graph.zero()};
    int first = -1;
    for (const Row* row : rows) {
        for (const Direction& direction : row->directions) {
            first = first < 0 ? direction.point : std::min(first, direction.point);
        }
    }
    for (const Row* row : rows) {
        if (first < 0) {
            const auto k = static_cast<std::size_t>(row->component);
            force[k] = graph.mul(*row->lambda, scaled_length(graph, *row));
        }
        for (const Direction& direction : row->directions) {
            for (std::size_t k = 0; k < 3 && direction.point == first; ++k) {
                force[k] = graph.add(force[k], graph.mul(*row->lambda, direction.W[k]));
            }
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
        if (symbols.size() == 1) {
            values.push_back({symbols[0], own.empty()
                                              ? graph.zero()
                                              : graph.mul(*own.front()->lambda,
                                                          scaled_length(graph, *own.front()))});
        } else if (symbols.size() == 3) {
            const Vec3 force = force_on_first_point(graph, own);
            for (std::size_t k = 0; k < 3; ++k) {
                values.push_back({symbols[k], force[k]});
            }
        }
    }
    return values;
}

}  // namespace ananke::mech

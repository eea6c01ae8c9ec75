#include "sym/recipe.h"

#include <algorithm>

#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {

Recipe::Recipe(const Graph& graph, std::span<const Expr> given, std::span<const Expr> made) {
    const auto count = static_cast<std::uint32_t>(given.size());
    std::vector<Expr> fresh = reachable(graph, made);
    std::erase_if(fresh, [&](Expr e) { return place_of(given, e) < count; });
    const auto first_operation = std::stable_partition(
        fresh.begin(), fresh.end(), [&](Expr e) { return arity(graph.node(e).op) == 0; });
    leaves_.assign(fresh.begin(), first_operation);
    for (const Expr leaf : leaves_) {
        general_ =
            general_ && (graph.is_constant(leaf) || graph.is_symbol(leaf, SymbolKind::kParameter));
    }
    const std::span<const Expr> operations(first_operation, fresh.end());
    const auto leaves = static_cast<std::uint32_t>(leaves_.size());
    const auto place = [&](Expr e) {
        const std::uint32_t old = place_of(given, e);
        if (old < count) {
            return old;
        }
        const std::uint32_t leaf = place_of(leaves_, e);
        return count + (leaf < leaves ? leaf : leaves + place_of(operations, e));
    };
    for (const Expr e : operations) {
        const Node& node = graph.node(e);
        const int operands = arity(node.op);
        steps_.push_back({node.op, place(Expr{node.a}), operands > 1 ? place(Expr{node.b}) : 0,
                          operands > 2 ? place(Expr{node.c}) : 0});
    }
    for (const Expr e : made) {
        results_.push_back(place(e));
    }
}

std::span<const Expr> Recipe::follow(Graph& graph, std::span<const Expr> given) {
    values_.assign(given.begin(), given.end());
    values_.insert(values_.end(), leaves_.begin(), leaves_.end());
    for (const Step& step : steps_) {
        values_.push_back(
            rebuild(graph, step.op, values_[step.a], values_[step.b], values_[step.c]));
    }
    made_.clear();
    for (const std::uint32_t place : results_) {
        made_.push_back(values_[place]);
    }
    return made_;
}

}  // namespace ananke::sym

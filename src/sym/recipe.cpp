#include "sym/recipe.h"

#include <algorithm>

#include "base/ranges.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {

Recipe::Recipe(const Graph& graph, std::span<const Expr> given, std::span<const Expr> made)
    : Recipe(graph, given, made, graph.size()) {}

Recipe::Recipe(const Graph& graph, std::span<const Expr> given, std::span<const Expr> made,
               std::size_t known) {
    const auto count = static_cast<std::uint32_t>(given.size());
    std::vector<Expr> roots(made.begin(), made.end());
    for (auto id = static_cast<std::uint32_t>(known); id < graph.size(); ++id) {
        roots.push_back(Expr{id});
    }
    std::vector<Expr> fresh = reachable(graph, roots);
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
        add_operation(graph, node,
                      {place(Expr{node.a}), operands > 1 ? place(Expr{node.b}) : 0,
                       operands > 2 ? place(Expr{node.c}) : 0});
    }
    for (const Expr e : made) {
        results_.push_back(place(e));
    }
}

/// Arithmetic that stands in the graph has been through its rules, which look at structure and
/// numbers alone: they would leave it as it is under other names as well.
void Recipe::add_operation(const Graph& graph, const Node& node,
                           std::array<std::uint32_t, 3> places) {
    const int operands = arity(node.op);
    const bool ordered = node.op == Op::kAdd || node.op == Op::kMul;
    const bool plain = operands == 1 || ordered || node.op == Op::kSub || node.op == Op::kDiv ||
                       node.op == Op::kPow;
    const bool by_age =
        ordered && !graph.is_constant(Expr{node.a}) && !graph.is_constant(Expr{node.b});
    operations_.push_back({node.op, static_cast<std::uint8_t>(plain ? operands : 0), by_age,
                           places[0], places[1], places[2]});
}

std::span<const Expr> Recipe::follow(Graph& graph, std::span<const Expr> given) {
    values_.assign(given.begin(), given.end());
    append(values_, leaves_);
    values_.reserve(values_.size() + operations_.size());
    for (const Operation& operation : operations_) {
        const Expr a = values_[operation.a];
        const Expr b = values_[operation.b];
        values_.push_back(operation.plain == 2 ? graph.repeat(operation.op, a, b, operation.by_age)
                          : operation.plain == 1
                              ? graph.repeat(operation.op, a)
                              : rebuild(graph, operation.op, a, b, values_[operation.c]));
    }
    made_.clear();
    for (const std::uint32_t place : results_) {
        made_.push_back(values_[place]);
    }
    return made_;
}

}  // namespace ananke::sym

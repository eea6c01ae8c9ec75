// What is made of expressions, once per shape: for the others of that shape it is repeated with
// their names (sym/recipe.h).
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sym/graph.h"
#include "sym/recipe.h"
#include "sym/shape.h"
#include "sym/walk.h"

namespace ananke::sym {

/// For one way to make expressions, whose course depends on nothing but the shape of what is given.
class Repetition {
  public:
    /// `nodes`: all that may be used, ascending, with their operands. `roles`: those of them that
    /// are told apart by what they are used for, in an order of the caller's. `make()` returns a
    /// vector. What is made, and how the graph grows, is the same whether it is repeated or not.
    /// Valid until the next call.
    template <class Make>
    std::span<const Expr> operator()(Graph& graph, std::span<const Expr> nodes,
                                     std::span<const Expr> roles, Make&& make) {
        Shape shape = shape_of(graph, nodes);
        for (const Expr role : roles) {
            shape.push_back(place_of(nodes, role));
        }
        shape.push_back(static_cast<std::uint32_t>(roles.size()));
        if (const auto known = recipes_.find(shape); known != recipes_.end()) {
            return known->second.follow(graph, nodes);
        }
        const std::size_t size = graph.size();
        made_ = make();
        if (recipes_.size() < kMostRecipes) {
            if (Recipe recipe(graph, nodes, made_, size); recipe.is_general()) {
                recipes_.emplace(std::move(shape), std::move(recipe));
            }
        }
        return made_;
    }

  private:
    /// Bodies that are all different have nothing to repeat, and their recipes would fill memory.
    static constexpr std::size_t kMostRecipes = 256;

    std::unordered_map<Shape, Recipe, ShapeHash> recipes_;
    std::vector<Expr> made_;
};

}  // namespace ananke::sym

// How expressions are made from others, to be repeated with other names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

/// What is made from expressions of one shape. Places count the nodes that are given, then leaves
/// that are the same whatever the names, then operations.
class Recipe {
  public:
    /// `given` ascending, all of some expressions; `made` from them by operations of the graph.
    Recipe(const Graph& graph, std::span<const Expr> given, std::span<const Expr> made);
    /// The same, with all nodes that the graph has had since it had `known`: those that nothing of
    /// what is made needs are made again too, so that the graph grows as if there was no recipe.
    Recipe(const Graph& graph, std::span<const Expr> given, std::span<const Expr> made,
           std::size_t known);

    /// All names in what is made are given or are parameters, so that it can be repeated.
    bool is_general() const { return general_; }

    /// As made, from other nodes of the same shape. Valid until the next call.
    std::span<const Expr> follow(Graph& graph, std::span<const Expr> given);

  private:
    struct Operation {
        Op op;
        std::uint8_t plain;     ///< operands, if no rule of the graph applies to it, else 0
        bool by_age;            ///< the older operand first
        std::uint32_t a, b, c;  ///< places of operands
    };
    void add_operation(const Graph& graph, const Node& node, std::array<std::uint32_t, 3> places);

    std::vector<Expr> leaves_;
    std::vector<Operation> operations_;
    std::vector<std::uint32_t> results_;  ///< places
    bool general_ = true;
    std::vector<Expr> values_, made_;  ///< by place; of the last call
};

}  // namespace ananke::sym

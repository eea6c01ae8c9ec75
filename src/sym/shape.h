// The operations of an expression without the names of its variables: equal bodies of a model have
// equations of equal shape, so that what is found out about one need not be found out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

/// Operands are named by their places among the nodes. Numbers and parameters are what they are;
/// other symbols have only a kind.
using Shape = std::vector<std::uint32_t>;

struct ShapeHash {
    std::size_t operator()(const Shape& shape) const;
};

/// Of all nodes of some expressions, as reachable() gives them. Their order is part of the shape:
/// it decides how sums and products are written.
Shape shape_of(const Graph& graph, std::span<const Expr> nodes);

/// Place of a node among others in ascending order, or their number.
std::uint32_t place_of(std::span<const Expr> nodes, Expr e);

}  // namespace ananke::sym

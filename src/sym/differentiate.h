// Derivatives as graph transformations: one sweep over the nodes, never an expansion.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sym/graph.h"
#include "sym/walk.h"

namespace ananke::sym {

/// Partial derivative with respect to one symbol (forward sweep).
Expr derivative(Graph& graph, Expr f, Expr symbol);

/// Directional derivative: each symbol moves at the rate of its seed, all others rest (forward).
/// With q -> v, v -> a, t -> 1 it is the total time derivative.
Expr directional(Graph& graph, Expr f, std::span<const Replacement> seeds);

/// All partial derivatives at once (backward sweep); cost a small constant times the nodes of f.
std::vector<Expr> gradient(Graph& graph, Expr f, std::span<const Expr> symbols);

/// The first node without a derivative everywhere (abs, sign, min, max or a truth value) that
/// depends on one of the symbols; empty if f is smooth as far as its operations tell. A choice is
/// found by its condition: one whose condition does not depend on the symbols is no kink.
std::optional<Expr> find_kink(const Graph& graph, Expr f, std::span<const Expr> symbols);

}  // namespace ananke::sym

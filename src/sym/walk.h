// Walking a part of the graph without recursion.
#pragma once

#include <span>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

/// Every node that the roots depend on (themselves included), operands before users.
std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots);
std::vector<Expr> reachable(const Graph& graph, Expr root);

/// The symbols among them, in order of creation.
std::vector<Expr> symbols_of(const Graph& graph, Expr root);
bool depends_on_kind(const Graph& graph, Expr root, SymbolKind kind);

/// A symbol and what stands for it.
struct Replacement {
    Expr symbol;
    Expr value;
};
Expr substitute(Graph& graph, Expr root, std::span<const Replacement> replacements);

/// The summands of a sum (signs included), left to right: a + b - c gives a, b, -c.
std::vector<Expr> summands(Graph& graph, Expr root);

/// Sum of the magnitudes of the terms: a - b becomes |a| + |b|, a*b becomes |a|*|b|; a function or
/// a power counts as one term. The scale of the rounding errors of `root`.
Expr magnitude(Graph& graph, Expr root);

}  // namespace ananke::sym

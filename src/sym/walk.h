// Walking a part of the graph without recursion.
#pragma once

#include <span>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

/// Calls `visit` with each operand of a node, first to last.
template <class Visit>
void for_each_operand(const Node& node, Visit&& visit) {
    const int count = arity(node.op);
    if (count >= 1) {
        visit(Expr{node.a});
    }
    if (count >= 2) {
        visit(Expr{node.b});
    }
    if (count >= 3) {
        visit(Expr{node.c});
    }
}

/// Every node that the roots depend on (themselves included), operands before users.
/// Costs the size of what is reached, whatever the size of the graph.
std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots);
std::vector<Expr> reachable(const Graph& graph, Expr root);

/// Gives back the memory that walks of this thread keep: 4 bytes per node of the largest graph.
void forget_walks();

/// The symbols among them, in order of creation.
std::vector<Expr> symbols_of(const Graph& graph, Expr root);
std::vector<Expr> symbols_of(const Graph& graph, Expr root, SymbolKind kind);
bool depends_on_kind(const Graph& graph, Expr root, SymbolKind kind);

/// A symbol, or any other node, and what stands for it.
struct Replacement {
    Expr symbol;
    Expr value;
};
/// All at once: a replacement's value is not searched again.
Expr substitute(Graph& graph, Expr root, std::span<const Replacement> replacements);
Expr substitute(Graph& graph, Expr root, Expr symbol, Expr value);
/// root where these symbols are 0.
Expr without(Graph& graph, Expr root, std::span<const Expr> symbols);
/// root where all symbols of this kind are 0.
Expr without(Graph& graph, Expr root, SymbolKind kind);

/// The operation of a node over other operands (b, c unused where it has fewer), in canonical form.
Expr rebuild(Graph& graph, Op op, Expr a, Expr b = {}, Expr c = {});

/// The summands of a sum (signs included), left to right: a + b - c gives a, b, -c. A sum that is
/// used twice is opened once: its terms come with a factor.
std::vector<Expr> summands(Graph& graph, Expr root);

/// Sum of the magnitudes of the terms: a - b becomes |a| + |b|, a*b becomes |a|*|b|; a/b
/// becomes |a|/|b| with b as one term; a function or a power counts as one term. The scale of the
/// rounding errors of `root`.
Expr magnitude(Graph& graph, Expr root);

}  // namespace ananke::sym

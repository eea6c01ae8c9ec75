// An equation solved for one of its symbols, where that is possible in closed form.
#pragma once

#include <optional>

#include "sym/evaluate.h"
#include "sym/graph.h"

namespace ananke::typeset {

struct Isolated {
    sym::Expr value;      ///< of the symbol, free of it
    bool branch = false;  ///< one of several roots: the one nearest to the state
};

/// f = 0 solved for x: f of first or second degree in x, or x in a single place under operations
/// with an inverse (sums, products, powers, roots, exp, log). `at` gives every symbol of f a
/// value; it decides between roots. Nothing when f is none of these, or has no root there.
std::optional<Isolated> isolate(sym::Graph& graph, sym::Expr f, sym::Expr x,
                                const sym::Values<double>& at);

}  // namespace ananke::typeset

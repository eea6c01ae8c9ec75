// The reference evaluation: slow, plain, in double or long double. Faster tiers are checked by it.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

template <class Real>
using Values = std::unordered_map<Expr, Real>;  ///< of symbols

/// Values of the roots. Requires a value for every symbol they depend on.
template <class Real>
std::vector<Real> evaluate(const Graph& graph, std::span<const Expr> roots,
                           const Values<Real>& symbols);

template <class Real>
Real evaluate(const Graph& graph, Expr root, const Values<Real>& symbols) {
    return evaluate<Real>(graph, std::span<const Expr>(&root, 1), symbols).front();
}

extern template std::vector<double> evaluate<double>(const Graph&, std::span<const Expr>,
                                                     const Values<double>&);
extern template std::vector<long double> evaluate<long double>(const Graph&, std::span<const Expr>,
                                                               const Values<long double>&);

}  // namespace ananke::sym

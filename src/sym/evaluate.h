// The reference evaluation: slow, plain, in double or long double. Faster tiers are checked by it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sym/graph.h"

namespace ananke::sym {

template <class Real>
using Values = std::unordered_map<Expr, Real>;  ///< of symbols

/// Some roots as a list of operations, for many values of their symbols.
template <class Real>
class Evaluation {
  public:
    Evaluation(const Graph& graph, std::span<const Expr> roots);

    /// Values of the roots. Requires a value for every symbol they depend on.
    std::vector<Real> operator()(const Values<Real>& symbols);

  private:
    struct Symbol {
        Expr e;
        std::uint32_t place;
    };
    struct Operation {
        Op op;
        std::uint32_t place, a, b, c;
    };
    std::vector<Symbol> symbols_;
    std::vector<Operation> operations_;
    std::vector<Real> values_;  ///< by place; constants stay
    std::vector<std::uint32_t> roots_;
};

extern template class Evaluation<double>;
extern template class Evaluation<long double>;

/// The same once.
template <class Real>
std::vector<Real> evaluate(const Graph& graph, std::span<const Expr> roots,
                           const Values<Real>& symbols) {
    return Evaluation<Real>(graph, roots)(symbols);
}

template <class Real>
Real evaluate(const Graph& graph, Expr root, const Values<Real>& symbols) {
    return evaluate<Real>(graph, std::span<const Expr>(&root, 1), symbols).front();
}

}  // namespace ananke::sym

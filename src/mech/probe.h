// Numbers at which expressions are evaluated where their symbols alone do not decide.
#pragma once

#include <span>
#include <vector>

#include "mech/model.h"
#include "sym/evaluate.h"
#include "sym/node_map.h"

namespace ananke::mech {

using Real = long double;
using RealValues = sym::Values<Real>;

/// Values of symbols: the parameters as given, the rest by sample. Sample 0 is the initial state at
/// t = 0; the others are pseudo-random around it, the same in every run.
class Probe {
  public:
    static constexpr int kInitial = 0;

    Probe(const Model& model, std::span<const double> parameters);

    Real value(const sym::Graph& graph, Expr symbol, int sample) const;

    /// Values of all symbols that the roots depend on.
    RealValues values(const sym::Graph& graph, std::span<const Expr> roots, int sample) const;

    std::vector<Real> evaluate(const sym::Graph& graph, std::span<const Expr> roots,
                               int sample) const {
        return sym::evaluate<Real>(graph, roots, values(graph, roots, sample));
    }
    Real evaluate(const sym::Graph& graph, Expr e, int sample) const {
        return evaluate(graph, std::span(&e, 1), sample).front();
    }

  private:
    sym::NodeMap<Real> fixed_;    ///< parameters
    sym::NodeMap<Real> initial_;  ///< coordinates and velocities
};

/// f moved to zero along its gradient by the given symbols (Newton's method, least change).
struct Zero {
    bool found = false;
    RealValues values;
    Real gradient_at_start = 0;  ///< largest entry
    Real gradient_at_end = 0;
};
Zero find_zero(const sym::Graph& graph, Expr f, Expr magnitude, std::span<const Expr> symbols,
               std::span<const Expr> gradient, RealValues start);

}  // namespace ananke::mech

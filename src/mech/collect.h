// Like terms of derived equations brought together.
//
// Differentiation leaves sums such as L*m*L*sin(p)*sin(p) + L*m*L*cos(p)*cos(p), and terms that
// cancel in disguise. collect() writes every product as a monomial (powers of the same factor
// gathered, factors in a fixed order), adds monomials that differ only by a number, and uses
// sin^2 + cos^2 = 1:
//
//   L*m*L*sin(p)*sin(p) + L*m*L*cos(p)*cos(p)   is   m*L^2
//   q*cos(p)*sin(p) - q*sin(p)*cos(p)           is   0
//
// A product of sums is multiplied out only where its parts then meet like terms and the whole gets
// shorter: k*(x1 - x2) stays, because k*x1 - k*x2 is longer and less accurate.
#pragma once

#include <unordered_map>

#include "sym/graph.h"
#include "sym/recipe.h"
#include "sym/shape.h"

namespace ananke::mech {

sym::Expr collect(sym::Graph& graph, sym::Expr e);

/// Collects many expressions of one graph, by its formal rules only where these hold. Expressions
/// that differ only by the names of their variables, like the equations of equal bodies, are
/// collected once and then renamed.
class Collector {
  public:
    explicit Collector(sym::Graph& graph) : graph_(&graph) {}

    sym::Expr operator()(sym::Expr e);

  private:
    sym::Graph* graph_;
    std::unordered_map<sym::Shape, sym::Recipe, sym::ShapeHash> recipes_;
};

}  // namespace ananke::mech

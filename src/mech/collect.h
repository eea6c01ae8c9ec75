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

#include "sym/graph.h"

namespace ananke::mech {

sym::Expr collect(sym::Graph& graph, sym::Expr e);

}  // namespace ananke::mech

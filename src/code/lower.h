// Expressions to a straight-line program.
//
// Common subexpressions are computed once, also those that lowering itself makes; what no output
// needs is gone; constant parts (2*pi, sin(1)) are folded in double with the functions that the
// tiers call; fma is chosen here and nowhere else (schedule.h states the rule).
//
// Powers. For an exact exponent n with |n| <= 32, x^n is made of products (x^-n = 1/x^n), and
// x^(n/2) of these and one square root: x^(3/2) = x*sqrt(x). Other exponents call pow. The
// products agree with the power to (|n| - 1)/2 + 1 ulp or so, and x^-n is 0 or infinite where x^n
// leaves the range of double.
//
// Both sides of a choice are evaluated; the value of the other side is dropped, even if NaN.
//
// Two graphs that hold the same expressions, up to the order of the two operands of each sum and
// product, lower to the same program whatever else they hold and in whatever order they were built.
#pragma once

#include <span>

#include "code/program.h"
#include "sym/graph.h"

namespace ananke::code {

/// Requires that `inputs` are distinct symbols and hold every symbol that an output depends on.
/// Cost: proportional to the nodes that the outputs depend on, and one word per node of the graph.
Program lower(const sym::Graph& graph, std::span<const sym::Expr> inputs,
              std::span<const sym::Expr> outputs);

}  // namespace ananke::code

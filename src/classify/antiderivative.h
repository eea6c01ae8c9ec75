// Antiderivatives in closed form, for the terms that occur in constraints on the velocities.
#pragma once

#include <optional>

#include "sym/graph.h"

namespace ananke::classify {

/// F with dF/dx = f: sums of c x^n exp(a x + b) sin(w x + p) (each factor may be absent, products
/// of sines and cosines are taken apart), and u^r, sinh(u), cosh(u) times a multiple of du/dx; c,
/// a, b, w, p, r free of x. Empty for anything else. Denominators such as a^2 + w^2 are taken not
/// to vanish: check the result in numbers.
std::optional<sym::Expr> antiderivative(sym::Graph& graph, sym::Expr f, sym::Expr x);

}  // namespace ananke::classify

// A linear form of the velocities as text, without the factors that do not matter.
#pragma once

#include <span>
#include <string>

#include "mech/probe.h"

namespace ananke::classify {

using mech::Real;
using sym::Expr;

/// "x' + z*y' = 0" of a form l that is linear in `velocities`; a common factor is divided out.
std::string linear_text(sym::Graph& graph, Expr l, std::span<const Expr> velocities);

/// The same from numbers: coefficients of the velocities, then the constant.
std::string linear_text(const sym::Graph& graph, std::span<const Expr> velocities,
                        std::span<const Real> coefficients);

}  // namespace ananke::classify

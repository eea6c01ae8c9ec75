// Expressions as a person writes them.
#pragma once

#include <cstdint>
#include <string>

#include "sym/graph.h"

namespace ananke::sym {

enum class Notation : std::uint8_t {
    kText,   ///< the modelling language: m*g*sin(th), x'^2/2
    kLatex,  ///< m\,g\,\sin\theta, \frac{1}{2}\dot{x}^{2}
    kC,      ///< C99 with <math.h>; symbols as identifiers (c_name)
};

std::string print(const Graph& graph, Expr e, Notation notation = Notation::kText);

/// The C identifier of a symbol: x' is x_dot, q[3] is q_3, θ is theta.
std::string c_name(const Symbol& symbol);
std::string latex_name(const Symbol& symbol);

}  // namespace ananke::sym

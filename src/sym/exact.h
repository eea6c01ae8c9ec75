// Arithmetic of small exact fractions. Every operation answers nothing when the result does not
// fit: numerator and denominator stay within 2^53, so that the nearest double of p/q is one
// division away.
#pragma once

#include <optional>
#include <string_view>

#include "sym/graph.h"

namespace ananke::sym {

__extension__ typedef __int128 Wide;  // products of two 64-bit integers

std::optional<Constant> make_fraction(Wide numerator, Wide denominator);
std::optional<Constant> exact_add(const Constant& a, const Constant& b);
std::optional<Constant> exact_mul(const Constant& a, const Constant& b);
std::optional<Constant> exact_div(const Constant& a, const Constant& b);  ///< nothing if b is 0
std::optional<Constant> exact_pow(const Constant& a, std::int64_t exponent);
std::optional<Constant> exact_sqrt(const Constant& a);  ///< of squares of fractions only
Constant exact_neg(const Constant& a);
int exact_compare(const Constant& a, const Constant& b);  ///< -1, 0, 1

/// The number a decimal literal means, with its exact fraction where that is small.
Constant parse_literal(std::string_view text);

}  // namespace ananke::sym

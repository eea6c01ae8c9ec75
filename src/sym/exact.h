// Arithmetic of small exact fractions. Every operation answers nothing when the result does not
// fit: numerator and denominator stay within 2^53, so that the nearest double of p/q is one
// division away.
#pragma once

#include <optional>
#include <string_view>

#include "sym/graph.h"

namespace ananke::sym {

__extension__ typedef __int128 Wide;  // products of two 64-bit integers

std::optional<Number> make_fraction(Wide numerator, Wide denominator);
std::optional<Number> exact_add(const Number& a, const Number& b);
std::optional<Number> exact_mul(const Number& a, const Number& b);
std::optional<Number> exact_div(const Number& a, const Number& b);  ///< nothing if b is 0
std::optional<Number> exact_pow(const Number& a, std::int64_t exponent);
std::optional<Number> exact_sqrt(const Number& a);  ///< of squares of fractions only
Number exact_neg(const Number& a);
int exact_compare(const Number& a, const Number& b);  ///< -1, 0, 1

/// The number a decimal literal means, with its exact fraction where that is small.
Number parse_literal(std::string_view text);

}  // namespace ananke::sym

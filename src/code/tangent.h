// The derivative of a straight-line program along a direction, as a straight-line program.
//
//   y = f(x)   becomes   dy = f'(x) dx
//
// Forward differentiation, operation by operation: about three times the operations of f. A matrix
// of derivatives is made by running it with one direction per lane.
//
// Where f has a kink (abs, sign, min, max, a choice) the derivative is that of the side the values
// are on; comparisons have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "code/program.h"

namespace ananke::code {

/// Inputs: those of f, then one rate for each of `active`, which name inputs of f; the others do
/// not change. Outputs: the rates of the first `outputs` outputs of f.
Program tangent(const Program& program, std::span<const std::uint32_t> active, std::size_t outputs);

}  // namespace ananke::code

// The sums of a step of DOP853 over arrays of numbers, in fused multiply-adds (one rounding per
// term) of the processor where it has them and of the mathematics library where it has not: the
// bits are the same.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "ode/dop853_formulas.h"

namespace ananke::ode {

struct Dop853Sums {
    /// out = y + h sum_j a_ij k_j. Stage j starts at k + j stride.
    using Advance = void (*)(std::span<const double> y, double h, const double* k,
                             std::size_t stride, double* out);
    /// The end of the step, and its error.
    using Finish = void (*)(std::span<const double> y, double h, const double* k,
                            std::size_t stride, const double* atol, double rtol, double* y_new,
                            dop853::ErrorSums<double>& sums);

    /// By stage.
    std::array<Advance, dop853::kStages> advance;
    Finish finish;
};

/// Of this processor.
const Dop853Sums& dop853_sums();
/// Of any.
const Dop853Sums& portable_dop853_sums();

}  // namespace ananke::ode

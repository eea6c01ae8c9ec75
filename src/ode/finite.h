// Whether numbers are numbers.
#pragma once

#include <span>

namespace ananke::ode {

/// None is infinite or NaN.
inline bool all_finite(std::span<const double> values) {
    double zeros = 0.0;
    for (const double value : values) {
        zeros += 0.0 * value;
    }
    return zeros == 0.0;
}

}  // namespace ananke::ode

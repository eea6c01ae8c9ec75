// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace ananke::io {

/// A stretch of an axis with ticks at multiples of `step`.
struct Axis {
    double low;
    double high;
    double step;
    int decimals;  ///< of the tick labels; -1: scientific

    double fraction(double value) const { return (value - low) / (high - low); }
    std::string label(double value) const;
    /// All multiples of `step` from low to high.
    std::vector<double> ticks() const;
};

/// `widen`: the ends move out to ticks. About `ticks` of them.
Axis make_axis(double low, double high, double ticks, bool widen);

}  // namespace ananke::io

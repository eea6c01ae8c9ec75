// Round numbers along an axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ananke::io {

/// The smallest and the largest of some values.
struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return !(high >= low); }
};

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

/// Where an axis ends: at the given values, or at the ticks next to them.
enum class Ends : std::uint8_t { kGiven, kTicks };
/// With about `ticks` ticks.
Axis make_axis(double low, double high, double ticks, Ends ends);

}  // namespace ananke::io

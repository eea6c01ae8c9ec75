#include "io/ticks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ananke::io {
namespace {

double round_step(double span, double wanted) {
    const double raw = span / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1.0 - 1e-12)) {
            return factor * power;
        }
    }
    return 10.0 * power;
}

}  // namespace

std::string Axis::label(double value) const {
    if (std::abs(value) < 1e-9 * (high - low)) {
        value = 0.0;
    }
    return decimals < 0 ? fmt::format("{:.6g}", value) : fmt::format("{:.{}f}", value, decimals);
}

std::vector<double> Axis::ticks() const {
    std::vector<double> result;
    const double first = std::ceil(low / step - 1e-9);
    for (double k = first; k * step <= high + 1e-9 * (high - low); k += 1.0) {
        result.push_back(k * step);
    }
    return result;
}

Axis make_axis(double low, double high, double ticks, Ends ends) {
    const double magnitude = std::max(std::abs(low), std::abs(high));
    if (!(high - low > 1e-12 * magnitude)) {  // constant: give it room on both sides
        const double room = magnitude > 0.0 ? 0.5 * magnitude : 1.0;
        low -= room;
        high += room;
    }
    Axis axis{low, high, round_step(high - low, ticks), 0};
    if (ends == Ends::kTicks) {
        axis.low = axis.step * std::floor(low / axis.step + 1e-9);
        axis.high = axis.step * std::ceil(high / axis.step - 1e-9);
    }
    const int exponent = static_cast<int>(std::floor(std::log10(axis.step) + 1e-9));
    const bool readable = exponent >= -4 && magnitude < 1e6;
    axis.decimals = readable ? std::max(0, -exponent) : -1;
    return axis;
}

}  // namespace ananke::io

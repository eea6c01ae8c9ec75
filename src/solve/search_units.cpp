#include "solve/search_units.h"

#include <algorithm>

#include "solve/projection.h"

namespace ananke::solve {
namespace {

/// Rows hand units on to each other; a chain whose rows stand in the wrong order needs a pass for
/// each of its links.
constexpr int kMostPasses = 40;
/// Of two: squares of larger numbers overflow.
constexpr int kLargestExponent = 500;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

bool is_unknown(double unit) {
    return !(unit > 0.0);
}

/// Units that rows tell; false if none became known.
bool pass_on(std::span<const double> residuals, std::span<const Slope> slopes,
             std::vector<double>& units) {
    std::vector<double> told(units.size(), 0.0);
    for (std::size_t begin = 0; begin < slopes.size();) {
        std::size_t end = begin;
        double known = std::abs(residuals[at(slopes[begin].row)]);
        for (; end < slopes.size() && slopes[end].row == slopes[begin].row; ++end) {
            const double unit = units[at(slopes[end].column)];
            known += is_unknown(unit) ? 0.0 : std::abs(slopes[end].value) * unit;
        }
        for (std::size_t i = begin; i < end && known > 0.0; ++i) {
            const std::size_t j = at(slopes[i].column);
            const double unit = std::max(known / std::abs(slopes[i].value), kLeastSize);
            if (is_unknown(units[j]) && std::isfinite(unit)) {
                told[j] = is_unknown(told[j]) ? unit : std::min(told[j], unit);
            }
        }
        begin = end;
    }
    bool any = false;
    for (std::size_t j = 0; j < units.size(); ++j) {
        if (is_unknown(units[j]) && !is_unknown(told[j])) {
            units[j] = told[j];
            any = true;
        }
    }
    return any;
}

}  // namespace

std::vector<double> search_units(
    std::span<const double> x, std::span<const double> sizes, std::span<const double> residuals,
    std::span<const Slope> slopes,
    const std::function<std::vector<double>(std::span<const double>)>& residuals_at) {
    std::vector<double> units(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        units[i] = std::max(std::abs(x[i]), sizes.empty() ? 0.0 : sizes[i]);
    }
    for (int pass = 0; pass < kMostPasses && pass_on(residuals, slopes, units); ++pass) {
    }
    if (std::none_of(units.begin(), units.end(), is_unknown)) {
        return units;
    }
    // Rows that are met change by half of nothing at any distance: none would be found.
    const bool any = std::any_of(residuals.begin(), residuals.end(),
                                 [](double residual) { return std::abs(residual) > 0.0; });
    std::vector<double> moved(x.begin(), x.end());
    double found = any ? 0.0 : 1.0;
    for (int exponent = -kLargestExponent; exponent <= kLargestExponent && found == 0.0;
         ++exponent) {
        const double unit = std::ldexp(1.0, exponent);
        for (std::size_t i = 0; i < x.size(); ++i) {
            moved[i] = x[i] + (is_unknown(units[i]) ? unit * golden_spread(i + 1) : 0.0);
        }
        const std::vector<double> after = residuals_at(moved);
        for (std::size_t k = 0; k < residuals.size(); ++k) {
            const double before = std::abs(residuals[k]);
            if (before > 0.0 && std::abs(after[k] - residuals[k]) >= 0.5 * before) {
                found = unit;
            }
        }
    }
    std::replace_if(units.begin(), units.end(), is_unknown, found > 0.0 ? found : 1.0);
    return units;
}

}  // namespace ananke::solve

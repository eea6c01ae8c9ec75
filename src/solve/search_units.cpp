#include "solve/search_units.h"

#include <algorithm>

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
bool pass_on(const ConstraintLevel& level, std::vector<double>& units) {
    const std::span<const SparsePlace> places = level.places();
    const auto each_entry = [&](auto&& visit) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double size = std::abs(level.entries()[i]);
            if (places[i].row < level.rows() && size > 0.0 && std::isfinite(size)) {
                visit(at(places[i].row), at(places[i].column), size);
            }
        }
    };
    std::vector<double> known(level.residuals().begin(), level.residuals().end());
    for (double& one : known) {
        one = std::abs(one);
    }
    each_entry([&](std::size_t row, std::size_t column, double size) {
        known[row] += is_unknown(units[column]) ? 0.0 : size * units[column];
    });
    std::vector<double> told(units.size(), 0.0);
    each_entry([&](std::size_t row, std::size_t column, double size) {
        const double unit = std::max(known[row] / size, kLeastSize);
        if (known[row] > 0.0 && is_unknown(units[column]) && std::isfinite(unit)) {
            told[column] = is_unknown(told[column]) ? unit : std::min(told[column], unit);
        }
    });
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

std::vector<double> search_units(ConstraintSurface& surface, const LevelState& state) {
    const std::span<double> x = state.x();
    const std::span<const double> sizes = surface.sizes(state.level, x.data());
    std::vector<double> units(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        units[i] = std::max(std::abs(x[i]), sizes.empty() ? 0.0 : sizes[i]);
    }
    ConstraintLevel level(surface);
    level.evaluate(state.level, state.t, state.q, state.v);
    for (int pass = 0; pass < kMostPasses && pass_on(level, units); ++pass) {
    }
    if (std::none_of(units.begin(), units.end(), is_unknown)) {
        return units;
    }
    const std::vector<double> residuals(level.residuals().begin(), level.residuals().end());
    // Rows that are met change by half of nothing at any distance: none would be found.
    const bool any = std::any_of(residuals.begin(), residuals.end(),
                                 [](double residual) { return std::abs(residual) > 0.0; });
    const std::vector<double> values(x.begin(), x.end());
    double found = any ? 0.0 : 1.0;
    for (int exponent = -kLargestExponent; exponent <= kLargestExponent && found == 0.0;
         ++exponent) {
        const double unit = std::ldexp(1.0, exponent);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = values[i] + (is_unknown(units[i]) ? unit * golden_spread(i + 1) : 0.0);
        }
        level.evaluate(state.level, state.t, state.q, state.v);
        for (std::size_t k = 0; k < residuals.size(); ++k) {
            const double before = std::abs(residuals[k]);
            if (before > 0.0 && std::abs(level.residuals()[k] - residuals[k]) >= 0.5 * before) {
                found = unit;
            }
        }
    }
    std::copy(values.begin(), values.end(), x.begin());
    std::replace_if(units.begin(), units.end(), is_unknown, found > 0.0 ? found : 1.0);
    return units;
}

}  // namespace ananke::solve

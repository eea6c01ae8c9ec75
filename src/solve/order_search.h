// What the searches for an order of elimination share.
#pragma once

#include <vector>

#include "solve/elimination_order.h"

namespace ananke::solve {

/// A row's pivot is at least this part of the row's largest entry, in units of the coordinates.
constexpr double kLargePart = 0.2;

/// What must be left of the mass of a coordinate to count as safely positive.
constexpr double kSafeMass = 1e-8;

/// Larger systems of bodies are not searched as a whole.
constexpr int kSmall = 60;

using Numbers = Elimination<double>;

inline Numbers load(const SparseSystem& at) {
    Numbers numbers(at.n, at.m);
    for (const SparseEntry& one : at.mass) {
        numbers.set(one.row, one.column, one.value);
    }
    for (const SparseEntry& one : at.rows) {
        numbers.set(at.n + one.row, one.column, one.value);
    }
    return numbers;
}

inline double degree(const Numbers& numbers, int i) {
    return static_cast<double>(numbers.links(i).size());
}

inline std::vector<double> mass_units(const SparseSystem& at) {
    std::vector<double> units;
    units.reserve(at.scale.size());
    for (const double scale : at.scale) {
        units.push_back(1.0 / (scale * scale));
    }
    return units;
}

}  // namespace ananke::solve

// Where a motion goes on from two of its states: the polynomial of degree 5 with the positions,
// velocities and accelerations of both.
#pragma once

#include <cstddef>
#include <span>

namespace ananke::simulate {

struct PathState {
    double t;
    std::span<const double> y;      ///< q (n), v (n), and whatever else
    std::span<const double> slope;  ///< y'
};

/// q and v at t; what else there is follows its slope at the later state.
void follow_quintic(const PathState& before, const PathState& now, std::size_t n, double t,
                    std::span<double> y);

}  // namespace ananke::simulate

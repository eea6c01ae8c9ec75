// The exact motion of mechanisms that are one bar turning in the gravity field:
// theta'' = -k cos(theta), theta from the horizontal.
#pragma once

namespace ananke::bench {

struct Turning {
    double angle = 0.0;
    double rate = 0.0;
};

/// By Taylor series in extended precision: good to the last digits of a double.
Turning turning_bar(double k, Turning start, double t);

/// k of N four-bars side by side, all bars alike, slender, of length 1: N + 1 turn, N move along.
double four_bar_constant(int four_bars);

}  // namespace ananke::bench

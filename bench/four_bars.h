// N four-bars side by side with all joints in three dimensions: 2N + 1 bodies, 3N + 1 revolute
// joints, 3N redundant rows. One acceleration, and 10 s from upright through the flat positions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "motion.h"
#include "table.h"

namespace ananke::bench {

/// Bars of length 1 and mass 1; the turning ones `tilt` radians from upright, their tips moving
/// with 1 m/s. `uneven`: the guesses of their velocities differ by such parts, and assembly finds
/// what fits together.
std::string four_bars_text(int four_bars, double tilt, double uneven = 0.0);

struct FourBarsAcceleration {
    int four_bars = 0;
    std::size_t operations = 0;  ///< of the program, 0 where the solver answers
    double seconds = 0.0;
    double first_step = 0.0;  ///< seconds from the text
    double error = 0.0;       ///< of the angular accelerations, relative
};

/// 30 degrees from upright; the error is that of the formula.
Result<FourBarsAcceleration> time_four_bars_acceleration(int four_bars);

/// The error is that of the tip B0. `asymmetric`: tilted a little and with uneven guesses.
Result<MotionTime> time_four_bars_motion(int four_bars, bool asymmetric = false);

struct FourBarsTimes {
    FourBarsAcceleration acceleration;
    MotionTime motion;
};

/// For ascending numbers of four-bars. Once a motion has been stopped, larger ones are not tried.
Result<std::vector<FourBarsTimes>> time_four_bars(const std::vector<int>& sizes);

Table four_bars_table(const std::vector<FourBarsAcceleration>& times);

}  // namespace ananke::bench

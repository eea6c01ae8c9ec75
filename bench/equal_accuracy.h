// Runs at equal accuracy: every integrator at the loosest tolerance with which it ends within the
// goal.
#pragma once

#include <string>
#include <vector>

#include "models.h"
#include "replay.h"
#include "table.h"

namespace ananke::bench {

struct Contender {
    std::string model;
    std::string integrator;
    double goal = 0.0;       ///< for the error at the end
    double tolerance = 0.0;  ///< 0 if none met the goal
    RunTime run = {};        ///< with that tolerance, or with the tightest
};

/// Ours, the hand-written loop, and SUNDIALS where it is installed; ours comes first.
std::vector<Contender> race_to(const BenchModel& model, double goal);

Table equal_accuracy_table(const std::vector<Contender>& contenders);

}  // namespace ananke::bench

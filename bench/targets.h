// The targets of the project beside what was measured.
#pragma once

#include <vector>

#include "code_generation.h"
#include "equal_accuracy.h"
#include "four_bars.h"
#include "motion.h"
#include "report.h"
#include "table.h"

namespace ananke::bench {

struct Measurements {
    std::vector<ModelReport> models;
    std::vector<Contender> contenders;
    std::vector<FirstStep> first_steps;
    std::vector<double> first_looks;
    std::vector<Emission> emissions;
    std::vector<ChainTime> chains;
    std::vector<MotionTime> mechanisms;
    std::vector<FourBarsAcceleration> four_bars;
    std::vector<MotionTime> four_bars_motions;
};

Table target_table(const Measurements& measured);

}  // namespace ananke::bench

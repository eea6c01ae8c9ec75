// The IFToMM benchmark problems A01 to A05, and the bicycle.
#pragma once

#include <vector>

#include "base/result.h"
#include "motion.h"
#include "table.h"

namespace ananke::bench {

Result<std::vector<MotionTime>> time_mechanisms();

/// Of any motions.
Table motion_table(std::string title, std::string note, const std::vector<MotionTime>& times);

}  // namespace ananke::bench

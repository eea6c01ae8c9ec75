// One acceleration of chains of bodies on ball joints, in the redundant coordinates of the model:
// seven per body, every joint a constraint.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace ananke::bench {

struct ChainTime {
    int bodies = 0;
    bool closed = false;         ///< the tip stays in a plane
    std::size_t operations = 0;  ///< of the program
    double acceleration = 0.0;   ///< seconds
    double first_step = 0.0;     ///< seconds from the text to the first acceleration
    double disagreement = 0.0;   ///< with the dense solver, from 215 bodies on with KLU, relative
};

Result<std::vector<ChainTime>> time_chains();

}  // namespace ananke::bench

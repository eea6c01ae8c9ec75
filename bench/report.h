// What was measured as tables.
#pragma once

#include <string>
#include <vector>

#include "chains.h"
#include "models.h"
#include "replay.h"
#include "table.h"

namespace ananke::bench {

struct ModelReport {
    std::string name;
    double disagreement = 0.0;
    Breakdown parts;
    RunTime ours, ours_free;                  ///< with and without projection
    RunTime hand, hand_free;                  ///< the hand-written loop, closed form
    RunTime solved, solved_free;              ///< and with a solve of fixed size
    RunTime hand_in_ours, hand_in_ours_free;  ///< the hand-written acceleration in ode::Dop853
    WayToFirstStep way;
};

std::vector<Table> model_tables(const std::vector<ModelReport>& reports);
Table chain_table(const std::vector<ChainTime>& chains);

}  // namespace ananke::bench

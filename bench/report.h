// The result of the benchmark as tables (Markdown, readable in a terminal) and as CSV.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "chains.h"
#include "models.h"
#include "replay.h"

namespace ananke::bench {

struct ModelReport {
    std::string name;
    double disagreement = 0.0;
    Breakdown parts;
    RunTime ours, ours_free;                  ///< with and without projection
    RunTime hand, hand_free;                  ///< the hand-written loop
    RunTime hand_in_ours, hand_in_ours_free;  ///< the hand-written acceleration in ode::Dop853
    WayToFirstStep way;
};

std::string tables(const std::vector<ModelReport>& reports);
std::string chain_table(const std::vector<ChainTime>& chains);
Result<void> write_csv(const std::vector<ModelReport>& reports,
                       const std::vector<ChainTime>& chains, const std::string& path);

}  // namespace ananke::bench

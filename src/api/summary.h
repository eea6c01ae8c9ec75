// The summary of a run, fact by fact.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ananke/run.h"

namespace ananke {

/// Label and sentence of each line of the summary, without the table of violations.
std::vector<std::pair<std::string, std::string>> summary_facts(const RunSummary& summary);

}  // namespace ananke

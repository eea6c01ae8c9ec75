// What a person is told at the end of a run.
#pragma once

#include <string>

#include "sim/run.h"

namespace ananke::cli {

std::string summary_text(const sim::RunSummary& summary, const sim::StartState& start);

}  // namespace ananke::cli

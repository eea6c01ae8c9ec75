// Which forces of constraint are determined by the motion, judged along a run and not at its start
// alone: an event may make constraints dependent.
#pragma once

#include <vector>

#include "compile/reactions.h"
#include "inspect/check.h"
#include "report/states.h"

namespace ananke::report {

struct Uniqueness {
    /// Per target of reactions: what is not unique at some state.
    std::vector<compile::ReactionShare> shares;
    std::vector<bool> lambda_unique;  ///< per row
};

/// Looks at the start and a few states after it; one that cannot be analysed is left out.
Uniqueness judge_uniqueness(const States& states, const inspect::CheckReport& check);

}  // namespace ananke::report

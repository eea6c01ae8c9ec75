// The equations of a model at the state where numeric choices about them are made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ananke/result.h"
#include "compile/prepare.h"
#include "mech/equations.h"
#include "solve/analysis.h"
#include "sym/evaluate.h"

namespace ananke {

/// Where the numeric choices (independent rows, pivots, M > 0) are made.
struct Judgement {
    sym::Values<double> at;
    std::vector<int> rows;
    bool mass_positive_definite = true;
    std::vector<std::string> notes;
    std::optional<Error> failure;  ///< why there is no acceleration
    std::vector<solve::DroppedRow> dropped;
};

/// At the assembled initial state, or beside it where it is a special one.
Judgement judge(const compile::Prepared& prepared);

/// The equations without frictions, which depend on multipliers and on stick or slip; the notes
/// tell their forces.
mech::Equations without_frictions(const compile::Prepared& prepared,
                                  std::vector<std::string>& notes);

/// Whether Q or C contain multipliers, so that no acceleration can be written out.
bool depend_on_reactions(const sym::Graph& graph, const mech::Equations& equations);

/// Their names, with commas.
std::string row_list(const mech::Equations& equations, const std::vector<int>& rows);

}  // namespace ananke

// Places where a force changes its law: comparisons, and sign, abs, min, max, in Q and C.
//
// A step over such a place sees two laws. So each comparison that moves with the state is replaced
// by a symbol, its truth, which stays as it is during a step; when a comparison has changed at the
// end of a step, the step is cut where it changed and the other law goes on from there.
#pragma once

#include <string>
#include <vector>

#include "mech/equations.h"
#include "mech/model.h"
#include "sym/graph.h"

namespace ananke::sim {

struct Switch {
    sym::Expr left, right;
    bool or_equal = false;  ///< left <= right, else left < right
    sym::Expr truth;        ///< the symbol that stands for it
    std::string text;       ///< "x < 0"
    bool listed = true;     ///< false: a choice of tangents, which changes no force
};

struct Switches {
    std::vector<Switch> list;
    std::vector<sym::Expr> Q, C;  ///< the forces with the symbols in place
    sym::Expr power;
};

Switches freeze_switches(mech::Model& model, const mech::Equations& equations);

}  // namespace ananke::sim

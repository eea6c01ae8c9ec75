// Places where a force changes its law: comparisons, and sign, abs, min, max, in Q and C.
//
// A step over such a place sees two laws. So each comparison left < right that moves is replaced by
// one of a symbol, the side of g = left - right, which stays as it is during a step; when g has
// changed its side inside a step, the step is cut where it changed and the other law goes on from
// there.
//
// Comparisons whose g are the same up to a number, however they are written, are one switch: a < b,
// b > a, 2*a - 2*b < 0, -(b - a) <= 0. They are compared at random places. Its side is -1, 0 or 1,
// the sign of g; where no comparison of the model tells zero from one of the sides it belongs to
// that side.
//
// A law need not be defined beyond its switch: (-z)^1.5 of a contact where z < 0 is not a number
// for z > 0, and a step that is to find the switch leads there. Where the law held for a step is
// not a number and that of the state's own sides is another one, that one is evaluated
// (Evaluator::take_own_law). It is the true law there. The error test sees the step as what it is,
// one over a place where the law is not smooth, and shortens it until it is right all the same.
//
// Comparisons of reactions switch like others. Their sides do not follow from the state alone: the
// reactions depend on the law. abs, min and max of reactions only bend, and are solved with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mech/equations.h"
#include "mech/model.h"
#include "sym/graph.h"

namespace ananke::compile {

struct Switch {
    /// What of it moves, and so what tells where it is heading.
    enum class Of : std::uint8_t { kPositions, kVelocities, kReactions };

    sym::Expr value;    ///< g, with the sides of other switches in place
    sym::Expr side;     ///< the symbol that stands for its sign
    int zero_side = 0;  ///< the side that zero belongs to; 0: to none
    std::string text;   ///< the comparison as it is first written: "x < 0"
    bool or_equal;      ///< it is left <= right, else left < right
    /// False: it changes no force by itself; a choice of tangents, or the place of other switches.
    bool listed = true;
    Of of = Of::kVelocities;
    /// d g/dt of velocities, d2 g/dt2 of positions (both hold accelerations), and its terms.
    sym::Expr rate, rate_magnitude;
    sym::Expr speed;      ///< d g/dt of positions, else 0
    sym::Expr magnitude;  ///< summed magnitudes of the terms of g

    int side_of(double g) const { return g < 0.0 ? -1 : g > 0.0 ? 1 : zero_side; }
    /// Whether the comparison of `text` is true on a side.
    bool is_true(int on) const { return on < 0 || (on == 0 && or_equal); }
};

struct Switches {
    std::vector<Switch> list;
    std::vector<sym::Expr> Q, C;  ///< the forces with the symbols in place
    sym::Expr power;
};

Switches freeze_switches(mech::Model& model, const mech::Equations& equations);

}  // namespace ananke::compile

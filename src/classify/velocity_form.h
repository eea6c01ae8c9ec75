// Whether f(q, v, t) = 0 is equivalent to linear equations in the velocities.
//
//   f = c + h.v + v.H v / 2     decided by the signs of the eigenvalues of H and of [H h; h 2c]:
//       of one sign             a sum of squares: H v + h = 0
//       one of each             a product of two linear forms
//   any other f                 flat where its second fundamental form vanishes at all zeros found
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mech/points.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Model, mech::Probe;
using sym::Expr;

/// Equations `l = 0`, as text.
using LinearTexts = std::vector<std::string>;

struct VelocityForm {
    enum class Kind : std::uint8_t {
        kGenuine,  ///< nonlinear, or not decidable
        kAlways,   ///< zero whatever the velocities are
        kNever,    ///< has no real zero
        kLinear,   ///< the equations of any of `alternatives` hold, all of them together
    };
    Kind kind = Kind::kGenuine;
    std::vector<LinearTexts> alternatives;
    bool degenerate = false;  ///< the gradient vanishes wherever f does
    bool at_start = false;    ///< the texts have numbers, taken at the start
};

/// `f` is over q, v, t; `written` is printed in its place where it is linear itself.
VelocityForm velocity_form(Model& model, const Probe& probe, Expr f, Expr written);

}  // namespace ananke::classify

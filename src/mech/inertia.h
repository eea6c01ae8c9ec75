// Lagrange's equation, term by term of the kinetic energy.
//
//   M = T_vv        Q = T_q - T_vq v - T_vt                                   THEORY section 1
//
// Each summand of a `kinetic` statement and each particle is an element of its own, differentiated
// with respect to the few coordinates it contains.
#pragma once

#include <vector>

#include "mech/equations.h"
#include "mech/points.h"

namespace ananke::mech {

/// All inertia elements: summands of `kinetic`, particles (m/2 |v|^2), and one for all `mass`
/// entries, whose T is v^T M v / 2 for reporting only: a `mass` statement means M a = Q, so it
/// contributes no T_q and no T_vq v.
std::vector<InertiaElement> inertia_elements(Model& model, const TimeFlow& flow,
                                             const PointTable& points);

/// Degree k with f(s v) = s^k f(v) for all s > 0, read off the operations; empty if f is not
/// homogeneous in the velocities by this rule. Zero counts as every degree: kAnyDegree.
constexpr double kAnyDegree = -1e9;
std::optional<double> velocity_degree(const sym::Graph& graph, Expr f);

/// The energy bookkeeping of THEORY section 6.
struct Energy {
    Expr kinetic, potential;
    Expr h;
    Expr power;
    bool kinetic_is_T_plus_V = true;
    bool time_free = true;  ///< T_t = V_t = 0, and no `mass` entry changes along the motion
};

/// `F` is the given force, without what comes from T and V.
Energy energy(Model& model, const TimeFlow& flow, const std::vector<InertiaElement>& elements,
              Expr potential, const std::vector<Expr>& F);

}  // namespace ananke::mech

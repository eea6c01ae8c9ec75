// Where an expression is zero, by the rules of its operations.
//
//   u^2 = 0, sqrt(u) = 0, c u = 0        is  u = 0
//   u w = 0                              is  u = 0 or w = 0
//   u^2 + w^2 + |z| = 0                  is  u = 0 and w = 0 and z = 0
#pragma once

#include <vector>

#include "mech/points.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Model, mech::PointTable, mech::Probe;
using sym::Expr;

/// All of `parts` are zero.
struct Alternative {
    std::vector<Expr> parts;
    bool degenerate = false;  ///< the gradient of the whole vanishes there: u^2, u^2 + w^2
};

/// The zeros of `written` (which may contain symbols of points) are those of any alternative.
/// Factors without velocities count as scaling: they are taken not to vanish.
std::vector<Alternative> zero_set(Model& model, const PointTable& points, const Probe& probe,
                                  Expr written);

}  // namespace ananke::classify

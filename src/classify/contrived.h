// Velocity constraints that only look nonlinear; RH sections 4.4 and 5.
//
//   x'*(x' + z*y') = 0               x' = 0 or x' + z*y' = 0
//   x'^2 + y'^2 = 0                  x' = 0 and y' = 0; the gradient vanishes
//   d.d = L^2, cross(v1, v2) = 0     on the rod: no turning, or no motion along it (Zekovich)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/velocity_form.h"
#include "mech/equations.h"
#include "mech/points.h"
#include "mech/probe.h"

namespace ananke::classify {

using mech::Equations, mech::PointTable, mech::Row;

struct Contrived {
    std::vector<LinearTexts> alternatives;  ///< one of them holds, all its equations together
    bool degenerate = false;                ///< the gradient vanishes wherever the constraint holds
    bool at_start = false;                  ///< coefficients are numbers, taken at the start
    std::vector<std::string> with;          ///< linear constraints used besides

    /// "x' = 0 or x' + z*y' = 0"
    std::string text() const;
};

/// Linear equations equivalent to a row that is nonlinear in the velocities, by itself or together
/// with the linear constraints that share its velocities. Empty if it is inherently nonlinear or if
/// that cannot be decided.
std::optional<Contrived> find_contrived(Model& model, const PointTable& points, const Probe& probe,
                                        const Equations& equations, const Row& row);

/// The warning about a contrived row.
Diagnostic contrived_warning(const Model& model, const Row& row, const Contrived& contrived);

}  // namespace ananke::classify

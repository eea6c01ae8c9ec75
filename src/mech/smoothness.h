// Whether an expression may be differentiated as often as the equations need it.
#pragma once

#include <string>
#include <vector>

#include "mech/model.h"
#include "mech/probe.h"

namespace ananke::mech {

/// What is differentiated, how often, and where it was written.
struct Differentiated {
    Expr value;
    int order;         ///< continuous derivatives needed: 1 or 2
    std::string what;  ///< "the potential", "constraint 'rod'"
    Span span;
};

/// Errors for operations that have no derivative everywhere: abs, sign, min, max and truth values
/// that depend on the motion are refused; an `if` is allowed where its two sides join smoothly,
/// which is tried at points of the switching surface.
void check_smooth(sym::Graph& graph, const Probe& probe, const Differentiated& item,
                  std::vector<Diagnostic>& diagnostics);

}  // namespace ananke::mech

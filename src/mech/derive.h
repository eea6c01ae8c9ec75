// From a model to its equations of motion.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "mech/equations.h"
#include "mech/model.h"

namespace ananke::mech {

struct Derivation {
    std::optional<Equations> equations;  ///< absent if there are errors
    std::vector<Diagnostic> diagnostics;
};

/// The equations of the model; new expressions are added to its graph. What only numbers show (a
/// negative mass, a kink of an `if`, a degenerate constraint) is probed with the parameters'
/// values.
Derivation derive(Model& model);

/// The same with other values of the parameters, in the order of the model.
Derivation derive(Model& model, std::span<const double> parameters);

}  // namespace ananke::mech

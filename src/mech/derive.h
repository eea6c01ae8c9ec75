// From a model to its equations of motion.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "mech/equations.h"
#include "mech/model.h"
#include "mech/points.h"

namespace ananke::mech {

struct Derivation {
    std::optional<Equations> equations;  ///< absent if there are errors before them
    std::vector<Diagnostic> diagnostics;
    std::vector<double> parameters;    ///< values, in the order of the model
    std::optional<PointTable> points;  ///< absent if there are errors before the motion of points
};

/// The equations of the model; new expressions are added to its graph. Kinds of constraints are
/// those that symbols alone show: classify/classify.h completes them.
Derivation derive(Model& model);

/// The same with other values of the parameters. They are needed where only numbers show whether a
/// function is smooth (the sides of an `if`).
Derivation derive(Model& model, std::vector<double> parameters);

}  // namespace ananke::mech

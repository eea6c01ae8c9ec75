#include "classify/classify.h"

#include <utility>

#include "classify/integrable.h"
#include "classify/row_kinds.h"
#include "classify/validate_equations.h"
#include "mech/probe.h"

namespace ananke::classify {

mech::Derivation classify(mech::Model& model, mech::Derivation derivation) {
    if (!derivation.equations) {
        return derivation;
    }
    const sym::Graph::Formal formal(model.graph);
    mech::Equations& equations = *derivation.equations;
    std::vector<Diagnostic>& diagnostics = derivation.diagnostics;
    const mech::Probe probe(model, derivation.parameters);

    validate_inertia(model, probe, equations, diagnostics);
    classify_rows(model, *derivation.points, probe, equations, diagnostics);
    find_integrals(model, probe, equations);
    validate_gauge(model, equations, diagnostics);
    validate_controls(model, equations, diagnostics);
    if (has_errors(diagnostics)) {
        derivation.equations.reset();
    }
    return derivation;
}

}  // namespace ananke::classify

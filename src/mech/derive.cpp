#include "mech/derive.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ranges.h"
#include "mech/collect.h"
#include "mech/controls.h"
#include "mech/event_expressions.h"
#include "mech/forces.h"
#include "mech/friction.h"
#include "mech/inertia.h"
#include "mech/points.h"
#include "mech/reactions.h"
#include "mech/rows.h"
#include "mech/validate.h"
#include "mech/values.h"

namespace ananke::mech {

using sym::Graph;

namespace {

std::vector<MassEntry> sum_masses(Graph& graph, Collector& collector,
                                  const std::vector<InertiaElement>& elements) {
    std::map<std::pair<int, int>, Expr> sums;
    for (const InertiaElement& element : elements) {
        for (const MassEntry& entry : element.M) {
            Expr& sum =
                sums.emplace(std::pair(entry.row, entry.column), graph.zero()).first->second;
            sum = graph.add(sum, entry.value);
        }
    }
    std::vector<MassEntry> M;
    for (const auto& [place, sum] : sums) {
        const Expr value = collector(sum);
        if (!graph.is_zero(value)) {
            M.push_back({place.first, place.second, value});
        }
    }
    return M;
}

GaugeChoice gauge_choice(Model& model, const PointTable& points, const std::vector<Row>& rows) {
    Graph& graph = model.graph;
    const Gauge& given = model.gauge;
    GaugeChoice gauge;
    gauge.alpha_given = given.alpha.has_value();
    gauge.alpha = given.alpha ? points.replace(graph, *given.alpha) : graph.one();
    if (given.G || !given.G_rows.empty()) {
        const Expr common = given.G ? points.replace(graph, *given.G) : graph.one();
        gauge.G_diagonal.assign(rows.size(), common);
    }
    if (!given.z_rows.empty()) {
        gauge.z.assign(rows.size(), graph.zero());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const Gauge::RowValue& value : given.G_rows) {
            if (value.constraint == rows[i].constraint) {
                gauge.G_diagonal[i] = points.replace(graph, value.value);
            }
        }
        for (const Gauge::RowValue& value : given.z_rows) {
            if (value.constraint == rows[i].constraint) {
                gauge.z[i] = points.replace(graph, value.value);
            }
        }
    }
    if (given.G_matrix) {
        const auto replaced = [&](Expr e) { return points.replace(graph, e); };
        gauge.G_matrix = transformed(*given.G_matrix, [&](const std::vector<Expr>& line) {
            return transformed(line, replaced);
        });
    }
    return gauge;
}

void add_named(Model& model, const TimeFlow& flow, const PointTable& points,
               const std::vector<sym::Replacement>& reactions, Equations& equations) {
    for (const Output& output : model.outputs) {
        equations.outputs.push_back({output.name, points.replace(model.graph, output.value)});
        if (!reactions.empty()) {
            Expr& value = equations.outputs.back().value;
            value = sym::substitute(model.graph, value, reactions);
        }
    }
    for (const Speed& speed : model.speeds) {
        equations.speeds.push_back({speed.name, points.replace(model.graph, speed.value)});
    }
    equations.points = points.points();
    equations.events = event_expressions(model, flow, points);
    equations.bodies = points.bodies();
}

bool all_zero(const Graph& graph, const std::vector<Expr>& values) {
    return std::ranges::all_of(values, [&](Expr e) { return graph.is_zero(e); });
}

void put_in(Graph& graph, const std::vector<sym::Replacement>& reactions,
            std::vector<Expr>& forces) {
    for (Expr& force : forces) {
        force = reactions.empty() ? force : sym::substitute(graph, force, reactions);
    }
}

Equations equations_of(Model& model, const TimeFlow& flow, const PointTable& points,
                       std::vector<Diagnostic>& diagnostics) {
    Graph& graph = model.graph;
    Equations equations;
    equations.n = static_cast<int>(model.coordinates.size());
    equations.elements = inertia_elements(model, flow, points);
    Collector collector(graph);
    equations.M = sum_masses(graph, collector, equations.elements);

    // Q = F + T_q - V_q - T_vq v - T_vt
    std::vector<Expr> F = generalized_forces(model, flow, points, model.forces);
    equations.Q = F;
    for (const InertiaElement& element : equations.elements) {
        for (const Entry& entry : element.Q) {
            Expr& Q_i = equations.Q[entry.column];
            Q_i = graph.add(Q_i, entry.value);
        }
    }
    const Expr potential = total_potential(model, points);
    equations.Q_of_potentials = subtract_gradient(model, flow, points, potential, equations.Q);
    // A force was written: its domain and range are kept.
    Collector written(graph);
    for (std::size_t i = 0; i < equations.Q.size(); ++i) {
        const bool formal = graph.is_zero(F[i]);
        const Graph::Formal rules(graph, formal);
        equations.Q[i] = formal ? collector(equations.Q[i]) : written(equations.Q[i]);
    }

    equations.C = generalized_forces(model, flow, points, model.nonideal);
    equations.rows = constraint_rows(model, flow, points);
    equations.controls = controls_of(model, flow, points);

    add_compliances(model, points.points(), equations.rows);
    equations.reactions = reaction_values(model, equations.rows);
    const std::vector<sym::Replacement>& reactions = equations.reactions;
    for (std::vector<Expr>* forces : {&F, &equations.Q, &equations.C}) {
        put_in(graph, reactions, *forces);
    }
    equations.frictions =
        friction_elements(model, flow, points, equations.rows, reactions, diagnostics);
    equations.C_given = equations.C;
    add_friction_forces(model, equations.frictions, equations.C);
    equations.has_nonideal = !model.nonideal.empty() || !equations.frictions.empty();

    const Energy balance = energy(model, flow, equations.elements, potential, F);
    equations.kinetic = balance.kinetic;
    equations.potential = balance.potential;
    equations.h = balance.h;
    equations.power = balance.power;
    equations.kinetic_is_T_plus_V = balance.kinetic_is_T_plus_V;
    equations.energy_projection_allowed =
        balance.time_free && all_zero(graph, F) && all_zero(graph, equations.C) &&
        equations.controls.empty() && std::ranges::all_of(equations.rows, &Row::homogeneous);
    equations.gauge = gauge_choice(model, points, equations.rows);
    add_named(model, flow, points, reactions, equations);
    return equations;
}

}  // namespace

Derivation derive(Model& model) {
    Result<std::vector<double>> parameters = parameter_values(model);
    if (!parameters) {
        Derivation failed;
        failed.diagnostics.push_back(parameter_diagnostic(model, parameters.error()));
        return failed;
    }
    return derive(model, std::move(parameters.value()));
}

Derivation derive(Model& model, std::vector<double> parameters) {
    const Graph::Formal formal(model.graph);
    Derivation derivation;
    derivation.parameters = std::move(parameters);
    std::vector<Diagnostic>& diagnostics = derivation.diagnostics;

    validate_symbols(model, diagnostics);
    if (has_errors(diagnostics)) {
        return derivation;
    }
    const TimeFlow flow(model);
    const PointTable& points = derivation.points.emplace(model, flow, diagnostics);
    if (has_errors(diagnostics)) {
        return derivation;
    }
    validate_smoothness(model, points, Probe(model, derivation.parameters), diagnostics);
    if (has_errors(diagnostics)) {
        return derivation;
    }
    derivation.equations = equations_of(model, flow, points, diagnostics);
    return derivation;
}

}  // namespace ananke::mech

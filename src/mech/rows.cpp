#include "mech/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mech/collect.h"
#include "mech/inertia.h"
#include "sym/differentiate.h"

namespace ananke::mech {

using sym::Graph;
using sym::SymbolKind;

namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Symbols of one kind in f.
std::vector<Expr> symbols_of_kind(const Graph& graph, Expr f, SymbolKind kind) {
    std::vector<Expr> symbols = sym::symbols_of(graph, f);
    std::erase_if(symbols, [&](Expr e) { return !graph.is_symbol(e, kind); });
    return symbols;
}

std::vector<Entry> row_entries(Model& model, const TimeFlow& flow, const Row& row) {
    Graph& graph = model.graph;
    const std::vector<Expr> symbols = symbols_of_kind(
        graph, row.residual, row.holonomic ? SymbolKind::kCoordinate : SymbolKind::kVelocity);
    const std::vector<Expr> values = sym::gradient(graph, row.residual, symbols);
    std::vector<Entry> A;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const Expr value = collect(graph, values[i]);
        if (!graph.is_zero(value)) {
            A.push_back({flow.coordinate_of(symbols[i]), value});
        }
    }
    std::sort(A.begin(), A.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return A;
}

/// Coordinates that are by themselves a Cartesian component of exactly one point.
struct Component {
    int point, axis;
};
std::unordered_map<Expr, Component> sole_components(const Model& model, const PointTable& points) {
    std::unordered_map<Expr, Component> components;
    std::unordered_map<Expr, bool> shared;
    for (std::size_t p = 0; p < points.points().size(); ++p) {
        for (int axis = 0; axis < 3; ++axis) {
            const Expr e = points.points()[p].position[at(axis)];
            if (model.graph.is_symbol(e, SymbolKind::kCoordinate) &&
                !components.emplace(e, Component{static_cast<int>(p), axis}).second) {
                shared[e] = true;
            }
        }
    }
    std::erase_if(components, [&](const auto& item) { return shared.contains(item.first); });
    return components;
}

/// W = d psi / d v^P, or d phi / d r^P, from the row as it was written; RH (5), THEORY section 3.
/// A raw coordinate counts for the point whose Cartesian component it is.
void find_directions(Model& model, const TimeFlow& flow, const PointTable& points,
                     const std::unordered_map<Expr, Component>& components, Expr written,
                     Row& row) {
    Graph& graph = model.graph;
    const SymbolKind point_kind =
        row.holonomic ? SymbolKind::kPointPosition : SymbolKind::kPointVelocity;
    const SymbolKind raw_kind = row.holonomic ? SymbolKind::kCoordinate : SymbolKind::kVelocity;

    std::vector<Expr> symbols = symbols_of_kind(graph, written, point_kind);
    const std::size_t of_points = symbols.size();
    const std::vector<Expr> raw = symbols_of_kind(graph, written, raw_kind);
    symbols.insert(symbols.end(), raw.begin(), raw.end());
    const std::vector<Expr> slopes = sym::gradient(graph, written, symbols);

    std::map<int, Vec3> W;
    const auto push = [&](int point, int axis, Expr value) {
        Vec3& w = W.emplace(point, Vec3{graph.zero(), graph.zero(), graph.zero()}).first->second;
        w[at(axis)] = graph.add(w[at(axis)], value);
    };
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (graph.is_zero(slopes[i])) {
            continue;
        }
        if (i < of_points) {
            const PointTable::Symbol* symbol = points.find(symbols[i]);
            push(symbol->point, symbol->axis, slopes[i]);
            continue;
        }
        const int coordinate = flow.coordinate_of(symbols[i]);
        const auto component = components.find(model.coordinates[at(coordinate)].q);
        if (component == components.end()) {
            row.unattributed.push_back(coordinate);
        } else {
            push(component->second.point, component->second.axis, slopes[i]);
        }
    }
    for (const auto& [point, w] : W) {
        row.directions.push_back({point, points.replace(graph, w), w});
    }
}

void find_magnitudes(Graph& graph, Row& row) {
    row.residual_magnitude = sym::magnitude(graph, row.residual);
    row.rate_magnitude = sym::magnitude(graph, row.rate);
    row.b_magnitude = sym::magnitude(graph, row.b);
    row.row_magnitude = graph.zero();
    for (const Entry& entry : row.A) {
        row.row_magnitude = graph.add(row.row_magnitude, sym::magnitude(graph, entry.value));
    }
}

}  // namespace

ConstraintKind kind_by_symbols(Model& model, Expr residual, bool holonomic,
                               const std::vector<Entry>& A) {
    Graph& graph = model.graph;
    const bool has_time = sym::depends_on_kind(graph, residual, SymbolKind::kTime);
    if (A.empty()) {
        return ConstraintKind::kVacuous;
    }
    if (holonomic) {
        return has_time ? ConstraintKind::kHolonomicRheonomic
                        : ConstraintKind::kHolonomicScleronomic;
    }
    for (const Entry& entry : A) {
        if (sym::depends_on_kind(graph, entry.value, SymbolKind::kVelocity)) {
            return ConstraintKind::kNonholonomicNonlinear;
        }
    }
    std::vector<sym::Replacement> at_rest;
    for (const Expr v : symbols_of_kind(graph, residual, SymbolKind::kVelocity)) {
        at_rest.push_back({v, graph.zero()});
    }
    const bool has_free_part = !graph.is_zero(sym::substitute(graph, residual, at_rest));
    return has_time || has_free_part ? ConstraintKind::kNonholonomicAffine
                                     : ConstraintKind::kNonholonomicLinear;
}

std::vector<Row> constraint_rows(Model& model, const TimeFlow& flow, const PointTable& points) {
    Graph& graph = model.graph;
    const auto components = sole_components(model, points);
    std::vector<Row> rows;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const std::vector<Expr> written_rows = model.constraints[c].rows;
        for (std::size_t k = 0; k < written_rows.size(); ++k) {
            const Constraint& constraint = model.constraints[c];
            Row row;
            row.name = written_rows.size() == 1 ? constraint.name
                                                : fmt::format("{}[{}]", constraint.name, k + 1);
            row.constraint = static_cast<int>(c);
            row.component = static_cast<int>(k);
            row.servo = constraint.servo;
            row.residual = points.replace(graph, written_rows[k]);
            row.holonomic = !sym::depends_on_kind(graph, row.residual, SymbolKind::kVelocity);
            row.A = row_entries(model, flow, row);
            row.kind = kind_by_symbols(model, row.residual, row.holonomic, row.A);

            // phi' = phi_q v + phi_t and its derivative with v held fixed; directional derivatives,
            // so nothing is expanded.
            const Expr change = flow.along_velocity(graph, row.residual);
            row.rate = row.holonomic ? change : row.residual;
            row.b = collect(graph,
                            graph.neg(row.holonomic ? flow.along_velocity(graph, change) : change));

            // Homogeneous of degree k in v: A v = k psi, zero on the constraint (Euler).
            const std::optional<double> degree = velocity_degree(graph, row.rate);
            row.homogeneous = degree.has_value() && *degree != 0.0;
            find_directions(model, flow, points, components, written_rows[k], row);
            find_magnitudes(graph, row);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace ananke::mech

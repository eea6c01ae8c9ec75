#include "classify/validate_equations.h"

#include <algorithm>

#include <fmt/format.h>

namespace ananke::classify {

using mech::Actuator, mech::Constraint, mech::ConstraintKind, mech::Control, mech::Gauge, mech::Row;
using sym::Expr;

namespace {

/// Equations of the servo that say something.
std::size_t equations_of_servo(const Equations& equations, int constraint) {
    return static_cast<std::size_t>(
        std::ranges::count_if(equations.rows, [constraint](const Row& row) {
            return row.constraint == constraint && row.kind != ConstraintKind::kVacuous;
        }));
}

}  // namespace

void validate_gauge(const Model& model, const Equations& equations,
                    std::vector<Diagnostic>& diagnostics) {
    if (!model.gauge.G_matrix) {
        return;
    }
    const std::size_t rows = equations.rows.size();
    const auto& G = *model.gauge.G_matrix;
    const auto is_short = [&](const std::vector<Expr>& line) { return line.size() != rows; };
    if (G.size() != rows || std::ranges::any_of(G, is_short)) {
        diagnostics.push_back(error_at(
            model.gauge.span,
            fmt::format("the gauge matrix G must be {0} x {0}, one row per scalar constraint",
                        rows)));
    }
}

void validate_controls(const Model& model, const Equations& equations,
                       std::vector<Diagnostic>& diagnostics) {
    std::size_t next = 0;
    std::size_t rows = 0;
    const Constraint* crowded = nullptr;
    std::size_t crowded_rows = 0;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const Constraint& constraint = model.constraints[c];
        if (constraint.actuators.empty()) {
            continue;
        }
        for (const Actuator& actuator : constraint.actuators) {
            const Control& control = equations.controls[next++];
            const auto is_zero = [&](Expr e) { return model.graph.is_zero(e); };
            if (actuator.kind != Actuator::Kind::kCoordinateForce &&
                std::ranges::all_of(control.direction, is_zero)) {
                diagnostics.push_back(
                    error_at(actuator.span, "the direction of the actuator is the zero vector",
                             {"write a vector that points somewhere: along (1, 0, 0)"}));
            } else if (control.D.empty()) {
                diagnostics.push_back(error_at(
                    actuator.span,
                    fmt::format("the actuator '{}' moves nothing: no coordinate gives way in its "
                                "direction",
                                control.description)));
            }
        }
        const std::size_t own = equations_of_servo(equations, static_cast<int>(c));
        rows += own;
        if (constraint.actuators.size() > own && crowded == nullptr) {
            crowded = &constraint;
            crowded_rows = own;
        }
    }
    if (equations.controls.size() > rows && crowded != nullptr) {
        diagnostics.push_back(error_at(
            crowded->span,
            fmt::format("the servo '{}' has {} actuators for {} equation{}: their controls would "
                        "not be unique",
                        crowded->name, crowded->actuators.size(), crowded_rows,
                        crowded_rows == 1 ? "" : "s"),
            {"give as many actuators as the servo has equations, or make the rest a 'force on'"}));
    }
}

}  // namespace ananke::classify

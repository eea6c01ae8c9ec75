#include "mech/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "mech/smoothness.h"
#include "sym/differentiate.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke::mech {

using sym::Graph;
using sym::SymbolKind;

Diagnostic parameter_diagnostic(const Model& model, const Error& error) {
    Diagnostic diagnostic = error_at({}, error.message);
    for (const Parameter& parameter : model.parameters) {
        if (error.message.find(fmt::format("parameter '{}' is", parameter.name)) !=
            std::string::npos) {
            diagnostic.span = parameter.span;
        }
    }
    return diagnostic;
}

namespace {

/// What an expression may depend on; each level includes the ones before it.
enum class Level : std::uint8_t {
    kParameters,
    kTime,
    kPositions,
    kVelocities,
    kReactions,
    kAccelerations
};

Level level_of(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::kParameter:
            return Level::kParameters;
        case SymbolKind::kTime:
            return Level::kTime;
        case SymbolKind::kCoordinate:
        case SymbolKind::kPointPosition:
            return Level::kPositions;
        case SymbolKind::kVelocity:
        case SymbolKind::kPointVelocity:
            return Level::kVelocities;
        case SymbolKind::kAcceleration:
        case SymbolKind::kPointAcceleration:
            return Level::kAccelerations;
        case SymbolKind::kReaction:
            return Level::kReactions;
    }
    return Level::kAccelerations;
}

const char* plural(Level level) {
    constexpr std::array kNames{"parameters", "time",      "coordinates",
                                "velocities", "reactions", "accelerations"};
    return kNames[static_cast<std::size_t>(level)];
}

/// What an expression of this level may be made of, for a note.
const char* allowance(Level level) {
    constexpr std::array kTexts{"numbers and parameters",
                                "parameters and t",
                                "coordinates, parameters and t",
                                "coordinates, velocities, parameters and t",
                                "coordinates, velocities, reactions, parameters and t",
                                "coordinates, velocities, accelerations, parameters and t"};
    return kTexts[static_cast<std::size_t>(level)];
}

class SymbolCheck {
  public:
    SymbolCheck(const Graph& graph, std::vector<Diagnostic>& diagnostics)
        : graph_(graph), diagnostics_(diagnostics) {}

    /// One error if e depends on more than `allowed`, about the highest symbol found.
    void check(Expr e, Level allowed, const std::string& what, Span span,
               const char* hint = nullptr) {
        std::optional<Expr> worst;
        Level highest = allowed;
        for (const Expr symbol : sym::symbols_of(graph_, e)) {
            const Level level = level_of(graph_.symbol_kind(symbol));
            if (level > highest) {
                highest = level;
                worst = symbol;
            }
        }
        if (!worst) {
            return;
        }
        Diagnostic diagnostic =
            error_at(span,
                     fmt::format("{} cannot depend on {}, but contains {}", what, plural(highest),
                                 sym::print(graph_, *worst)),
                     {fmt::format("it may be made of {}", allowance(allowed))});
        if (hint != nullptr) {
            diagnostic.notes.emplace_back(hint);
        }
        diagnostics_.push_back(std::move(diagnostic));
    }

    void check(const Vec3& e, Level allowed, const std::string& what, Span span) {
        const std::size_t before = diagnostics_.size();
        for (const Expr component : e) {
            if (diagnostics_.size() == before) {
                check(component, allowed, what, span);
            }
        }
    }

  private:
    const Graph& graph_;
    std::vector<Diagnostic>& diagnostics_;
};

void check_forces(SymbolCheck& symbols, const Model& model, const Forces& forces,
                  const std::string& what) {
    for (const CoordinateForce& force : forces.on_coordinates) {
        const std::string& name = model.coordinates[force.coordinate].name;
        symbols.check(force.value, Level::kReactions, fmt::format("{} on '{}'", what, name),
                      force.span);
    }
    for (const PointForce& force : forces.on_points) {
        const std::string& name = model.points[force.point].name;
        symbols.check(force.value, Level::kReactions, fmt::format("{} on '{}'", what, name),
                      force.span);
    }
    for (const BodyTorque& torque : forces.on_bodies) {
        const std::string& name = model.bodies[torque.body].name;
        symbols.check(torque.value, Level::kVelocities, fmt::format("the torque on '{}'", name),
                      torque.span);
    }
}

void check_bodies(SymbolCheck& symbols, const Model& model) {
    for (const Body& body : model.bodies) {
        if (body.kind == Body::Kind::kGround) {
            continue;
        }
        for (const Vec3& column : body.inertia) {
            symbols.check(column, Level::kParameters, fmt::format("the inertia of '{}'", body.name),
                          body.span);
        }
    }
}

void check_gauge(SymbolCheck& symbols, const Gauge& gauge) {
    if (gauge.alpha) {
        symbols.check(*gauge.alpha, Level::kTime, "the gauge alpha", gauge.span);
    }
    if (gauge.G) {
        symbols.check(*gauge.G, Level::kPositions, "the gauge G", gauge.span);
    }
    for (const Gauge::RowValue& value : gauge.G_rows) {
        symbols.check(value.value, Level::kPositions, "the gauge G", value.span);
    }
    for (const Gauge::RowValue& value : gauge.z_rows) {
        symbols.check(value.value, Level::kVelocities, "the gauge z", value.span);
    }
    if (gauge.G_matrix) {
        for (const std::vector<Expr>& line : *gauge.G_matrix) {
            for (const Expr value : line) {
                symbols.check(value, Level::kPositions, "the gauge G", gauge.span);
            }
        }
    }
}

void check_events(SymbolCheck& symbols, const Model& model) {
    for (const Event& event : model.events) {
        symbols.check(event.value, Level::kVelocities,
                      fmt::format("the condition of event '{}'", event.name), event.span);
        for (const Event::Reset& reset : event.resets) {
            symbols.check(reset.value, Level::kVelocities,
                          fmt::format("a reset of event '{}'", event.name), reset.span);
        }
        for (const Event::Change& change : event.changes) {
            symbols.check(change.value, Level::kVelocities,
                          fmt::format("a change of event '{}'", event.name), change.span);
        }
    }
}

/// An entry given twice by one statement; different statements add up.
void check_mass_entries(const Model& model, std::vector<Diagnostic>& diagnostics) {
    std::set<std::array<std::uint32_t, 5>> seen;
    for (const MassTerm& term : model.mass) {
        const auto [row, column] = std::minmax(term.row, term.column);
        if (!seen.insert({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                          term.span.file, term.span.begin, term.span.end})
                 .second) {
            const auto name = [&](int i) { return model.coordinates[i].name; };
            diagnostics.push_back(
                error_at(term.span, fmt::format("the mass entry of '{}' and '{}' is given twice",
                                                name(row), name(column))));
        }
    }
}

/// A motion variable is linear in the velocities: its derivatives by them are free of them.
void check_speeds(Model& model, std::vector<Diagnostic>& diagnostics) {
    Graph& graph = model.graph;
    for (const Speed& speed : model.speeds) {
        std::vector<Expr> velocities = sym::symbols_of(graph, speed.value);
        std::erase_if(velocities, [&](Expr e) {
            return !graph.is_symbol(e, SymbolKind::kVelocity) &&
                   !graph.is_symbol(e, SymbolKind::kPointVelocity);
        });
        const std::vector<Expr> slopes = sym::gradient(graph, speed.value, velocities);
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            if (sym::depends_on_kind(graph, slopes[i], SymbolKind::kVelocity) ||
                sym::depends_on_kind(graph, slopes[i], SymbolKind::kPointVelocity)) {
                diagnostics.push_back(
                    error_at(speed.span,
                             fmt::format("speed '{}' is not linear in {}", speed.name,
                                         sym::print(graph, velocities[i])),
                             {"a motion variable is a linear combination of velocities; "
                              "use 'let' or 'output' for anything else"}));
                break;
            }
        }
    }
}

}  // namespace

void validate_symbols(Model& model, std::vector<Diagnostic>& diagnostics) {
    if (model.coordinates.empty()) {
        diagnostics.push_back(
            error_at({}, "the model has no coordinates", {"declare them: coordinate x, y"}));
        return;
    }
    SymbolCheck symbols(model.graph, diagnostics);
    for (const Point& point : model.points) {
        symbols.check(point.position, Level::kPositions,
                      fmt::format("the position of '{}'", point.name), point.span);
        if (point.mass) {
            symbols.check(*point.mass, Level::kParameters,
                          fmt::format("the mass of '{}'", point.name), point.span);
        }
    }
    check_bodies(symbols, model);
    for (const EnergyTerm& term : model.kinetic) {
        symbols.check(term.value, Level::kVelocities, "the kinetic energy", term.span);
    }
    for (const EnergyTerm& term : model.potential) {
        symbols.check(term.value, Level::kPositions, "the potential", term.span,
                      "a force that depends on velocities is written with 'force on'");
    }
    for (const MassTerm& term : model.mass) {
        symbols.check(term.value, Level::kPositions, "a mass", term.span);
    }
    check_mass_entries(model, diagnostics);
    check_forces(symbols, model, model.forces, "the force");
    check_forces(symbols, model, model.nonideal, "the non-ideal force");
    if (model.gravity) {
        symbols.check(*model.gravity, Level::kTime, "gravity", {});
    }
    for (const Constraint& constraint : model.constraints) {
        const std::size_t before = diagnostics.size();
        for (const Expr row : constraint.rows) {
            if (diagnostics.size() == before) {
                symbols.check(row, Level::kVelocities,
                              fmt::format("constraint '{}'", constraint.name), constraint.span,
                              "the acceleration must be linear in what a constraint says about it; "
                              "prescribe positions or velocities");
            }
        }
    }
    for (const Speed& speed : model.speeds) {
        symbols.check(speed.value, Level::kVelocities, fmt::format("speed '{}'", speed.name),
                      speed.span);
    }
    check_speeds(model, diagnostics);
    check_gauge(symbols, model.gauge);
    check_events(symbols, model);
}

void validate_smoothness(Model& model, const PointTable& points, const Probe& probe,
                         std::vector<Diagnostic>& diagnostics) {
    Graph& graph = model.graph;
    const std::size_t before = diagnostics.size();
    for (std::size_t p = 0; p < model.points.size(); ++p) {
        for (const Expr component : points.points()[p].position) {
            check_smooth(graph, probe,
                         {component, 2, fmt::format("the position of '{}'", model.points[p].name),
                          model.points[p].span},
                         diagnostics);
        }
    }
    if (diagnostics.size() > before) {
        return;  // everything written with these points would repeat the same
    }
    for (const EnergyTerm& term : model.kinetic) {
        check_smooth(graph, probe,
                     {points.replace(graph, term.value), 2, "the kinetic energy", term.span},
                     diagnostics);
    }
    for (const EnergyTerm& term : model.potential) {
        check_smooth(graph, probe,
                     {points.replace(graph, term.value), 1, "the potential", term.span},
                     diagnostics);
    }
    for (const Constraint& constraint : model.constraints) {
        for (const Expr row : constraint.rows) {
            const Expr residual = points.replace(graph, row);
            const bool holonomic = !sym::depends_on_kind(graph, residual, SymbolKind::kVelocity);
            check_smooth(graph, probe,
                         {residual, holonomic ? 2 : 1,
                          fmt::format("constraint '{}'", constraint.name), constraint.span},
                         diagnostics);
        }
    }
}

}  // namespace ananke::mech

#include "dynamics/not_finite.h"

#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compile/prepare.h"
#include "mech/undefined.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::dynamics {
namespace {

using mech::Suspect;
using sym::Expr;

/// Where the slow evaluation finds no reason.
constexpr const char* kInGeneral = " (a division by zero, or a function outside its domain)";

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// What symbols stand for at a state. Those of points, bodies and reactions are evaluated when they
/// are asked for.
class Symbols {
  public:
    Symbols(Evaluator& evaluator, const compile::Prepared& prepared, const MotionAt& state)
        : prepared_(prepared) {
        const mech::Model& model = prepared.model;
        const compile::CompiledModel& compiled = evaluator.model();
        const std::span<const double> inputs = evaluator.system_inputs(state.t, state.q, state.v);
        known_[model.time] = state.t;
        for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
            known_[model.coordinates[i].q] = state.q[i];
            known_[model.coordinates[i].v] = state.v[i];
            known_[model.coordinates[i].a] = state.a != nullptr ? state.a[i] : 0.0;
        }
        for (std::size_t i = 0; i < model.parameters.size(); ++i) {
            known_[model.parameters[i].symbol] = inputs[compiled.layout.p() + i];
        }
        for (int i = 0; i < compiled.layout.multipliers; ++i) {
            if (const std::optional<Expr>& lambda = compiled.rows[at(i)].lambda) {
                known_[*lambda] = inputs[compiled.layout.lambda() + at(i)];
            }
        }
        std::size_t next = compiled.layout.slip();
        for (const mech::FrictionElement& friction : prepared.equations.frictions) {
            for (const Expr mode : friction.mode) {
                known_[mode] = inputs[next++];
            }
            known_[friction.still] = inputs[next++];
        }
        note_definitions();
    }

    double operator()(Expr symbol) {
        if (const auto found = known_.find(symbol); found != known_.end()) {
            return found->second;
        }
        const auto definition = defined_.find(symbol);
        if (definition == defined_.end()) {
            return 0.0;
        }
        sym::Values<double> values;
        for (const Expr each : sym::symbols_of(prepared_.model.graph, definition->second)) {
            const auto found = known_.find(each);
            values[each] = found != known_.end() ? found->second : 0.0;
        }
        return known_[symbol] =
                   sym::evaluate<double>(prepared_.model.graph, definition->second, values);
    }

  private:
    void define(const mech::Vec3& symbols, const mech::Vec3& values) {
        for (std::size_t k = 0; k < 3; ++k) {
            defined_[symbols[k]] = values[k];
        }
    }

    void note_definitions() {
        const mech::Model& model = prepared_.model;
        const mech::Equations& equations = prepared_.equations;
        for (std::size_t p = 0; p < equations.points.size(); ++p) {
            const mech::PointKinematics& motion = equations.points[p];
            define(model.points[p].r, motion.position);
            define(model.points[p].v, motion.velocity);
            define(model.points[p].a, motion.acceleration);
        }
        for (std::size_t b = 0; b < equations.bodies.size(); ++b) {
            const mech::BodyKinematics& motion = equations.bodies[b];
            for (std::size_t k = 0; k < 3; ++k) {
                define(model.bodies[b].axes[k], motion.axes[k]);
            }
            define(model.bodies[b].omega, motion.omega);
            define(model.bodies[b].alpha, motion.alpha);
        }
        for (const sym::Replacement& reaction : equations.reactions) {
            defined_[reaction.symbol] = reaction.value;
        }
    }

    const compile::Prepared& prepared_;
    sym::Values<double> known_;
    std::unordered_map<Expr, Expr> defined_;
};

/// What a quantity is made of: what is written before what is derived.
class Suspects {
  public:
    explicit Suspects(const compile::Prepared& prepared)
        : model_(prepared.model), equations_(prepared.equations) {}

    std::vector<Suspect> of(Quantity quantity) {
        list_.clear();
        switch (quantity.of) {
            case Quantity::Of::kForce:
                add_force(quantity.index);
                break;
            case Quantity::Of::kNonideal:
                add_nonideal(quantity.index);
                break;
            case Quantity::Of::kMass:
                add_mass(quantity.index);
                break;
            case Quantity::Of::kRow:
                add_row(quantity.index);
                break;
            case Quantity::Of::kOutput:
                add_output(at(quantity.index));
                break;
            case Quantity::Of::kEnergy:
                add_energies();
                break;
            case Quantity::Of::kEvent:
                add_event(at(quantity.index));
                break;
            case Quantity::Of::kAcceleration:
                add_everything();
                break;
        }
        return std::move(list_);
    }

  private:
    void add(Expr value, Span span, bool derived = false) {
        list_.push_back({value, span, derived});
    }
    template <class Values>
    void add_all(const Values& values, Span span, bool derived = false) {
        for (const Expr value : values) {
            add(value, span, derived);
        }
    }

    void add_forces(const mech::Forces& forces, int coordinate) {
        for (const mech::CoordinateForce& force : forces.on_coordinates) {
            if (force.coordinate == coordinate) {
                add(force.value, force.span);
            }
        }
        for (const mech::PointForce& force : forces.on_points) {
            add_all(force.value, force.span);
        }
        for (const mech::BodyTorque& torque : forces.on_bodies) {
            add_all(torque.value, torque.span);
        }
    }

    void add_force(int coordinate) {
        add_forces(model_.forces, coordinate);
        for (const mech::ForcePart& part : equations_.Q_of_potentials) {
            if (part.coordinate == coordinate) {
                add(part.value, part.span, true);
            }
        }
        for (const mech::InertiaElement& element : equations_.elements) {
            for (const mech::Entry& entry : element.Q) {
                if (entry.column == coordinate) {
                    add(entry.value, element.span, true);
                }
            }
        }
        add(equations_.Q[at(coordinate)], {}, true);
    }

    void add_nonideal(int coordinate) {
        add_forces(model_.nonideal, coordinate);
        for (const mech::FrictionElement& friction : equations_.frictions) {
            add_friction(friction);
        }
        add(equations_.C[at(coordinate)], {}, true);
    }

    void add_friction(const mech::FrictionElement& friction) {
        for (const Expr value : {friction.load, friction.coefficient, friction.amount}) {
            add(value, friction.span, true);
        }
        add_all(friction.force, friction.span, true);
        for (const mech::Row& row : friction.rows) {
            add_row(row, friction.span);
        }
    }

    void add_mass(int coordinate) {
        for (const mech::InertiaElement& element : equations_.elements) {
            for (const mech::MassEntry& entry : element.M) {
                if (entry.row == coordinate || entry.column == coordinate) {
                    add(entry.value, element.span, true);
                }
            }
        }
    }

    void add_row(const mech::Row& row, Span span) {
        add(row.residual, span, true);
        for (const mech::Entry& entry : row.A) {
            add(entry.value, span, true);
        }
        add(row.rate, span, true);
        add(row.b, span, true);
    }

    void add_row(int index) {
        int k = index - static_cast<int>(equations_.rows.size());
        if (k < 0) {
            const mech::Row& row = equations_.rows[at(index)];
            add_row(row, model_.constraints[at(row.constraint)].span);
            return;
        }
        for (const mech::FrictionElement& friction : equations_.frictions) {
            const int rows = static_cast<int>(friction.rows.size());
            if (k >= 0 && k < rows) {
                add_row(friction.rows[at(k)], friction.span);
            }
            k -= rows;
        }
    }

    void add_output(std::size_t index) {
        const std::size_t outputs = model_.outputs.size();
        if (index < outputs) {
            add(model_.outputs[index].value, model_.outputs[index].span);
            add(equations_.outputs[index].value, model_.outputs[index].span, true);
        } else if (index - outputs < model_.speeds.size()) {
            add(model_.speeds[index - outputs].value, model_.speeds[index - outputs].span);
        }
    }

    void add_energies() {
        for (const std::vector<mech::EnergyTerm>* terms : {&model_.potential, &model_.kinetic}) {
            for (const mech::EnergyTerm& term : *terms) {
                add(term.value, term.span);
            }
        }
        for (const mech::InertiaElement& element : equations_.elements) {
            add(element.T, element.span, true);
        }
        for (const Expr value : {equations_.potential, equations_.h, equations_.power}) {
            add(value, {}, true);
        }
    }

    void add_event(std::size_t index) {
        const mech::Event& event = model_.events[index];
        add(event.value, event.span);
        for (const mech::Event::Reset& reset : event.resets) {
            add(reset.value, reset.span);
        }
        for (const mech::Event::Change& change : event.changes) {
            add(change.value, change.span);
        }
    }

    void add_gauge() {
        const mech::Gauge& gauge = model_.gauge;
        for (const std::optional<Expr>* one : {&gauge.alpha, &gauge.G}) {
            if (*one) {
                add(**one, gauge.span);
            }
        }
        for (const std::vector<mech::Gauge::RowValue>* rows : {&gauge.G_rows, &gauge.z_rows}) {
            for (const mech::Gauge::RowValue& row : *rows) {
                add(row.value, row.span);
            }
        }
        if (gauge.G_matrix) {
            for (const std::vector<Expr>& line : *gauge.G_matrix) {
                add_all(line, gauge.span);
            }
        }
    }

    void add_everything() {
        for (const mech::Constraint& constraint : model_.constraints) {
            for (const mech::Actuator& actuator : constraint.actuators) {
                add_all(actuator.direction, actuator.span);
            }
        }
        for (const mech::Control& control : equations_.controls) {
            const mech::Constraint& constraint = model_.constraints[at(control.constraint)];
            for (const mech::Entry& entry : control.D) {
                add(entry.value, constraint.span, true);
            }
        }
        for (int i = 0; i < equations_.n; ++i) {
            add_force(i);
            add_mass(i);
            add(equations_.C[at(i)], {}, true);
        }
        for (int row = 0; row < static_cast<int>(equations_.rows.size()); ++row) {
            add_row(row);
        }
        add_forces(model_.nonideal, -1);
        for (const mech::FrictionElement& friction : equations_.frictions) {
            add_friction(friction);
        }
        add_gauge();
    }

    const mech::Model& model_;
    const mech::Equations& equations_;
    std::vector<Suspect> list_;
};

/// The first quantity of the equations that is not finite, and its name.
struct Named {
    Quantity quantity;
    std::string name;
};

Named first_not_finite(Evaluator& evaluator, const MotionAt& state) {
    const compile::CompiledModel& model = evaluator.model();
    const compile::SparseValues at_state = evaluator.sparse_system(state.t, state.q, state.v);
    const auto coordinate = [&](int i) { return model.coordinate_names[at(i)]; };
    const auto counts = [&](int k) { return k < model.constraint_rows || evaluator.row_sticks(k); };
    const auto row = [&](int k) {
        return Named{{Quantity::Of::kRow, k}, "the constraint " + model.rows[at(k)].name};
    };
    for (int i = 0; i < model.n(); ++i) {
        if (!std::isfinite(at_state.Q[at(i)])) {
            return {{Quantity::Of::kForce, i}, "the force on " + coordinate(i)};
        }
        if (!at_state.C.empty() && !std::isfinite(at_state.C[at(i)])) {
            return {{Quantity::Of::kNonideal, i}, "the non-ideal force on " + coordinate(i)};
        }
    }
    for (std::size_t k = 0; k < at_state.M.size(); ++k) {
        if (!std::isfinite(at_state.M[k])) {
            const int i = model.mass_entries[k].row;
            return {{Quantity::Of::kMass, i}, "the mass matrix in the row of " + coordinate(i)};
        }
    }
    for (std::size_t k = 0; k < at_state.A.size(); ++k) {
        if (!std::isfinite(at_state.A[k]) && counts(model.row_entries[k].row)) {
            return row(model.row_entries[k].row);
        }
    }
    for (int k = 0; k < static_cast<int>(at_state.b.size()); ++k) {
        if (!std::isfinite(at_state.b[at(k)]) && counts(k)) {
            return row(k);
        }
    }
    return {{Quantity::Of::kAcceleration}, "the acceleration"};
}

}  // namespace

std::string why_not_finite(Evaluator& evaluator, const MotionAt& state, Quantity quantity) {
    std::string text;
    if (const std::shared_ptr<const compile::Prepared> prepared = evaluator.model().source.lock()) {
        Symbols symbols(evaluator, *prepared, state);
        const std::vector<Suspect> suspects = Suspects(*prepared).of(quantity);
        text = mech::describe_undefined(prepared->model, prepared->model.sources.get(), suspects,
                                        [&](Expr symbol) { return symbols(symbol); });
    }
    return text.empty() ? "" : ": " + text;
}

Quantity quantity_of(const compile::CompiledModel& model, const std::vector<Column>& columns,
                     std::size_t column) {
    const ColumnKind kind = columns[column].kind;
    int same = 0;
    for (std::size_t i = 0; i < column; ++i) {
        same += columns[i].kind == kind ? 1 : 0;
    }
    switch (kind) {
        case ColumnKind::kOutput:
            return {Quantity::Of::kOutput, same};
        case ColumnKind::kEnergy:
            return {Quantity::Of::kEnergy};
        case ColumnKind::kResidual:
            return {Quantity::Of::kRow, same % model.constraint_rows};
        default:
            return {Quantity::Of::kAcceleration};
    }
}

std::string describe_not_finite(Evaluator& evaluator, const MotionAt& state) {
    const Named first = first_not_finite(evaluator, state);
    const std::string why = why_not_finite(evaluator, state, first.quantity);
    return fmt::format("{} is not a number{}", first.name, why.empty() ? kInGeneral : why);
}

std::string describe_constraint_not_finite(Evaluator& evaluator, const MotionAt& state,
                                           bool velocities, const std::string& at) {
    const compile::CompiledModel& model = evaluator.model();
    for (int k = 0; k < model.constraint_rows; ++k) {
        const mech::Row& row = model.rows[static_cast<std::size_t>(k)];
        if (!velocities && !row.holonomic) {
            continue;
        }
        const std::string why = why_not_finite(evaluator, state, {Quantity::Of::kRow, k});
        if (!why.empty()) {
            return fmt::format("the constraint {} is not a number {}{}", row.name, at, why);
        }
    }
    return fmt::format("the constraints are not numbers {}{}", at, kInGeneral);
}

}  // namespace ananke::dynamics

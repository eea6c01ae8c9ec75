#include "compile/compiled_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "code/lowering.h"
#include "compile/coordinate_kinds.h"
#include "compile/load_owners.h"
#include "compile/roads.h"
#include "sym/differentiate.h"
#include "sym/walk.h"

namespace ananke::compile {
namespace {

using mech::Equations;
using mech::Model;
using mech::Row;
using sym::Expr;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

std::vector<Expr> input_symbols(const Model& model) {
    std::vector<Expr> symbols{model.time};
    for (const mech::Coordinate& c : model.coordinates) {
        symbols.push_back(c.q);
    }
    for (const mech::Coordinate& c : model.coordinates) {
        symbols.push_back(c.v);
    }
    for (const mech::Coordinate& c : model.coordinates) {
        symbols.push_back(c.a);
    }
    for (const mech::Parameter& p : model.parameters) {
        symbols.push_back(p.symbol);
    }
    return symbols;
}

/// Collects the outputs of one kernel, then lowers them.
class Outputs {
  public:
    explicit Outputs(code::Lowering& lowering) : lowering_(&lowering) {}

    Outputs& add(Expr e) {
        exprs_.push_back(e);
        return *this;
    }
    Outputs& add(const std::vector<Expr>& list) {
        exprs_.insert(exprs_.end(), list.begin(), list.end());
        return *this;
    }
    Outputs& add_mass(const Equations& equations) {
        for (const mech::MassEntry& entry : equations.M) {
            exprs_.push_back(entry.value);
        }
        return *this;
    }
    Outputs& add_row(const Row& row) { return add_entries(row.A); }
    Outputs& add_entries(const std::vector<mech::Entry>& entries) {
        for (const mech::Entry& entry : entries) {
            exprs_.push_back(entry.value);
        }
        return *this;
    }
    code::Kernel kernel() const { return code::Kernel(lowering_->program(exprs_)); }

  private:
    code::Lowering* lowering_;
    std::vector<Expr> exprs_;
};

void describe(CompiledModel& compiled, const Model& model, const Equations& equations) {
    compiled.layout.n = equations.n;
    compiled.layout.parameters = static_cast<int>(model.parameters.size());
    for (const mech::Coordinate& c : model.coordinates) {
        compiled.coordinate_names.push_back(c.name);
    }
    for (const mech::Parameter& p : model.parameters) {
        compiled.parameter_names.push_back(p.name);
    }
    for (const mech::Point& p : model.points) {
        compiled.point_names.push_back(p.name);
    }
    for (const mech::Constraint& c : model.constraints) {
        compiled.constraint_names.push_back(c.name);
        compiled.constraint_places.push_back(c.place);
    }
    for (const mech::Body& body : model.bodies) {
        const bool planar = body.kind == mech::Body::Kind::kPlanar;
        if (body.kind != mech::Body::Kind::kGround) {
            compiled.bodies.push_back({body.name, body.first, planar ? 3 : 7, planar, body.place});
        }
        if (body.kind == mech::Body::Kind::kSpatial) {
            compiled.groups.push_back({body.first + 3, 4});
        }
    }
    compiled.rows = equations.rows;
    compiled.constraint_rows = static_cast<int>(equations.rows.size());
    for (const mech::FrictionElement& element : equations.frictions) {
        CompiledFriction friction;
        friction.name = element.name;
        friction.components = static_cast<int>(element.rows.size());
        friction.first_row = compiled.m();
        friction.first_direction = compiled.layout.directions;
        friction.dry = element.dry;
        friction.load_rows = element.load_rows;
        friction.first_value = compiled.frictions.empty()
                                   ? 0
                                   : compiled.frictions.back().first_value +
                                         2 * compiled.frictions.back().components + 4;
        compiled.rows.insert(compiled.rows.end(), element.rows.begin(), element.rows.end());
        compiled.layout.directions += friction.components + 1;
        compiled.frictions.push_back(std::move(friction));
    }
    compiled.outputs = equations.outputs;
    compiled.outputs.insert(compiled.outputs.end(), equations.speeds.begin(),
                            equations.speeds.end());
    compiled.has_nonideal = equations.has_nonideal;
}

void find_patterns(CompiledModel& compiled, const Equations& equations) {
    for (const mech::MassEntry& entry : equations.M) {
        compiled.mass_entries.push_back({entry.row, entry.column});
    }
    for (std::size_t i = 0; i < compiled.rows.size(); ++i) {
        const Row& row = compiled.rows[i];
        const int index = static_cast<int>(i);
        for (const mech::Entry& entry : row.A) {
            compiled.row_entries.push_back({index, entry.column});
        }
        if (!row.holonomic || row.kind == mech::ConstraintKind::kVacuous) {
            continue;
        }
        const int place = static_cast<int>(compiled.holonomic.size());
        for (const mech::Entry& entry : row.A) {
            compiled.holonomic_entries.push_back({place, entry.column});
        }
        compiled.holonomic.push_back(index);
    }
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        if (!equations.rows[i].integral) {
            continue;
        }
        const int place = static_cast<int>(compiled.holonomic.size() + compiled.integrals.size());
        for (const mech::Entry& entry : equations.rows[i].integral->gradient) {
            compiled.holonomic_entries.push_back({place, entry.column});
        }
        compiled.integrals.push_back(static_cast<int>(i));
    }
}

code::Kernel dynamics_kernel(const Equations& equations, const std::vector<Row>& rows,
                             const Switches& switches, code::Lowering& lowering) {
    Outputs out(lowering);
    out.add_mass(equations).add(switches.Q);
    if (equations.has_nonideal) {
        out.add(switches.C);
    }
    for (const Row& row : rows) {
        out.add_row(row);
    }
    for (const Row& row : rows) {
        out.add(row.b);
    }
    out.add(switches.power);
    for (const mech::Control& control : equations.controls) {
        for (const mech::Entry& entry : control.D) {
            out.add(entry.value);
        }
    }
    return out.kernel();
}

void compile_controls(CompiledModel& compiled, const Equations& equations,
                      code::Lowering& lowering) {
    compiled.controls = equations.controls;
    Outputs out(lowering);
    for (std::size_t k = 0; k < equations.controls.size(); ++k) {
        const mech::Control& control = equations.controls[k];
        for (const mech::Entry& entry : control.D) {
            compiled.control_entries.push_back({static_cast<int>(k), entry.column});
        }
        out.add({control.direction.begin(), control.direction.end()});
    }
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        if (equations.rows[i].actuated) {
            compiled.actuated_rows.push_back(static_cast<int>(i));
        }
        for (const mech::Direction& aim : equations.rows[i].aims) {
            compiled.aims.push_back({static_cast<int>(i), aim.point});
            out.add({aim.W.begin(), aim.W.end()});
        }
    }
    compiled.control = out.kernel();
}

void compile_switches(CompiledModel& compiled, const std::vector<Switch>& switches,
                      code::Lowering& lowering) {
    Outputs values(lowering), scales(lowering), rates(lowering);
    for (const Switch& one : switches) {
        values.add(one.value);
        scales.add(one.magnitude);
        rates.add(one.rate);
    }
    for (const Switch& one : switches) {
        rates.add(one.rate_magnitude);
    }
    for (const Switch& one : switches) {
        rates.add(one.speed);
    }
    compiled.switch_values = values.kernel();
    compiled.switch_scales = scales.kernel();
    compiled.switch_rates = rates.kernel();
}

code::Kernel magnitude_kernel(const std::vector<Row>& rows, code::Lowering& lowering) {
    Outputs out(lowering);
    for (const Row& row : rows) {
        out.add(row.row_magnitude);
    }
    for (const Row& row : rows) {
        out.add(row.b_magnitude);
    }
    return out.kernel();
}

code::Kernel position_kernel(const CompiledModel& compiled, code::Lowering& lowering) {
    Outputs out(lowering);
    const auto row = [&](int i) -> const Row& {
        return compiled.rows[static_cast<std::size_t>(i)];
    };
    for (const int i : compiled.holonomic) {
        out.add(row(i).residual);
    }
    for (const int i : compiled.integrals) {
        out.add(row(i).integral->phi);
    }
    for (const int i : compiled.holonomic) {
        out.add_row(row(i));
    }
    for (const int i : compiled.integrals) {
        out.add_entries(row(i).integral->gradient);
    }
    for (const int i : compiled.holonomic) {
        out.add(row(i).residual_magnitude);
    }
    for (const int i : compiled.integrals) {
        out.add(row(i).integral->magnitude);
    }
    return out.kernel();
}

code::Kernel velocity_kernel(const std::vector<Row>& rows, code::Lowering& lowering) {
    Outputs out(lowering);
    for (const Row& row : rows) {
        out.add(row.rate);
    }
    for (const Row& row : rows) {
        out.add_row(row);
    }
    for (const Row& row : rows) {
        out.add(row.rate_magnitude);
    }
    return out.kernel();
}

code::Kernel residual_kernel(const std::vector<Row>& rows, code::Lowering& lowering) {
    Outputs out(lowering);
    for (const Row& row : rows) {
        out.add(row.residual);
    }
    for (const Row& row : rows) {
        out.add(row.residual_magnitude);
    }
    return out.kernel();
}

/// Rows whose multipliers any of the expressions contains.
std::vector<int> rows_in(const Model& model, const std::vector<Row>& rows,
                         const std::vector<Expr>& roots) {
    std::vector<int> found;
    if (rows.empty() || !rows.front().lambda) {
        return found;
    }
    const std::vector<Expr> nodes = sym::reachable(model.graph, roots);
    const std::unordered_set<Expr> known(nodes.begin(), nodes.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (known.contains(*rows[i].lambda)) {
            found.push_back(static_cast<int>(i));
        }
    }
    return found;
}

/// Multipliers of the rows that feed back.
std::vector<Expr> feedback_multipliers(const CompiledModel& compiled, const Equations& equations) {
    std::vector<Expr> lambdas;
    for (const int row : compiled.feedback) {
        lambdas.push_back(*equations.rows[static_cast<std::size_t>(row)].lambda);
    }
    return lambdas;
}

/// Symbols of an expression that are among those.
std::vector<Expr> symbols_among(const Model& model, Expr e, const std::unordered_set<Expr>& those) {
    std::vector<Expr> symbols = sym::symbols_of(model.graph, e);
    std::erase_if(symbols, [&](Expr symbol) { return !those.contains(symbol); });
    return symbols;
}

/// Whether slopes by these multipliers have no slopes by them: they may still jump, as that of an
/// absolute value does.
bool are_affine(std::span<const Expr> slopes, const std::unordered_set<Expr>& lambdas,
                Model& model) {
    return std::all_of(slopes.begin(), slopes.end(), [&](Expr slope) {
        const std::vector<Expr> second =
            sym::gradient(model.graph, slope, symbols_among(model, slope, lambdas));
        return std::all_of(second.begin(), second.end(),
                           [&](Expr e) { return model.graph.is_zero(e); });
    });
}

/// d(Q + C)/d lambda of the rows that feed back, and where its entries stand.
std::vector<Expr> feedback_slopes(CompiledModel& compiled, Model& model, const Equations& equations,
                                  const Switches& switches) {
    std::unordered_map<Expr, int> place_of;
    std::unordered_set<Expr> lambdas;
    for (const Expr lambda : feedback_multipliers(compiled, equations)) {
        place_of.emplace(lambda, static_cast<int>(place_of.size()));
        lambdas.insert(lambda);
    }
    std::vector<Expr> slopes;
    for (int i = 0; i < equations.n; ++i) {
        const Expr force = model.graph.add(switches.Q[at(i)], switches.C[at(i)]);
        const std::vector<Expr> own = symbols_among(model, force, lambdas);
        const std::vector<Expr> gradient = sym::gradient(model.graph, force, own);
        for (std::size_t k = 0; k < own.size(); ++k) {
            compiled.slope_entries.push_back({place_of.at(own[k]), i});
            slopes.push_back(gradient[k]);
        }
    }
    compiled.affine_feedback = are_affine(slopes, lambdas, model);
    return slopes;
}

/// The terms of Q + C without the multipliers that feed back.
std::vector<Expr> free_forces(const CompiledModel& compiled, Model& model,
                              const Equations& equations, const Switches& switches) {
    const std::vector<Expr> lambdas = feedback_multipliers(compiled, equations);
    std::vector<Expr> forces;
    for (std::size_t i = 0; i < switches.Q.size(); ++i) {
        Expr sum = model.graph.zero();
        const Expr force = model.graph.add(switches.Q[i], switches.C[i]);
        for (const Expr term : sym::summands(model.graph, force)) {
            const std::vector<Expr> symbols = sym::symbols_of(model.graph, term);
            const bool is_free = std::find_first_of(symbols.begin(), symbols.end(), lambdas.begin(),
                                                    lambdas.end()) == symbols.end();
            sum = is_free ? model.graph.add(sum, term) : sum;
        }
        forces.push_back(sum);
    }
    return forces;
}

/// Forces that feed back, and the inputs that whatever depends on multipliers needs.
void find_feedback(CompiledModel& compiled, const Model& model, const Equations& equations,
                   const Switches& switches, std::vector<Expr>& inputs) {
    std::vector<Expr> forces = switches.Q;
    forces.insert(forces.end(), switches.C.begin(), switches.C.end());
    compiled.feedback = rows_in(model, equations.rows, forces);
    std::vector<Expr> all = forces;
    for (const mech::NamedExpr& output : compiled.outputs) {
        all.push_back(output.value);
    }
    for (const Switch& one : switches.list) {
        all.push_back(one.value);
    }
    for (const mech::FrictionElement& element : equations.frictions) {
        all.insert(all.end(), {element.amount, element.limit, element.load});
    }
    if (!rows_in(model, equations.rows, all).empty()) {
        for (const Row& row : equations.rows) {
            inputs.push_back(*row.lambda);
        }
        compiled.layout.multipliers = compiled.constraint_rows;
    }
    for (const mech::FrictionElement& element : equations.frictions) {
        inputs.insert(inputs.end(), element.mode.begin(), element.mode.end());
        inputs.push_back(element.still);
    }
}

void compile_reactions(CompiledModel& compiled, Model& model, const Equations& equations,
                       const Switches& switches, code::Lowering& lowering) {
    Outputs friction(lowering);
    for (const mech::FrictionElement& element : equations.frictions) {
        for (const Row& row : element.rows) {
            friction.add(row.residual);
        }
        friction.add(element.force).add(element.amount).add(element.limit);
        friction.add(element.load).add(element.coefficient);
    }
    compiled.friction = friction.kernel();
    if (compiled.feedback.empty()) {
        return;
    }
    Outputs reactive(lowering);
    reactive.add(switches.Q);
    if (equations.has_nonideal) {
        reactive.add(switches.C);
    }
    reactive.add(switches.power);
    reactive.add(feedback_slopes(compiled, model, equations, switches));
    compiled.reactive = reactive.kernel();
    compiled.free_force =
        Outputs(lowering).add(free_forces(compiled, model, equations, switches)).kernel();
}

void compile_gauge(CompiledModel& compiled, const Equations& equations, code::Lowering& lowering) {
    const mech::GaugeChoice& gauge = equations.gauge;
    Outputs out(lowering);
    out.add(gauge.alpha);
    if (!gauge.G_matrix.empty()) {
        compiled.gauge_G = 2;
        for (const std::vector<Expr>& row : gauge.G_matrix) {
            out.add(row);
        }
    } else if (!gauge.G_diagonal.empty()) {
        compiled.gauge_G = 1;
        out.add(gauge.G_diagonal);
    }
    compiled.gauge_z = !gauge.z.empty();
    out.add(gauge.z);
    compiled.has_gauge = gauge.alpha_given || compiled.gauge_G != 0 || compiled.gauge_z;
    compiled.gauge = out.kernel();
}

void compile_compliances(CompiledModel& compiled, code::Lowering& lowering) {
    Outputs out(lowering);
    for (solve::LoadOwner& owner : compiled.load_owners) {
        std::map<int, std::size_t> place_of;  // of lines
        for (const int row : owner.rows) {
            for (const mech::Entry& entry : compiled.rows[at(row)].compliances) {
                place_of.emplace(entry.column, place_of.size());
            }
        }
        owner.compliances = static_cast<int>(place_of.size());
        for (std::size_t k = 0; k < owner.rows.size(); ++k) {
            for (const mech::Entry& entry : compiled.rows[at(owner.rows[k])].compliances) {
                compiled.compliance_entries.push_back(
                    compiled.compliance_size + place_of.at(entry.column) * owner.rows.size() + k);
                out.add({entry.value});
            }
        }
        compiled.compliance_size += place_of.size() * owner.rows.size();
    }
    compiled.compliance = out.kernel();
}

/// How many inertia elements have entries of M between two coordinates of one quaternion, by its
/// first coordinate. Entries of M itself do not tell: they have been simplified.
std::unordered_map<int, int> elements_of_quaternions(const Model& model,
                                                     const Equations& equations) {
    std::vector<int> first(at(equations.n), -1);  // of the quaternion of each coordinate
    for (const mech::Body& body : model.bodies) {
        if (body.kind == mech::Body::Kind::kSpatial) {
            std::fill_n(first.begin() + body.first + 3, 4, body.first + 3);
        }
    }
    std::unordered_map<int, int> counts;
    std::unordered_map<int, const mech::InertiaElement*> last;
    for (const mech::InertiaElement& element : equations.elements) {
        for (const mech::MassEntry& entry : element.M) {
            const int quaternion = first[at(entry.row)];
            if (quaternion >= 0 && quaternion == first[at(entry.column)] &&
                std::exchange(last[quaternion], &element) != &element) {
                ++counts[quaternion];
            }
        }
    }
    return counts;
}

/// True if J changes with nothing but parameters.
bool is_constant_inertia(const Model& model, const mech::Body& body) {
    const auto varies = [&](Expr e) {
        for (const sym::SymbolKind kind :
             {sym::SymbolKind::kTime, sym::SymbolKind::kCoordinate, sym::SymbolKind::kVelocity}) {
            if (sym::depends_on_kind(model.graph, e, kind)) {
                return true;
            }
        }
        return false;
    };
    return std::none_of(body.inertia.begin(), body.inertia.end(), [&](const mech::Vec3& row) {
        return std::any_of(row.begin(), row.end(), varies);
    });
}

void describe_rotations(CompiledModel& compiled, const Model& model, const Equations& equations,
                        code::Lowering& lowering) {
    Outputs inertia(lowering);
    std::unordered_map<int, int> first_rows;  // of constraints
    for (std::size_t i = 0; i < compiled.rows.size(); ++i) {
        first_rows.emplace(compiled.rows[i].constraint, static_cast<int>(i));
    }
    std::unordered_map<int, int> elements = elements_of_quaternions(model, equations);
    for (const mech::InertiaElement& element : equations.elements) {
        if (element.source != mech::InertiaElement::Source::kBody) {
            continue;
        }
        const mech::Body& body = model.bodies[static_cast<std::size_t>(element.index)];
        if (body.kind != mech::Body::Kind::kSpatial) {
            continue;
        }
        const auto norm = first_rows.find(body.norm);
        const bool rigid = elements[body.first + 3] <= 1 && is_constant_inertia(model, body);
        compiled.rotations.push_back(
            {body.first + 3, norm == first_rows.end() ? -1 : norm->second, rigid});
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = i; j < 3; ++j) {
                inertia.add(body.inertia[i][j]);
            }
        }
    }
    compiled.inertia = inertia.kernel();
}

/// Numbers so small or large that a product of two leaves the range of normal numbers: where they
/// are written, a tiny value may become an ordinary one again, (x*1e-160)^2*1e300*1e20.
bool writes_extreme_numbers(const sym::Graph& graph) {
    constexpr double kLargest = 1e100;
    for (std::uint32_t id = 0; id < graph.size(); ++id) {
        const sym::Expr e{id};
        const double size = graph.is_constant(e) ? std::abs(graph.constant(e).value) : 1.0;
        if (size > kLargest || (size < 1.0 / kLargest && size != 0.0)) {
            return true;
        }
    }
    return false;
}

}  // namespace

CompiledModel CompiledModel::compile(Model& model, const Equations& equations) {
    CompiledModel compiled;
    describe(compiled, model, equations);
    CoordinateKinds kinds = coordinate_kinds(model, equations);
    compiled.kinds = std::move(kinds.of);
    compiled.turns = std::move(kinds.turns);
    compiled.extreme_numbers = writes_extreme_numbers(model.graph);
    find_patterns(compiled, equations);
    compiled.load_owners = find_load_owners(compiled, model);
    const Switches switches = freeze_switches(model, equations);
    compiled.switches = switches.list;
    compiled.layout.switches = static_cast<int>(switches.list.size());
    std::vector<Expr> inputs = input_symbols(model);
    for (const Switch& one : switches.list) {
        inputs.push_back(one.side);
    }
    find_feedback(compiled, model, equations, switches, inputs);
    model.graph.settle();  // what follows takes memory, and makes few new expressions
    sym::forget_walks();
    code::Lowering lowering(model.graph, inputs);
    compile_reactions(compiled, model, equations, switches, lowering);
    compiled.dynamics = dynamics_kernel(equations, compiled.rows, switches, lowering);
    compile_switches(compiled, switches.list, lowering);
    compiled.magnitudes = magnitude_kernel(compiled.rows, lowering);
    compiled.mass = Outputs(lowering).add_mass(equations).kernel();
    describe_rotations(compiled, model, equations, lowering);
    compiled.position = position_kernel(compiled, lowering);
    compiled.velocity = velocity_kernel(compiled.rows, lowering);
    compiled.residuals = residual_kernel(compiled.rows, lowering);
    compiled.energy = Outputs(lowering)
                          .add(equations.kinetic)
                          .add(equations.potential)
                          .add(equations.h)
                          .add(equations.power)
                          .kernel();
    Outputs outputs(lowering);
    for (const mech::NamedExpr& output : compiled.outputs) {
        outputs.add(output.value);
    }
    compiled.output = outputs.kernel();
    compiled.reactions = reaction_map(model, equations);
    compiled.force =
        Outputs(lowering).add(reaction_expressions(compiled.reactions, equations)).kernel();
    Outputs start(lowering);
    for (const mech::InitialValue& initial : model.initial) {
        if (initial.velocity &&
            sym::depends_on_kind(model.graph, initial.value, sym::SymbolKind::kCoordinate)) {
            compiled.following.push_back(initial.coordinate);
            start.add(initial.value);
        }
    }
    compiled.start_velocity = start.kernel();
    compile_gauge(compiled, equations, lowering);
    compile_compliances(compiled, lowering);
    compiled.events = CompiledEvents::compile(model, equations, inputs);
    compile_controls(compiled, equations, lowering);
    choose_roads(compiled);
    return compiled;
}

}  // namespace ananke::compile

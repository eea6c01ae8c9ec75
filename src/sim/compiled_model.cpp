#include "sim/compiled_model.h"

#include "code/lower.h"
#include "sym/walk.h"

namespace ananke::sim {
namespace {

using mech::Equations;
using mech::Model;
using mech::Row;
using sym::Expr;

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
    Outputs(const Model& model, const std::vector<Expr>& inputs)
        : model_(&model), inputs_(&inputs) {}

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
    code::Kernel kernel() const {
        return code::Kernel(code::lower(model_->graph, *inputs_, exprs_));
    }

  private:
    const Model* model_;
    const std::vector<Expr>* inputs_;
    std::vector<Expr> exprs_;
};

void describe(CompiledModel& compiled, const Model& model, const Equations& equations) {
    compiled.layout = {equations.n, static_cast<int>(model.parameters.size()), 0};
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
    }
    for (const mech::Body& body : model.bodies) {
        const bool planar = body.kind == mech::Body::Kind::kPlanar;
        if (body.kind != mech::Body::Kind::kGround) {
            compiled.bodies.push_back({body.name, body.first, planar ? 3 : 7, planar});
        }
        if (body.kind == mech::Body::Kind::kSpatial) {
            compiled.groups.push_back({body.first + 3, 4});
        }
    }
    compiled.rows = equations.rows;
    compiled.outputs = equations.outputs;
    compiled.outputs.insert(compiled.outputs.end(), equations.speeds.begin(),
                            equations.speeds.end());
    compiled.has_nonideal = equations.has_nonideal;
}

void find_patterns(CompiledModel& compiled, const Equations& equations) {
    for (const mech::MassEntry& entry : equations.M) {
        compiled.mass_entries.push_back({entry.row, entry.column});
    }
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
        const Row& row = equations.rows[i];
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

code::Kernel dynamics_kernel(const Model& model, const Equations& equations,
                             const Switches& switches, const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
    out.add_mass(equations).add(switches.Q);
    if (equations.has_nonideal) {
        out.add(switches.C);
    }
    for (const Row& row : equations.rows) {
        out.add_row(row);
    }
    for (const Row& row : equations.rows) {
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

void compile_controls(CompiledModel& compiled, const Model& model, const Equations& equations,
                      const std::vector<Expr>& inputs) {
    compiled.controls = equations.controls;
    Outputs out(model, inputs);
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

code::Kernel difference_kernel(Model& model, const std::vector<Switch>& switches,
                               const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
    for (const Switch& one : switches) {
        out.add(model.graph.sub(one.left, one.right));
    }
    return out.kernel();
}

code::Kernel magnitude_kernel(const Model& model, const Equations& equations,
                              const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
    for (const Row& row : equations.rows) {
        out.add(row.row_magnitude);
    }
    for (const Row& row : equations.rows) {
        out.add(row.b_magnitude);
    }
    return out.kernel();
}

code::Kernel position_kernel(const CompiledModel& compiled, const Model& model,
                             const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
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

code::Kernel velocity_kernel(const Model& model, const Equations& equations,
                             const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
    for (const Row& row : equations.rows) {
        out.add(row.rate);
    }
    for (const Row& row : equations.rows) {
        out.add_row(row);
    }
    for (const Row& row : equations.rows) {
        out.add(row.rate_magnitude);
    }
    return out.kernel();
}

code::Kernel residual_kernel(const Model& model, const Equations& equations,
                             const std::vector<Expr>& inputs) {
    Outputs out(model, inputs);
    for (const Row& row : equations.rows) {
        out.add(row.residual);
    }
    for (const Row& row : equations.rows) {
        out.add(row.residual_magnitude);
    }
    return out.kernel();
}

void compile_gauge(CompiledModel& compiled, const Model& model, const Equations& equations,
                   const std::vector<Expr>& inputs) {
    const mech::GaugeChoice& gauge = equations.gauge;
    Outputs out(model, inputs);
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

}  // namespace

CompiledModel CompiledModel::compile(Model& model, const Equations& equations) {
    CompiledModel compiled;
    describe(compiled, model, equations);
    find_patterns(compiled, equations);

    const Switches switches = freeze_switches(model, equations);
    compiled.switches = switches.list;
    compiled.layout.switches = static_cast<int>(switches.list.size());
    std::vector<Expr> inputs = input_symbols(model);
    for (const Switch& one : switches.list) {
        inputs.push_back(one.truth);
    }
    compiled.dynamics = dynamics_kernel(model, equations, switches, inputs);
    compiled.differences = difference_kernel(model, switches.list, inputs);
    compiled.magnitudes = magnitude_kernel(model, equations, inputs);
    compiled.mass = Outputs(model, inputs).add_mass(equations).kernel();
    compiled.position = position_kernel(compiled, model, inputs);
    compiled.velocity = velocity_kernel(model, equations, inputs);
    compiled.residuals = residual_kernel(model, equations, inputs);
    compiled.energy = Outputs(model, inputs)
                          .add(equations.kinetic)
                          .add(equations.potential)
                          .add(equations.h)
                          .add(equations.power)
                          .kernel();
    Outputs outputs(model, inputs);
    for (const mech::NamedExpr& output : compiled.outputs) {
        outputs.add(output.value);
    }
    compiled.output = outputs.kernel();
    compiled.reactions = reaction_map(model, equations);
    compiled.force =
        Outputs(model, inputs).add(reaction_expressions(compiled.reactions, equations)).kernel();
    Outputs start(model, inputs);
    for (const mech::InitialValue& initial : model.initial) {
        if (initial.velocity &&
            sym::depends_on_kind(model.graph, initial.value, sym::SymbolKind::kCoordinate)) {
            compiled.following.push_back(initial.coordinate);
            start.add(initial.value);
        }
    }
    compiled.start_velocity = start.kernel();
    compile_gauge(compiled, model, equations, inputs);
    compiled.events = CompiledEvents::compile(model, equations, inputs);
    compile_controls(compiled, model, equations, inputs);
    return compiled;
}

}  // namespace ananke::sim

#include "compile/prepare.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "classify/classify.h"
#include "mech/friction.h"
#include "sym/evaluate.h"
#include "sym/walk.h"

namespace ananke::compile {
namespace {

/// Constraints that are left out carry nothing: no friction on them, and no multipliers.
void leave_out_frictions(mech::Model& model, mech::Equations& equations,
                         const std::vector<bool>& constraint_out,
                         const std::vector<bool>& row_out) {
    std::vector<sym::Replacement> gone;
    std::vector<int> place(row_out.size(), -1);
    int kept = 0;
    for (std::size_t i = 0; i < row_out.size(); ++i) {
        if (!row_out[i]) {
            place[i] = kept++;
        } else if (equations.rows[i].lambda) {
            gone.push_back({*equations.rows[i].lambda, model.graph.zero()});
        }
    }
    if (gone.empty()) {
        return;
    }
    std::erase_if(equations.frictions, [&](const mech::FrictionElement& element) {
        return std::all_of(element.constraints.begin(), element.constraints.end(), [&](int c) {
            return bool(constraint_out[static_cast<std::size_t>(c)]);
        });
    });
    equations.C = equations.C_given;
    mech::add_friction_forces(model, equations.frictions, equations.C);
    const auto clear = [&](sym::Expr& e) { e = sym::substitute(model.graph, e, gone); };
    for (std::vector<sym::Expr>* list : {&equations.Q, &equations.C, &equations.C_given}) {
        std::for_each(list->begin(), list->end(), clear);
    }
    clear(equations.power);
    for (mech::NamedExpr& output : equations.outputs) {
        clear(output.value);
    }
    for (mech::FrictionElement& element : equations.frictions) {
        std::for_each(element.force.begin(), element.force.end(), clear);
        for (sym::Expr* e : {&element.amount, &element.limit, &element.load}) {
            clear(*e);
        }
        for (int& row : element.load_rows) {
            row = place[static_cast<std::size_t>(row)];
        }
        std::erase(element.load_rows, -1);
    }
}

/// Whether a joint is the one called `name`, or one that it is made of.
bool is_part_of(const mech::Joint& joint, const std::string& name) {
    return joint.name == name || joint.name.starts_with(name + ".");
}

/// Removes the rows of constraints that match a pattern, a joint's name for all of its rows; a
/// pattern without a match is an error.
void leave_out(mech::Model& model, mech::Equations& equations,
               const std::vector<std::string>& patterns, std::vector<Error>& errors) {
    std::vector<std::string> names;
    for (const mech::Constraint& constraint : model.constraints) {
        names.push_back(constraint.name);
    }
    std::vector<bool> out(names.size(), false);
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const int joint = model.constraints[i].joint;
            const bool of_joint =
                joint >= 0 && is_part_of(model.joints[static_cast<std::size_t>(joint)], pattern);
            if (of_joint || matches_wildcard(pattern, names[i])) {
                out[i] = true;
                found = true;
            }
        }
        if (!found) {
            std::vector<std::string> known = names;
            for (const mech::Joint& joint : model.joints) {
                known.push_back(joint.name);
            }
            const std::string near = nearest_name(pattern, known);
            errors.push_back({ErrorCode::kInvalidInput,
                              fmt::format("--without: no constraint is called '{}'{}", pattern,
                                          !near.empty() ? fmt::format("; did you mean '{}'?", near)
                                          : names.empty() ? "; the model has none"
                                                          : fmt::format("; the model has {}",
                                                                        join_names(names)))});
        }
    }
    std::vector<bool> row_out;
    for (const mech::Row& row : equations.rows) {
        row_out.push_back(out[static_cast<std::size_t>(row.constraint)]);
    }
    const auto erase_marked = [&](auto& list) {
        std::size_t i = 0;
        list.erase(std::remove_if(list.begin(), list.end(),
                                  [&](const auto&) { return bool(row_out[i++]); }),
                   list.end());
    };
    mech::GaugeChoice& gauge = equations.gauge;
    if (!gauge.G_diagonal.empty()) {
        erase_marked(gauge.G_diagonal);
    }
    if (!gauge.G_matrix.empty()) {
        erase_marked(gauge.G_matrix);
        for (std::vector<sym::Expr>& row : gauge.G_matrix) {
            erase_marked(row);
        }
    }
    if (!gauge.z.empty()) {
        erase_marked(gauge.z);
    }
    leave_out_frictions(model, equations, out, row_out);
    erase_marked(equations.rows);
    std::erase_if(equations.controls, [&](const mech::Control& control) {
        return bool(out[static_cast<std::size_t>(control.constraint)]);
    });
}

}  // namespace

Preparation prepare(mech::Model model, const PrepareOptions& options) {
    Preparation result;
    auto prepared = std::make_shared<Prepared>();
    prepared->model = std::move(model);

    const Result<std::vector<double>> parameters =
        mech::parameter_values(prepared->model, options.parameters);
    if (!parameters) {
        result.errors.push_back(parameters.error());
        return result;
    }
    prepared->parameters = parameters.value();

    mech::Derivation derivation =
        classify::classify(prepared->model, mech::derive(prepared->model, prepared->parameters));
    result.diagnostics = std::move(derivation.diagnostics);
    if (!derivation.equations) {
        return result;
    }
    prepared->equations = std::move(*derivation.equations);
    leave_out(prepared->model, prepared->equations, options.without, result.errors);

    const Result<mech::InitialState> initial = mech::initial_values(
        prepared->model, prepared->parameters, options.initial, options.scales);
    if (!initial) {
        result.errors.push_back(initial.error());
    }
    if (!result.errors.empty()) {
        return result;
    }
    prepared->initial = initial.value();
    CompiledModel compiled = CompiledModel::compile(prepared->model, prepared->equations);
    compiled.source = prepared;
    prepared->compiled = std::make_shared<const CompiledModel>(std::move(compiled));
    prepared->model.graph.settle();
    sym::forget_walks();
    result.prepared = std::move(prepared);
    return result;
}

double parameter_expression(const Prepared& prepared, sym::Expr e) {
    return sym::evaluate<double>(prepared.model.graph, e,
                                 mech::symbol_values<double>(prepared.model, prepared.parameters));
}

}  // namespace ananke::compile

#include "api/judgement.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.h"
#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "dynamics/start.h"
#include "sym/print.h"
#include "sym/walk.h"

namespace ananke {
namespace {

sym::Values<double> symbol_values(const compile::Prepared& prepared,
                                  const dynamics::StartState& start) {
    sym::Values<double> at = mech::symbol_values<double>(prepared.model, prepared.parameters);
    at[prepared.model.time] = start.t;
    for (std::size_t i = 0; i < start.q.size(); ++i) {
        at[prepared.model.coordinates[i].q] = start.q[i];
        at[prepared.model.coordinates[i].v] = start.v[i];
    }
    for (const mech::Row& row : prepared.equations.rows) {
        if (row.lambda) {
            at[*row.lambda] = 0.0;
        }
    }
    return at;
}

}  // namespace

std::string row_list(const mech::Equations& equations, const std::vector<int>& rows) {
    std::vector<std::string> names =
        transformed(rows, [&](const int row) { return equations.rows[row].name; });
    return fmt::format("{}", fmt::join(names, ", "));
}

mech::Equations without_frictions(const compile::Prepared& prepared,
                                  std::vector<std::string>& notes) {
    mech::Equations equations = prepared.equations;
    const sym::Graph& graph = prepared.model.graph;
    for (const mech::FrictionElement& friction : equations.frictions) {
        for (std::size_t k = 0; k < friction.rows.size(); ++k) {
            notes.push_back(fmt::format("left out: {} = -({}) along the slip {}",
                                        friction.rows[k].name, sym::print(graph, friction.force[k]),
                                        sym::print(graph, friction.rows[k].residual)));
        }
    }
    equations.C = equations.C_given;
    equations.has_nonideal = !prepared.model.nonideal.empty();
    return equations;
}

bool depend_on_reactions(const sym::Graph& graph, const mech::Equations& equations) {
    const auto depends = [&](sym::Expr e) {
        return sym::depends_on_kind(graph, e, sym::SymbolKind::kReaction);
    };
    return std::ranges::any_of(equations.Q, depends) || std::ranges::any_of(equations.C, depends);
}

Judgement judge(const compile::Prepared& prepared) {
    Judgement result;
    dynamics::Evaluator evaluator(prepared.compiled, prepared.parameters);
    dynamics::StartState start{0.0, prepared.initial.q, prepared.initial.v, {}};
    const Result<dynamics::StartState> assembled = dynamics::assemble(evaluator, prepared.initial);
    if (assembled) {
        start = assembled.value();
    } else {
        result.notes.push_back(
            "the initial values do not satisfy the constraints; the lines below hold all the same");
    }
    dynamics::find_reactions(evaluator, start.t, start.q.data(), start.v.data());
    solve::Analysis analysis =
        solve::analyse(evaluator.system(start.t, start.q.data(), start.v.data()));
    // Rows of frictions that stick are none of the equations written out.
    std::erase_if(analysis.vanished,
                  [&](int row) { return row >= prepared.compiled->constraint_rows; });
    result.mass_positive_definite = analysis.mass_positive_definite;
    if (analysis.failure) {
        result.failure =
            dynamics::explain_failure(evaluator, start.t, start.q.data(), start.v.data());
    }
    result.rows = analysis.kept;
    result.dropped = analysis.dropped;
    if (!analysis.failure && !analysis.dropped.empty()) {
        std::vector<int> dropped;
        for (const solve::DroppedRow& row : analysis.dropped) {
            dropped.push_back(row.row);
        }
        result.notes.push_back(fmt::format(
            "left out of the acceleration because they follow from the other rows (their "
            "multipliers are set to 0, one choice of many; a run shares the force among all): {}",
            row_list(prepared.equations, dropped)));
    }
    if (!analysis.vanished.empty()) {
        result.notes.push_back(
            fmt::format("rows that vanish at the initial state, taken as independent: {}",
                        row_list(prepared.equations, analysis.vanished)));
        append(result.rows, analysis.vanished);
        std::ranges::sort(result.rows);
        // Pivots are judged beside the special state.
        for (std::size_t i = 0; i < start.q.size(); ++i) {
            start.q[i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
            start.v[i] += 0.1 * std::cos(1.0 + static_cast<double>(i));
        }
    }
    result.at = symbol_values(prepared, start);
    return result;
}

}  // namespace ananke

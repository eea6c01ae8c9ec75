#include "report/uniqueness.h"

#include <algorithm>

#include "dynamics/evaluator.h"
#include "dynamics/motion_solver.h"
#include "solve/analysis.h"

namespace ananke::report {
namespace {

constexpr std::size_t kLookedAt = 4;   ///< states after the start
constexpr int kMostCoordinates = 300;  ///< an analysis costs their third power

void merge(compile::ReactionShare& into, const compile::ReactionShare& other) {
    for (std::size_t k = 0; k < 3; ++k) {
        into.force[k] = into.force[k] && other.force[k];
        into.torque[k] = into.torque[k] && other.torque[k];
    }
    std::vector<int> owners;
    std::set_union(into.shared_with.begin(), into.shared_with.end(), other.shared_with.begin(),
                   other.shared_with.end(), std::back_inserter(owners));
    into.shared_with = std::move(owners);
}

/// Merges the reactions that are not unique at the state of this row.
void look_at(const States& states, std::size_t row, dynamics::Evaluator& evaluator,
             Uniqueness& found) {
    const States::State state = states.state(row);
    for (std::size_t p = 0; p < state.parameters.size(); ++p) {
        const auto which = static_cast<int>(p);
        if (evaluator.parameter(which) != state.parameters[p]) {
            evaluator.set_parameter(which, state.parameters[p]);
        }
    }
    const double* q = state.q.data();
    const double* v = state.v.data();
    dynamics::find_reactions(evaluator, state.t, q, v);
    const solve::Analysis analysis = solve::analyse(evaluator.system(state.t, q, v));
    if (analysis.failure) {
        return;
    }
    const std::vector<compile::ReactionShare> shares = compile::reaction_shares(
        states.prepared().compiled->reactions, evaluator.reactions(state.t, q, v), analysis);
    for (std::size_t i = 0; i < std::min(shares.size(), found.shares.size()); ++i) {
        merge(found.shares[i], shares[i]);
    }
    const std::size_t rows = std::min(found.lambda_unique.size(), analysis.lambda_unique.size());
    for (std::size_t k = 0; k < rows; ++k) {
        found.lambda_unique[k] = found.lambda_unique[k] && analysis.lambda_unique[k];
    }
}

}  // namespace

Uniqueness judge_uniqueness(const States& states, const inspect::CheckReport& check) {
    Uniqueness found{check.reactions, check.analysis.lambda_unique};
    const auto coordinates = static_cast<int>(states.prepared().model.coordinates.size());
    if (found.lambda_unique.empty() || coordinates > kMostCoordinates || states.count() < 2) {
        return found;
    }
    dynamics::Evaluator evaluator(states.prepared().compiled, states.prepared().parameters);
    for (std::size_t i = 1; i <= kLookedAt; ++i) {
        look_at(states, i * (states.count() - 1) / kLookedAt, evaluator, found);
    }
    return found;
}

}  // namespace ananke::report

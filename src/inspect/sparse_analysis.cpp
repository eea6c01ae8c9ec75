#include "inspect/sparse_analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dynamics/sparse_kkt.h"
#include "dynamics/sparse_rows.h"
#include "solve/symmetric_factor.h"

namespace ananke::inspect {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Sets of rows tied by dependences.
std::vector<std::vector<int>> sets_of(const solve::Analysis& analysis) {
    std::vector<int> parent(analysis.lambda_unique.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int k) {
        while (parent[at(k)] != k) {
            k = parent[at(k)] = parent[at(parent[at(k)])];
        }
        return k;
    };
    for (const solve::DroppedRow& dropped : analysis.dropped) {
        for (const int kept : dropped.kept) {
            parent[at(root(kept))] = root(dropped.row);
        }
    }
    std::map<int, std::vector<int>> sets;
    for (int k = 0; k < static_cast<int>(parent.size()); ++k) {
        if (!analysis.lambda_unique[at(k)] &&
            !std::binary_search(analysis.vanished.begin(), analysis.vanished.end(), k)) {
            sets[root(k)].push_back(k);
        }
    }
    std::vector<std::vector<int>> list;
    for (auto& [first, set] : sets) {
        list.push_back(std::move(set));
    }
    std::sort(list.begin(), list.end());
    return list;
}

/// To working precision, by its entries.
bool has_regular_mass(const compile::CompiledModel& model, std::span<const double> mass) {
    std::vector<solve::SymmetricPlace> places;
    for (const compile::Place& place : model.mass_entries) {
        places.push_back({place.row, place.column});
    }
    return solve::SymmetricFactor(model.n(), places).factor(mass);
}

}  // namespace

std::optional<solve::Analysis> analyse_sparse(dynamics::Evaluator& evaluator, double t,
                                              const double* q, const double* v,
                                              Dependences dependences) {
    const compile::CompiledModel& model = evaluator.model();
    const compile::SparseValues values = evaluator.sparse_system(t, q, v);
    dynamics::SparseKkt solver(evaluator, dynamics::Mismatch::kIsAnError, solve::Wanted::kMotion);
    dynamics::Motion motion(model);
    if (solver.solve(values, motion) != solve::SolveStatus::kOk) {
        return std::nullopt;
    }
    dynamics::SparseRows rows(evaluator);
    rows.choose(values);
    std::vector<double> direction(at(model.n()));
    solve::Analysis analysis;
    analysis.rank = static_cast<int>(rows.kept().size());
    analysis.warning = rows.warning();
    analysis.kept = rows.kept();
    analysis.smallest_kept_pivot = rows.weakest(direction).pivot;
    const std::vector<bool> tied = rows.tied(values);
    analysis.lambda_unique.assign(at(model.m()), true);
    for (int row = 0; row < model.m(); ++row) {
        const bool is_kept = std::binary_search(rows.kept().begin(), rows.kept().end(), row);
        const bool is_dropped =
            std::binary_search(rows.dropped().begin(), rows.dropped().end(), row);
        analysis.lambda_unique[at(row)] =
            is_kept && !(dependences == Dependences::kListed && tied[at(row)]);
        if (is_dropped) {
            analysis.dropped.push_back(dependences == Dependences::kListed
                                           ? solve::DroppedRow{row, {}, {}, 0.0}
                                           : rows.combination(row, values));
        } else if (!is_kept) {
            analysis.vanished.push_back(row);
        }
    }
    if (dependences == Dependences::kExpressed) {
        for (const solve::DroppedRow& dropped : analysis.dropped) {
            for (const int kept : dropped.kept) {
                analysis.lambda_unique[at(kept)] = false;
            }
        }
        analysis.dependent_sets = sets_of(analysis);
    }
    analysis.mass_positive_definite = has_regular_mass(model, values.M);
    return analysis;
}

}  // namespace ananke::inspect

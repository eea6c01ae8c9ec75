#include "dynamics/row_rank.h"

#include "dynamics/sparse_rows.h"
#include "solve/analysis.h"

namespace ananke::dynamics {

FullRows::FullRows(Evaluator& evaluator)
    : evaluator_(&evaluator),
      matrices_(evaluator.model()),
      solver_(evaluator.model().n(), evaluator.model().m()) {
    kept_.reserve(evaluator.model().rows.size());
}

void FullRows::choose(const compile::SparseValues& at) {
    choose_by({}, at);
}

void FullRows::choose(const compile::SparseValues& at, double dependent) {
    choose_by({dependent, dependent}, at);
}

void FullRows::choose_by(solve::RankPolicy policy, const compile::SparseValues& at) {
    solver_.set_policy(policy);
    const solve::System system = matrices_.of(at, evaluator_->magnitudes());
    if (solve(system) == solve::SolveStatus::kNotUnique) {  // the solver has no factor
        solve::Analysis analysis = solve::analyse(system, policy);
        kept_ = std::move(analysis.kept);
        tied_ = std::move(analysis.lambda_unique);
        tied_.flip();
    }
}

solve::SolveStatus FullRows::solve(const solve::System& at) {
    status_ = solver_.solve(at);
    tied_.clear();
    find_kept();
    return status_;
}

solve::SolveStatus FullRows::attribute(const solve::System& at, const double* a, double weakest) {
    status_ = solver_.attribute(at, a, weakest);
    tied_.clear();
    find_kept();
    return status_;
}

void FullRows::find_kept() {
    kept_.clear();
    for (int k = 0; k < solver_.rank(); ++k) {
        kept_.push_back(solver_.kept_row(k));
    }
}

void FullRows::count_as(const RowRank& other) {
    const auto& full = static_cast<const FullRows&>(other);
    solver_ = full.solver_;
    status_ = full.status_;
    kept_ = full.kept_;
    tied_ = full.tied_;
}

bool FullRows::again(const compile::SparseValues& at) {
    tied_.clear();
    return solver_.solve_again(matrices_.of(at), solve::Wanted::kMotion) !=
           solve::SolveStatus::kNotUnique;
}

WeakestRow FullRows::weakest(std::span<double> direction) {
    if (solver_.rank() > 0) {
        solver_.weakest_remainder(direction.data());
    }
    return {solver_.weakest_pivot(), solver_.weakest_row(), solver_.rank(),
            status_ == solve::SolveStatus::kOk};
}

std::vector<bool> FullRows::tied(const compile::SparseValues& /*at*/) {
    return tied_.empty() ? solver_.tied() : tied_;
}

std::unique_ptr<RowRank> make_row_rank(Evaluator& evaluator) {
    if (has_sparse_rows(evaluator.model())) {
        return std::make_unique<SparseRows>(evaluator);
    }
    return std::make_unique<FullRows>(evaluator);
}

}  // namespace ananke::dynamics

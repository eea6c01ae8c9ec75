#include "simulate/row_follower.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dynamics/row_entries.h"
#include "solve/analysis.h"

namespace ananke::simulate {
namespace {

/// Rows are counted as dependent at the instant when their pivots are below this,
constexpr double kAtTheInstant = 1e-6;
/// or their lengths below this part of what they were before it.
constexpr double kVanishedLength = 1e-4;

double dot(const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

RowFollower::RowFollower(dynamics::Evaluator& evaluator)
    : evaluator_(&evaluator),
      n_(static_cast<std::size_t>(evaluator.model().n())),
      direction_(n_),
      direction_before_(n_) {}

void RowFollower::make() {
    const compile::CompiledModel& model = evaluator_->model();
    if (is_made()) {
        return;
    }
    if (dynamics::has_sparse_rows(model)) {
        sparse_.emplace(*evaluator_);
    } else {
        solver_.emplace(model.n(), model.m());
    }
}

dynamics::WeakestRow RowFollower::choose(double t, std::span<const double> y, std::span<double> direction) {
    make();
    if (sparse_) {
        sparse_->choose(evaluator_->sparse_system(t, y.data(), y.data() + n_));
        const dynamics::WeakestRow weakest = sparse_->weakest(direction);
        watched_ = weakest.row >= 0 ? sparse_->place_of(weakest.row) : 0;
        return weakest;
    }
    const solve::SolveStatus status =
        solver_->solve(evaluator_->system(t, y.data(), y.data() + n_));
    if (solver_->rank() > 0) {
        solver_->weakest_remainder(direction.data());
    }
    watched_ = solver_->rank() - 1;
    return {solver_->weakest_pivot(), solver_->weakest_row(), solver_->rank(),
            status == solve::SolveStatus::kOk};
}

bool RowFollower::watch_weakest_of(const dynamics::Dynamics& looked, const dynamics::WeakestRow& weakest,
                                   std::span<const double> direction, double t,
                                   std::span<const double> y) {
    make();
    find_lengths(t, y, lengths_before_);
    if (sparse_) {
        sparse_->count_as(*looked.rows().sparse_rows());
        watched_ = weakest.row >= 0 ? sparse_->place_of(weakest.row) : 0;
    } else {
        *solver_ = *looked.rows().full_rows();
        watched_ = solver_->rank() - 1;
    }
    std::copy(direction.begin(), direction.end(), direction_before_.begin());
    return weakest.row >= 0 && first_pivot() > 0.0;
}

bool RowFollower::watch_weakest(double t, std::span<const double> y) {
    find_lengths(t, y, lengths_before_);
    return choose(t, y, direction_before_).row >= 0 && first_pivot() > 0.0;
}

void RowFollower::watch_row(int row) {
    int place = -1;
    if (sparse_) {
        place = sparse_->place_of(row);
    } else {
        for (int k = 0; k < solver_->rank(); ++k) {
            place = solver_->kept_row(k) == row ? k : place;
        }
    }
    if (place >= 0) {
        watched_ = place;
        find_remainder(place, direction_before_);
    }
}

void RowFollower::find_lengths(double t, std::span<const double> y, std::vector<double>& lengths) {
    dynamics::find_row_entries(*evaluator_, t, y, entries_);
    dynamics::find_row_lengths(evaluator_->model(), entries_, lengths);
}

std::optional<RowFollower::FallingRow> RowFollower::falling_row(double t_before,
                                                                std::span<const double> before,
                                                                double t,
                                                                std::span<const double> y) {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<double>& first = scratch_;
    find_lengths(t_before, before, first);
    find_lengths(t, y, lengths_);
    std::optional<FallingRow> found;
    for (std::size_t k = 0; k < first.size(); ++k) {
        const double fall = first[k] - lengths_[k];
        if (model.rows[k].holonomic && fall > 0.0 &&
            (!found || lengths_[k] < found->ahead * fall)) {
            found = {static_cast<int>(k), lengths_[k] / fall};
        }
    }
    return found;
}

bool RowFollower::any_reversed(double t_before, std::span<const double> before, double t,
                               std::span<const double> y) {
    const compile::CompiledModel& model = evaluator_->model();
    dynamics::find_row_entries(*evaluator_, t_before, before, scratch_);
    dynamics::find_row_entries(*evaluator_, t, y, entries_);
    std::vector<double>& products = lengths_;
    dynamics::multiply_rows(model, entries_, scratch_, products);
    for (std::size_t k = 0; k < products.size(); ++k) {
        if (model.rows[k].holonomic && products[k] < 0.0) {
            return true;
        }
    }
    return false;
}

bool RowFollower::again(double t, std::span<const double> y) {
    if (sparse_) {
        return sparse_->again(evaluator_->sparse_system(t, y.data(), y.data() + n_));
    }
    return solver_->solve_again(evaluator_->system(t, y.data(), y.data() + n_),
                                solve::Wanted::kMotion) != solve::SolveStatus::kNotUnique;
}

void RowFollower::find_remainder(int k, std::vector<double>& x) {
    if (sparse_) {
        sparse_->remainder(k, x);
    } else {
        solver_->remainder(k, x.data());
    }
}

void RowFollower::watch_row_that_turned(double t, std::span<const double> y) {
    remainders_.resize(static_cast<std::size_t>(rank()) * n_);
    const auto place = [this](int k) {
        return remainders_.begin() +
               static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(n_);
    };
    for (int k = 0; k < rank(); ++k) {
        find_remainder(k, direction_);
        std::copy(direction_.begin(), direction_.end(), place(k));
    }
    if (!again(t, y)) {
        return;
    }
    for (int k = rank() - 1; k >= 0; --k) {
        find_remainder(k, direction_);
        if (std::inner_product(direction_.begin(), direction_.end(), place(k), 0.0) < 0.0) {
            watched_ = k;
            std::copy_n(place(k), n_, direction_before_.begin());
            return;
        }
    }
}

double RowFollower::signed_pivot(double t, std::span<const double> y) {
    if (!again(t, y)) {
        return sparse_ ? 0.0 : std::nan("");
    }
    find_remainder(watched_, direction_);
    const double part =
        dot(direction_, direction_before_) / dot(direction_before_, direction_before_);
    find_lengths(t, y, lengths_);
    const auto row = static_cast<std::size_t>(watched_row());
    return part * lengths_[row] / lengths_before_[row];
}

double RowFollower::remaining_part(double t, std::span<const double> y) {
    if (!again(t, y)) {
        return 0.0;
    }
    find_remainder(watched_, direction_);
    find_lengths(t, y, lengths_);
    const auto row = static_cast<std::size_t>(watched_row());
    return std::sqrt(dot(direction_, direction_)) / first_pivot() * lengths_[row] /
           lengths_before_[row];
}

double RowFollower::first_pivot() const {
    return std::sqrt(dot(direction_before_, direction_before_));
}

/// By the rows chosen before the instant.
RowFollower::Rank RowFollower::rank_before(double t, std::span<const double> y) {
    again(t, y);
    if (sparse_) {
        return {rank(), sparse_->tied(evaluator_->sparse_system(t, y.data(), y.data() + n_))};
    }
    return {rank(), solver_->tied()};
}

RowFollower::Rank RowFollower::rank_there(double t, std::span<const double> y) const {
    if (sparse_) {
        const compile::SparseValues values = evaluator_->sparse_system(t, y.data(), y.data() + n_);
        dynamics::SparseRows rows(*evaluator_);
        rows.choose(values, kAtTheInstant);
        return {static_cast<int>(rows.kept().size()), rows.tied(values)};
    }
    const compile::CompiledModel& model = evaluator_->model();
    const solve::RankPolicy policy{kAtTheInstant, kAtTheInstant};
    const solve::System at = evaluator_->system(t, y.data(), y.data() + n_);
    solve::AccelerationSolver solver(model.n(), model.m(), policy);
    if (solver.solve(at) != solve::SolveStatus::kNotUnique) {
        return {solver.rank(), solver.tied()};
    }
    const solve::Analysis analysis = solve::analyse(at, policy);
    std::vector<bool> tied = analysis.lambda_unique;
    tied.flip();
    return {analysis.rank, std::move(tied)};
}

SingularPoint RowFollower::describe(double t_before, std::span<const double> before, double t,
                                    std::span<const double> y) {
    const Rank first = rank_before(t_before, before);
    const Rank there = rank_there(t, y);
    SingularPoint point{t, there.rank, first.rank, {}};
    find_lengths(t, y, lengths_);
    for (std::size_t k = 0; k < there.tied.size(); ++k) {
        const bool vanishes = lengths_[k] < kVanishedLength * lengths_before_[k];
        if ((there.tied[k] || vanishes) && !first.tied[k]) {
            point.rows.push_back(static_cast<int>(k));
            point.rank -= vanishes && !there.tied[k] ? 1 : 0;
        }
    }
    return point;
}

}  // namespace ananke::simulate

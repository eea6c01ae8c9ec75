#include "simulate/row_follower.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dynamics/row_entries.h"

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
    if (!is_made()) {
        rows_ = dynamics::make_row_rank(*evaluator_);
    }
}

/// Nothing where the row does not count.
std::optional<int> RowFollower::place_of(int row) const {
    const std::vector<int>& kept = rows_->kept();
    const auto found = std::find(kept.begin(), kept.end(), row);
    return found == kept.end() ? std::nullopt
                               : std::optional(static_cast<int>(found - kept.begin()));
}

compile::SparseValues RowFollower::values(double t, std::span<const double> y) const {
    return evaluator_->sparse_system(t, y.data(), y.data() + n_);
}

dynamics::WeakestRow RowFollower::choose(double t, std::span<const double> y,
                                         std::span<double> direction) {
    make();
    rows_->choose(values(t, y));
    const dynamics::WeakestRow weakest = rows_->weakest(direction);
    watched_ = place_of(weakest.row).value_or(0);
    return weakest;
}

bool RowFollower::watch_weakest_of(const dynamics::MotionSolver& looked,
                                   const dynamics::WeakestRow& weakest,
                                   std::span<const double> direction, double t,
                                   std::span<const double> y) {
    make();
    find_lengths(t, y, lengths_before_);
    rows_->count_as(*looked.rows().row_rank());
    watched_ = place_of(weakest.row).value_or(0);
    std::copy(direction.begin(), direction.end(), direction_before_.begin());
    return weakest.row >= 0 && first_pivot() > 0.0;
}

bool RowFollower::watch_weakest(double t, std::span<const double> y) {
    find_lengths(t, y, lengths_before_);
    return choose(t, y, direction_before_).row >= 0 && first_pivot() > 0.0;
}

void RowFollower::watch_row(int row) {
    if (const std::optional<int> place = place_of(row)) {
        watched_ = *place;
        rows_->remainder(watched_, direction_before_);
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
    return rows_->again(values(t, y));
}

void RowFollower::watch_row_that_turned(double t, std::span<const double> y) {
    const int rank = static_cast<int>(rows_->kept().size());
    remainders_.resize(static_cast<std::size_t>(rank) * n_);
    const auto place = [this](int k) {
        return remainders_.begin() +
               static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(n_);
    };
    for (int k = 0; k < rank; ++k) {
        rows_->remainder(k, direction_);
        std::copy(direction_.begin(), direction_.end(), place(k));
    }
    if (!again(t, y)) {
        return;
    }
    for (int k = rank - 1; k >= 0; --k) {
        rows_->remainder(k, direction_);
        if (std::inner_product(direction_.begin(), direction_.end(), place(k), 0.0) < 0.0) {
            watched_ = k;
            std::copy_n(place(k), n_, direction_before_.begin());
            return;
        }
    }
}

double RowFollower::signed_pivot(double t, std::span<const double> y) {
    if (!again(t, y)) {
        return 0.0;
    }
    rows_->remainder(watched_, direction_);
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
    rows_->remainder(watched_, direction_);
    find_lengths(t, y, lengths_);
    const auto row = static_cast<std::size_t>(watched_row());
    return std::sqrt(dot(direction_, direction_)) / first_pivot() * lengths_[row] /
           lengths_before_[row];
}

double RowFollower::first_pivot() const {
    return std::sqrt(dot(direction_before_, direction_before_));
}

SingularPoint RowFollower::describe(double t_before, std::span<const double> before, double t,
                                    std::span<const double> y) {
    again(t_before, before);
    const int rank_before = static_cast<int>(rows_->kept().size());
    const std::vector<bool> tied_before = rows_->tied(values(t_before, before));
    const std::unique_ptr<dynamics::RowRank> there = dynamics::make_row_rank(*evaluator_);
    there->choose(values(t, y), kAtTheInstant);
    const std::vector<bool> tied = there->tied(values(t, y));
    SingularPoint point{t, static_cast<int>(there->kept().size()), rank_before, {}};
    find_lengths(t, y, lengths_);
    for (std::size_t k = 0; k < tied.size(); ++k) {
        const bool vanishes = lengths_[k] < kVanishedLength * lengths_before_[k];
        if ((tied[k] || vanishes) && !tied_before[k]) {
            point.rows.push_back(static_cast<int>(k));
            point.rank -= vanishes && !tied[k] ? 1 : 0;
        }
    }
    return point;
}

}  // namespace ananke::simulate

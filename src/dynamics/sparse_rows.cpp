#include "dynamics/sparse_rows.h"

#include <algorithm>
#include <cmath>

#include "dynamics/recording.h"
#include "solve/row_factor.h"

namespace ananke::dynamics {
namespace {

/// Rows whose weakest has more than this besides the others all count.
constexpr double kSurelyIndependent = 1e-6;
/// Rows that counted count on while the pivot of the weakest is more than this part of what it was,
constexpr double kWorthKeeping = 0.2;
/// and the others leave less than this.
constexpr double kStillDependent = 1e-10;
/// Rows of which a sum of all that depend holds less are not tied to them. At a singular instant
/// the directions of links are known to the root of rounding only.
constexpr double kTied = 1e-6;
/// Coefficients below this are round-off.
constexpr double kNoWeight = 1e-8;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<int> rows_that_have_not_vanished(Evaluator& evaluator,
                                             const compile::SparseValues& values) {
    const compile::CompiledModel& model = evaluator.model();
    const std::span<const double> A = values.A;
    const std::span<const double> magnitudes = evaluator.magnitudes();
    std::vector<double> squares(at(model.m()), 0.0);
    for (std::size_t i = 0; i < A.size(); ++i) {
        squares[at(model.row_entries[i].row)] += A[i] * A[i];
    }
    std::vector<int> rows;
    for (int row = 0; row < model.m(); ++row) {
        if (values.counts(row) &&
            std::sqrt(squares[at(row)]) > solve::kVanished * magnitudes[at(row)]) {
            rows.push_back(row);
        }
    }
    return rows;
}

SparseRows::SparseRows(Evaluator& evaluator, bool reuses)
    : evaluator_(&evaluator),
      reuses_(reuses),
      varies_(entries_that_vary(evaluator.model())),
      units_(at(evaluator.model().n())),
      direction_(units_.size()) {}

void SparseRows::choose(const compile::SparseValues& values, double dependent) {
    std::vector<int> there = rows_that_have_not_vanished(*evaluator_, values);
    if (still_good(values, there)) {
        return;
    }
    there_ = std::move(there);
    if (all_count(values, there_)) {
        return;
    }
    const compile::RecordKey key = state_key(compile::RecordKey::Kind::kRows, *evaluator_)
                                       .add(there_)
                                       .add(std::span<const double>(&dependent, 1));
    solve::RowChoice choice =
        *evaluator_->model().programs->latest<solve::RowChoice>(key, [&]() -> solve::RowChoice {
            solve::SparseSystem system =
                sparse_system(*evaluator_, EntryValues{values.M, values.A}, there_, varies_);
            system.block = all_blocks(evaluator_->model());
            return solve::independent_rows(system, dependent);
        });
    for (std::vector<int>* rows : {&choice.kept, &choice.dropped}) {
        for (int& row : *rows) {
            row = there_[at(row)];
        }
    }
    warning_ = choice.warning;
    least_ = choice.weakest;
    dropped_ = std::move(choice.dropped);
    take(std::move(choice.kept));
    factored_ = factor(values);
    chosen_pivot_ = weakest().pivot;
}

void SparseRows::count_as(const RowRank& chosen) {
    const auto& other = static_cast<const SparseRows&>(chosen);
    there_ = other.there_;
    dropped_ = other.dropped_;
    warning_ = other.warning_;
    least_ = other.least_;
    chosen_pivot_ = other.chosen_pivot_;
    weakest_ = other.weakest_;
    take(other.kept_);
    factored_ = false;
    found_.reset();
}

bool SparseRows::again(const compile::SparseValues& values) {
    return factored_ = factor(values);
}

/// True if those that counted are about as far from dependent as they were, and the others depend
/// on them still.
bool SparseRows::still_good(const compile::SparseValues& values, const std::vector<int>& there) {
    if (!(chosen_pivot_ > 0.0) || there != there_ || warning_) {
        return false;
    }
    factored_ = factor(values);
    if (!factored_) {
        return false;
    }
    const double pivot = weakest().pivot;
    if (pivot < std::max(kWorthKeeping * chosen_pivot_, kSurelyIndependent)) {
        return false;
    }
    chosen_pivot_ = std::max(pivot, chosen_pivot_);
    if (dropped_.empty()) {
        return true;
    }
    const std::vector<double> sum = sum_of_dropped(values);
    std::vector<double> coefficients(kept_.size());
    return rows().nearest(sum, coefficients) < kStillDependent;
}

/// True if no row depends on others, by a wide margin; they are then those that count.
bool SparseRows::all_count(const compile::SparseValues& values, const std::vector<int>& there) {
    if (!dropped_.empty() || there.size() > units_.size()) {
        return false;
    }
    take(there);
    factored_ = factor(values);
    if (!factored_) {
        return false;
    }
    const double pivot = weakest().pivot;
    if (pivot <= kSurelyIndependent) {
        return false;
    }
    chosen_pivot_ = pivot;
    warning_ = false;
    return true;
}

void SparseRows::take(std::vector<int> rows) {
    if (!place_.empty() && rows == kept_) {
        return;
    }
    const compile::CompiledModel& model = evaluator_->model();
    kept_ = std::move(rows);
    place_ = places_among(kept_, model.m());
    rows_.reset();
}

/// Of those that count; made when it is first asked for.
solve::WeakRows& SparseRows::rows() {
    if (!rows_) {
        const compile::CompiledModel& model = evaluator_->model();
        entries_.clear();
        std::vector<solve::RowPlace> places;
        for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
            const compile::Place& place = model.row_entries[i];
            const int row = place_[at(place.row)];
            if (row >= 0) {
                entries_.push_back(i);
                places.push_back({row, place.column});
            }
        }
        rows_.emplace(model.n(), static_cast<int>(kept_.size()), places);
        values_.resize(entries_.size());
    }
    return *rows_;
}

bool SparseRows::factor(const compile::SparseValues& values) {
    found_.reset();
    solve::WeakRows& rows = this->rows();
    units_ = coordinate_scales(evaluator_->model(), values.M);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        values_[i] = values.A[entries_[i]];
    }
    return reuses_ ? rows.factor_again(values_, units_) : rows.factor(values_, units_);
}

WeakestRow SparseRows::weakest(std::span<double> direction) {
    const WeakestRow found = weakest();
    std::copy(direction_.begin(), direction_.end(), direction.begin());
    return found;
}

/// With direction_.
WeakestRow SparseRows::weakest() {
    const int rank = static_cast<int>(kept_.size());
    if (kept_.empty() || !factored_) {
        return {kept_.empty() ? 1.0 : least_, -1, rank};
    }
    if (!found_) {
        const int place = rows().weakest(weakest_ >= 0 ? place_[at(weakest_)] : -1);
        weakest_ = kept_[at(place)];
        found_ = {rows().remainder(place, direction_), weakest_, rank};
    }
    return *found_;
}

/// Of all rows, in units of the coordinates (m).
std::vector<double> SparseRows::lengths(const compile::SparseValues& values) const {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<double> lengths(at(model.m()), 0.0);
    for (std::size_t i = 0; i < values.A.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const double entry = values.A[i] * units_[at(place.column)];
        lengths[at(place.row)] += entry * entry;
    }
    for (double& length : lengths) {
        length = std::sqrt(length);
    }
    return lengths;
}

/// A sum of all rows that depend on others, each of unit length and with a share of its own: it
/// holds whatever any of them does (n, in units of the coordinates).
std::vector<double> SparseRows::sum_of_dropped(const compile::SparseValues& values) const {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<double> share(at(model.m()), 0.0);
    for (std::size_t k = 0; k < dropped_.size(); ++k) {
        share[at(dropped_[k])] = 1.0 + 0.5 * std::sin(2.4 * static_cast<double>(k));
    }
    const std::vector<double> length = lengths(values);
    std::vector<double> sum(units_.size(), 0.0);
    for (std::size_t i = 0; i < values.A.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (share[at(place.row)] != 0.0) {
            sum[at(place.column)] += share[at(place.row)] * values.A[i] * units_[at(place.column)] /
                                     length[at(place.row)];
        }
    }
    return sum;
}

std::vector<bool> SparseRows::tied(const compile::SparseValues& values) {
    const compile::CompiledModel& model = evaluator_->model();
    std::vector<bool> tied(at(model.m()), true);
    for (const int row : kept_) {
        tied[at(row)] = false;
    }
    if (dropped_.empty() || !factored_) {
        return tied;
    }
    std::vector<double> coefficients(kept_.size());
    rows().nearest(sum_of_dropped(values), coefficients);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        tied[at(kept_[k])] = std::abs(coefficients[k]) > kTied;
    }
    return tied;
}

void SparseRows::express(std::span<const double> row, std::span<double> coefficients,
                         std::span<double> remainder) {
    double length = 0.0;
    for (std::size_t j = 0; j < row.size(); ++j) {
        remainder[j] = row[j] * units_[j];
        length = std::hypot(length, remainder[j]);
    }
    for (double& one : remainder) {
        one /= solve::divisor(length);
    }
    if (!factored_) {  // rows dependent to working precision: no combination of them is known
        std::fill(coefficients.begin(), coefficients.end(), 0.0);
        return;
    }
    rows().nearest(remainder, coefficients);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const compile::Place& place = evaluator_->model().row_entries[entries_[i]];
        const auto k = at(place_[at(place.row)]);
        remainder[at(place.column)] -= coefficients[k] * rows().unit_entry(i);
    }
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
        coefficients[k] *= length / rows().length(static_cast<int>(k));
    }
}

solve::DroppedRow SparseRows::combination(int row, const compile::SparseValues& values) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<double> length = lengths(values);
    std::vector<double> x(units_.size(), 0.0);
    for (std::size_t i = 0; i < values.A.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (place.row == row) {
            x[at(place.column)] = values.A[i] * units_[at(place.column)] / length[at(row)];
        }
    }
    std::vector<double> c(kept_.size(), 0.0);
    rows().nearest(x, c);
    solve::DroppedRow dropped{row, {}, {}, 0.0};
    double mismatch = values.b[at(row)] / length[at(row)];
    double scale = std::abs(mismatch);
    for (std::size_t k = 0; k < c.size(); ++k) {
        const auto kept = at(kept_[k]);
        const double term = c[k] * values.b[kept] / length[kept];
        mismatch -= term;
        scale += std::abs(term);
        if (std::abs(c[k]) > kNoWeight) {
            dropped.kept.push_back(kept_[k]);
            dropped.coefficients.push_back(c[k] * length[at(row)] / length[kept]);
        }
    }
    dropped.inconsistency = std::abs(mismatch) / solve::divisor(scale);
    return dropped;
}

}  // namespace ananke::dynamics

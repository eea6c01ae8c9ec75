#include "dynamics/sparse_dynamics.h"

#include <algorithm>
#include <cmath>

#include "compile/load_owners.h"
#include "dynamics/recording.h"
#include "solve/least_norm.h"

namespace ananke::dynamics {
namespace {

using solve::SolveStatus;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Rows that are all independent count on while the system is at least this part as regular as it
/// was where they were chosen.
constexpr double kWorthKeeping = 0.1;

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

SparseDynamics::SparseDynamics(Evaluator& evaluator, solve::Wanted wanted)
    : evaluator_(&evaluator),
      wanted_(wanted),
      choice_(evaluator, wanted == solve::Wanted::kMotion),
      direction_(at(evaluator.model().n())),
      a_(at(evaluator.model().n())),
      Qc_(a_.size()),
      Qc_ideal_(a_.size()),
      Qc_nonideal_(a_.size()),
      lambda_(at(evaluator.model().m())) {}

SolveStatus SparseDynamics::solve(double t, const double* q, const double* v) {
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    inconsistent_row_ = -1;
    for (const std::span<const double> part : {values.M, values.Q, values.C, values.A, values.b}) {
        if (!all_finite(part)) {
            return status_ = SolveStatus::kNotFinite;
        }
    }
    if (!rows_still_serve(values)) {
        choose_rows(values, solve::kDependentPart);
        if (!factor(values)) {
            return status_ = SolveStatus::kNotUnique;
        }
        regularity_ = factor_->regularity();
    }
    status_ = solve_factored(values, true);
    if (status_ == SolveStatus::kOk && wanted_ == solve::Wanted::kAll &&
        !choice_.dropped().empty()) {
        share_load(values);
    }
    return status_;
}

/// For models so large that the choice costs more than the solution: the factor is that of this
/// state, and tells that no row has come near the others.
bool SparseDynamics::rows_still_serve(const compile::SparseValues& values) {
    return !is_foreseen(evaluator_->model()) && factor_ && choice_.dropped().empty() &&
           !choice_.warning() && rows_.size() == lambda_.size() && factor(values) &&
           factor_->regularity() > kWorthKeeping * regularity_;
}

void SparseDynamics::choose_rows(const compile::SparseValues& values, double dependent) {
    choice_.choose(values, dependent);
    weakest_ = choice_.weakest(direction_);
    if (!factor_ || choice_.kept() != rows_) {
        take_rows(choice_.kept());
    }
}

SolveStatus SparseDynamics::solve_again(double t, const double* q, const double* v) {
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    return status_ = factor(values) ? solve_factored(values, false) : SolveStatus::kNotUnique;
}

void SparseDynamics::take_rows(std::vector<int> rows) {
    const compile::CompiledModel& model = evaluator_->model();
    rows_ = std::move(rows);
    place_of_row_ = places_among(rows_, model.m());
    std::vector<solve::SymmetricPlace> places;
    for (const compile::Place& place : model.mass_entries) {
        places.push_back({place.row, place.column});
    }
    entries_.clear();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = place_of_row_[at(place.row)];
        if (row >= 0) {
            entries_.push_back(i);
            places.push_back({place.column, model.n() + row});
        }
    }
    factor_.emplace(model.n() + static_cast<int>(rows_.size()), places);
}

/// M a - Q
void SparseDynamics::force_of(const compile::SparseValues& values, std::span<const double> a,
                              std::vector<double>& Qc) const {
    const compile::CompiledModel& model = evaluator_->model();
    for (std::size_t i = 0; i < Qc.size(); ++i) {
        Qc[i] = -values.Q[i];
    }
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        const auto [row, column] = model.mass_entries[i];
        Qc[at(row)] += values.M[i] * a[at(column)];
        if (row != column) {
            Qc[at(column)] += values.M[i] * a[at(row)];
        }
    }
}

bool SparseDynamics::factor(const compile::SparseValues& values) {
    values_.assign(values.M.begin(), values.M.end());
    for (const std::size_t i : entries_) {
        values_.push_back(values.A[i]);
    }
    const bool reuses = wanted_ == solve::Wanted::kMotion || !is_foreseen(evaluator_->model());
    return reuses ? factor_->factor_again(values_) : factor_->factor(values_);
}

SolveStatus SparseDynamics::attribute(double t, const double* q, const double* v, const double* a,
                                      double weakest) {
    const compile::SparseValues values = evaluator_->sparse_system(t, q, v);
    choose_rows(values, weakest);
    if (!factor(values)) {
        return status_ = SolveStatus::kNotUnique;
    }
    const std::size_t n = a_.size();
    std::copy_n(a, n, a_.begin());
    force_of(values, a_, Qc_);
    // M x + A^T y = F, A x = 0: the rows carry A^T y of a force F.
    const auto carry = [&](auto force) {
        x_.assign(n + rows_.size(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            x_[i] = force(i);
        }
        factor_->solve(x_);
    };
    std::fill(Qc_nonideal_.begin(), Qc_nonideal_.end(), 0.0);
    if (!values.C.empty()) {
        carry([&](std::size_t i) { return values.C[i]; });
        for (std::size_t i = 0; i < evaluator_->model().mass_entries.size(); ++i) {
            const auto [row, column] = evaluator_->model().mass_entries[i];
            Qc_nonideal_[at(row)] += values.M[i] * x_[at(column)];  //                UK02 (8)
            if (row != column) {
                Qc_nonideal_[at(column)] += values.M[i] * x_[at(row)];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        Qc_ideal_[i] = Qc_[i] - Qc_nonideal_[i];
    }
    carry([&](std::size_t i) { return Qc_[i] - (values.C.empty() ? 0.0 : values.C[i]); });
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        lambda_[at(rows_[k])] = x_[n + k];
    }
    if (!choice_.dropped().empty()) {
        share_load(values);
    }
    return status_ = all_finite(lambda_) ? SolveStatus::kOk : SolveStatus::kNotFinite;
}

SolveStatus SparseDynamics::solve_factored(const compile::SparseValues& values, bool check) {
    const std::size_t n = a_.size();
    const auto solve_for = [&](bool with_C) {
        x_.assign(values.Q.begin(), values.Q.end());
        for (std::size_t i = 0; with_C && i < values.C.size(); ++i) {
            x_[i] += values.C[i];
        }
        for (const int row : rows_) {
            x_.push_back(values.b[at(row)]);
        }
        factor_->solve(x_);
    };
    if (!values.C.empty()) {
        solve_for(false);
        force_of(values, std::span(x_).first(n), Qc_ideal_);
    }
    solve_for(true);
    std::copy_n(x_.begin(), n, a_.begin());
    force_of(values, a_, Qc_);
    if (values.C.empty()) {
        Qc_ideal_ = Qc_;
    }
    for (std::size_t i = 0; i < n; ++i) {
        Qc_nonideal_[i] = Qc_[i] - Qc_ideal_[i];
    }
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        lambda_[at(rows_[k])] = -x_[n + k];
    }
    if (!all_finite(a_) || !all_finite(lambda_)) {
        return SolveStatus::kNotFinite;
    }
    if (check) {
        find_inconsistent_row(values);
    }
    return inconsistent_row_ >= 0 ? SolveStatus::kInconsistent : SolveStatus::kOk;
}

/// A row that depends on the others and asks for another acceleration than they do.
///
/// As AccelerationSolver measures it. With u_j = 1/sqrt(M_jj) the accelerations a_j / u_j and
/// Q_j u_j are known to rounding of their lengths, so A_k a is known to rounding of
///   |A_k u| (|a / u| + |Q u|),
/// and b_k to rounding of the magnitudes of its terms. The terms of A_k a are no measure: all of
/// them may be rounding.
void SparseDynamics::find_inconsistent_row(const compile::SparseValues& values) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<double> units = coordinate_scales(model, values.M);
    double moved = 0.0;
    double pulled = 0.0;
    for (std::size_t j = 0; j < a_.size(); ++j) {
        moved = std::hypot(moved, a_[j] / units[j]);
        pulled = std::hypot(pulled, values.Q[j] * units[j]);
    }
    std::vector<double> mismatch(lambda_.size()), length(lambda_.size());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const double entry = values.A[i] * units[at(place.column)];
        mismatch[at(place.row)] += values.A[i] * a_[at(place.column)];
        length[at(place.row)] = std::hypot(length[at(place.row)], entry);
    }
    const std::vector<double> magnitudes = row_magnitudes(*evaluator_);
    double worst = solve::kContradiction;
    for (std::size_t k = 0; k < mismatch.size(); ++k) {
        const double scale = length[k] * (moved + pulled) +
                             std::max(std::abs(values.b[k]), magnitudes[mismatch.size() + k]);
        const double part = std::abs(mismatch[k] - values.b[k]) / solve::divisor(scale);
        if (place_of_row_[k] < 0 && part > worst) {
            worst = part;
            inconsistent_row_ = static_cast<int>(k);
        }
    }
}

/// Of all multipliers with the force of those found, the share; see solve/load_form.h. In units of
/// the coordinates and rows of unit length.
void SparseDynamics::share_load(const compile::SparseValues& values) {
    const compile::CompiledModel& model = evaluator_->model();
    const std::vector<double> units = coordinate_scales(model, values.M);
    std::vector<double> length(lambda_.size(), 0.0);
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const double entry = values.A[i] * units[at(place.column)];
        length[at(place.row)] += entry * entry;
    }
    for (double& one : length) {
        one = std::sqrt(one);
    }
    std::vector<bool> counts(lambda_.size(), false);
    for (const std::vector<int>* rows : {&choice_.kept(), &choice_.dropped()}) {
        for (const int row : *rows) {
            counts[at(row)] = true;
        }
    }
    std::vector<solve::SparseEntry> B;
    std::vector<double> force(a_.size(), 0.0);
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        if (counts[at(place.row)]) {
            const double entry = values.A[i] * units[at(place.column)];
            B.push_back({place.row, place.column, entry / length[at(place.row)]});
            force[at(place.column)] += lambda_[at(place.row)] * entry;
        }
    }
    std::vector<solve::SparseEntry> K;
    for (const solve::SparseEntry& one : compile::sparse_load_form(model, values, counts)) {
        if (counts[at(one.column)]) {
            K.push_back({one.row, one.column, one.value / length[at(one.column)]});
        }
    }
    const std::vector<double> shared =
        solve::least_norm(model.n(), model.m(), B, choice_.kept(), force, K);
    for (std::size_t k = 0; k < shared.size(); ++k) {
        lambda_[k] = counts[k] ? shared[k] / length[k] : 0.0;
    }
}

}  // namespace ananke::dynamics

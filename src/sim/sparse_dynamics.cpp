#include "sim/sparse_dynamics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/recording.h"
#include "solve/independent_rows.h"

namespace ananke::sim {
namespace {

using solve::SolveStatus;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// Rows longer than what rounding leaves of their terms. At the last state of the evaluator.
std::vector<int> rows_that_have_not_vanished(const Evaluator& evaluator,
                                             std::span<const double> A) {
    const CompiledModel& model = evaluator.model();
    code::Kernel kernel = model.magnitudes;
    std::vector<double> magnitudes(kernel.output_count());
    kernel.run(evaluator.inputs().data(), magnitudes.data());
    std::vector<double> squares(at(model.m()), 0.0);
    for (std::size_t i = 0; i < A.size(); ++i) {
        squares[at(model.row_entries[i].row)] += A[i] * A[i];
    }
    std::vector<int> rows;
    for (int row = 0; row < model.m(); ++row) {
        if (std::sqrt(squares[at(row)]) > solve::kVanished * magnitudes[at(row)]) {
            rows.push_back(row);
        }
    }
    return rows;
}

}  // namespace

SparseDynamics::SparseDynamics(Evaluator& evaluator)
    : evaluator_(&evaluator),
      varies_(entries_that_vary(evaluator.model())),
      a_(at(evaluator.model().n())),
      Qc_(a_.size()),
      Qc_ideal_(a_.size()),
      Qc_nonideal_(a_.size()),
      lambda_(at(evaluator.model().m())) {}

SolveStatus SparseDynamics::solve(double t, const double* q, const double* v) {
    const SparseValues values = evaluator_->sparse_system(t, q, v);
    inconsistent_row_ = -1;
    for (const std::span<const double> part : {values.M, values.Q, values.C, values.A, values.b}) {
        if (!all_finite(part)) {
            return status_ = SolveStatus::kNotFinite;
        }
    }
    const std::vector<int> there = rows_that_have_not_vanished(*evaluator_, values.A);
    solve::RowChoice choice = solve::independent_rows(
        sim::sparse_system(*evaluator_, EntryValues{values.M, values.A}, there, varies_));
    for (int& row : choice.kept) {
        row = there[at(row)];
    }
    weakest_ = choice.weakest;
    warning_ = choice.warning;
    if (!factor_ || choice.kept != rows_) {
        take_rows(std::move(choice.kept));
    }
    return status_ = solve_at(values, true);
}

SolveStatus SparseDynamics::solve_again(double t, const double* q, const double* v) {
    return status_ = solve_at(evaluator_->sparse_system(t, q, v), false);
}

void SparseDynamics::take_rows(std::vector<int> rows) {
    const CompiledModel& model = evaluator_->model();
    rows_ = std::move(rows);
    place_of_row_ = places_among(rows_, model.m());
    std::vector<solve::SymmetricPlace> places;
    for (const Place& place : model.mass_entries) {
        places.push_back({place.row, place.column});
    }
    entries_.clear();
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const Place& place = model.row_entries[i];
        const int row = place_of_row_[at(place.row)];
        if (row >= 0) {
            entries_.push_back(i);
            places.push_back({place.column, model.n() + row});
        }
    }
    factor_.emplace(model.n() + static_cast<int>(rows_.size()), places);
}

/// M a - Q
void SparseDynamics::force_of(const SparseValues& values, std::span<const double> a,
                              std::vector<double>& Qc) const {
    const CompiledModel& model = evaluator_->model();
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

SolveStatus SparseDynamics::solve_at(const SparseValues& values, bool check) {
    const std::size_t n = a_.size();
    values_.assign(values.M.begin(), values.M.end());
    for (const std::size_t i : entries_) {
        values_.push_back(values.A[i]);
    }
    if (!factor_->factor(values_)) {
        return SolveStatus::kNotUnique;
    }
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
void SparseDynamics::find_inconsistent_row(const SparseValues& values) {
    const CompiledModel& model = evaluator_->model();
    std::vector<double> mismatch(lambda_.size()), size(lambda_.size());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const Place& place = model.row_entries[i];
        const double term = values.A[i] * a_[at(place.column)];
        mismatch[at(place.row)] += term;
        size[at(place.row)] += std::abs(term);
    }
    double worst = solve::kContradiction;
    for (std::size_t k = 0; k < mismatch.size(); ++k) {
        const double part =
            std::abs(mismatch[k] - values.b[k]) / std::max(1.0, size[k] + std::abs(values.b[k]));
        if (place_of_row_[k] < 0 && part > worst) {
            worst = part;
            inconsistent_row_ = static_cast<int>(k);
        }
    }
}

Error SparseDynamics::explain() const {
    switch (status_) {
        case SolveStatus::kInconsistent:
            return {ErrorCode::kInconsistent,
                    fmt::format("the constraint {} contradicts the others",
                                evaluator_->model().rows[at(inconsistent_row_)].name)};
        case SolveStatus::kNotUnique:
            return {ErrorCode::kNotUnique,
                    "the accelerations are not determined: a direction without mass is left free"};
        default:
            return {ErrorCode::kNotFinite, "the equations are not finite here"};
    }
}

}  // namespace ananke::sim

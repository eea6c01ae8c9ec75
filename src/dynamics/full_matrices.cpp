#include "dynamics/full_matrices.h"

#include <algorithm>

namespace ananke::dynamics {
namespace {

Eigen::Map<const Eigen::VectorXd> vector(std::span<const double> values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

void FullMatrices::scatter(const compile::SparseValues& values) {
    const compile::CompiledModel& model = *model_;
    const Eigen::Index n = model.n();
    if (M_.rows() != n) {
        M_ = solve::RowMatrix::Zero(n, n);
        A_ = solve::RowMatrix::Zero(model.m(), n);
        Dt_ = solve::RowMatrix::Zero(static_cast<Eigen::Index>(model.controls.size()), n);
        b_.resize(model.m());
        magnitude_.resize(2 * b_.size());
    }
    for (std::size_t i = 0; i < values.M.size(); ++i) {
        const compile::Place& place = model.mass_entries[i];
        M_(place.row, place.column) = values.M[i];
        M_(place.column, place.row) = values.M[i];
    }
    for (std::size_t i = 0; i < values.A.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        A_(place.row, place.column) = values.counts(place.row) ? values.A[i] : 0.0;
    }
    for (std::size_t i = 0; i < values.D.size(); ++i) {
        const compile::Place& place = model.control_entries[i];
        Dt_(place.row, place.column) = values.D[i];
    }
    for (Eigen::Index k = 0; k < b_.size(); ++k) {
        b_[k] = values.counts(static_cast<int>(k)) ? values.b[static_cast<std::size_t>(k)] : 0.0;
    }
}

solve::System FullMatrices::view(const compile::SparseValues& values,
                                 Eigen::Index magnitudes) const {
    return {M_,
            vector(values.Q),
            vector(values.C),
            A_,
            b_,
            magnitude_.head(magnitudes),
            magnitude_.tail(magnitudes),
            model_->groups,
            model_->load_owners,
            values.compliances};
}

solve::System FullMatrices::of(const compile::SparseValues& values) {
    scatter(values);
    return view(values, 0);
}

solve::System FullMatrices::of(const compile::SparseValues& values,
                               std::span<const double> magnitudes) {
    scatter(values);
    const Eigen::Index m = b_.size();
    for (Eigen::Index k = 0; k < m; ++k) {
        const bool counts = values.counts(static_cast<int>(k));
        magnitude_[k] = counts ? magnitudes[static_cast<std::size_t>(k)] : 0.0;
        magnitude_[m + k] = counts ? magnitudes[static_cast<std::size_t>(m + k)] : 0.0;
    }
    return view(values, m);
}

}  // namespace ananke::dynamics

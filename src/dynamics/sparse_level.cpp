#include "dynamics/sparse_level.h"

#include <algorithm>
#include <cmath>

#include "solve/projection.h"

namespace ananke::dynamics {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

const std::vector<compile::Place>& SparseLevel::places() const {
    const compile::CompiledModel& model = evaluator_->model();
    return velocity_ ? model.row_entries : model.holonomic_entries;
}

bool SparseLevel::evaluate(bool velocity, double t, std::span<const double> q,
                           std::span<const double> v) {
    velocity_ = velocity;
    const std::size_t rows =
        at(velocity ? evaluator_->velocity_rows() : evaluator_->position_rows());
    f_.resize(rows);
    scale_.resize(rows);
    const std::span<const double> entries =
        velocity ? evaluator_->velocity_entries(t, q.data(), v.data(), f_.data(), scale_.data())
                 : evaluator_->position_entries(t, q.data(), f_.data(), scale_.data());
    entries_.assign(entries.begin(), entries.end());
    change_.assign(units_.empty() ? 0 : rows, 0.0);
    for (std::size_t i = 0; i < entries_.size() && !units_.empty(); ++i) {
        const compile::Place place = places()[i];
        if (at(place.row) < rows) {
            change_[at(place.row)] += std::abs(entries_[i]) * units_[at(place.column)];
        }
    }
    residual_ = 0.0;
    worst_ = -1;
    bool finite = true;
    for (std::size_t k = 0; k < rows; ++k) {
        scale_[k] = solve::divisor(units_.empty() ? scale_[k] : std::max(scale_[k], change_[k]));
        const double scaled = std::abs(f_[k]) / scale_[k];
        finite = finite && std::isfinite(f_[k]);
        if (scaled > residual_) {
            residual_ = scaled;
            worst_ = static_cast<int>(k);
        }
    }
    return finite;
}

double SparseLevel::norm(std::span<const double> scales) const {
    double squares = 0.0;
    for (std::size_t k = 0; k < f_.size(); ++k) {
        squares += f_[k] / scales[k] * (f_[k] / scales[k]);
    }
    return std::sqrt(squares);
}

}  // namespace ananke::dynamics

#include "solve/constraint_level.h"

#include <algorithm>
#include <cmath>

namespace ananke::solve {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

ConstraintLevel::ConstraintLevel(ConstraintSurface& surface) : surface_(&surface) {
    for (const Level level : {Level::kPositions, Level::kVelocities}) {
        const std::size_t rows = std::max(f_.capacity(), at(surface.rows(level)));
        f_.reserve(rows);
        scale_.reserve(rows);
        change_.reserve(rows);
        entries_.reserve(std::max(entries_.capacity(), surface.places(level).size()));
    }
}

bool ConstraintLevel::evaluate(Level level, double t, std::span<const double> q,
                               std::span<const double> v) {
    level_ = level;
    const std::size_t rows = at(surface_->rows(level));
    f_.resize(rows);
    scale_.resize(rows);
    const std::span<const double> entries =
        surface_->residuals(level, t, q.data(), v.data(), f_.data(), scale_.data());
    entries_.assign(entries.begin(), entries.end());
    if (!units_.empty()) {
        const std::span<const SparsePlace> where = places();
        change_.assign(rows, 0.0);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (at(where[i].row) < rows) {
                change_[at(where[i].row)] += std::abs(entries_[i]) * units_[at(where[i].column)];
            }
        }
    }
    residual_ = 0.0;
    worst_ = -1;
    bool finite = true;
    for (std::size_t k = 0; k < rows; ++k) {
        scale_[k] = divisor(units_.empty() ? scale_[k] : std::max(scale_[k], change_[k]));
        const double scaled = std::abs(f_[k]) / scale_[k];
        finite = finite && std::isfinite(f_[k]);
        if (scaled > residual_) {
            residual_ = scaled;
            worst_ = static_cast<int>(k);
        }
    }
    return finite;
}

bool ConstraintLevel::is_finite() const {
    const std::span<const SparsePlace> where = places();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (where[i].row < rows() && !std::isfinite(entries_[i])) {
            return false;
        }
    }
    return std::all_of(f_.begin(), f_.end(), [](double f) { return std::isfinite(f); });
}

double ConstraintLevel::norm(std::span<const double> scales) const {
    double squares = 0.0;
    for (std::size_t k = 0; k < f_.size(); ++k) {
        squares += f_[k] / scales[k] * (f_[k] / scales[k]);
    }
    return std::sqrt(squares);
}

double ConstraintLevel::largest(std::span<const double> scales) const {
    double largest = 0.0;
    for (std::size_t k = 0; k < f_.size(); ++k) {
        largest = std::max(largest, std::abs(f_[k]) / scales[k]);
    }
    return largest;
}

}  // namespace ananke::solve

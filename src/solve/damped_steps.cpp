#include "solve/damped_steps.h"

#include <algorithm>
#include <cmath>

namespace ananke::solve {
namespace {

/// Joints are linear in the positions of bodies: a step may be long there. Squared.
constexpr double kEaseOfPositions = 1e-3;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

std::size_t index(CoordinateKind kind) {
    return static_cast<std::size_t>(kind);
}

}  // namespace

DampedSteps::DampedSteps(const ConstraintSurface& surface, const ConstraintLevel& level,
                         const std::vector<bool>& exact)
    : place_(exact.size(), -1),
      rows_(level.rows()),
      places_(level.places().begin(), level.places().end()),
      scales_(level.scales().begin(), level.scales().end()),
      scaled_(scales_.size()) {
    const std::vector<CoordinateKind> all = surface.kinds();
    for (std::size_t j = 0; j < exact.size(); ++j) {
        if (!exact[j]) {
            place_[j] = free_++;
            kind_.push_back(all[j]);
            count_[index(all[j])] += 1.0;
        }
    }
    std::vector<solve::SymmetricPlace> places;
    places.reserve(at(free_ + rows_) + places_.size());
    for (int i = 0; i < free_ + rows_; ++i) {
        places.push_back({i, i});
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const auto [r, c] = places_[i];
        if (r < rows_ && place_[at(c)] >= 0) {
            entries_.push_back(i);
            places.push_back({place_[at(c)], free_ + r});
        }
    }
    values_.resize(places.size());
    right_.resize(at(free_ + rows_));
    factor_.emplace(free_ + rows_, places);
}

void DampedSteps::load(const ConstraintLevel& level) {
    std::array<double, 3> sum{};
    double* next = values_.data() + free_ + rows_;
    for (const std::size_t i : entries_) {
        const auto [r, c] = places_[i];
        const double value = level.entries()[i] / scales_[at(r)];
        sum[index(kind_[at(place_[at(c)])])] += value * value;
        *next++ = value;
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
        square_[k] = std::max(square_[k], count_[k] > 0.0 ? sum[k] / count_[k] : 0.0);
    }
    for (std::size_t j = 0; j < kind_.size(); ++j) {
        const double square = square_[index(kind_[j])];
        values_[j] = (square > 0.0 ? square : 1.0) *
                     (kind_[j] == CoordinateKind::kPosition ? kEaseOfPositions : 1.0);
    }
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
        scaled_[k] = level.residuals()[k] / scales_[k];
    }
}

bool DampedSteps::find(double mu, std::span<double> dx) {
    std::fill_n(values_.begin() + free_, rows_, -mu);
    if (!factor_->factor(values_)) {
        return false;
    }
    std::fill(right_.begin(), right_.end(), 0.0);
    for (int k = 0; k < rows_; ++k) {
        right_[at(free_ + k)] = -scaled_[at(k)];
    }
    factor_->solve(right_);
    bool finite = true;
    for (std::size_t j = 0; j < place_.size(); ++j) {
        dx[j] = place_[j] >= 0 ? right_[at(place_[j])] : 0.0;
        finite = finite && std::isfinite(dx[j]);
    }
    return finite;
}

}  // namespace ananke::solve

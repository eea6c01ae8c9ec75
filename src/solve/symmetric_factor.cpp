#include "solve/symmetric_factor.h"

#include <algorithm>

#include "base/check.h"

namespace ananke::solve {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Both halves: each place, and its mirror image where that is another one.
std::vector<SparsePlace> both_halves(std::span<const SymmetricPlace> places) {
    std::vector<SparsePlace> halves;
    halves.reserve(2 * places.size());
    for (const SymmetricPlace& place : places) {
        halves.push_back({place.i, place.k});
        if (place.i != place.k) {
            halves.push_back({place.k, place.i});
        }
    }
    return halves;
}

}  // namespace

SymmetricFactor::SymmetricFactor(int size, std::span<const SymmetricPlace> places)
    : pattern_(std::make_shared<const SparsePattern>(size, both_halves(places))),
      factor_(pattern_),
      residual_(at(size)),
      right_(at(size)) {
    upper_.reserve(places.size());
    lower_.reserve(places.size());
    auto where = pattern_->where().begin();
    for (const SymmetricPlace& place : places) {
        upper_.push_back(*where++);
        lower_.push_back(place.i == place.k ? -1 : *where++);
    }
}

void SymmetricFactor::load(std::span<const double> values) {
    ANANKE_REQUIRE(values.size() == upper_.size());
    const std::span<double> entries = factor_.values();
    std::fill(entries.begin(), entries.end(), 0.0);
    for (std::size_t p = 0; p < values.size(); ++p) {
        entries[at(upper_[p])] += values[p];
        if (lower_[p] >= 0) {
            entries[at(lower_[p])] += values[p];
        }
    }
}

bool SymmetricFactor::factor(std::span<const double> values) {
    load(values);
    return factor_.factor();
}

bool SymmetricFactor::factor_again(std::span<const double> values) {
    load(values);
    return factor_.factor_again();
}

void SymmetricFactor::solve(std::span<double> r) {
    std::copy(r.begin(), r.end(), right_.begin());
    factor_.solve(r);
    multiply(r, residual_);
    for (std::size_t i = 0; i < r.size(); ++i) {
        residual_[i] = right_[i] - residual_[i];
    }
    factor_.solve(residual_);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] += residual_[i];
    }
}

void SymmetricFactor::solve_roughly(std::span<double> r) {
    factor_.solve(r);
}

void SymmetricFactor::multiply(std::span<const double> x, std::span<double> y) const {
    std::fill(y.begin(), y.end(), 0.0);
    const std::span<const int> begin = pattern_->begin();
    const std::span<const int> rows = pattern_->rows();
    const std::span<const double> values = factor_.values();
    for (std::size_t c = 0; c < x.size(); ++c) {
        for (int p = begin[c]; p < begin[c + 1]; ++p) {
            y[at(rows[at(p)])] += values[at(p)] * x[c];
        }
    }
}

}  // namespace ananke::solve

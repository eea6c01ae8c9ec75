// Is a symmetric matrix positive semidefinite, and if not, in which direction.
#pragma once

#include <optional>
#include <vector>

#include "base/check.h"

namespace ananke::classify {

class SymmetricMatrix {
  public:
    using Real = long double;

    explicit SymmetricMatrix(std::size_t size) : size_(size), entries_(size * size, 0) {}

    std::size_t size() const { return size_; }
    Real operator()(std::size_t i, std::size_t j) const { return entries_[i * size_ + j]; }
    void set(std::size_t i, std::size_t j, Real value) {
        entries_[i * size_ + j] = value;
        entries_[j * size_ + i] = value;
    }
    Real quadratic_form(const std::vector<Real>& w) const;

  private:
    std::size_t size_;
    std::vector<Real> entries_;
};

/// w with w^T S w < 0 beyond rounding, its largest entry 1; empty if S >= 0. Requires finite
/// entries.
std::optional<std::vector<long double>> negative_direction(const SymmetricMatrix& S);

}  // namespace ananke::classify

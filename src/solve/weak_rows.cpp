#include "solve/weak_rows.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ananke::solve {
namespace {

/// Each iteration divides what does not belong to the smallest singular values by the squares of
/// the others over them.
constexpr int kIterations = 4;
/// The row found last stays the weakest while its share is this part of the largest.
constexpr double kNearlyLargest = 0.7;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

std::vector<SymmetricPlace> saddle_places(int n, std::span<const RowPlace> places) {
    std::vector<SymmetricPlace> all;
    all.reserve(at(n) + places.size());
    for (int j = 0; j < n; ++j) {
        all.push_back({j, j});
    }
    for (const RowPlace& place : places) {
        all.push_back({place.column, n + place.row});
    }
    return all;
}

}  // namespace

WeakRows::WeakRows(int n, int m, std::span<const RowPlace> places)
    : n_(n),
      m_(m),
      places_(places.begin(), places.end()),
      factor_(n + m, saddle_places(n, places)),
      values_(at(n) + places.size(), 1.0),
      lengths_(at(m)),
      work_(at(n + m)),
      y_(at(m)) {}

bool WeakRows::factor(std::span<const double> values, std::span<const double> units) {
    return load(values, units) && factor_.factor(values_);
}

bool WeakRows::factor_again(std::span<const double> values, std::span<const double> units) {
    return load(values, units) && factor_.factor_again(values_);
}

bool WeakRows::load(std::span<const double> values, std::span<const double> units) {
    ANANKE_REQUIRE(values.size() == places_.size() && units.size() == at(n_));
    std::fill(lengths_.begin(), lengths_.end(), 0.0);
    double* const B = values_.data() + n_;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        B[i] = values[i] * units[at(places_[i].column)];
        lengths_[at(places_[i].row)] += B[i] * B[i];
    }
    for (double& length : lengths_) {
        length = std::sqrt(length);
        if (!(length > 0.0) || !std::isfinite(length)) {
            return false;
        }
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        B[i] /= lengths_[at(places_[i].row)];
    }
    return true;
}

int WeakRows::weakest(int last) {
    ANANKE_REQUIRE(m_ > 0);
    for (std::size_t k = 0; k < y_.size(); ++k) {  // no symmetry of a model is orthogonal to it
        y_[k] = 1.0 + 0.5 * std::sin(2.4 * static_cast<double>(k));
    }
    std::size_t largest = 0;
    for (int i = 0; i < kIterations; ++i) {
        std::fill_n(work_.begin(), n_, 0.0);
        std::copy(y_.begin(), y_.end(), work_.begin() + n_);
        factor_.solve_roughly(work_);  // an error of one iteration is corrected by the next
        std::copy(work_.begin() + n_, work_.end(), y_.begin());
        largest = 0;
        for (std::size_t k = 1; k < y_.size(); ++k) {
            largest = std::abs(y_[k]) > std::abs(y_[largest]) ? k : largest;
        }
        const double size = std::abs(y_[largest]);
        for (double& one : y_) {
            one /= size;
        }
    }
    return last >= 0 && last < m_ && std::abs(y_[at(last)]) > kNearlyLargest
               ? last
               : static_cast<int>(largest);
}

double WeakRows::remainder(int row, std::span<double> x) {
    std::fill(work_.begin(), work_.end(), 0.0);
    work_[at(n_ + row)] = 1.0;
    factor_.solve(work_);
    double square = 0.0;
    for (int j = 0; j < n_; ++j) {
        square += work_[at(j)] * work_[at(j)];
    }
    // x . x = -y_r. Of rows that depend on each other y is as large as rounding lets it be, and x
    // is what rounding left of B^T y.
    const double pivot = 1.0 / std::sqrt(std::max(square, std::abs(work_[at(n_ + row)])));
    for (int j = 0; j < n_; ++j) {
        x[at(j)] = work_[at(j)] / std::sqrt(square) * pivot;
    }
    return pivot;
}

double WeakRows::nearest(std::span<const double> x, std::span<double> coefficients) {
    // x = r + B^T y, B r = 0
    std::copy(x.begin(), x.end(), work_.begin());
    std::fill(work_.begin() + n_, work_.end(), 0.0);
    factor_.solve(work_);
    std::copy(work_.begin() + n_, work_.end(), coefficients.begin());
    double square = 0.0;
    for (int j = 0; j < n_; ++j) {
        square += work_[at(j)] * work_[at(j)];
    }
    return std::sqrt(square);
}

}  // namespace ananke::solve

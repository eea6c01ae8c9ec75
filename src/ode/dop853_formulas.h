// What a step of DOP853 computes besides f, for any kind of number: one at a time, in pairs, or
// recorded as part of a program.
//
//   sums    sum_j w_j k_j
//   error   |h| e5² / sqrt(n (e5² + 0.01 e3²)),   e5, e3 scaled by the tolerance      [HNW] II.10
//
// [HNW] Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "ode/dop853_tableau.h"

namespace ananke::ode::dop853 {

/// Rows of the tableau as types.
template <std::size_t Stage>
struct StageRow {
    static constexpr const Weights& weights = kA[Stage];
};
/// The end of the step.
using EndRow = StageRow<kMainStages>;
struct FifthOrderError {
    static constexpr const Weights& weights = kError5;
};
struct ThirdOrderError {
    static constexpr const Weights& weights = kError3;
};
template <std::size_t Power>
struct DenseRow {
    static constexpr const Weights& weights = kD[Power];
};

template <class Row>
constexpr std::size_t first_stage() {
    std::size_t first = 0;
    while (Row::weights[first] == 0.0) {
        ++first;
    }
    return first;
}

template <class Row, std::size_t J, class V, class Slope>
void add_term(V& sum, const Slope& k) {
    if constexpr (J > first_stage<Row>() && Row::weights[J] != 0.0) {
        sum = sum + Row::weights[J] * k(J);
    }
}

/// sum_j weight_j k(j) in the order of the stages; zero weights cost nothing.
template <class Row, class Slope>
auto weighted(const Slope& k) {
    auto sum = Row::weights[first_stage<Row>()] * k(first_stage<Row>());
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (add_term<Row, J>(sum, k), ...);
    }
    (std::make_index_sequence<kStages>{});
    return sum;
}

/// y + h sum_j weight_j k(j)
template <class Row, class V, class H, class Slope>
V advance(const V& y, const H& h, const Slope& k) {
    return y + h * weighted<Row>(k);
}

/// The error of a step, component by component.
template <class V>
class ErrorSums {
  public:
    explicit ErrorSums(const V& zero) : fifth_(zero), third_(zero) {}

    /// `error5`, `error3`: sums of slopes with the weights of the two estimates.
    void add(const V& atol, const V& rtol, const V& y, const V& y_new, const V& error5,
             const V& error3) {
        using std::abs;
        using std::max;
        const V inverse = 1.0 / (atol + rtol * max(abs(y), abs(y_new)));
        const V e5 = error5 * inverse;
        const V e3 = error3 * inverse;
        fifth_ = fifth_ + e5 * e5;
        third_ = third_ + e3 * e3;
    }

    const V& fifth() const { return fifth_; }
    /// In units of the tolerance, for n components; in the order that overflows last. Not a number
    /// where there is no error at all.
    V error(const V& h, double n) const {
        using std::abs;
        using std::sqrt;
        return abs(h) * sqrt(fifth_ / n) * sqrt(fifth_ / (fifth_ + 0.01 * third_));
    }

  private:
    V fifth_, third_;
};

}  // namespace ananke::ode::dop853

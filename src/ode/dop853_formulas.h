// What a step of DOP853 computes besides f, for any kind of number: one at a time, in pairs, or
// recorded as part of a program.
//
//   sums    sum_j w_j k_j, one rounding per term
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
struct ThirdOrder {
    static constexpr const Weights& weights = kThirdOrder;
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
[[gnu::always_inline]] inline void add_term(V& sum, const Slope& k) {
    using std::fma;
    if constexpr (J > first_stage<Row>() && Row::weights[J] != 0.0) {
        sum = fma(Row::weights[J], k(J), sum);
    }
}

/// sum_j weight_j k(j) in the order of the stages; zero weights cost nothing.
template <class Row, class Slope>
[[gnu::always_inline]] inline auto weighted(const Slope& k) {
    auto sum = Row::weights[first_stage<Row>()] * k(first_stage<Row>());
    [&]<std::size_t... J>(std::index_sequence<J...>) __attribute__((always_inline)) {
        (add_term<Row, J>(sum, k), ...);
    }
    (std::make_index_sequence<kStages>{});
    return sum;
}

/// y + h sum_j weight_j k(j)
template <class Row, class V, class H, class Slope>
[[gnu::always_inline]] inline V advance(const V& y, const H& h, const Slope& k) {
    using std::fma;
    return fma(h, weighted<Row>(k), y);
}

/// One component at the end of a step, and what its two estimates of order 5 and 3 say that it is
/// off by, over h.
template <class V>
struct End {
    V y, error5, error3;
};

template <class V, class Slope>
[[gnu::always_inline]] inline End<V> end_of_step(const V& y, const V& h, const Slope& k) {
    using std::fma;
    const V slope = weighted<EndRow>(k);
    return {fma(h, slope, y), weighted<FifthOrderError>(k), slope - weighted<ThirdOrder>(k)};
}

/// The error of a step, component by component.
template <class V>
class ErrorSums {
  public:
    explicit ErrorSums(const V& zero) : fifth_(zero), third_(zero) {}

    [[gnu::always_inline]] void add(const V& atol, const V& rtol, const V& y, const End<V>& end) {
        using std::abs;
        using std::fma;
        using std::max;
        const V inverse = 1.0 / fma(rtol, max(abs(y), abs(end.y)), atol);
        const V e5 = end.error5 * inverse;
        const V e3 = end.error3 * inverse;
        fifth_ = fma(e5, e5, fifth_);
        third_ = fma(e3, e3, third_);
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

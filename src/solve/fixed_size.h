// Loops over small sizes, written once: a size up to kLargestFixed becomes a constant and its loops
// straight code, larger sizes stay numbers. Either way the operations and their order are the same,
// and so are the bits.
#pragma once

#include <type_traits>
#include <utility>

namespace ananke::solve {

template <int n>
using Fixed = std::integral_constant<int, n>;

constexpr int kLargestFixed = 8;

/// f(n) with n as a Fixed where it is small.
template <class F>
[[gnu::always_inline]] inline auto with_size(int n, F&& f) {
    switch (n) {
        case 1:
            return f(Fixed<1>{});
        case 2:
            return f(Fixed<2>{});
        case 3:
            return f(Fixed<3>{});
        case 4:
            return f(Fixed<4>{});
        case 5:
            return f(Fixed<5>{});
        case 6:
            return f(Fixed<6>{});
        case 7:
            return f(Fixed<7>{});
        case kLargestFixed:
            return f(Fixed<kLargestFixed>{});
        default:
            return f(n);
    }
}

template <class F, int... i>
[[gnu::always_inline]] inline void unrolled(F&& f, std::integer_sequence<int, i...> /*indices*/) {
    (f(Fixed<i>{}), ...);
}

template <class F, int... i>
[[gnu::always_inline]] inline void unrolled_down(F&& f,
                                                 std::integer_sequence<int, i...> /*indices*/) {
    (f(Fixed<int(sizeof...(i)) - 1 - i>{}), ...);
}

/// f(0), f(1), ..., f(n - 1)
template <class Size, class F>
[[gnu::always_inline]] inline void each(Size n, F&& f) {
    if constexpr (std::is_same_v<Size, int>) {
        for (int i = 0; i < n; ++i) {
            f(i);
        }
    } else {
        unrolled(f, std::make_integer_sequence<int, Size::value>{});
    }
}

/// f(n - 1), ..., f(1), f(0)
template <class Size, class F>
[[gnu::always_inline]] inline void each_down(Size n, F&& f) {
    if constexpr (std::is_same_v<Size, int>) {
        for (int i = n - 1; i >= 0; --i) {
            f(i);
        }
    } else {
        unrolled_down(f, std::make_integer_sequence<int, Size::value>{});
    }
}

/// i + 1, as a constant where i is one.
template <class Size>
constexpr auto next(Size i) {
    if constexpr (std::is_same_v<Size, int>) {
        return i + 1;
    } else {
        return Fixed<Size::value + 1>{};
    }
}

template <class Size>
[[gnu::always_inline]] inline double dot(Size n, const double* x, const double* y) {
    double sum = 0.0;
    each(n, [&](auto i) { sum += x[i] * y[i]; });
    return sum;
}

/// w <- (I - beta v v^T) w
template <class Size>
[[gnu::always_inline]] inline void reflect(Size n, double beta, const double* v, double* w) {
    const double factor = beta * dot(n, v, w);
    each(n, [&](auto i) { w[i] -= factor * v[i]; });
}

}  // namespace ananke::solve

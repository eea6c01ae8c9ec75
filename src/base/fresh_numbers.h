// Copies of a few numbers, where a call of memcpy costs more than the copy itself.
//
// A processor hands a number that was just stored on to a load of the same number, but not two that
// were stored one by one to a load of both: such a load waits until they have reached the cache.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ananke {

/// Longer arrays gain nothing.
inline constexpr std::size_t kFew = 64;

inline void copy_few(const double* from, std::size_t count, double* to) {
    if (count > kFew) {
        std::memcpy(to, from, count * sizeof(double));
        return;
    }
    std::size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        asm("" : "+r"(i));  // so that compilers do not make a call of memcpy from the loop
        std::memcpy(to + i, from + i, 2 * sizeof(double));
    }
    if (i < count) {
        to[i] = from[i];
    }
}

/// The same for numbers that were just stored one by one and will be loaded in pairs.
inline void copy_few_fresh(const double* from, std::size_t count, double* to) {
#if defined(__SSE2__)
    if (count <= kFew) {
        std::size_t i = 0;
        for (; i + 2 <= count; i += 2) {
            __m128d pair = _mm_load_sd(from + i);
            asm("" : "+x"(pair), "+r"(i));  // so that compilers do not make one load of the two
            _mm_storeu_pd(to + i, _mm_loadh_pd(pair, from + i + 1));
        }
        if (i < count) {
            to[i] = from[i];
        }
        return;
    }
#endif
    copy_few(from, count, to);
}

/// No number that was just stored is infinite or NaN.
inline bool are_finite_fresh(const double* numbers, std::size_t count) {
    double zeros = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        asm("" : "+r"(i));
        zeros += 0.0 * numbers[i];
    }
    return zeros == 0.0;
}

}  // namespace ananke

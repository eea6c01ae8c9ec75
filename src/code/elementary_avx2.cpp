// Compiled for CPUs with AVX2 and FMA: see CMakeLists.txt.
#if defined(__x86_64__)

#include <immintrin.h>

#include "code/elementary.h"
#include "code/elementary_kernels.h"

// Exported by libsleef though sleef.h does not declare all of them.
extern "C" {
double Sleef_finz_sind1_u10purecfma(double);
double Sleef_finz_cosd1_u10purecfma(double);
double Sleef_finz_expd1_u10purecfma(double);
__m256d Sleef_finz_sind4_u10avx2(__m256d);
__m256d Sleef_finz_cosd4_u10avx2(__m256d);
__m256d Sleef_finz_expd4_u10avx2(__m256d);
}

namespace ananke::code {
namespace {

/// One double in a vector register: choices need no branch.
struct Pack1 {
    __m128d x;
    explicit Pack1(__m128d value) : x(value) {}
    explicit Pack1(double value) : x(_mm_set_sd(value)) {}
    friend Pack1 operator+(Pack1 a, Pack1 b) { return Pack1(_mm_add_sd(a.x, b.x)); }
    friend Pack1 operator-(Pack1 a, Pack1 b) { return Pack1(_mm_sub_sd(a.x, b.x)); }
    friend Pack1 operator*(Pack1 a, Pack1 b) { return Pack1(_mm_mul_sd(a.x, b.x)); }
    friend Pack1 fma(Pack1 a, Pack1 b, Pack1 c) { return Pack1(_mm_fmadd_sd(a.x, b.x, c.x)); }
    friend Pack1 fms(Pack1 a, Pack1 b, Pack1 c) { return Pack1(_mm_fmsub_sd(a.x, b.x, c.x)); }
    friend Pack1 fnma(Pack1 a, Pack1 b, Pack1 c) { return Pack1(_mm_fnmadd_sd(a.x, b.x, c.x)); }
};
struct Bits1 {
    __m128i x;
    friend Bits1 operator+(Bits1 a, Bits1 b) { return {_mm_add_epi64(a.x, b.x)}; }
};
Bits1 bits(Pack1 a) {
    return {_mm_castpd_si128(a.x)};
}
Pack1 choose_by_bit0(Bits1 which, Pack1 if_set, Pack1 if_not) {
    const __m128d sign = _mm_castsi128_pd(_mm_slli_epi64(which.x, 63));
    return Pack1(_mm_blendv_pd(if_not.x, if_set.x, sign));
}
Pack1 negate_if_bit1(Bits1 which, Pack1 a) {
    const __m128i sign = _mm_slli_epi64(_mm_srli_epi64(which.x, 1), 63);
    return Pack1(_mm_xor_pd(a.x, _mm_castsi128_pd(sign)));
}
Pack1 add_to_exponent(Pack1 a, Bits1 k) {
    return Pack1(_mm_castsi128_pd(_mm_add_epi64(_mm_castpd_si128(a.x), _mm_slli_epi64(k.x, 52))));
}

struct Pack4 {
    __m256d x;
    explicit Pack4(__m256d value) : x(value) {}
    explicit Pack4(double value) : x(_mm256_set1_pd(value)) {}
    friend Pack4 operator+(Pack4 a, Pack4 b) { return Pack4(_mm256_add_pd(a.x, b.x)); }
    friend Pack4 operator-(Pack4 a, Pack4 b) { return Pack4(_mm256_sub_pd(a.x, b.x)); }
    friend Pack4 operator*(Pack4 a, Pack4 b) { return Pack4(_mm256_mul_pd(a.x, b.x)); }
    friend Pack4 fma(Pack4 a, Pack4 b, Pack4 c) { return Pack4(_mm256_fmadd_pd(a.x, b.x, c.x)); }
    friend Pack4 fms(Pack4 a, Pack4 b, Pack4 c) { return Pack4(_mm256_fmsub_pd(a.x, b.x, c.x)); }
    friend Pack4 fnma(Pack4 a, Pack4 b, Pack4 c) { return Pack4(_mm256_fnmadd_pd(a.x, b.x, c.x)); }
};
struct Bits4 {
    __m256i x;
    friend Bits4 operator+(Bits4 a, Bits4 b) { return {_mm256_add_epi64(a.x, b.x)}; }
};
Bits4 bits(Pack4 a) {
    return {_mm256_castpd_si256(a.x)};
}
Pack4 choose_by_bit0(Bits4 which, Pack4 if_set, Pack4 if_not) {
    const __m256d sign = _mm256_castsi256_pd(_mm256_slli_epi64(which.x, 63));
    return Pack4(_mm256_blendv_pd(if_not.x, if_set.x, sign));
}
Pack4 negate_if_bit1(Bits4 which, Pack4 a) {
    const __m256i sign = _mm256_slli_epi64(_mm256_srli_epi64(which.x, 1), 63);
    return Pack4(_mm256_xor_pd(a.x, _mm256_castsi256_pd(sign)));
}
Pack4 add_to_exponent(Pack4 a, Bits4 k) {
    return Pack4(_mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_castpd_si256(a.x), _mm256_slli_epi64(k.x, 52))));
}

bool within(double x, double most) {
    return __builtin_fabs(x) <= most;
}

/// All ones in each lane that other functions have to answer.
__m256d beyond(__m256d x, double most) {
    const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    return _mm256_cmp_pd(magnitude, _mm256_set1_pd(most), _CMP_NLE_UQ);
}

double quarter_turned(double x, int turns) {
    return _mm_cvtsd_f64(sine_kernel(Pack1(x), Bits1{_mm_cvtsi32_si128(turns)}).x);
}

__m256d sine4(__m256d x) {
    const __m256d y = sine_kernel(Pack4(x), Bits4{_mm256_setzero_si256()}).x;
    const __m256d others = beyond(x, kMostAngle);
    if (_mm256_movemask_pd(others) == 0) [[likely]] {
        return y;
    }
    return _mm256_blendv_pd(y, Sleef_finz_sind4_u10avx2(x), others);
}

__m256d cosine4(__m256d x) {
    const __m256d y = sine_kernel(Pack4(x), Bits4{_mm256_set1_epi64x(1)}).x;
    const __m256d others = beyond(x, kMostAngle);
    if (_mm256_movemask_pd(others) == 0) [[likely]] {
        return y;
    }
    return _mm256_blendv_pd(y, Sleef_finz_cosd4_u10avx2(x), others);
}

__m256d sine_or_cosine(__m256d x, unsigned cosines) {
    const __m256i shifts = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i turns = _mm256_and_si256(
        _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<long long>(cosines)), shifts),
        _mm256_set1_epi64x(1));
    const __m256d y = sine_kernel(Pack4(x), Bits4{turns}).x;
    const __m256d others = beyond(x, kMostAngle);
    if (_mm256_movemask_pd(others) == 0) [[likely]] {
        return y;
    }
    const __m256d both = _mm256_blendv_pd(Sleef_finz_sind4_u10avx2(x), Sleef_finz_cosd4_u10avx2(x),
                                          _mm256_castsi256_pd(_mm256_slli_epi64(turns, 63)));
    return _mm256_blendv_pd(y, both, others);
}

__m256d exponential4(__m256d x) {
    const __m256d y = exponential_kernel(Pack4(x)).x;
    const __m256d others = beyond(x, kMostExponent);
    if (_mm256_movemask_pd(others) == 0) [[likely]] {
        return y;
    }
    return _mm256_blendv_pd(y, Sleef_finz_expd4_u10avx2(x), others);
}

template <class Function>
ElementaryPackets::Address address(Function* function) {
    return reinterpret_cast<ElementaryPackets::Address>(function);
}

}  // namespace

double sine(double x) {
    return within(x, kMostAngle) ? quarter_turned(x, 0) : Sleef_finz_sind1_u10purecfma(x);
}

double cosine(double x) {
    return within(x, kMostAngle) ? quarter_turned(x, 1) : Sleef_finz_cosd1_u10purecfma(x);
}

double exponential(double x) {
    return within(x, kMostExponent) ? _mm_cvtsd_f64(exponential_kernel(Pack1(x)).x)
                                    : Sleef_finz_expd1_u10purecfma(x);
}

ElementaryPackets elementary_packets4() {
    return {address(sine4), address(cosine4), address(exponential4)};
}

ElementaryPackets::Address sine_or_cosine4() {
    return address(sine_or_cosine);
}

}  // namespace ananke::code

#endif

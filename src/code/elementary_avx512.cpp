// Compiled for CPUs with AVX-512: see CMakeLists.txt.
#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>

#include "code/elementary.h"
#include "code/elementary_kernels.h"

// Exported by libsleef though sleef.h does not declare all of them.
extern "C" {
__m512d Sleef_finz_sind8_u10avx512f(__m512d);
__m512d Sleef_finz_cosd8_u10avx512f(__m512d);
__m512d Sleef_finz_expd8_u10avx512f(__m512d);
}

namespace ananke::code {
namespace {

struct Pack8 {
    __m512d x;
    explicit Pack8(__m512d value) : x(value) {}
    explicit Pack8(double value) : x(_mm512_set1_pd(value)) {}
    friend Pack8 operator+(Pack8 a, Pack8 b) { return Pack8(_mm512_add_pd(a.x, b.x)); }
    friend Pack8 operator-(Pack8 a, Pack8 b) { return Pack8(_mm512_sub_pd(a.x, b.x)); }
    friend Pack8 operator*(Pack8 a, Pack8 b) { return Pack8(_mm512_mul_pd(a.x, b.x)); }
    friend Pack8 fma(Pack8 a, Pack8 b, Pack8 c) { return Pack8(_mm512_fmadd_pd(a.x, b.x, c.x)); }
    friend Pack8 fms(Pack8 a, Pack8 b, Pack8 c) { return Pack8(_mm512_fmsub_pd(a.x, b.x, c.x)); }
    friend Pack8 fnma(Pack8 a, Pack8 b, Pack8 c) { return Pack8(_mm512_fnmadd_pd(a.x, b.x, c.x)); }
};
/// 64-bit integers with the operators of the compiler: it warns of its own _mm512_slli_epi64.
using Bits8 = unsigned long long __attribute__((vector_size(64)));
Bits8 bits(Pack8 a) {
    return std::bit_cast<Bits8>(a.x);
}
Pack8 from_bits(Bits8 a) {
    return Pack8(std::bit_cast<__m512d>(a));
}
Bits8 all(unsigned long long value) {
    return Bits8{} + value;
}
Pack8 choose_by_bit0(Bits8 which, Pack8 if_set, Pack8 if_not) {
    const __mmask8 set =
        _mm512_test_epi64_mask(std::bit_cast<__m512i>(which), std::bit_cast<__m512i>(all(1)));
    return Pack8(_mm512_mask_blend_pd(set, if_not.x, if_set.x));
}
Pack8 negate_if_bit1(Bits8 which, Pack8 a) {
    return from_bits(bits(a) ^ ((which >> 1) << 63));
}
Pack8 add_to_exponent(Pack8 a, Bits8 k) {
    return from_bits(bits(a) + (k << 52));
}

/// The lanes that other functions have to answer.
__mmask8 beyond(__m512d x, double most) {
    return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(most), _CMP_NLE_UQ);
}

__m512d sine8(__m512d x) {
    const __m512d y = sine_kernel(Pack8(x), all(0)).x;
    const __mmask8 others = beyond(x, kMostAngle);
    if (others == 0) [[likely]] {
        return y;
    }
    return _mm512_mask_blend_pd(others, y, Sleef_finz_sind8_u10avx512f(x));
}

__m512d cosine8(__m512d x) {
    const __m512d y = sine_kernel(Pack8(x), all(1)).x;
    const __mmask8 others = beyond(x, kMostAngle);
    if (others == 0) [[likely]] {
        return y;
    }
    return _mm512_mask_blend_pd(others, y, Sleef_finz_cosd8_u10avx512f(x));
}

__m512d exponential8(__m512d x) {
    const __m512d y = exponential_kernel(Pack8(x)).x;
    const __mmask8 others = beyond(x, kMostExponent);
    if (others == 0) [[likely]] {
        return y;
    }
    return _mm512_mask_blend_pd(others, y, Sleef_finz_expd8_u10avx512f(x));
}

template <class Function>
ElementaryPackets::Address address(Function* function) {
    return reinterpret_cast<ElementaryPackets::Address>(function);
}

}  // namespace

ElementaryPackets elementary_packets8() {
    return {address(sine8), address(cosine8), address(exponential8)};
}

}  // namespace ananke::code

#endif

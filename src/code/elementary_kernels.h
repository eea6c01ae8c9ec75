// sin, cos and exp as straight-line arithmetic on packets of doubles, written once for all widths:
// the same roundings, so the same bits, in scalar and packet code.
//
// The argument is reduced with constants in two or three parts. In r = x - n*c1 the fused operation
// is exact: r is a multiple of 2^-54 and less than 1. What the reduced argument y lacks is carried
// along as a second number, so that arguments near a zero of the function lose nothing. The
// polynomials are minimax approximations (relative errors below 2^-58). Results are within 0.8 ulp.
//
// A `Pack` has: + - *, fma(a, b, c) = a*b + c, fms = a*b - c, fnma = c - a*b, Pack(double) for all
// lanes, and on Bits, the 64 bits of each lane: see the packs in elementary_*.cpp.
#pragma once

namespace ananke::code {

/// Beyond these magnitudes, and for NaN, other functions are called.
inline constexpr double kMostAngle = 0x1p30;
inline constexpr double kMostExponent = 708.0;  ///< results and their inverses are normal numbers

/// Added to a number below 2^51 it leaves the nearest integer in the last bits of the sum.
inline constexpr double kRounder = 0x1.8p52;

/// sin(x + k*pi/2) where the last bits of each lane of `turns` are k.
template <class Pack, class Bits>
Pack sine_kernel(Pack x, Bits turns) {
    const Pack shifted = fma(x, Pack(0x1.45f306dc9c883p-1), Pack(kRounder));  // 2/pi
    const Pack n = shifted - Pack(kRounder);
    const Pack r = fnma(n, Pack(0x1.921fb54442d18p+0), x);  // pi/2 in three parts
    const Pack second = Pack(0x1.1a62633145c07p-54);
    const Pack p = n * second;
    const Pack y = r - p;
    // -(x - n*pi/2 - y); of positive sign where x is -0
    const Pack missing = fma(n, Pack(-0x1.f1976b7ed8fbcp-110), (p - (r - y)) + fms(n, second, p));

    const Pack z = y * y;
    const Pack zz = z * z;
    const Pack s = fma(z,
                       fma(zz,
                           fma(zz, Pack(0x1.5d9300f003eb4p-33),
                               fma(z, Pack(-0x1.ae5e663a638f2p-26), Pack(0x1.71de3577b65dcp-19))),
                           fma(z, Pack(-0x1.a01a019c11990p-13), Pack(0x1.111111110f87ap-7))),
                       Pack(-0x1.5555555555549p-3));
    const Pack c = fma(zz,
                       fma(zz, fma(z, Pack(-0x1.8fae9c69b4dd0p-37), Pack(0x1.1ee9ebe913f33p-29)),
                           fma(z, Pack(-0x1.27e4f809f07b1p-22), Pack(0x1.a01a019cb1bd8p-16))),
                       fma(z, Pack(-0x1.6c16c16c1517ep-10), Pack(0x1.555555555554cp-5)));
    const Pack w = fnma(Pack(0.5), z, Pack(1.0));
    const Pack sine = y - fnma(y * z, s, missing * w);
    const Pack cosine = w + fma(zz, c, fma(y, missing, fnma(Pack(0.5), z, Pack(1.0) - w)));

    const Bits quadrant = bits(shifted) + turns;
    return negate_if_bit1(quadrant, choose_by_bit0(quadrant, cosine, sine));
}

/// e^x = 2^k e^y
template <class Pack>
Pack exponential_kernel(Pack x) {
    const Pack shifted = fma(x, Pack(0x1.71547652b82fep+0), Pack(kRounder));  // 1/ln 2
    const Pack k = shifted - Pack(kRounder);
    const Pack r = fnma(k, Pack(0x1.62e42fefa39efp-1), x);  // ln 2 in two parts
    const Pack p = k * Pack(0x1.abc9e3b39803fp-56);
    const Pack y = r - p;
    const Pack missing = (r - y) - p;

    // (e^y - 1 - y)/y^2
    const Pack yy = y * y;
    const Pack y4 = yy * yy;
    const Pack low = fma(yy, fma(y, Pack(0x1.111111110d63ap-7), Pack(0x1.5555555550030p-5)),
                         fma(y, Pack(0x1.5555555555561p-3), Pack(0x1.000000000000bp-1)));
    const Pack middle = fma(yy, fma(y, Pack(0x1.71dddfcc285a4p-19), Pack(0x1.a0199693bc800p-16)),
                            fma(y, Pack(0x1.a01a01bae2352p-13), Pack(0x1.6c16c185a757bp-10)));
    const Pack high = fma(y, Pack(0x1.af858702e4cd8p-26), Pack(0x1.28b049138eed5p-22));
    const Pack rest = fma(y4, fma(y4, high, middle), low);

    const Pack one_more = Pack(1.0) + y;
    const Pack lost = (Pack(1.0) - one_more) + y;
    const Pack power = one_more + fma(yy, rest, lost + missing);
    return add_to_exponent(power, bits(shifted));
}

}  // namespace ananke::code

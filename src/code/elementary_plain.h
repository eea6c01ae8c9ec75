// The kernels of elementary_kernels.h on plain doubles: for CPUs without packets of our own, and to
// check the others.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "code/elementary_kernels.h"

namespace ananke::code {

struct PlainPack {
    double x;
    explicit PlainPack(double value) : x(value) {}
    friend PlainPack operator+(PlainPack a, PlainPack b) { return PlainPack(a.x + b.x); }
    friend PlainPack operator-(PlainPack a, PlainPack b) { return PlainPack(a.x - b.x); }
    friend PlainPack operator*(PlainPack a, PlainPack b) { return PlainPack(a.x * b.x); }
    friend PlainPack fma(PlainPack a, PlainPack b, PlainPack c) {
        return PlainPack(std::fma(a.x, b.x, c.x));
    }
    friend PlainPack fms(PlainPack a, PlainPack b, PlainPack c) {
        return PlainPack(std::fma(a.x, b.x, -c.x));
    }
    friend PlainPack fnma(PlainPack a, PlainPack b, PlainPack c) {
        return PlainPack(std::fma(-a.x, b.x, c.x));
    }
    friend std::uint64_t bits(PlainPack a) { return std::bit_cast<std::uint64_t>(a.x); }
    friend PlainPack choose_by_bit0(std::uint64_t which, PlainPack if_set, PlainPack if_not) {
        return (which & 1) != 0 ? if_set : if_not;
    }
    friend PlainPack negate_if_bit1(std::uint64_t which, PlainPack a) {
        return PlainPack((which & 2) != 0 ? -a.x : a.x);
    }
    friend PlainPack add_to_exponent(PlainPack a, std::uint64_t k) {
        return PlainPack(std::bit_cast<double>(bits(a) + (k << 52)));
    }
};

/// sin(x + turns*pi/2). Requires |x| <= kMostAngle.
inline double plain_sine(double x, std::uint64_t turns) {
    return sine_kernel(PlainPack(x), turns).x;
}
/// Requires |x| <= kMostExponent.
inline double plain_exponential(double x) {
    return exponential_kernel(PlainPack(x)).x;
}

}  // namespace ananke::code

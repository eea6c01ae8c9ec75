#include "code/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "code/elementary_plain.h"
#include "code/functions.h"

namespace ananke::code {
namespace {

constexpr int kPoints = 200'000;

/// Distance from the exact value in units of the last place.
double error_ulp(double value, long double exact) {
    const double near = static_cast<double>(exact);
    const double ulp = std::nextafter(std::abs(near), HUGE_VAL) - std::abs(near);
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / ulp);
}

/// Evenly spread over the values and over the exponents up to `most`, both signs.
std::vector<double> arguments(double most) {
    std::mt19937_64 rng(11);
    std::uniform_real_distribution<double> small(-8.0, 8.0);
    std::uniform_real_distribution<double> exponent(-60.0, std::log2(most));
    std::vector<double> points{0.0, -0.0, most, -most, 0x1p-1074, -0x1p-1022};
    for (int i = 0; i < kPoints; ++i) {
        points.push_back(small(rng));
        points.push_back(std::exp2(exponent(rng)) * (i % 2 == 0 ? 1.0 : -1.0));
    }
    return points;
}

/// The doubles next to multiples of a quarter turn, where sine or cosine nearly vanish.
std::vector<double> near_multiples() {
    std::vector<double> points;
    for (long n = 1; n < static_cast<long>(kMostAngle) / 2; n += 1 + n / 100) {
        const double near = static_cast<double>(static_cast<long double>(n) * M_PI_2l);
        for (const double x : {near, std::nextafter(near, 0.0), std::nextafter(near, HUGE_VAL)}) {
            points.push_back(x);
            points.push_back(-x);
        }
    }
    return points;
}

TEST(Elementary, PlainKernelsAreWithinPointEightUlp) {
    double worst = 0.0;
    for (const double x : arguments(kMostAngle)) {
        worst = std::max(worst, error_ulp(plain_sine(x, 0), std::sin(static_cast<long double>(x))));
        worst = std::max(worst, error_ulp(plain_sine(x, 1), std::cos(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 0.8);
    for (const double x : near_multiples()) {
        worst = std::max(worst, error_ulp(plain_sine(x, 0), std::sin(static_cast<long double>(x))));
        worst = std::max(worst, error_ulp(plain_sine(x, 1), std::cos(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 0.8) << "next to multiples of pi/2";
    worst = 0.0;
    for (const double x : arguments(kMostExponent)) {
        worst =
            std::max(worst, error_ulp(plain_exponential(x), std::exp(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 0.8);
}

// One set of bits: the vector registers give what plain doubles do, and the functions of SLEEF
// take over beyond the limits.
TEST(Elementary, ScalarFunctionsAreThePlainKernels) {
    if (!cpu_has_fma()) {
        GTEST_SKIP() << "this CPU has no FMA";
    }
    const auto same = [](double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    };
    std::vector<double> angles = arguments(kMostAngle);
    for (const double x : near_multiples()) {
        angles.push_back(x);
    }
    for (const double x : angles) {
        ASSERT_TRUE(same(sine(x), plain_sine(x, 0))) << x;
        ASSERT_TRUE(same(cosine(x), plain_sine(x, 1))) << x;
    }
    for (const double x : arguments(kMostExponent)) {
        ASSERT_TRUE(same(exponential(x), plain_exponential(x))) << x;
    }
    EXPECT_LE(error_ulp(sine(1e22), std::sin(1e22L)), 1.0);
    EXPECT_LE(error_ulp(cosine(1e22), std::cos(1e22L)), 1.0);
    EXPECT_LE(error_ulp(exponential(-740.0), std::exp(-740.0L)), 1.0);
    EXPECT_TRUE(std::isnan(sine(HUGE_VAL)) && std::isnan(cosine(std::nan(""))));
    EXPECT_EQ(exponential(HUGE_VAL), HUGE_VAL);
}

}  // namespace
}  // namespace ananke::code

#include "code/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ananke::code {
namespace {

constexpr int kPoints = 100'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Distance from the exact value in units of the last place of the exact value as a double.
double error_ulp(double value, long double exact) {
    int exponent = 0;
    std::frexp(exact, &exponent);
    const int lowest = std::numeric_limits<double>::min_exponent;
    const long double ulp = std::ldexp(1.0L, std::max(exponent, lowest) - 53);
    return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / ulp);
}

struct UnaryCase {
    const char* name;
    Functions::Unary Functions::*function;
    long double (*exact)(long double);
    double low, high;
    bool logarithmic = false;  ///< evenly spread over the exponents
};

void PrintTo(const UnaryCase& c, std::ostream* out) {
    *out << c.name << " on " << c.low << ".." << c.high;
}

double draw(const UnaryCase& c, std::mt19937_64& rng) {
    if (!c.logarithmic) {
        return std::uniform_real_distribution<double>(c.low, c.high)(rng);
    }
    std::uniform_real_distribution<double> exponent(std::log(c.low), std::log(c.high));
    return std::exp(exponent(rng));
}

class UnaryFunction : public testing::TestWithParam<UnaryCase> {};

// SLEEF states 1.0 ulp for the u10 functions, for ours see elementary_test.cpp; the 64-bit
// significand of long double is the judge.
TEST_P(UnaryFunction, IsWithinOneUlp) {
    const UnaryCase& c = GetParam();
    std::mt19937_64 rng(7);
    for (const Functions* family : {&functions(), &portable_functions()}) {
        double worst = 0.0;
        double worst_at = 0.0;
        for (int i = 0; i < kPoints; ++i) {
            const double x = draw(c, rng);
            const double error = error_ulp((family->*c.function)(x), c.exact(x));
            if (!(error <= worst)) {
                worst = error;
                worst_at = x;
            }
        }
        EXPECT_LE(worst, 1.0) << "at " << worst_at;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, UnaryFunction,
    testing::Values(UnaryCase{"sin", &Functions::sin, std::sin, -10, 10},
                    UnaryCase{"sin", &Functions::sin, std::sin, -1e9, 1e9},
                    UnaryCase{"sin", &Functions::sin, std::sin, 1e-300, 1e300, true},
                    UnaryCase{"cos", &Functions::cos, std::cos, -10, 10},
                    UnaryCase{"cos", &Functions::cos, std::cos, -1e9, 1e9},
                    UnaryCase{"cos", &Functions::cos, std::cos, 1e-300, 1e300, true},
                    UnaryCase{"tan", &Functions::tan, std::tan, -10, 10},
                    UnaryCase{"tan", &Functions::tan, std::tan, 1e-300, 1e300, true},
                    UnaryCase{"asin", &Functions::asin, std::asin, -1, 1},
                    UnaryCase{"acos", &Functions::acos, std::acos, -1, 1},
                    UnaryCase{"atan", &Functions::atan, std::atan, -10, 10},
                    UnaryCase{"atan", &Functions::atan, std::atan, 1e-300, 1e300, true},
                    UnaryCase{"sinh", &Functions::sinh, std::sinh, -10, 10},
                    UnaryCase{"sinh", &Functions::sinh, std::sinh, -700, 700},
                    UnaryCase{"cosh", &Functions::cosh, std::cosh, -10, 10},
                    UnaryCase{"cosh", &Functions::cosh, std::cosh, -700, 700},
                    UnaryCase{"tanh", &Functions::tanh, std::tanh, -10, 10},
                    UnaryCase{"exp", &Functions::exp, std::exp, -10, 10},
                    UnaryCase{"exp", &Functions::exp, std::exp, -700, 700},
                    UnaryCase{"log", &Functions::log, std::log, 0.5, 2},
                    UnaryCase{"log", &Functions::log, std::log, 1e-300, 1e300, true}));

TEST(BinaryFunctions, AreWithinOneUlp) {
    std::mt19937_64 rng(8);
    std::uniform_real_distribution<double> side(-10.0, 10.0);
    std::uniform_real_distribution<double> positive(0.01, 100.0);
    for (const Functions* f : {&functions(), &portable_functions()}) {
        double worst_atan2 = 0.0;
        double worst_pow = 0.0;
        for (int i = 0; i < kPoints; ++i) {
            const double y = side(rng);
            const double x = side(rng);
            worst_atan2 = std::max(
                worst_atan2, error_ulp(f->atan2(y, x), std::atan2(static_cast<long double>(y),
                                                                  static_cast<long double>(x))));
            const double base = positive(rng);
            worst_pow = std::max(worst_pow,
                                 error_ulp(f->pow(base, y), std::pow(static_cast<long double>(base),
                                                                     static_cast<long double>(y))));
        }
        EXPECT_LE(worst_atan2, 1.0);
        EXPECT_LE(worst_pow, 1.0);
    }
}

TEST(Functions, EdgesOfTheDomains) {
    for (const Functions* f : {&functions(), &portable_functions()}) {
        EXPECT_EQ(f->sin(0.0), 0.0);
        EXPECT_TRUE(std::signbit(f->sin(-0.0)));
        EXPECT_EQ(f->cos(0.0), 1.0);
        EXPECT_TRUE(std::isnan(f->sin(kInfinity)));
        EXPECT_TRUE(std::isnan(f->cos(-kInfinity)));
        EXPECT_TRUE(std::isnan(f->asin(1.5)));
        EXPECT_TRUE(std::isnan(f->acos(-1.5)));
        EXPECT_EQ(f->log(0.0), -kInfinity);
        EXPECT_EQ(f->log(1.0), 0.0);
        EXPECT_TRUE(std::isnan(f->log(-1.0)));
        EXPECT_EQ(f->exp(0.0), 1.0);
        EXPECT_EQ(f->exp(-kInfinity), 0.0);
        EXPECT_EQ(f->exp(1000.0), kInfinity);
        EXPECT_EQ(f->tanh(1000.0), 1.0);
        EXPECT_EQ(f->pow(2.0, 10.0), 1024.0);
        EXPECT_EQ(f->pow(-2.0, 3.0), -8.0);
        EXPECT_EQ(f->pow(0.0, 0.0), 1.0);
        EXPECT_TRUE(std::isnan(f->pow(-2.0, 0.5)));
        EXPECT_EQ(f->atan2(0.0, 1.0), 0.0);
        EXPECT_DOUBLE_EQ(f->atan2(0.0, -1.0), std::acos(-1.0));
        EXPECT_DOUBLE_EQ(f->atan2(-1.0, 0.0), -std::acos(0.0));
        EXPECT_TRUE(std::isnan(f->sin(std::nan(""))));
    }
}

}  // namespace
}  // namespace ananke::code
